"""How behaviours of a consumer group are drawn: the coordinator and each consumer as a lane."""

from kafkacheck.checker.drawing import Event, ExtraLane, Held, Lanes

CONSUMER_GROUPS = Lanes(
    array="consumers",
    title="consumer {lane}",
    text="{state}  epoch {member_epoch}  owns {owned}",
    held=Held(ids=("owned",), text="partition"),
    extra=(
        ExtraLane(
            name="coordinator",
            record="group",
            text="group epoch {group.group_epoch}, assignment epoch {group.assignment_epoch}\n"
            "0 {group.members[0].state}, epoch {group.members[0].member_epoch}, {group.members[0].assigned}\n"
            "1 {group.members[1].state}, epoch {group.members[1].member_epoch}, {group.members[1].assigned}",
        ),
    ),
    events={
        "consumer_sends_heartbeat": Event(
            at="member_id",
            to="coordinator",
            text="heartbeat, epoch {heartbeats[member_id].request.member_epoch}",
            asks=True,
        ),
        "coordinator_handles_heartbeat": Event(
            at="coordinator",
            to="member_id",
            text="epoch {heartbeats[member_id].response.member_epoch}, {heartbeats[member_id].response.assigned}",
            asks=True,
        ),
        "coordinator_defers_assignment": Event(
            at="coordinator",
            to="member_id",
            text="the assignor waits; epoch {heartbeats[member_id].response.member_epoch}",
            asks=True,
        ),
        "coordinator_handles_late_heartbeat": Event(
            at="coordinator", text="handles the late heartbeat of consumer {before.late_heartbeats[place].member_id}"
        ),
        "consumer_receives_response": Event(at="member_id", text="target {consumers[member_id].target}"),
        "consumer_begins_reconciliation": Event(at="member_id", text="applies {consumers[member_id].reconciled}"),
        "consumer_completes_reconciliation": Event(at="member_id", text="owns {consumers[member_id].owned}"),
        "consumer_leaves": Event(at="member_id", text="leaves"),
        "consumer_releases_partitions": Event(at="member_id", text="releases its partitions"),
        "static_consumer_starts": Event(
            at="member_id", text="joins, with instance id {consumers[member_id].instance_id}"
        ),
        "rebalance_times_out": Event(at="coordinator", text="fences consumer {member_id}, which is too slow"),
        "consumer_crashes": Event(at="member_id", text="crashes"),
        "coordinator_fences_silent_member": Event(at="coordinator", text="fences consumer {member_id}"),
        "live_member_is_fenced": Event(at="coordinator", text="fences consumer {member_id}, which lives"),
        "group_log_commits": Event(at="coordinator", text="its records are committed"),
        "coordinator_fails_over": Event(at="coordinator", text="another broker takes over"),
        "heartbeat_is_lost": Event(at="member_id", text="its heartbeat is lost"),
        "heartbeat_is_delayed": Event(at="member_id", text="gives its heartbeat up"),
        "poll_interval_ends": Event(at="member_id", to="coordinator", text="polls too seldom, and leaves"),
        "coordinator_handles_farewell": Event(
            at="coordinator", to="member_id", text="handles what came before consumer {member_id} joins again"
        ),
        "consumer_receives_farewell_response": Event(at="member_id", text="a response to its former membership"),
        "application_polls_again": Event(at="member_id", text="its application polls"),
        "consumer_loses_partitions": Event(at="member_id", text="has lost its partitions"),
        "farewell_is_lost": Event(at="member_id", text="its leave is lost"),
        "metadata_has_topic": Event(at="member_id", text="knows topic {topic_id}"),
        "subscription_changes": Event(at="member_id", text="subscribes to {topics}"),
        "partition_is_created": Event(at="coordinator", text="partition {partition_id} is created"),
    },
    suspects=("member_id", "one_id", "other_id"),
    legend=(
        "A coloured bar: the consumer processes that partition.",
        "A response that names no assignment shows an empty one.",
    ),
)
