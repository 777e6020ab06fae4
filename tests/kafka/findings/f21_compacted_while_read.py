"""F21: a coordinator cannot load a log because the log cleaner has removed records while it reads.

Both coordinators are Kafka's `GroupMetadataManager`. The first one writes the records; the second one takes them from
the log. The log cleaner is played: it removes each record of which a later one has the key.
"""

import jvm
from control import run

DOOR = "org.apache.kafka.coordinator.group.GroupLogDoor"
ONE, OTHER = 0, 1
JOIN, LEAVE, NO_SET = 0, -1, -1


class Log:
    """One topic with a partition, and the log of a group that consumes it."""

    def __init__(self) -> None:
        self.door = jvm.java(DOOR)()
        self.door.start(1, 0b1)
        self.steps: list[str] = []

    def joins(self, member: int) -> None:
        """A consumer joins."""
        reply = self.door.heartbeat(member, JOIN, True, 1, 0, True)
        owns = ", and owns the partition" if int(reply.assigned()) == 1 else ""
        self._written(f"{'one' if member == ONE else 'another'} joins in epoch {int(reply.memberEpoch())}{owns}")

    def leaves(self, member: int) -> None:
        """A consumer leaves."""
        self.door.heartbeat(member, LEAVE, False, NO_SET, NO_SET, True)
        self._written("it leaves")

    def is_deleted(self) -> None:
        """The group is deleted."""
        self.door.delete()
        self._written("the group is deleted")

    def _written(self, step: str) -> None:
        self.door.endWrite()
        self.steps.append(step)

    def read(self, compacts: bool) -> str | None:
        """Another coordinator reads the first write, then the log is compacted or not, and it reads the others.

        Why it cannot; or nothing.
        """
        writes = len(self.steps)
        self.door.reader(1, 0b1)
        for write in range(1, writes + 1):
            failure = self.door.read(write, writes + 1 if compacts and write > 1 else 0)
            if failure is not None:
                return str(failure)
        return None


def returned() -> Log:
    """A consumer leaves, another one gets its partition, and the first one joins again."""
    log = Log()
    log.joins(ONE)
    log.leaves(ONE)
    log.joins(OTHER)
    log.joins(ONE)
    return log


def begun_anew() -> Log:
    """A consumer leaves, its group is deleted and begins anew with another one; then the first one joins again."""
    log = Log()
    log.joins(ONE)
    log.leaves(ONE)
    log.is_deleted()
    log.joins(OTHER)
    log.joins(ONE)
    return log


def main() -> None:
    """Print a line for each way, and one for each that the log is not compacted in."""
    for way, made in (("a member returns", returned), ("a group begins anew", begun_anew)):
        for compacts in (True, False):
            log = made()
            failure = log.read(compacts)
            told = "the log is compacted while it is read" if compacts else "the log is read as it was written"
            outcome = "it is read" if failure is None else failure
            verdict = "does not happen" if failure is None else "happens: THE LOG CANNOT BE LOADED, finding reproduced"
            print(f"F21, {way}: {'; '.join([*log.steps, told, outcome])}: {verdict}", flush=True)


if __name__ == "__main__":
    run(main)
