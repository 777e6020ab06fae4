"""The active controller, a deposed controller, and the history of the record that they keep.

Part of Kafka modelled: the metadata log of KRaft; in the ZooKeeper era the znodes of partition, brokers and controller.
Source: apache/kafka (commit 1eb7644349).
Left out, and why that is sound: see `impl.messages.metadata`.
"""

from typing import Annotated

from kafkacheck.checker.schema import Array, ByPosition, Count, If, Struct
from kafkacheck.impl.ids import ControllerEpoch, MetadataOffset, OptionalMetadataOffset, OptionalReplicaId, ReplicaSet
from kafkacheck.impl.messages.metadata import Metadata


class Controller(Struct):
    """The controller and its record so far.

    epoch: the epoch of the active controller.
    offset: the offset of its newest change.
    zombie_offset: the newest change known to a controller that does not know it is deposed, at most `offset`;
        `NO_OFFSET` if there is no such controller.
    zombie_deletes: 1 if that controller was about to remove a topic whose replicas were all deleted (ZooKeeper era).
    stopping: the brokers that asked for a controlled shutdown.
    last_known_leader: the leader when the ISR became empty (`lastKnownElr`), which only the controller reads;
        `NO_LEADER` if the partition has a leader or no last leader is known.
    is_reassignment_ending: 1 between the two rounds that end a reassignment; always 0 if the bound
        `reassignment_rounds` is 0.
    stale_entries: the brokers for which the controller's index of eligible replicas names the partition although they
        are not eligible.
    orphaned_entries: the brokers for which that index names a partition of a deleted topic. Both sets are kept only if
        the bound `elr_index` is 1.
    unnoticed: the brokers whose failure no controller noticed, because they failed while none listened.
    history: its changes by offset. A slot is blank above `offset`, or if nobody can read its change any more.
    """

    epoch: ControllerEpoch
    offset: MetadataOffset
    zombie_offset: OptionalMetadataOffset
    zombie_deletes: Annotated[int, Count("deletions"), If("failovers")]
    stopping: ReplicaSet
    last_known_leader: OptionalReplicaId
    is_reassignment_ending: Annotated[int, Count("reassignment_rounds")]
    stale_entries: Annotated[ReplicaSet, If("elr_index")]
    orphaned_entries: Annotated[ReplicaSet, If("elr_index")]
    unnoticed: ReplicaSet
    history: Annotated[Array[Metadata], ByPosition("max_metadata_offset + 1")]
