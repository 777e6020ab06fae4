"""How behaviours of transactions are drawn: producers, coordinator, consumer and each partition as a lane."""

from kafkacheck.checker.drawing import Cells, Event, ExtraLane, Lanes

CLIENT_EVENTS = {
    "producer_initializes": Event(
        at="producers", to="coordinator", text="client {client_id}: InitProducerId", asks=True
    ),
    "producer_begins_transaction": Event(
        at="producers", text="client {client_id} begins transaction {clients[client_id].transaction}"
    ),
    "application_takes_input": Event(
        at="producers", text="client {client_id} begins transaction {clients[client_id].transaction} for its input"
    ),
    "producer_sends": Event(
        at="producers", to="partition_id", text="client {client_id} sends, or adds the partition", asks=True
    ),
    "producer_sends_offsets": Event(
        at="producers",
        to="offsets_partition",
        text="client {client_id} sends its offset, or adds its partition",
        asks=True,
    ),
    "producer_sends_offsets_first": Event(
        at="producers",
        to="offsets_partition",
        text="client {client_id} sends its offset and no record, or adds its partition",
        asks=True,
    ),
    "producer_commits_nothing": Event(at="producers", to="coordinator", text="client {client_id} commits nothing"),
    "producer_commits": Event(at="producers", to="coordinator", text="client {client_id}: EndTxn COMMIT", asks=True),
    "producer_aborts": Event(at="producers", to="coordinator", text="client {client_id}: EndTxn ABORT", asks=True),
    "consumer_fetches_offset": Event(at="producers", text="client {client_id} goes on at the committed offset"),
    "application_processes": Event(at="producers", text="client {client_id} processes its input"),
    "consumer_commits_offset": Event(at="producers", text="client {client_id} commits its offset"),
}

COORDINATOR_EVENTS = {
    "coordinator_handles_request": Event(
        at="coordinator",
        text="term {term} takes {before.requests[request_id].kind} "
        "of epoch {before.requests[request_id].producer_epoch}",
    ),
    "transaction_log_commits": Event(
        at="coordinator",
        text="the log has {transactional_ids[transactional_id].log.entry.state}, "
        "epoch {transactional_ids[transactional_id].log.entry.producer_epoch}",
    ),
    "coordinator_sends_marker": Event(
        at="coordinator",
        to="partition_id",
        text="term {term}: "
        "{transactional_ids[transactional_id].coordinators[term].markers[partition_id].marker} marker",
        asks=True,
    ),
    "coordinator_completes_transaction": Event(at="coordinator", text="term {term}: every marker is written"),
    "second_thread_completes_transaction": Event(at="coordinator", text="the second thread goes on"),
    "coordinator_aborts_timed_out": Event(at="coordinator", text="term {term}: the transaction has timed out"),
    "coordinator_drops_deleted_partition": Event(at="coordinator", text="drops partition {partition_id}"),
    "coordinator_verifies_partition": Event(
        at="coordinator",
        to="before.produces[produce_id].partition",
        text="term {term}: is the partition in the transaction?",
    ),
}

PARTITION_EVENTS = {
    "leader_receives_produce": Event(
        at="before.produces[produce_id].partition",
        text="takes the batch of t{before.produces[produce_id].batch.id}, "
        "epoch {before.produces[produce_id].batch.producer_epoch}",
    ),
    "leader_appends_verified": Event(
        at="before.produces[produce_id].partition",
        text="the batch of t{before.produces[produce_id].batch.id} is verified",
    ),
    "leader_writes_marker": Event(
        at="partition_id",
        to="coordinator",
        text="{before.transactional_ids[transactional_id].coordinators[term].markers[partition_id].marker} "
        "of term {term}",
    ),
    "leader_writes_late_marker": Event(
        at="before.late_markers[place].partition",
        text="{before.late_markers[place].request.marker} of term {before.late_markers[place].term}, which came late",
    ),
    "group_coordinator_follows_marker": Event(
        at="offsets_partition", text="the group follows: committed offset {group.committed}"
    ),
    "group_coordinator_reads_record": Event(
        at="offsets_partition", text="the group's new coordinator reads offset {before.group.loading.next_offset}"
    ),
    "group_coordinator_ends_loading": Event(
        at="offsets_partition", text="the group's new coordinator knows offset {group.committed}"
    ),
    "partition_replicates": Event(at="partition_id", text="high watermark {partitions[partition_id].high_watermark}"),
    "cleaner_cleans_segment": Event(at="partition_id", text="cleans offsets {start} to {end}"),
    "consumer_reads": Event(at="partition_id", to="consumer", text="reads to {readers[partition_id].position}"),
    "leader_limits_read": Event(at="partition_id", text="a read may go to {readers[partition_id].limit}"),
    "leader_ends_read": Event(at="partition_id", to="consumer", text="reads to {readers[partition_id].position}"),
    "consumer_begins_anew": Event(at="consumer", text="another consumer begins at 0"),
}

WORLD_EVENTS = {
    "request_is_repeated": Event(at="producers", text="client {client_id} gets no answer, and asks again"),
    "produce_is_repeated": Event(at="producers", text="client {client_id} gets no answer, and sends the batch again"),
    "produce_is_given_up": Event(at="producers", text="client {client_id} gives its batch up"),
    "client_dies": Event(at="producers", text="client {client_id} dies"),
    "coordinator_is_replaced": Event(at="coordinator", text="another broker becomes the coordinator"),
    "coordinator_is_reassigned": Event(at="coordinator", text="another broker becomes the coordinator"),
    "completion_is_found_twice": Event(at="coordinator", text="term {term}: a second thread finds every marker, too"),
    "coordinator_comes_back": Event(at="coordinator", text="the coordinator loses its office and gets it back"),
    "zombie_coordinator_resigns": Event(at="coordinator", text="the old coordinator notices"),
    "append_fails": Event(at="coordinator", text="the append fails"),
    "marker_answer_is_lost": Event(at="partition_id", text="writes the marker; the answer is lost"),
    "marker_is_repeated": Event(at="coordinator", text="term {term} gets no answer, and sends its marker again"),
    "index_fails": Event(at="partition_id", text="writes the marker, but not its index"),
    "partition_is_deleted": Event(at="partition_id", text="is deleted"),
    "topic_is_recreated": Event(at="partition_id", text="is created anew"),
    "group_coordinator_lags": Event(at="offsets_partition", text="has the marker; the group will follow"),
    "group_coordinator_is_replaced": Event(at="offsets_partition", text="another broker coordinates the group"),
    "offset_expires": Event(at="offsets_partition", text="the offset of the group has expired"),
    "partition_is_reloaded": Event(at="partition_id", text="another broker leads"),
    "producer_state_expires": Event(at="partition_id", text="forgets the producer"),
    "transactional_id_expires": Event(at="coordinator", text="nobody has used the id for long"),
    "group_is_rebalanced": Event(
        at="producers", text="generation {group.generation}: client {client_id} has the input"
    ),
}

PRODUCERS_LANE = ExtraLane(
    name="producers", record="clients", text="{clients[0].state}  epoch {clients[0].producer_epoch}"
)

COORDINATOR_LANE = ExtraLane(
    name="coordinator",
    record="transactional_ids",
    text="{transactional_ids[0].log.entry.state}  epoch {transactional_ids[0].log.entry.producer_epoch}  "
    "partitions {transactional_ids[0].log.entry.partitions}",
)

CONSUMER_LANE = ExtraLane(
    name="consumer", record="readers", text="position {readers[0].position}  given {readers[0].delivered}"
)

TRANSACTION_LANES = Lanes(
    array="partitions",
    title="partition {lane}",
    text="high watermark {high_watermark}",
    cells=Cells(
        items="log.records",
        length="log.end_offset",
        text="t{id} e{producer_epoch} {marker}",
        marker="high_watermark",
        shaded="replicated",
        cut="loses",
    ),
    extra=(PRODUCERS_LANE, COORDINATOR_LANE, CONSUMER_LANE),
    events=CLIENT_EVENTS | COORDINATOR_EVENTS | PARTITION_EVENTS | WORLD_EVENTS,
    suspects=("partition_id",),
    place="offset",
    legend=(
        "t0 e1: a record of transaction 0 in producer epoch 1; COMMIT and ABORT: the markers. Black bar: the high "
        "watermark.",
        "Dashed arrow: a request is sent; it arrives later, twice or never.",
    ),
)
