"""How behaviours of a group with both protocols are drawn: the coordinator and each process as a lane."""

from kafkacheck.checker.drawing import Event, ExtraLane, Held, Lanes

MIGRATIONS = Lanes(
    array="processes",
    title="process {lane}",
    text="classic: {classic.state}, generation {classic.generation}\n"
    "new: {consumer.state}, epoch {consumer.member_epoch}",
    held=Held(ids=("classic.owned", "consumer.owned"), text="partition"),
    extra=(
        ExtraLane(
            name="coordinator",
            record="group",
            text="{group.type}\n{group.classic.state}, generation {group.classic.generation}\n"
            "group epoch {group.consumer.group_epoch}",
        ),
    ),
    events={
        "classic_consumer_asks_to_join": Event(
            at="member_id", to="coordinator", text="join, owns {processes[member_id].classic.owned}", asks=True
        ),
        "classic_consumer_sends_heartbeat": Event(at="member_id", to="coordinator", text="heartbeat", asks=True),
        "classic_consumer_sends_leave": Event(at="member_id", to="coordinator", text="leave", asks=True),
        "coordinator_handles_request": Event(
            at="coordinator",
            to="member_id",
            text="{before.connections[member_id].request.kind}: {connections[member_id].stage} "
            "{connections[member_id].response.error}",
            asks=True,
        ),
        "classic_consumer_receives_response": Event(
            at="member_id", text="{processes[member_id].classic.state}, owns {processes[member_id].classic.owned}"
        ),
        "initial_delay_ends": Event(at="coordinator", text="the first generation begins"),
        "consumer_sends_heartbeat": Event(
            at="member_id",
            to="coordinator",
            text="heartbeat, epoch {heartbeats[member_id].request.member_epoch}",
            asks=True,
        ),
        "coordinator_handles_heartbeat": Event(
            at="coordinator",
            to="member_id",
            text="{heartbeats[member_id].response.error}, epoch {heartbeats[member_id].response.member_epoch}, "
            "{heartbeats[member_id].response.assigned}",
            asks=True,
        ),
        "consumer_receives_response": Event(at="member_id", text="target {processes[member_id].consumer.target}"),
        "consumer_begins_reconciliation": Event(
            at="member_id", text="applies {processes[member_id].consumer.reconciled}"
        ),
        "consumer_completes_reconciliation": Event(at="member_id", text="owns {processes[member_id].consumer.owned}"),
        "consumer_releases_partitions": Event(at="member_id", text="releases its partitions"),
        "silent_member_expires": Event(at="coordinator", text="the session of member {member_id} ends"),
        "live_member_expires": Event(at="coordinator", text="the session of member {member_id} ends, which lives"),
        "process_starts": Event(at="member_id", text="starts"),
        "process_crashes": Event(at="member_id", text="ends"),
        "consumer_leaves": Event(at="member_id", text="leaves"),
        "request_is_lost": Event(at="member_id", text="its request is lost"),
    },
    suspects=("member_id", "one_id", "other_id"),
    legend=("A coloured bar: the process reads that partition.",),
)
