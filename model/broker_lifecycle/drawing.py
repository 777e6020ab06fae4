"""How behaviours of a broker's life are drawn: the controller and each broker as a lane."""

from kafkacheck.checker.drawing import Event, ExtraLane, Lanes

BROKER_LIVES = Lanes(
    array="brokers",
    title="broker {lane}",
    text="{state}  offset from the log's end: {metadata_offset}",
    extra=(
        ExtraLane(
            name="controller",
            record="controller",
            text="leader {controller.leader}\n"
            "broker 0 {controller.registrations[0].state}\nbroker 1 {controller.registrations[1].state}",
        ),
    ),
    events={
        "broker_registers": Event(
            at="broker_id", to="controller", text="registers, epoch {controller.registrations[broker_id].broker_epoch}"
        ),
        "broker_replays_record": Event(at="broker_id", text="replays the next record"),
        "broker_sends_heartbeat": Event(
            at="broker_id",
            to="controller",
            text="heartbeat: {brokers[broker_id].heartbeat.current_metadata_offset} behind",
            asks=True,
        ),
        "controller_handles_heartbeat": Event(
            at="controller", to="broker_id", text="{controller.registrations[broker_id].state}", asks=True
        ),
        "broker_receives_answer": Event(at="broker_id", text="{brokers[broker_id].state}"),
        "broker_begins_shutdown": Event(at="broker_id", text="is to stop"),
        "controller_fences_stale_broker": Event(at="controller", text="fences broker {broker_id}"),
        "live_broker_registers_again": Event(
            at="broker_id",
            to="controller",
            text="registers again, epoch {controller.registrations[broker_id].broker_epoch}",
        ),
        "controller_fails_over": Event(at="controller", text="another controller takes over"),
        "metadata_log_grows": Event(at="controller", text="appends a record"),
        "broker_crashes": Event(at="broker_id", text="crashes"),
        "live_broker_is_fenced": Event(at="controller", text="fences broker {broker_id}, which lives"),
        "heartbeat_is_lost": Event(at="broker_id", text="its heartbeat is lost"),
    },
    suspects=("broker_id", "other_id"),
    legend=(
        "How far behind: only records are counted that somebody is to have replayed; the others count with the next.",
        "No offset: no process has replayed anything.",
    ),
)
