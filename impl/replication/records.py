"""The state of one partition and of the replicas that hold it, and the rules that tell the protocol generations apart.

Part of Kafka modelled: the controller's record of the partition, the LeaderAndIsr requests it sent, and each broker's
`Partition` with its log.
Source: KafkaReplication in hachikuji/kafka-specification (commit d68782b).
Left out, and why that is sound: the partition epoch (zkVersion), because an ISR change of the leader is applied to the
controller's record at once and is refused unless leader and epoch are current; what a leader remembers of its
followers' fetches, because a follower that has the records and follows the leader could send that fetch at this moment.
"""

from typing import Annotated, NamedTuple

from kafkacheck.checker.schema import Array, ById, ByPosition, Count, Id, IdSet, Struct
from kafkacheck.impl.constants import NO_LEADER, FetchFencing, TruncationRule
from kafkacheck.impl.log import Log, LogOffset, OptionalLeaderEpoch

ReplicaId = Annotated[int, Id("replicas")]
OptionalReplicaId = Annotated[int, Id("replicas", none=NO_LEADER)]
ReplicaSet = Annotated[int, IdSet("replicas")]
NextRecordId = Annotated[int, Count("max_records")]


class ReplicationRules(NamedTuple):
    """The switches of a protocol generation, constant during a run.

    truncation: what a replica does with its log when it turns to a new leader epoch.
    fencing: what a leader compares before it counts a follower's fetch, and whom a new follower may ask.
    """

    truncation: TruncationRule
    fencing: FetchFencing


class Replica(Struct):
    """One broker's copy of the partition, and what that broker believes of the partition.

    log: its records; written when it appends as leader, and when it fetches or truncates as follower.
    high_watermark: the end (exclusive) of what it holds committed, never above its log's end; raised by itself as
        leader, taken from the leader's as follower.
    leader_epoch: the epoch of the newest LeaderAndIsr request it obeyed; only grows.
    leader: the leader which that request named. A replica that finds its own id here believes it leads.
    isr: the in-sync replicas which that request named, and as leader with its own changes since.
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
    isr: the in-sync replicas, of which the next leader is elected. Written by the controller and by the true leader.
    """

    leader_epoch: OptionalLeaderEpoch
    leader: OptionalReplicaId
    isr: ReplicaSet


class LeaderAndIsrRequest(Struct):
    """What the controller told the replicas at one leader epoch.

    leader: the leader of that epoch; `NO_LEADER` where the epoch has none, and where no such request was sent yet.
    isr: the in-sync replicas when the request was sent; empty where no such request was sent yet.
    """

    leader: OptionalReplicaId
    isr: ReplicaSet


class State(Struct):
    """The whole system.

    replicas: the brokers' copies, by replica id.
    quorum: the controller's record.
    leader_and_isr_requests: the request of each leader epoch; blank from the epoch after `quorum.leader_epoch` on.
        Requests stay, because a replica may observe one at any later time.
    next_record_id: the id that the next record of a producer gets, so that no two records are alike.
    """

    replicas: Annotated[Array[Replica], ById("replicas")]
    quorum: Quorum
    leader_and_isr_requests: Annotated[Array[LeaderAndIsrRequest], ByPosition("max_leader_epoch + 1")]
    next_record_id: NextRecordId
