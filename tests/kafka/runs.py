"""Which class of Kafka is held against which model."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Run:
    """One comparison: `system` is a file of this folder, `model` a model of the catalogue or a file of this folder.

    `settings`: bounds and rules other than the model's, as `conform --set` takes them. `judges`: Kafka's class, and the
    modules of `impl/` that it is held against. `known`: the file with the known differences, if there are some.
    """

    system: str
    model: str
    settings: tuple[str, ...] = ()
    known: str | None = None

    @property
    def name(self) -> str:
        """The run as it is chosen on the command line."""
        return f"{self.system.removesuffix('.py')}:{self.model.removesuffix('.py')}"


JUDGES = {
    "replication_control.py": (
        "org.apache.kafka.controller.ReplicationControlManager",
        ("controller/alter_partition.py", "controller/brokers.py", "controller/elections.py"),
    ),
    "epoch_file.py": (
        "org.apache.kafka.storage.internals.epoch.LeaderEpochFileCache",
        ("broker/epoch_file.py",),
    ),
}
"""By system, the class of Kafka that it drives, and the modules of `impl/` that the class judges."""

RUNS = (
    Run("replication_control.py", "cluster.kraft"),
    Run("replication_control.py", "cluster.eligible"),
    Run("epoch_file.py", "epoch_file_model.py"),
)
