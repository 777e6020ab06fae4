"""How behaviours of a group with patterns are drawn: the coordinator and each consumer as a lane."""

from kafkacheck.checker.drawing import Event, ExtraLane, Held, Lanes

SUBSCRIPTIONS = Lanes(
    array="consumers",
    title="consumer {lane}",
    text="{plain.state}, epoch {plain.member_epoch}\ntopics {plain.subscribed}, pattern {pattern}",
    held=Held(ids=("plain.owned",), text="partition"),
    extra=(
        ExtraLane(
            name="coordinator",
            record="group",
            text="group epoch {group.plain.group_epoch}, assignment epoch {group.plain.assignment_epoch}\n"
            "resolution {group.resolution.stage} {group.resolution.patterns}\n"
            "0 {group.plain.members[0].state}, pattern {group.told[0].pattern}, {group.plain.members[0].assigned}\n"
            "1 {group.plain.members[1].state}, pattern {group.told[1].pattern}, {group.plain.members[1].assigned}",
        ),
    ),
    events={
        "consumer_sends_heartbeat": Event(
            at="member_id",
            to="coordinator",
            text="heartbeat, epoch {heartbeats[member_id].plain.request.member_epoch}",
            asks=True,
        ),
        "coordinator_handles_heartbeat": Event(
            at="coordinator",
            to="member_id",
            text="{heartbeats[member_id].plain.response.error}, epoch "
            "{heartbeats[member_id].plain.response.member_epoch}, {heartbeats[member_id].plain.response.assigned}",
            asks=True,
        ),
        "consumer_receives_response": Event(at="member_id", text="target {consumers[member_id].plain.target}"),
        "consumer_applies_assignment": Event(at="member_id", text="owns {consumers[member_id].plain.owned}"),
        "consumer_releases_partitions": Event(at="member_id", text="releases its partitions"),
        "coordinator_fences_silent_member": Event(at="coordinator", text="the session of member {member_id} ends"),
        "executor_resolves_patterns": Event(at="coordinator", text="the executor finds {group.resolution.topics}"),
        "coordinator_takes_resolution": Event(
            at="coordinator", text="takes the topics, group epoch {group.plain.group_epoch}"
        ),
        "classic_consumer_joins_again": Event(
            at="member_id", text="joins again, owns {consumers[member_id].plain.owned}"
        ),
        "pattern_changes": Event(at="member_id", text="subscribes by pattern {pattern}"),
        "pattern_is_given_up": Event(at="member_id", text="gives its pattern up"),
        "static_consumer_leaves": Event(at="member_id", text="leaves for a while"),
        "consumer_leaves": Event(at="member_id", text="leaves"),
        "static_consumer_names_topics": Event(at="member_id", text="comes back, and names topics"),
        "classic_consumer_succeeds": Event(
            at="member_id", text="takes the place by the classic protocol, owns {consumers[member_id].plain.owned}"
        ),
        "heartbeat_is_lost": Event(at="member_id", text="its heartbeat is lost"),
        "coordinator_fails_over": Event(at="coordinator", text="another coordinator reads the log"),
        "executor_fails": Event(at="coordinator", text="the executor fails"),
        "topic_is_created": Event(at="coordinator", text="topic {partition_id} is created"),
        "topic_is_deleted": Event(at="coordinator", text="topic {partition_id} is deleted"),
    },
    suspects=("member_id", "one_id", "other_id"),
    legend=("A coloured bar: the consumer owns that partition.",),
)
