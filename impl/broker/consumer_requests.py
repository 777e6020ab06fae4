"""A broker's answers to a consumer: Fetch with a preferred read replica, and ListOffsets.

Part of Kafka modelled: `Partition` (`fetchRecords`, `fetchOffsetForTimestamp`), `LogSegment.read`, and
`ReplicaManager.findPreferredReadReplica` with any `ReplicaSelector`.
Source: apache/kafka (commit 1eb7644349); KIP-207, KIP-392, KAFKA-9835, KAFKA-14372.
Left out, and why that is sound: racks, by which a selector chooses: here a selector may choose any candidate, or none,
at any fetch. **Not covered**: a follower whose log begins above the leader's. Kafka's leader knows this from the
follower's fetches, and does not name that follower.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.broker.fetch import is_fenced, is_outside
from kafkacheck.impl.broker.records import Broker
from kafkacheck.impl.ids import NO_LEADER
from kafkacheck.impl.log.reading import end_of
from kafkacheck.impl.rules import ClusterRules


def has_readable_record(broker: Broker, position: int) -> bool:
    """Whether a broker has a record at `position` that it knows to be committed."""
    return position < broker.high_watermark and position >= broker.log_start_offset


def end_of_read(leader: Broker, rules: ClusterRules, position: int, limit: int) -> int:
    """The end offset of a read with this limit; before KAFKA-9835, the log's end if the read starts at the limit."""
    return end_of(leader.log) if position == limit and not rules.read_limit_is_taken_once else limit


def knows_latest_offset(leader: Broker, rules: ClusterRules) -> bool:
    """Whether a leader tells its high watermark to a consumer, or answers OFFSET_NOT_AVAILABLE (KIP-207)."""
    return leader.high_watermark >= leader.leader_epoch_start_offset or not rules.latest_offset_awaits_epoch_start


def serves_as_follower(follower: Broker, rules: ClusterRules, leader_epoch: int) -> bool:
    """Whether a broker answers a consumer as a follower: it runs, follows, and is in the consumer's leader epoch.

    A follower that must truncate does not answer.
    """
    if not follower.is_running or follower.leader == NO_LEADER or follower.must_truncate:
        return False
    return not is_fenced(follower, rules, leader_epoch)


def fails(follower: Broker, leader_epoch: int) -> bool:
    """Whether a fetch from a follower ends in an error after which the consumer requests new metadata.

    The connection breaks, the broker does not have the partition (NOT_LEADER_OR_FOLLOWER, UNKNOWN_TOPIC_OR_PARTITION),
    or it is in a newer leader epoch (FENCED_LEADER_EPOCH). After UNKNOWN_LEADER_EPOCH the consumer only asks again.
    """
    return not follower.is_running or follower.leader == NO_LEADER or follower.leader_epoch > leader_epoch


def is_position_outside(follower: Broker, leader_epoch: int, position: int) -> bool:
    """Whether a fetch from a follower ends in OFFSET_OUT_OF_RANGE: its log ends below the position, or begins above.

    A follower that has not reached the consumer's leader epoch answers UNKNOWN_LEADER_EPOCH instead.
    """
    return follower.leader_epoch >= leader_epoch and is_outside(follower, position)


def known_isr(broker: Broker, broker_id: int) -> Ids:
    """The ISR from which a broker chooses a read replica; empty if it does not lead (`Partition.makeFollower`)."""
    return broker.isr if broker.leader == broker_id else Ids()


def is_candidate(asked: Broker, rules: ClusterRules, asked_id: int, follower_id: int, position: int) -> bool:
    """Whether the asked broker may name a follower: it must have every record below the consumer's position.

    The follower is in the ISR. By the rule before KAFKA-14372 it may be outside the ISR, however far it lags.
    """
    if follower_id == asked_id:
        return False
    if rules.read_replica_is_in_sync and follower_id not in known_isr(asked, asked_id):
        return False
    return asked.followers[follower_id].end_offset >= position
