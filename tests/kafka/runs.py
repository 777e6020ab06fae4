"""Which class of Kafka is held against which model."""

from dataclasses import dataclass
from typing import NamedTuple


class Known(NamedTuple):
    """A file of known differences; `releases` that have them, if not all do."""

    file: str
    releases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Run:
    """One comparison: `system` is a file of `systems/`, `model` a model of the catalogue or a file of `models/`.

    The rules are those of the release, so far as they are dated. `settings`: bounds and rules other than these, as
    `conform --set` takes them. `known`: the files with known differences. `case`: tells runs of one system and one
    model apart. `not_in`: releases in which it is not run.
    """

    system: str
    model: str
    settings: tuple[str, ...] = ()
    known: tuple[Known, ...] = ()
    case: str = ""
    not_in: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The run as it is chosen on the command line."""
        name = f"{self.system.removesuffix('.py')}:{self.model.removesuffix('.py')}"
        return f"{name}:{self.case}" if self.case else name

    def known_of(self, release: str) -> list[str]:
        """The files with the differences that are known in a release."""
        return [each.file for each in self.known if not each.releases or plain(release) in each.releases]


def plain(release: str) -> str:
    """The numbers of a release: 4.5.0-SNAPSHOT has those of 4.5.0."""
    return release.partition("-")[0]


CONTROLLER = ("alter_partition", "brokers", "configuration", "elections", "partition_change", "reassignment", "topics")
READING = "log/reading.py"
LOG_MODULES = ("append", "producer_state", "reload", "replica", "sequences", "transactions", "verification")
JUDGES = {
    "replication_control.py": (
        "org.apache.kafka.controller.ReplicationControlManager",
        ("controller/alter_partition.py", "controller/brokers.py", "controller/elections.py"),
    ),
    "controller_requests.py": (
        "org.apache.kafka.controller.ReplicationControlManager",
        (*(f"controller/{each}.py" for each in CONTROLLER), "messages/metadata.py"),
    ),
    "broker_heartbeats.py": (
        "org.apache.kafka.controller.BrokerHeartbeatManager",
        ("controller/broker_lifecycle.py", "controller/registrations.py"),
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
    "transaction_metadata.py": (
        "kafka.coordinator.transaction.TransactionMetadata",
        ("coordinator/transaction_metadata.py",),
    ),
    "offsets.py": (
        "org.apache.kafka.coordinator.group.OffsetMetadataManager",
        ("coordinator/offsets.py", "coordinator/runtime.py"),
    ),
    "group_offsets.py": (
        "org.apache.kafka.coordinator.group.OffsetMetadataManager",
        tuple(f"group_offsets/{each}.py" for each in ("coordinator", "expiry", "replay", "validation")),
    ),
    "consumer_group.py": (
        "org.apache.kafka.coordinator.group.GroupMetadataManager",
        ("consumer_group/assignment.py", "consumer_group/coordinator.py", "consumer_group/reconciliation.py"),
    ),
    "migration.py": (
        "org.apache.kafka.coordinator.group.GroupMetadataManager",
        ("consumer_group/classic_members.py", "consumer_group/migration.py"),
    ),
    "patterns.py": (
        "org.apache.kafka.coordinator.group.GroupMetadataManager",
        ("consumer_group/patterns.py", "consumer_group/resolution.py"),
    ),
    "group_log.py": ("org.apache.kafka.coordinator.group.GroupMetadataManager", ("consumer_group/loading.py",)),
    "classic_group.py": ("org.apache.kafka.coordinator.group.GroupMetadataManager", ("classic_group/coordinator.py",)),
    "consumer_membership.py": (
        "org.apache.kafka.clients.consumer.internals.ConsumerMembershipManager",
        ("client/consumer_membership.py", "client/poll_interval.py"),
    ),
    "classic_client.py": (
        "org.apache.kafka.clients.consumer.internals.ConsumerCoordinator",
        ("classic_group/assignment.py", "client/classic_membership.py"),
    ),
    "epoch_file.py": ("org.apache.kafka.storage.internals.epoch.LeaderEpochFileCache", ("broker/epoch_file.py",)),
    "partition_log.py": (
        "org.apache.kafka.storage.internals.log.UnifiedLog",
        (*(f"log/{each}.py" for each in LOG_MODULES), "transactions/leader.py", "transactions/partition.py", READING),
    ),
    "cleaner.py": (
        "org.apache.kafka.storage.internals.log.Cleaner",
        ("compaction/cleaner.py", "compaction/replica.py", "log/reload.py", READING),
    ),
    "partition.py": (
        "kafka.cluster.Partition",
        (
            *(f"broker/{each}.py" for each in ("epoch_file", "fetch", "isr", "leader", "log_file", "metadata")),
            "log/__init__.py",
            "messages/metadata.py",
        ),
    ),
    "producer_client.py": (
        "org.apache.kafka.clients.producer.internals.Sender",
        ("producer/bookkeeping.py", "producer/retries.py", "producer/sender.py", "producer/wire.py"),
    ),
    "positions.py": ("org.apache.kafka.clients.consumer.internals.FetchCollector", ("delivery/positions.py",)),
    "resuming.py": (
        "org.apache.kafka.clients.consumer.internals.SubscriptionState",
        ("resumption/offsets.py", "resumption/positions.py"),
    ),
    "transactional_client.py": (
        "org.apache.kafka.clients.producer.internals.TransactionManager",
        ("client/application.py", "client/transactional_producer.py"),
    ),
    "replica_lag.py": ("org.apache.kafka.server.replica.Replica", ("broker/lag.py",)),
    "replica_fetcher.py": (
        "kafka.server.AbstractFetcherThread",
        (
            *(f"broker/{each}.py" for each in ("epoch_file", "fetcher", "log_file", "metadata", "recovery")),
            "log/__init__.py",
        ),
    ),
    "raft_client.py": (
        "org.apache.kafka.raft.KafkaRaftClient",
        ("quorum/check_quorum.py", "quorum/elections.py", "quorum/records.py", "quorum/replication.py"),
    ),
}
"""By system, the class of Kafka that it drives, and the modules of `impl/` that the class judges."""

RELEASES = ("4.0.0", "4.0.2", "4.1.0", "4.1.2", "4.2.0", "4.2.2", "4.3.0", "4.3.1", "4.4.0")
"""The releases that `make kafka-all` runs; the newest one is pinned in `pom.xml`."""

ELIGIBLE = "eligible_leader_replicas=true"
REQUESTS, MODEL = "controller_requests.py", "controller_model.py"
EITHER_VERSION = ("transaction_version=1",)
"""Each request says which version it has, whatever the release has by default."""
VERSION_1 = (*EITHER_VERSION, "cluster_version=1", "upgrades=0")
RELOADED = (*EITHER_VERSION, "max_coordinator_epoch=1", "first_epoch=32766", "producer_ids=2")
COORDINATOR, REQUESTED = "transaction_coordinator.py", "transaction_coordinator_model.py"
FENCED_TWICE = (Known("transaction_coordinator_4_0.toml", ("4.0.0",)),)
APPENDS_REMEMBERED = (*FENCED_TWICE, Known("transaction_coordinator_4_0_appends.toml", ("4.0.0",)))
FENCED_UNTIL_4_2 = ("4.0.1", "4.0.2", "4.1.0", "4.1.1", "4.1.2", "4.2.0", "4.2.1", "4.2.2")
FENCED_ONCE = (
    Known("transaction_coordinator_4_0_version_1.toml", ("4.0.0",)),
    Known("transaction_coordinator_4_1_version_1.toml", FENCED_UNTIL_4_2),
)
FENCED_LEADS = ("4.0.0", "4.0.1", "4.0.2")
"""Releases that elect a last known leader that is fenced (KAFKA-19522)."""
ELIGIBLE_KNOWN = (Known("controller_elr.toml"), Known("controller_elr_4_0.toml", FENCED_LEADS))
ELIGIBLE_MOVES = (*ELIGIBLE_KNOWN, Known("controller_elr_4_0_moves.toml", FENCED_LEADS))
LOG, SENT = "partition_log.py", "producer_state_model.py"
IN_TRANSACTIONS = ("transactions=1", "log_size=4")
SEQUENCES = ("reloads=0", "max_producer_epoch=0", "cached_batches=2", "max_verification_guard=2", "wraps=1")
"""Two batches are remembered, sequences wrap, and a guard may be an old one."""
ONE_RECORD = ("log_size=1", "max_records=1", "max_leader_epoch=1")
"""Bounds of `models/partition_model.py` that let every edge be compared within minutes."""
ALONE = "moves=0", "min_insync_replicas=1"
"""The leader alone is enough, so that its high watermark rises without the follower that it proposes."""
ASKS_FIRST = "truncation=KIP_279"
"""A follower asks where an epoch ends before it fetches, as it does where a log moves to another disk."""
SHORT = ("max_leader_epoch=1", "log_size=1", "max_records=1")
FETCHER, ANSWERS = "replica_fetcher.py", "fetcher_model.py"
SKIPPED = ("moves=0", "log_size=1", "max_records=1", "max_log_start=0")
"""A leader epoch may lie between two that the broker sees."""
RAFT, QUORUM = "raft_client.py", "raft_model.py"
PRODUCER, ANSWERED = "producer_client.py", "producer_client_model.py"
WAITING = ("errors=1", "sent_expirations=0")
EXHAUSTED = ("first_epoch=32767", "max_producer_epoch=32767", "producer_ids=2")
OVERSIZED = ("records_in_batch=2", "oversized_batches=1", "broken=0")
REUSED = ("4.0.0", "4.0.1", "4.1.0", "4.1.1")
"""Releases that reuse the memory of a batch which expires in flight (KAFKA-19012)."""
CLIENT, REFUSED = "transactional_client.py", "transactional_client_model.py"
CLASSIC, JOINING = "classic_group.py", "classic_group_model.py"
COMMITS = ("stable", "transactions", "loading", "partitions", "expiry", "members")
JOINER, TOLD = "classic_client.py", "classic_client_model.py"
SUBSCRIPTIONS = ("topics=2", "members=1", "max_group_epoch=4", "deferrals=1")
"""One member changes its topics, also while it has partitions to give up."""
TWO_SUBSCRIBE = ("members=2", "instances=0", "patterns=1", "creations=0")
TWO_PATTERNS = ("members=2", "instances=0", "creations=0", "max_group_epoch=3")
REPLACED = ("members=3", "classic_consumers=1", "topics=1", "partitions=1", "creations=0", "patterns=1")
THREE_MIGRATE = (
    "members=3",
    "member_ids=3",
    "classic_consumers=2",
    "claims=0",
    "max_group_epoch=3",
    "max_generation=3",
)

RUNS = (
    Run("replication_control.py", "cluster.kraft", known=(Known("leader_elected_again.toml"),)),
    Run("replication_control.py", "cluster.kraft", ("elections_follow_assignment=true",), case="preferred"),
    Run("replication_control.py", "cluster.eligible", ("expirations=0",)),
    Run(REQUESTS, MODEL, ("replicas=2",)),
    Run(REQUESTS, MODEL, ("replicas=2", ELIGIBLE), ELIGIBLE_MOVES, "eligible"),
    Run(REQUESTS, MODEL, ("replicas=2", "moves=0", "unclean_election=true"), case="unclean"),
    Run(REQUESTS, MODEL, case="three"),
    Run(REQUESTS, MODEL, ("moves=0", ELIGIBLE), ELIGIBLE_KNOWN, "three_eligible"),
    Run("broker_heartbeats.py", "broker_lifecycle.failover"),
    # What the other brokers have replayed shows in few behaviours; without failovers they are found within a minute.
    Run("broker_heartbeats.py", "broker_lifecycle.failover", ("failovers=0",), case="alone"),
    Run(COORDINATOR, REQUESTED, EITHER_VERSION, APPENDS_REMEMBERED),
    Run(COORDINATOR, REQUESTED, (*VERSION_1, "first_epoch=-1"), case="first"),
    Run(COORDINATOR, REQUESTED, VERSION_1, FENCED_ONCE, "version_1"),
    Run(COORDINATOR, REQUESTED, RELOADED, FENCED_TWICE, "reloaded"),
    Run("transaction_metadata.py", "transaction_metadata_model.py", EITHER_VERSION),
    Run("transaction_metadata.py", "transaction_metadata_model.py", (*EITHER_VERSION, "first_epoch=-1"), case="first"),
    Run("offsets.py", "offsets_model.py", known=(Known("offsets_4_0.toml", ("4.0.0",)),)),
    Run("offsets.py", "offsets_model.py", ("log_size=3", "max_generation=1"), case="generations"),
    *(Run("group_offsets.py", f"offset_commits.{each}") for each in COMMITS),
    Run("consumer_group.py", "consumer_group_model.py", ("deferrals=1",)),
    Run("consumer_group.py", "consumer_group_model.py", ("creations=1",), case="created"),
    Run("consumer_group.py", "consumer_group_model.py", SUBSCRIPTIONS, case="subscriptions"),
    Run("consumer_group.py", "consumer_group_model.py", ("topics=2", "max_group_epoch=2"), case="topics"),
    Run("consumer_group.py", "consumer_group_model.py", ("members=3", "max_group_epoch=2"), case="three"),
    Run("consumer_group.py", "consumer_group_model.py", ("members=3", "instances=1"), case="static"),
    Run("consumer_group.py", "consumer_group_model.py", ("deferrals=1", "instances=1"), case="static_alone"),
    Run("migration.py", "migration_model.py"),
    Run("migration.py", "migration_model.py", ("instances=2",), case="static"),
    Run("migration.py", "migration_model.py", THREE_MIGRATE, case="three"),
    Run("patterns.py", "patterns_model.py"),
    Run("patterns.py", "patterns_model.py", TWO_SUBSCRIBE, case="two"),
    Run("patterns.py", "patterns_model.py", TWO_PATTERNS, case="two_patterns"),
    Run("patterns.py", "patterns_model.py", REPLACED, case="classic"),
    Run("group_log.py", "group_log.compacted"),
    Run("group_log.py", "group_log.deleted"),
    Run("group_log.py", "group_log.migrated"),
    Run(CLASSIC, JOINING, ("member_ids=2",)),
    Run(CLASSIC, JOINING, ("member_ids=2", "max_generation=3", "claims=0"), case="generations"),
    Run(CLASSIC, JOINING, ("claims=0", "static_members=0"), case="three"),
    Run(CLASSIC, JOINING, ("claims=0", "consumers=1"), case="static"),
    Run(CLASSIC, JOINING, ("member_ids=2", "claims=0", "member_id_is_required=false"), case="first"),
    Run("consumer_membership.py", "consumer_membership_model.py"),
    Run("consumer_membership.py", "consumer_membership_model.py", ("instances=1",), case="static"),
    Run("consumer_membership.py", "consumer_membership_model.py", ("topics=2", "max_group_epoch=1"), case="topics"),
    Run(JOINER, TOLD),
    Run(JOINER, TOLD, ("is_cooperative=true",), case="cooperative"),
    Run(JOINER, TOLD, ("static_members=1",), case="static"),
    Run(JOINER, TOLD, ("static_members=1", "is_cooperative=true"), case="static_cooperative"),
    Run("consumer_membership.py", "consumer_membership_model.py", ("slow_polls=1", "max_group_epoch=1"), case="slow"),
    Run(
        "consumer_membership.py",
        "consumer_membership_model.py",
        ("slow_polls=1", "max_group_epoch=1", "instances=1"),
        case="slow_static",
    ),
    Run(
        "consumer_membership.py",
        "consumer_membership_model.py",
        ("topics=2", "unknown_topics=1", "max_group_epoch=1"),
        case="unknown",
    ),
    Run("epoch_file.py", "epoch_file_model.py"),
    Run("replica_lag.py", "replica_lag"),
    Run(LOG, SENT, ("reloads=0",)),
    Run(LOG, SENT, ("reloads=1",), (Known("partition_log_reloads.toml"),), "reloads"),
    Run(LOG, SENT, SEQUENCES, case="sequences"),
    Run(LOG, SENT, ("reloads=0", "max_log_start=1"), case="deleted"),
    Run(LOG, "transaction_index_model.py", EITHER_VERSION),
    Run("cleaner.py", "cleaner_model.py"),
    Run("cleaner.py", "cleaner_model.py", ("grouped=1",), case="grouped"),
    Run("cleaner.py", "cleaner_model.py", (*IN_TRANSACTIONS, "keys=1"), case="transactions"),
    Run("cleaner.py", "cleaner_model.py", (*IN_TRANSACTIONS, "batches=2"), case="keys"),
    Run("partition.py", "partition_model.py", (*ONE_RECORD, "moves=0")),
    Run("partition.py", "partition_model.py", ONE_RECORD, case="reassigned"),
    Run("partition.py", "partition_model.py", (*ONE_RECORD, *ALONE), (Known("partition_alone.toml"),), "alone"),
    Run("partition.py", "partition_model.py", SKIPPED, case="skipped"),
    Run("positions.py", "positions_model.py"),
    Run("positions.py", "positions_model.py", ("auto_offset_reset=LATEST",), case="latest"),
    Run("resuming.py", "resuming_model.py"),
    Run(PRODUCER, ANSWERED, WAITING),
    Run(PRODUCER, ANSWERED, ("errors=1", "expirations=0"), case="in_flight", not_in=REUSED),
    Run(PRODUCER, ANSWERED, (*WAITING, "batches=3", "max_in_flight=3", "broken=0"), case="three"),
    Run(PRODUCER, ANSWERED, (*WAITING, "partitions=2", "broken=0", "expirations=0"), case="partitions"),
    Run(PRODUCER, ANSWERED, (*WAITING, *EXHAUSTED), case="exhausted"),
    Run(PRODUCER, ANSWERED, (*WAITING, *OVERSIZED), case="oversized"),
    Run(PRODUCER, ANSWERED, (*WAITING, "partition_is_muted=true"), case="muted"),
    Run(CLIENT, REFUSED, ("repetitions=0",)),
    Run(CLIENT, REFUSED, ("repetitions=0", "transaction_version=1"), case="first_version"),
    Run(CLIENT, REFUSED, ("errors=0", "lost=0", "batches=1"), case="repeated"),
    Run(FETCHER, ANSWERS, ("max_leader_epoch=1",)),
    Run(FETCHER, ANSWERS, case="epochs"),
    Run(FETCHER, ANSWERS, ("log_size=1", "max_records=1", "replicas=3"), case="leaders"),
    Run(FETCHER, ANSWERS, (*SHORT, "restarts=1", "epoch_files=1"), case="restarts"),
    Run(FETCHER, ANSWERS, ("max_leader_epoch=1", ASKS_FIRST), case="asks"),
    Run(FETCHER, ANSWERS, (ASKS_FIRST,), case="asks_epochs"),
    Run(RAFT, QUORUM, ("max_leader_epoch=1", "crashes=1")),
    Run(RAFT, QUORUM, ("max_leader_epoch=1", "disk_losses=1"), case="disks"),
    Run(RAFT, QUORUM, case="epochs"),
    Run(RAFT, QUORUM, ("voters=2", "log_size=3", "max_records=2"), case="two"),
)
