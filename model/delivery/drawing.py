"""How behaviours of delivery are drawn: the group and each consumer as a lane."""

from kafkacheck.checker.drawing import Event, ExtraLane, Lanes

DELIVERY = Lanes(
    array="consumers",
    title="consumer {lane}",
    text="{state}  generation {generation}  owns {owns}  position {position}  to commit {marked}",
    extra=(
        ExtraLane(
            name="coordinator",
            record="group",
            text="generation {group.generation}, owner {group.owner}\ncommitted {group.committed}",
        ),
    ),
    events={
        "record_is_appended": Event(at="coordinator", text="the partition ends at {end_offset}"),
        "partition_is_moved": Event(at="coordinator", text="consumer {consumer_id} is to own the partition"),
        "partition_is_given_up": Event(at="consumer_id", to="coordinator", text="gives the partition up"),
        "partition_is_taken_over": Event(at="coordinator", to="consumer_id", text="owns the partition"),
        "generation_rises": Event(at="coordinator", text="generation {group.generation} begins"),
        "consumer_follows_generation": Event(at="consumer_id", text="learns generation {group.generation}"),
        "consumer_joins_again": Event(at="consumer_id", to="coordinator", text="joins again"),
        "consumer_asks_for_committed_offset": Event(
            at="consumer_id", to="coordinator", text="which offset is committed?", asks=True
        ),
        "coordinator_tells_committed_offset": Event(
            at="coordinator", to="consumer_id", text="{group.committed} is committed", asks=True
        ),
        "offset_fetch_fails": Event(at="coordinator", to="consumer_id", text="an error", asks=True),
        "consumer_sends_fetch": Event(at="consumer_id", text="fetches from {consumers[consumer_id].fetching}"),
        "consumer_receives_records": Event(
            at="consumer_id", text="receives records from {before.consumers[consumer_id].fetching} on"
        ),
        "consumer_polls": Event(at="consumer_id", text="its application gets {consumers[consumer_id].processing}"),
        "application_processes_record": Event(
            at="consumer_id", text="has processed {before.consumers[consumer_id].processing}"
        ),
        "consumer_commits": Event(at="consumer_id", to="coordinator", text="commit {consumers[consumer_id].sent}"),
        "thread_chooses_offset": Event(at="consumer_id", text="chooses {consumers[consumer_id].chosen} to commit"),
        "thread_sends_commit": Event(at="consumer_id", to="coordinator", text="commit {consumers[consumer_id].sent}"),
        "coordinator_handles_commit": Event(
            at="coordinator", to="consumer_id", text="{group.committed} is committed", asks=True
        ),
        "application_seeks": Event(at="consumer_id", text="seeks to {offset}"),
        "application_pauses": Event(at="consumer_id", text="pauses"),
        "application_resumes": Event(at="consumer_id", text="resumes"),
        "record_is_deleted": Event(at="coordinator", text="the partition starts at {start_offset}"),
        "leader_tells_reset_offset": Event(at="consumer_id", text="begins at {consumers[consumer_id].position}"),
        "application_sees_end": Event(at="consumer_id", text="is told of the end"),
        "consumer_crashes": Event(at="consumer_id", text="crashes"),
        "dead_member_expires": Event(at="coordinator", text="removes consumer {consumer_id}"),
        "live_member_expires": Event(at="coordinator", text="removes consumer {consumer_id}, which lives"),
    },
    suspects=("consumer_id", "one_id", "other_id"),
)
