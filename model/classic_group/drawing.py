"""How behaviours of a classic group are drawn: the coordinator and each consumer as a lane."""

from kafkacheck.checker.drawing import Event, ExtraLane, Held, Lanes

CLASSIC_GROUPS = Lanes(
    array="consumers",
    title="consumer {lane}",
    text="{state}  generation {generation}  owns {owned}",
    held=Held(ids=("owned",), text="partition"),
    extra=(
        ExtraLane(
            name="coordinator",
            record="group",
            text="{group.state}  generation {group.generation}\nleader {group.leader}  pending {group.pending}",
        ),
    ),
    events={
        "consumer_asks_to_join": Event(
            at="consumer_id",
            to="coordinator",
            text="join as {connections[consumer_id].request.member_id}, owns {consumers[consumer_id].owned}",
            asks=True,
        ),
        "consumer_sends_heartbeat": Event(at="consumer_id", to="coordinator", text="heartbeat", asks=True),
        "consumer_sends_leave": Event(at="consumer_id", to="coordinator", text="leave", asks=True),
        "coordinator_handles_request": Event(
            at="coordinator",
            to="consumer_id",
            text="{before.connections[consumer_id].request.kind}: {connections[consumer_id].stage} "
            "{connections[consumer_id].response.error}",
            asks=True,
        ),
        "consumer_receives_response": Event(
            at="consumer_id", text="{consumers[consumer_id].state}, owns {consumers[consumer_id].owned}"
        ),
        "initial_delay_ends": Event(at="coordinator", text="the first generation begins"),
        "silent_member_expires": Event(at="coordinator", text="the session of member {member_id} ends"),
        "pending_member_expires": Event(at="coordinator", text="member id {member_id} is forgotten"),
        "live_member_expires": Event(at="coordinator", text="the session of member {member_id} ends, which lives"),
        "rebalance_times_out": Event(at="coordinator", text="does not wait for all members"),
        "coordinator_fails_over": Event(at="coordinator", text="another broker takes over"),
        "consumer_leaves": Event(at="consumer_id", text="leaves"),
        "consumer_crashes": Event(at="consumer_id", text="crashes"),
        "request_is_lost": Event(at="consumer_id", text="its request is lost"),
    },
    suspects=("consumer_id", "one_id", "other_id"),
    legend=("A coloured bar: the consumer processes that partition.",),
)
