"""The state of one partition and of its replicas, and the rules in which the protocol generations differ.

Part of Kafka modelled: the controller's record of the partition, the LeaderAndIsr requests it sent, and each broker's
`Partition` with its log.
Source: quorumState, leaderAndIsrRequests, replicaState and replicaLog of KafkaReplication in
hachikuji/kafka-specification (commit d68782b).
Left out, and why that is sound: the partition epoch (zkVersion), because an ISR change of the leader is applied to the
controller's record at once and is refused unless leader and epoch are current; the leader's memory of its followers'
fetches, because a follower that has the records and follows the leader could send that fetch now.
"""

from typing import NamedTuple

from kafkacheck.checker.schema import Struct
from kafkacheck.impl.enums import FetchFencing, TruncationRule
from kafkacheck.impl.ids import LogOffset, OptionalLeaderEpoch, OptionalReplicaId, ReplicaSet
from kafkacheck.impl.log import Log


class ReplicationRules(NamedTuple):
    """The switches of a protocol generation, constant during a run.

    No switch says since which release it is so: the generations are those of the public TLA+, not of a release.

    truncation: where a replica truncates its log when it turns to a new leader epoch.
    fencing: the epochs that a leader compares before it counts a fetch, and the leaders that a new follower may ask.
    """

    truncation: TruncationRule
    fencing: FetchFencing


class Replica(Struct):
    """One broker's copy of the partition, and its view of the partition.

    log: its records; written when it appends as leader, and when it fetches or truncates as follower.
    high_watermark: the end (exclusive) of the records that it takes for committed, never above its log's end. A leader
        raises it itself; a follower takes it from the leader.
    leader_epoch: the epoch of the newest LeaderAndIsr request it obeyed; only grows.
    leader: the leader that this request named. A replica with its own id here believes that it leads.
    isr: the in-sync replicas that this request named; for a leader, with its own changes since.
    """

    log: Log
    high_watermark: LogOffset
    leader_epoch: OptionalLeaderEpoch
    leader: OptionalReplicaId
    isr: ReplicaSet


class Quorum(Struct):
    """The controller's record of the partition, the truth about leader and ISR.

    leader_epoch: counts the controller's changes; the epoch of the newest request. Written by the controller only.
    leader: the elected replica, always a member of `isr`; `NO_LEADER` while there is none. Written by the controller.
    isr: the in-sync replicas, one of them the next leader. Written by the controller and by the true leader.
    """

    leader_epoch: OptionalLeaderEpoch
    leader: OptionalReplicaId
    isr: ReplicaSet


class LeaderAndIsrRequest(Struct):
    """The controller's request to the replicas for one leader epoch.

    leader: the leader of that epoch; `NO_LEADER` if the epoch has none or the request was not sent yet.
    isr: the in-sync replicas when the request was sent; empty if it was not sent yet.
    """

    leader: OptionalReplicaId
    isr: ReplicaSet
