"""What stands in for Spark where a test needs its answers, and not its processes."""

from types import SimpleNamespace


class Lists:
    """Stands in for Spark: its few methods that are used here, on lists in this process."""

    defaultParallelism = 2  # noqa: N815  # Spark's name

    def __init__(self, tasks=()):
        self.tasks = tasks

    def broadcast(self, value):
        return SimpleNamespace(value=value, destroy=lambda: None)

    def setJobGroup(self, *_):
        pass

    def cancelJobGroup(self, name):
        pass

    def parallelize(self, values, count):
        assert count == max(1, len(values))
        return Lists([[value] for value in values])

    def mapPartitions(self, function):
        return Lists([list(function(iter(task))) for task in self.tasks])

    def repartitionAndSortWithinPartitions(self, count, owner):
        found = sorted((pair for task in reversed(self.tasks) for pair in task), key=lambda pair: pair[0])
        return Lists([[pair for pair in found if owner(pair[0]) == each] for each in range(count)])

    def collect(self):
        return [value for task in self.tasks for value in task]
