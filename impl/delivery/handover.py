"""How a group hands its partition from one consumer to the next, and what the consumers do about it.

Part of Kafka modelled: the group coordinator of either protocol, as far as a consumer and its commits notice it.
Source: KIP-62, KIP-429, KIP-848.
Left out, and why that is sound: the reasons. This is a stand-in for `impl/classic_group` and `impl/consumer_group`,
and may choose any member and end any session. Members whose epoch stays when another one's changes (KIP-848).
"""

from kafkacheck.impl.delivery.commits import has_uncommitted_offset
from kafkacheck.impl.delivery.constants import NO_CONSUMER, ConsumerState
from kafkacheck.impl.delivery.positions import begin_owning, end_owning, is_at_rest
from kafkacheck.impl.delivery.records import Consumer, DeliveryRules, Group
from kafkacheck.impl.ids import NO_OFFSET


def choose_heir(group: Group, consumer_id: int) -> bool:
    """Decide that another member is to own the partition.

    Who: the group.
    When: it is a member, and is not to own the partition already.
    Effect: the owner is asked to give the partition up.
    Source: a rebalance.
    """
    if consumer_id not in group.members or group.heir == consumer_id:
        return False
    group.heir = consumer_id
    return True


def give_up(group: Group, consumer: Consumer, rules: DeliveryRules, consumer_id: int, may_process_on: bool) -> bool:
    """Give the partition up to another member.

    Who: the owner.
    When: another member is to have the partition. The application is between two records, unless it processes records
        in threads of its own (`may_process_on`). What is processed is committed.
    Effect: nobody owns the partition.
    Source: ConsumerCoordinator.onJoinPrepare; ConsumerMembershipManager.revokePartitions.
    """
    if consumer.state != ConsumerState.RUNNING or not consumer.owns or consumer_id not in group.members:
        return False
    if group.owner != consumer_id or group.heir == consumer_id:
        return False
    if consumer.processing != NO_OFFSET and not may_process_on:
        return False
    if rules.offsets_are_committed_before_giving_up and has_uncommitted_offset(consumer, rules):
        return False
    end_owning(consumer)
    group.owner = NO_CONSUMER
    return True


def take_over(group: Group, consumer: Consumer, consumer_id: int) -> bool:
    """Become the owner of the partition, in a new generation.

    Who: the member that is to own the partition.
    When: nobody owns the partition.
    Effect: the member owns it, and does not know the position yet.
    Source: ConsumerCoordinator.onJoinComplete; ConsumerMembershipManager.assignPartitions.
    """
    if not is_at_rest(consumer) or group.owner != NO_CONSUMER or consumer_id not in group.members:
        return False
    if group.heir != NO_CONSUMER and group.heir != consumer_id and group.heir in group.members:
        return False
    group.heir = consumer_id
    group.owner = consumer_id
    group.generation += 1
    begin_owning(consumer, group.generation)
    return True


def follow_generation(group: Group, consumer: Consumer, consumer_id: int) -> bool:
    """Learn the generation of the group.

    Who: a member.
    When: the generation is new.
    Effect: the consumer's commits name it.
    Source: JoinGroup and SyncGroup; the answer to a ConsumerGroupHeartbeat.
    """
    if not is_at_rest(consumer) or consumer_id not in group.members or consumer.generation == group.generation:
        return False
    consumer.generation = group.generation
    return True


def remove_from_group(group: Group, consumer_id: int) -> bool:
    """Remove a member of which the coordinator has not heard for too long.

    Who: the coordinator.
    When: it is a member.
    Effect: a new generation begins without the member. The partition is free if the member had it.
    Source: GroupMetadataManager.classicGroupHeartbeatKey, scheduleConsumerGroupSessionTimeout.
    """
    if consumer_id not in group.members:
        return False
    group.members -= {consumer_id}
    group.generation += 1
    if group.owner == consumer_id:
        group.owner = NO_CONSUMER
    return True


def rejoin_group(group: Group, consumer: Consumer, consumer_id: int) -> bool:
    """Learn that the group has gone on without the consumer, and join.

    Who: a consumer.
    When: it is no member; the application is between two records.
    Effect: it gives all up without a commit, which would be refused, and is a member of a new generation.
    Source: ConsumerCoordinator.onLeavePrepare (onPartitionsLost); ConsumerMembershipManager.transitionToFenced.
    """
    if not is_at_rest(consumer) or consumer_id in group.members:
        return False
    end_owning(consumer)
    group.members |= {consumer_id}
    group.generation += 1
    consumer.generation = group.generation
    return True


def raise_generation(group: Group) -> bool:
    """Begin a new generation in which the owner stays the same.

    Who: the group.
    When: a rebalance leaves the partition where it is.
    Effect: commits of the former generation are refused until the members know.
    Source: KIP-429; a member epoch of KIP-848.
    """
    group.generation += 1
    return True
