"""How behaviours of the metadata quorum are drawn: each voter as a lane, and the network if it may be cut in two."""

from typing import Any

from kafkacheck.checker.drawing import Band, Cells, Event, ExtraLane, Lanes

ELECTION_EVENTS = {
    "voter_is_elected": Event(at="candidate_id", text="elected by {supporters}, epoch {epoch}"),
    "voter_replaces_leader": Event(at="candidate_id", text="hears no leader; elected by {supporters}, epoch {epoch}"),
    "voter_stands_for_election": Event(at="voter_id", text="stands in epoch {epoch}"),
    "voter_receives_vote_request": Event(
        at="candidate_id",
        to="voter_id",
        text="asks for a vote in epoch {voters[voter_id].epoch}; votes now {voters[candidate_id].votes}",
    ),
    "candidate_becomes_leader": Event(
        at="candidate_id",
        text="has the votes {before.voters[candidate_id].votes}, leads in epoch {voters[candidate_id].epoch}",
    ),
    "quorum_leader_resigns": Event(at="leader_id", text="hears no majority, resigns"),
}

REPLICATION_EVENTS = {
    "quorum_leader_appends": Event(at="leader_id", text="appends a record of epoch {voters[leader_id].epoch}"),
    "quorum_leader_writes": Event(
        at="leader_id", text="appends a record of epoch {voters[leader_id].epoch}, not on the disk yet"
    ),
    "quorum_leader_flushes": Event(
        at="leader_id", text="flushes its log, high watermark {voters[leader_id].high_watermark}"
    ),
    "voter_fetches": Event(
        at="voter_id",
        to="leader_id",
        text="fetches from {voters[voter_id].log.end_offset}: high watermark {voters[leader_id].high_watermark}",
    ),
    "voter_receives_record": Event(
        at="leader_id", to="voter_id", text="answers: the log ends at {voters[voter_id].log.end_offset}"
    ),
}

WORLD_EVENTS = {
    "voter_crashes": Event(at="voter_id", text="loses power, keeps {end_offset} records"),
    "voter_disk_is_replaced": Event(at="voter_id", text="comes back with an empty disk"),
    "network_is_cut": Event(at="network", text="is cut: {voters} on the smaller side"),
    "network_heals": Event(at="network", text="heals"),
}

CELLS: dict[str, Any] = {
    "items": "log.records",
    "length": "log.end_offset",
    "marker": "high_watermark",
    "shaded": "committed",
    "cut": "loses",
}

COMMON: dict[str, Any] = {
    "array": "voters",
    "title": "voter {lane}",
    "band": Band(holder="is_leader", text="leads, epoch {epoch}", colour="epoch"),
    "events": ELECTION_EVENTS | REPLICATION_EVENTS | WORLD_EVENTS,
    "suspects": ("leader_id", "voter_id", "other_id", "candidate_id"),
    "place": "offset",
}

MARKS = (
    "Black bar: the high watermark, which only a leader knows; the green records below it are what it holds "
    "committed. Coloured line: the voter believes that it leads. Red x: the voter loses records."
)

RESIGNED = "Resigned: it has led in its epoch, and leads no more."

QUORUM = Lanes(
    text="epoch {epoch}  HW {high_watermark}",
    cells=Cells(text="e{epoch}", **CELLS),
    legend=(f"e1: a record of epoch 1. {MARKS}",),
    **COMMON,
)

QUORUM_WITH_NETWORK = Lanes(
    text="epoch {epoch}  HW {high_watermark}  resigned {has_resigned}",
    cells=Cells(text="e{epoch}", **CELLS),
    extra=(ExtraLane(name="network", record="cut_off", text="cut off {cut_off}"),),
    legend=(f"e1: a record of epoch 1. {MARKS}", RESIGNED),
    **COMMON,
)

QUORUM_WITH_RESTARTS = Lanes(
    text="epoch {epoch}  HW {high_watermark}  voted {voted}  votes {votes}\n"
    "resigned {has_resigned}  observer {is_observer}",
    cells=Cells(text="r{id} e{epoch}", **CELLS),
    legend=(
        f"r0 e1: a record of epoch 1, written before any restart; r1: after the first. {MARKS}",
        f"Voted: its choice in its epoch. Votes: a candidate's supporters. {RESIGNED} Observer: nobody counts it.",
    ),
    **COMMON,
)
