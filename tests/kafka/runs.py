"""Which class of Kafka is held against which model."""

from dataclasses import dataclass


def numbers_of(release: str) -> tuple[int, ...]:
    """The numbers of a release, by which releases are ordered."""
    return tuple(int(number) for number in release.partition("-")[0].split("."))


@dataclass(frozen=True)
class Run:
    """One comparison: `system` is a file of this folder, `model` a model of the catalogue or a file of this folder.

    `settings`: bounds and rules other than the model's, as `conform --set` takes them. `judges`: Kafka's class, and the
    modules of `impl/` that it is held against. `known`: the file with the known differences, if there are some.
    `since`: by rule, the first release that has it as the model has it; in the releases before, it is set to false.
    """

    system: str
    model: str
    settings: tuple[str, ...] = ()
    known: str | None = None
    since: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        """The run as it is chosen on the command line."""
        names = (self.system.removesuffix(".py"), self.model.removesuffix(".py"), *self.settings)
        return ":".join(names)

    def settings_of(self, release: str) -> tuple[str, ...]:
        """The settings with which the model is held against this release."""
        lacks = (rule for rule, first in self.since if numbers_of(release) < numbers_of(first))
        return (*self.settings, *(f"{rule}=false" for rule in lacks))


JUDGES = {
    "replication_control.py": (
        "org.apache.kafka.controller.ReplicationControlManager",
        ("controller/alter_partition.py", "controller/brokers.py", "controller/elections.py"),
    ),
    "epoch_file.py": ("org.apache.kafka.storage.internals.epoch.LeaderEpochFileCache", ("broker/epoch_file.py",)),
    "partition_log.py": (
        "org.apache.kafka.storage.internals.log.UnifiedLog",
        ("log/append.py", "log/producer_state.py", "log/reload.py", "log/transactions.py", "log/verification.py"),
    ),
}
"""By system, the class of Kafka that it drives, and the modules of `impl/` that the class judges."""

SEQUENCES_SINCE = (
    ("empty_log_awaits_first_sequence", "4.5.0"),
    ("new_state_begins_at_zero", "4.1.0"),
    ("old_epoch_is_refused_early", "4.1.0"),
    ("old_epoch_is_named_first", "4.1.1"),
)
"""Since when Kafka has the newer rules of `LogRules`."""

RUNS = (
    Run("replication_control.py", "cluster.kraft"),
    Run("replication_control.py", "cluster.eligible"),
    Run("epoch_file.py", "epoch_file_model.py"),
    Run("partition_log.py", "producer_state_model.py", ("reloads=0",), since=SEQUENCES_SINCE),
    Run("partition_log.py", "producer_state_model.py", ("reloads=1",), since=SEQUENCES_SINCE),
    Run("partition_log.py", "transaction_index_model.py", since=(("marker_epoch_is_higher", "4.2.0"),)),
)
