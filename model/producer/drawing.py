"""How behaviours of the producers' models are drawn: the producer, and each partition or each replica, as a lane."""

from typing import Any

from kafkacheck.checker.drawing import Cells, Event, ExtraLane, Lanes

FIRST_ANSWER = "before.connections[partition_id].requests[0]"
NEXT = "before.producer.next_batch"

PRODUCER_EVENTS = {
    "producer_gets_id": Event(at="producer", text="gets producer id {producer.producer_id}"),
    "producer_bumps_epoch": Event(at="producer", text="begins epoch {producer.producer_epoch}"),
    "application_hands_over": Event(at="producer", text="the application hands over b{" + NEXT + "}"),
    "producer_resolves_sequences": Event(at="producer", text="settles what expired in partition {partition_id}"),
    "batch_is_oversized": Event(at="producer", text="b{batch_id} is too large if it has two records"),
    "batch_is_invalid": Event(at="producer", text="b{batch_id} is not what the topic takes"),
    "batch_expires": Event(at="producer", text="b{batch_id} expires"),
    "batch_expires_in_flight": Event(at="producer", text="b{batch_id} expires in flight"),
    "producer_dies": Event(at="producer", text="dies; another one begins"),
    "metadata_lacks_topic": Event(at="producer", text="partition {partition_id} is missing from the metadata"),
    "connection_breaks": Event(at="producer", text="the connection breaks"),
    "request_is_left_behind": Event(at="producer", text="the connection breaks; a request is left behind"),
}

SENT = "b{" + NEXT + "} with sequence {producer.batches[" + NEXT + "].base_sequence}"
ANSWERED = "b{" + FIRST_ANSWER + ".batch.id}: {" + FIRST_ANSWER + ".error}"

PARTITION_EVENTS = PRODUCER_EVENTS | {
    "producer_sends": Event(at="producer", to="partition_id", text=SENT, asks=True),
    "producer_sends_again": Event(at="producer", to="partition_id", text="sends a batch again", asks=True),
    "producer_drains": Event(
        at="producer", to="producer.batches[batch_id].partition", text="sends b{batch_id}", asks=True
    ),
    "producer_takes_answer": Event(at="partition_id", to="producer", text=ANSWERED),
    "leader_handles_produce": Event(at="partition_id", text="looks at a request"),
    "leader_handles_late_request": Event(
        at="before.late_requests[place].partition", text="looks at the late b{before.late_requests[place].batch.id}"
    ),
    "append_is_refused": Event(at="partition_id", text="refuses a request for the moment"),
    "records_are_deleted": Event(at="partition_id", text="deletes batches below {start_offset}"),
    "producer_state_expires": Event(at="partition_id", text="forgets producer id {producer_id}"),
    "coordinator_aborts": Event(at="partition_id", text="abort marker"),
    "broker_crashes": Event(at="partition_id", text="crashes and starts again"),
    "power_fails": Event(at="partition_id", text="loses power, keeps the log to {end_offset}"),
    "broker_rolls_segment": Event(
        at="partition_id", text="snapshot {partitions[partition_id].replicas[replica_id].snapshots[0].offset}"
    ),
    "broker_flushes_log": Event(at="partition_id", text="flushes its log"),
}

BROKER = "connections[partition_id].broker"

REPLICA_EVENTS = PRODUCER_EVENTS | {
    "coordinator_aborts": Event(at="partitions[partition_id].leader", text="abort marker"),
    "producer_sends": Event(at="producer", to=BROKER, text=SENT, asks=True),
    "producer_sends_again": Event(at="producer", to=BROKER, text="sends a batch again", asks=True),
    "producer_takes_answer": Event(at="before." + BROKER, to="producer", text=ANSWERED),
    "leader_handles_produce": Event(at=BROKER, text="looks at a request"),
    "leader_handles_late_request": Event(
        at="before.late_requests[place].broker", text="looks at the late b{before.late_requests[place].batch.id}"
    ),
    "follower_fetches": Event(
        at="partitions[partition_id].leader",
        to="replica_id",
        text="fetch: log to {partitions[partition_id].replicas[replica_id].log.end_offset}",
    ),
    "leadership_moves": Event(at="replica_id", text="is elected"),
    "broker_crashes": Event(at="replica_id", text="crashes and starts again"),
    "records_are_deleted": Event(at="partitions[partition_id].leader", text="deletes batches below {start_offset}"),
    "replica_begins_anew": Event(at="replica_id", text="begins anew"),
}

PRODUCER_LANE = ExtraLane(
    name="producer",
    record="producer",
    text="{producer.state}  id {producer.producer_id}  epoch {producer.producer_epoch}",
)

BATCH = "b{id} {producer_epoch}:{base_sequence}"

SHARED: dict[str, Any] = {"extra": (PRODUCER_LANE,), "place": "offset"}

PARTITIONS = Lanes(
    array="partitions",
    title="partition {lane}",
    text="knows of id 0: epoch {replicas[0].log.producers[0].producer_epoch}, last sequence "
    "{replicas[0].log.producers[0].batches[0].last_sequence}",
    cells=Cells(
        items="replicas[0].log.records",
        length="replicas[0].log.end_offset",
        text=BATCH,
        marker="high_watermark",
        shaded="committed",
        cut="loses",
    ),
    events=PARTITION_EVENTS,
    suspects=("partition_id",),
    legend=(
        "b1 0:2: batch 1, stored with epoch 0 and sequence 2. Black bar: the high watermark; what lies below it may be "
        "acknowledged.",
        "Dashed arrow: a request is sent; the broker looks at it later or never. Red x: the broker loses the batch.",
    ),
    **SHARED,
)

REPLICAS = Lanes(
    array="partitions[0].replicas",
    title="broker {lane}",
    text="leads: {is_leading}  knows of id 0: epoch {log.producers[0].producer_epoch}, last sequence "
    "{log.producers[0].batches[0].last_sequence}",
    cells=Cells(
        items="log.records",
        length="log.end_offset",
        text=BATCH,
        marker="log.start_offset",
        shaded="deleted",
        cut="truncates away",
    ),
    events=REPLICA_EVENTS,
    suspects=("replica_id",),
    legend=(
        "b1 0:2: batch 1, stored with epoch 0 and sequence 2. Black bar: the start of the log.",
        "Dashed arrow: a request is sent; the broker looks at it later or never. Red x: the broker cuts the batch off.",
    ),
    **SHARED,
)
