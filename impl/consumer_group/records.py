"""The records of a consumer group, as its coordinator has them in memory and in the log.

Part of Kafka modelled: `ConsumerGroup`, `ConsumerGroupMember`, `Assignment`.
Source: apache/kafka (commit 1eb7644349); KIP-848.
Left out, and why that is sound: member metadata that no rule reads.
"""

from typing import Annotated, NamedTuple

from kafkacheck.checker.schema import EVERY, Array, ById, Epoch, If, Since, Struct
from kafkacheck.impl.consumer_group.constants import NO_PARTITION_EPOCH, MemberState
from kafkacheck.impl.ids import PartitionSet
from kafkacheck.impl.messages.consumer_group_heartbeat import MemberEpoch, OptionalInstanceId, TopicSet

GroupEpoch = Annotated[int, Epoch("max_group_epoch")]
PartitionEpoch = Annotated[int, Epoch("max_group_epoch", none=NO_PARTITION_EPOCH)]


class ConsumerGroupRules(NamedTuple):
    """The switches of consumer groups, each named after the correct behaviour.

    join_is_always_accepted: a member that the group knows may join anew with epoch 0 (KAFKA-19233).
    revoked_partition_may_return: a member that has given up a partition, and is to have it again, gets it at once
        (KAFKA-19449).
    revocation_keeps_epoch: a member that has given up partitions, and has to give up more, keeps its epoch; before, the
        epoch rose by one.
    unsubscribed_are_revoked: a member gives up the partitions of topics to which it subscribes no longer at once, also
        if it has others to give up, or its target assignment is an old one (KAFKA-19431).
    unsubscribing_forgets_previous_epoch: if it does, its previous epoch is no longer accepted.
    assignor_may_wait: the assignor runs once in an interval at most, so that a target assignment may be an old one
        (KIP-1263).
    rebalance_awaits_target: a member of the classic protocol may have its assignment while the assignor waits, and is
        not told to join again before the group has a new target assignment (KIP-1263).
    empty_group_is_assigned: an empty group has a target assignment of its epoch.
    temporary_leave_is_stable: a static member that leaves for a while is no longer taken for one that has to give up
        partitions, as it has given up all of them (no release up to 4.4: KAFKA-20641).
    classic_instance_is_replaced: a static member that joins takes the place of one of the classic protocol, which does
        not say that it leaves (KAFKA-17228).
    own_instance_is_free: a static member that joins anew is not refused because its instance id is in use by itself
        (no release up to 4.4: apache/kafka pull request 23542 is open).
    rejoining_heartbeat_is_full: a consumer that joins anew names all that it can, because its coordinator may have
        forgotten it (KAFKA-16190).
    leaving_consumer_ignores_responses: a consumer that says next that it leaves does not take the epoch of a response
        (apache/kafka pull request 15362).
    leave_response_changes_nothing: a consumer that has left because it polls too seldom ignores the response to that.
        Before, the response made it a member with epoch 0 that has forgotten to join (librdkafka 5488).
    former_responses_are_ignored: a consumer that joins anew after it has polled too seldom ignores responses to the
        heartbeats of before (no release; finding F22).
    unresolved_partitions_are_not_owned: a consumer acknowledges a partition only if its metadata has the topic, and
        takes the others later. Before, it acknowledged all and dropped the others (franz-go 1357).
    partial_target_is_acknowledged_once: a consumer whose metadata does not have all topics of its target acknowledges
        the rest once; before, with every heartbeat.
    left_consumer_ignores_lost_group: a consumer that has left does not mind if its group does not exist any more.
        Before, that ended it (apache/kafka pull request 21239).
    target_counts_as_owned: a consumer that names its partitions also names those that it is about to own, so that its
        coordinator does not take them for revoked (no release; finding F14).
    assignment_is_always_told: every response names the assignment (no release; finding F15).
    """

    join_is_always_accepted: Annotated[bool, Since("4.2", begun="4.0")] = True
    revoked_partition_may_return: Annotated[bool, Since("4.0.2", begun="4.0"), Since("4.1.2", begun="4.1")] = True
    revocation_keeps_epoch: Annotated[bool, Since("4.2", begun="4.0")] = True
    unsubscribed_are_revoked: Annotated[bool, Since("4.2", begun="4.0")] = True
    unsubscribing_forgets_previous_epoch: Annotated[bool, Since("4.3")] = True
    assignor_may_wait: Annotated[bool, Since("4.3")] = True
    rebalance_awaits_target: Annotated[bool, Since("4.3")] = True
    empty_group_is_assigned: Annotated[bool, Since("4.4")] = True
    temporary_leave_is_stable: Annotated[bool, Since(EVERY)] = False
    classic_instance_is_replaced: Annotated[bool, Since("4.0", begun="3.8")] = True
    own_instance_is_free: Annotated[bool, Since(EVERY)] = False
    rejoining_heartbeat_is_full: Annotated[bool, Since("3.8", begun="3.7")] = True
    leaving_consumer_ignores_responses: Annotated[bool, Since("3.8", begun="3.7")] = True
    leave_response_changes_nothing: Annotated[bool, Since(EVERY)] = True
    former_responses_are_ignored: Annotated[bool, Since(EVERY)] = False
    unresolved_partitions_are_not_owned: Annotated[bool, Since(EVERY)] = True
    partial_target_is_acknowledged_once: Annotated[bool, Since("4.4", begun="3.7")] = True
    left_consumer_ignores_lost_group: Annotated[bool, Since("4.2.1", begun="3.7")] = True
    target_counts_as_owned: Annotated[bool, Since(EVERY)] = False
    assignment_is_always_told: Annotated[bool, Since(EVERY)] = False


class GroupMember(Struct):
    """A member of the group.

    state: how far it is with its assignment.
    instance_id: its instance id, if it is a static member.
    uses_classic: whether it uses the classic protocol.
    named: the partitions that it said to own when it joined with the classic protocol.
    has_left: whether it is a static member that has left for a while. Its place waits for its instance id.
    has_deadline: whether it has left for a while, and is also removed when its rebalance timeout is over: a coordinator
        that has read the log takes a member that waits for a revocation for one that must be watched.
    member_epoch: its epoch: that of the newest target assignment towards which it has given up all that it must.
        Of one that has left for a while Kafka has -2 here; this is 0, the epoch with which it comes back.
    previous_member_epoch: the epoch before, with which it may repeat a heartbeat whose response was lost.
    subscribed: its topics.
    target: the partitions that the target assignment gives it.
    assigned: the partitions that it owns, or may take.
    pending_revocation: the partitions that it must give up, and still owns.
    """

    state: MemberState
    instance_id: OptionalInstanceId
    uses_classic: Annotated[bool, If("classic_consumers")]
    named: Annotated[PartitionSet, If("classic_consumers")]
    has_left: Annotated[bool, If("instances")]
    has_deadline: Annotated[bool, If("instances")]
    member_epoch: MemberEpoch
    previous_member_epoch: MemberEpoch
    subscribed: TopicSet
    target: PartitionSet
    assigned: PartitionSet
    pending_revocation: PartitionSet


class ConsumerGroup(Struct):
    """A group.

    group_epoch: rises when members or their subscriptions change, or the partitions of their topics.
    assignment_epoch: the group epoch of the target assignment.
    known: the partitions of the subscribed topics that existed when the group last looked.
    members: the members by id.
    partition_epochs: by partition, the epoch of the member that owns it.
    """

    group_epoch: GroupEpoch
    assignment_epoch: GroupEpoch
    known: PartitionSet
    members: Annotated[Array[GroupMember], ById("members")]
    partition_epochs: Annotated[Array[PartitionEpoch], ById("partitions")]
