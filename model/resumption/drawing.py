"""How behaviours of resumption are drawn: the consumer, the coordinator and the leader of each epoch as a lane."""

from kafkacheck.checker.drawing import Cells, Event, ExtraLane, Lanes

RESUMPTION = Lanes(
    array="leaders",
    title="leader of epoch {lane}",
    text="ends at {log.end_offset}",
    cells=Cells(
        items="log.records",
        length="log.end_offset",
        text="e{epoch}",
        marker="log.end_offset",
        shaded="committed",
        cut="truncates away",
    ),
    extra=(
        ExtraLane(name="coordinator", record="committed", text="committed {committed.offset}, epoch {committed.epoch}"),
        ExtraLane(
            name="consumer",
            record="consumer",
            text="{consumer.fetch_state}  position {consumer.position.offset}, epoch {consumer.position.epoch}\n"
            "knows leader epoch {consumer.leader_epoch}",
        ),
    ),
    events={
        "record_is_appended": Event(at="leader_epoch", text="appends a record"),
        "leader_is_elected": Event(at="leader_epoch", text="is elected"),
        "unclean_leader_is_elected": Event(at="leader_epoch", text="is elected uncleanly, with {end_offset} records"),
        "epoch_file_is_lost": Event(at="leader_epoch", text="knows no epochs"),
        "consumer_starts": Event(at="consumer", text="starts, with metadata of leader epoch {leader_epoch}"),
        "consumer_ends": Event(at="consumer", text="ends"),
        "consumer_learns_leader": Event(at="consumer", text="learns leader epoch {leader_epoch}"),
        "consumer_learns_committed_offset": Event(
            at="coordinator", to="consumer", text="{committed.offset} is committed, epoch {committed.epoch}"
        ),
        "consumer_asks_for_epoch_end": Event(
            at="consumer",
            to="consumer.request.position.leader_epoch",
            text="where does epoch {consumer.request.position.epoch} end?",
            asks=True,
        ),
        "leader_answers_epoch_end": Event(
            at="consumer.request.position.leader_epoch",
            to="consumer",
            text="epoch {consumer.request.end.epoch} ends at {consumer.request.end.offset}",
            asks=True,
        ),
        "consumer_receives_epoch_end": Event(
            at="consumer", text="has the answer: {before.consumer.request.end.offset}"
        ),
        "consumer_takes_record": Event(
            at="consumer.position.leader_epoch",
            to="consumer",
            text="record at {before.consumer.position.offset}, epoch {consumer.position.epoch}",
        ),
        "consumer_is_out_of_range": Event(at="consumer", text="{before.consumer.position.offset} is out of range"),
        "leader_tells_reset_offset": Event(at="consumer", text="is to begin at {consumer.position.offset}"),
        "consumer_commits": Event(
            at="consumer", to="coordinator", text="commits {committed.offset}, epoch {committed.epoch}"
        ),
        "application_resolves_truncation": Event(at="consumer", text="seeks to {consumer.position.offset}"),
        "application_seeks_to_beginning": Event(at="consumer", text="seeks to the beginning"),
    },
    suspects=("leader_epoch",),
    place="offset",
    legend=(
        "e1: a record that was first appended in leader epoch 1. A former leader keeps its log and may still answer.",
        "Dashed arrow: a request or an answer is under way.",
    ),
)
