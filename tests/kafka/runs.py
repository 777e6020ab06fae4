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
    "transaction_coordinator.py": (
        "kafka.coordinator.transaction.TransactionCoordinator",
        (
            "coordinator/markers.py",
            "coordinator/transaction_log.py",
            "coordinator/transaction_metadata.py",
            "coordinator/transactions.py",
        ),
    ),
}
"""By system, the class of Kafka that it drives, and the modules of `impl/` that the class judges."""

VERSION_1 = ("cluster_version=1", "upgrades=0")
RELOADED = ("max_coordinator_epoch=1", "first_epoch=32766", "producer_ids=2")

RUNS = (
    Run("replication_control.py", "cluster.kraft"),
    Run("replication_control.py", "cluster.eligible"),
    Run("transaction_coordinator.py", "transaction_coordinator_model.py"),
    Run("transaction_coordinator.py", "transaction_coordinator_model.py", ("first_epoch=-1", *VERSION_1)),
    Run("transaction_coordinator.py", "transaction_coordinator_model.py", RELOADED),
)
