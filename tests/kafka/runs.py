"""Which class of Kafka is held against which model."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Run:
    """One comparison: `system` is a file of this folder, `model` a model of the catalogue or a file of this folder.

    `settings`: bounds and rules other than the model's, as `conform --set` takes them. `since`: more of them, each for
    all releases from one on: ("4.3", "rule=new"). `known`: the file with the known differences, if there are some.
    `case`: tells runs of one system and one model apart.
    """

    system: str
    model: str
    settings: tuple[str, ...] = ()
    since: tuple[tuple[str, str], ...] = ()
    known: str | None = None
    case: str = ""

    @property
    def name(self) -> str:
        """The run as it is chosen on the command line."""
        name = f"{self.system.removesuffix('.py')}:{self.model.removesuffix('.py')}"
        return f"{name}:{self.case}" if self.case else name

    def settings_of(self, release: str) -> list[str]:
        """The settings for a release; of two for one name the later one counts."""
        later = [setting for first, setting in self.since if numbers(first) <= numbers(release)]
        return list({each.partition("=")[0]: each for each in (*self.settings, *later)}.values())


def numbers(release: str) -> tuple[int, ...]:
    """A release as it is compared: 4.10 comes after 4.9."""
    return tuple(int(each) for each in release.partition("-")[0].split("."))


CONTROLLER = ("alter_partition", "brokers", "configuration", "elections", "partition_change", "reassignment", "topics")
JUDGES = {
    "replication_control.py": (
        "org.apache.kafka.controller.ReplicationControlManager",
        ("controller/alter_partition.py", "controller/brokers.py", "controller/elections.py"),
    ),
    "controller_requests.py": (
        "org.apache.kafka.controller.ReplicationControlManager",
        tuple(f"controller/{each}.py" for each in CONTROLLER),
    ),
    "broker_heartbeats.py": (
        "org.apache.kafka.controller.BrokerHeartbeatManager",
        ("controller/broker_lifecycle.py", "controller/registrations.py"),
    ),
    "raft_client.py": (
        "org.apache.kafka.raft.KafkaRaftClient",
        ("quorum/check_quorum.py", "quorum/elections.py", "quorum/records.py", "quorum/replication.py"),
    ),
}
"""By system, the class of Kafka that it drives, and the modules of `impl/` that the class judges."""

RELEASES = ("4.0.0", "4.0.2", "4.1.0", "4.1.2", "4.2.0", "4.2.2", "4.3.0", "4.3.1", "4.4.0")
"""The releases that `make kafka-all` runs; the newest one is pinned in `pom.xml`."""

GROWN = (("4.3", "grown_target_awaits_added=true"),)
"""KAFKA-19975."""
ALIVE = (("4.1", "last_known_leader_is_active=true"),)
"""KAFKA-19522."""
ELIGIBLE = ("eligible_leader_replicas=true", "last_known_leader_is_elected=true", "last_known_leader_is_active=false")
REQUESTS, MODEL = "controller_requests.py", "controller_model.py"
RAFT, QUORUM = "raft_client.py", "raft_model.py"

RUNS = (
    Run("replication_control.py", "cluster.kraft"),
    Run("replication_control.py", "cluster.eligible", ("expirations=0",)),
    Run(REQUESTS, MODEL, ("replicas=2",), GROWN),
    Run(REQUESTS, MODEL, ("replicas=2", *ELIGIBLE), GROWN + ALIVE, "controller_elr.toml", "eligible"),
    Run(REQUESTS, MODEL, ("replicas=2", "moves=0", "unclean_election=true"), case="unclean"),
    Run(REQUESTS, MODEL, (), GROWN, case="three"),
    Run(REQUESTS, MODEL, ("moves=0", *ELIGIBLE), ALIVE, "controller_elr.toml", "three_eligible"),
    Run("broker_heartbeats.py", "broker_lifecycle.failover"),
    Run(RAFT, QUORUM, ("max_leader_epoch=1", "crashes=1")),
    Run(RAFT, QUORUM, ("max_leader_epoch=1", "disk_losses=1"), case="disks"),
    Run(RAFT, QUORUM, case="epochs"),
)
