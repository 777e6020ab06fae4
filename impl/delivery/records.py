"""The records of consumers that share a partition, and of their group as they see it.

Part of Kafka modelled: `SubscriptionState.TopicPartitionState`, `CompletedFetch`, the offset of `GroupMetadata`.
Source: apache/kafka (commit 1eb7644349); KIP-211, KIP-848; the issues named at each switch.
Left out, and why that is sound: leader epochs of positions, which `impl/resumption` has.
"""

from typing import Annotated, NamedTuple

from kafkacheck.checker.schema import EVERY, AtMost, Epoch, Id, Ids, IdSet, If, Queue, Since, Struct
from kafkacheck.impl.delivery.constants import (
    NO_CONSUMER,
    AutoOffsetReset,
    CommitTime,
    ConsumerState,
    OffsetFetchFailure,
)
from kafkacheck.impl.ids import LogOffset, OptionalOffset

ConsumerId = Annotated[int, Id("consumers")]
OptionalConsumerId = Annotated[int, Id("consumers", none=NO_CONSUMER)]
ConsumerSet = Annotated[Ids, IdSet("consumers")]
Generation = Annotated[int, Epoch("max_generation")]


class DeliveryRules(NamedTuple):
    """The settings of applications, and the switches, each named after the correct behaviour.

    Other clients than Kafka's own had most of the faults; a release is named if Kafka had it.

    commit_time: when the application commits.
    auto_offset_reset: where a consumer begins if no offset is committed.
    offset_fetch_failure: what a consumer does if it cannot learn the committed offset (KAFKA-17279, platformatic/kafka
        267).
    commit_names_generation: the coordinator refuses a commit of a former generation.
    unknown_group_has_no_generation: if the coordinator does not know the group, it accepts only commits of consumers
        that are no members of a group (KAFKA-2596).
    offsets_are_committed_before_giving_up: a consumer that gives a partition up waits for its commit (KAFKA-14024).
    records_count_when_processed: an automatic commit does not count a record that the application has taken, and has
        not finished (KAFKA-18641).
    error_is_for_the_position: the error that an offset is out of range resets the position only if it is the one that
        was fetched from.
    records_begin_at_position: records of a fetch from another offset than the position are discarded (KAFKA-2342,
        kafka-python 2310).
    former_owner_marks_nothing: a record that is processed after its partition was given up marks no offset to commit
        (redpanda-data/connect 4477).
    commits_keep_order: while a thread has chosen an offset and not sent it, no other one commits a later offset
        (IBM/sarama 2940).
    late_commit_keeps_membership: if a commit is refused because the group has gone on, its consumer stays a member
        (librdkafka 4059).
    resume_keeps_position: a consumer that resumes a partition which was not paused goes on where it is (librdkafka
        4686).
    only_records_move_position: the end of the partition, told as an event, does not move the position (librdkafka
        4844).
    """

    commit_time: CommitTime = CommitTime.AFTER_PROCESSING
    auto_offset_reset: AutoOffsetReset = AutoOffsetReset.EARLIEST
    offset_fetch_failure: Annotated[OffsetFetchFailure, Since("4.0", begun="3.7")] = OffsetFetchFailure.ASKS_AGAIN
    commit_names_generation: Annotated[bool, Since(EVERY)] = True
    unknown_group_has_no_generation: Annotated[bool, Since(EVERY)] = True
    offsets_are_committed_before_giving_up: Annotated[bool, Since("3.2.1", begun="3.2")] = True
    records_count_when_processed: Annotated[bool, Since("4.0", begun="3.7")] = True
    error_is_for_the_position: Annotated[bool, Since(EVERY)] = True
    records_begin_at_position: Annotated[bool, Since(EVERY)] = True
    former_owner_marks_nothing: Annotated[bool, Since(EVERY)] = True
    commits_keep_order: Annotated[bool, Since(EVERY)] = True
    late_commit_keeps_membership: Annotated[bool, Since(EVERY)] = True
    resume_keeps_position: Annotated[bool, Since(EVERY)] = True
    only_records_move_position: Annotated[bool, Since(EVERY)] = True


class OffsetCommit(Struct):
    """A request to commit an offset.

    generation: the generation of its consumer when it was sent.
    offset: the offset.
    """

    generation: Generation
    offset: LogOffset


class Consumer(Struct):
    """A consumer, and the application that it serves.

    state: whether it runs.
    generation: the generation of the group that it knows.
    owns: whether it owns the partition, as far as it knows.
    position: the offset of the next record for the application; `NO_OFFSET` until it is known.
    asks: whether a request for the committed offset is under way.
    fetching: the offset of the fetch under way; `NO_OFFSET` if there is none.
    buffered: the offset of the next record that was fetched, or the end of them; `NO_OFFSET` if there is no fetch.
    buffer_end: the end offset of those records.
    is_out_of_range: whether that fetch has brought an error instead (OFFSET_OUT_OF_RANGE).
    must_reset: whether it must begin where `auto.offset.reset` says.
    is_paused: whether the application has paused the partition.
    processing: the offset of the record that the application is processing; `NO_OFFSET` if there is none.
    is_former: whether the partition was given up while the application processes that record.
    marked: the offset to commit; `NO_OFFSET` if there is none.
    chosen: an offset to commit that a thread has chosen and has not sent; `NO_OFFSET` if there is none.
    sent: the offset of its last commit that was not refused; `NO_OFFSET` if there is none.
    acknowledged: the offset of its last commit that was acknowledged; `NO_OFFSET` if there is none.
    commits: the commits under way, in order.
    """

    state: ConsumerState
    generation: Generation
    owns: bool
    position: OptionalOffset
    asks: bool
    fetching: OptionalOffset
    buffered: OptionalOffset
    buffer_end: LogOffset
    is_out_of_range: Annotated[bool, If("deletions")]
    must_reset: Annotated[bool, If("deletions")]
    is_paused: bool
    processing: OptionalOffset
    is_former: bool
    marked: OptionalOffset
    chosen: OptionalOffset
    sent: OptionalOffset
    acknowledged: OptionalOffset
    commits: Annotated[Queue[OffsetCommit], AtMost("commits")]


class Group(Struct):
    """The group, as its coordinator has it.

    generation: rises whenever the members or the owner change. By the new protocol it is the member epoch.
    members: the consumers that are members.
    owner: the member that owns the partition.
    heir: the member that is to own it.
    committed: the committed offset; `NO_OFFSET` if there is none.
    """

    generation: Generation
    members: ConsumerSet
    owner: OptionalConsumerId
    heir: OptionalConsumerId
    committed: OptionalOffset
