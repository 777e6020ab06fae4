"""The offsets that an application commits, and what the coordinator and the consumer make of it.

Part of Kafka modelled: `OffsetCommitRequestState` of `CommitRequestManager`, `ConsumerCoordinator`; the coordinator's
`OffsetMetadataManager.validateOffsetCommit`.
Source: apache/kafka (commit 1eb7644349); KIP-62, KIP-848.
Left out, and why that is sound: commits that are lost, which are as if sent later; the interval of automatic commits,
which is any.
"""

from kafkacheck.checker.schema import Ids, add, is_full, remove
from kafkacheck.impl.delivery.constants import NO_CONSUMER, CommitTime, ConsumerState
from kafkacheck.impl.delivery.positions import drop_buffer, end_owning
from kafkacheck.impl.delivery.records import Consumer, DeliveryRules, Group, OffsetCommit
from kafkacheck.impl.ids import NO_OFFSET


def may_process(consumer: Consumer, rules: DeliveryRules) -> bool:
    """Whether the application may process the record that it has, of which a commit may have to be acknowledged."""
    if consumer.state != ConsumerState.RUNNING or consumer.processing == NO_OFFSET:
        return False
    return rules.commit_time == CommitTime.AFTER_PROCESSING or consumer.acknowledged == consumer.processing + 1


def complete_processing(consumer: Consumer, rules: DeliveryRules) -> bool:
    """Finish the record that the application has.

    Who: the application.
    When: it processes a record, and may.
    Effect: if it commits afterwards, the offset to commit is behind the record.
    Source: the application; the offset is KafkaConsumer.position.
    """
    if not may_process(consumer, rules):
        return False
    counts = not consumer.is_former or not rules.former_owner_marks_nothing
    if rules.commit_time == CommitTime.AFTER_PROCESSING and counts:
        consumer.marked = consumer.processing + 1
    consumer.processing = NO_OFFSET
    consumer.is_former = False
    return True


def offset_to_commit(consumer: Consumer, rules: DeliveryRules) -> int:
    """The offset that the application would commit now; `NO_OFFSET` if it has no new one."""
    offset = consumer.marked
    if rules.commit_time == CommitTime.BEFORE_PROCESSING:
        offset = consumer.processing + 1 if consumer.processing != NO_OFFSET else NO_OFFSET
    return offset if offset != consumer.sent else NO_OFFSET


def send_commit(consumer: Consumer, offset: int) -> None:
    """Send a commit."""
    add(consumer.commits, OffsetCommit(generation=consumer.generation, offset=offset))
    consumer.sent = offset


def commit_progress(consumer: Consumer, rules: DeliveryRules) -> bool:
    """Commit the offset behind the last record.

    Who: the consumer.
    When: the offset was not sent yet. No other thread has chosen an offset and not sent it.
    Effect: the commit is under way.
    Source: CommitRequestManager.maybeAutoCommitAsync, KafkaConsumer.commitSync.
    """
    offset = offset_to_commit(consumer, rules)
    if consumer.state != ConsumerState.RUNNING or offset == NO_OFFSET or is_full(consumer.commits):
        return False
    if rules.commits_keep_order and consumer.chosen != NO_OFFSET:
        return False
    send_commit(consumer, offset)
    return True


def choose_offset(consumer: Consumer, rules: DeliveryRules) -> bool:
    """Choose, in a thread of its own, an offset to commit; it is sent later.

    Who: a thread of the client.
    When: the offset was not sent yet, and no thread has chosen one.
    Effect: the offset is chosen. Until it is sent, others do not commit.
    Source: IBM/sarama 2940.
    """
    offset = offset_to_commit(consumer, rules)
    if consumer.state != ConsumerState.RUNNING or offset == NO_OFFSET or consumer.chosen != NO_OFFSET:
        return False
    consumer.chosen = offset
    return True


def send_chosen_offset(consumer: Consumer) -> bool:
    """Send the offset that a thread has chosen.

    Who: a thread of the client.
    When: one is chosen.
    Effect: the commit is under way.
    Source: IBM/sarama 2940.
    """
    if consumer.state != ConsumerState.RUNNING or consumer.chosen == NO_OFFSET or is_full(consumer.commits):
        return False
    send_commit(consumer, consumer.chosen)
    consumer.chosen = NO_OFFSET
    return True


def is_accepted(group: Group, rules: DeliveryRules, consumer_id: int, commit: OffsetCommit) -> bool:
    """Whether the coordinator accepts a commit. It does not ask who owns the partition."""
    if not rules.commit_names_generation:
        return True
    if group.members == Ids():
        return not rules.unknown_group_has_no_generation
    return consumer_id in group.members and commit.generation == group.generation


def handle_commit(group: Group, consumer: Consumer, rules: DeliveryRules, consumer_id: int) -> bool:
    """Handle the oldest commit of a consumer, and tell the consumer.

    Who: the coordinator.
    When: the commit has arrived.
    Effect: the offset is committed. If the generation is a former one, the commit is refused, and the consumer sends
        its offset again when it knows the new one; an application that must commit first does not process the record.
    Source: OffsetMetadataManager.commitOffset, validateOffsetCommit; ConsumerCoordinator.OffsetCommitResponseHandler.
    Left out: the time until the answer arrives, in which the consumer can do nothing that depends on the answer.
    """
    if len(consumer.commits) == 0:
        return False
    commit = consumer.commits[0]
    if is_accepted(group, rules, consumer_id, commit):
        group.committed = commit.offset
        if consumer.state == ConsumerState.RUNNING:
            consumer.acknowledged = commit.offset
    else:
        consumer.sent = NO_OFFSET
        if rules.commit_time == CommitTime.BEFORE_PROCESSING:
            consumer.processing = NO_OFFSET
        if not rules.late_commit_keeps_membership and consumer_id in group.members and consumer.owns:
            leave_group(group, consumer, consumer_id)
    remove(consumer.commits, 0)
    return True


def leave_group(group: Group, consumer: Consumer, consumer_id: int) -> None:
    """Take it that the consumer, which owns the partition, was thrown out, and give all up."""
    end_owning(consumer)
    group.owner = NO_CONSUMER
    group.members -= {consumer_id}


def has_uncommitted_offset(consumer: Consumer, rules: DeliveryRules) -> bool:
    """Whether the consumer has an offset to commit that is not acknowledged."""
    if len(consumer.commits) != 0:
        return True
    if rules.commit_time == CommitTime.BEFORE_PROCESSING:
        return False
    return consumer.marked != NO_OFFSET and consumer.marked != consumer.acknowledged


def crash_consumer(consumer: Consumer) -> bool:
    """Lose the process.

    Who: the consumer.
    When: it runs.
    Effect: all that it knows is lost. Its commits may still arrive.
    Source: a crash.
    """
    if consumer.state == ConsumerState.CRASHED:
        return False
    end_owning(consumer)
    consumer.processing = NO_OFFSET
    consumer.is_former = False
    consumer.fetching = NO_OFFSET
    drop_buffer(consumer)
    consumer.acknowledged = NO_OFFSET
    consumer.generation = 0
    consumer.state = ConsumerState.CRASHED
    return True
