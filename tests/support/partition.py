"""Plain records for the tests of protocol rules: logs and partitions as a test wants them, written briefly.

A record is written as the pair (id, epoch), so that a log reads [(0, 0), (1, 2)].
"""

from collections.abc import Sequence

from kafkacheck.checker.schema import Ids
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.impl.enums import FetchFencing, TruncationRule
from kafkacheck.impl.log import Log, append_record
from kafkacheck.impl.replication.records import ReplicationRules
from kafkacheck.model.replication.system import State

BOUNDS = {"replicas": 3, "log_size": 4, "max_records": 6, "max_leader_epoch": 5}

Records = Sequence[tuple[int, int]]

HIGH_WATERMARK = ReplicationRules(TruncationRule.HIGH_WATERMARK, FetchFencing.NONE)
KIP_101 = ReplicationRules(TruncationRule.KIP_101, FetchFencing.NONE)
KIP_279 = ReplicationRules(TruncationRule.KIP_279, FetchFencing.NONE)
KIP_320_FIRST_TRY = ReplicationRules(TruncationRule.ON_FETCH, FetchFencing.LAST_FETCHED_EPOCH)
KIP_320 = ReplicationRules(TruncationRule.KIP_279, FetchFencing.CURRENT_LEADER_EPOCH)
ALL_RULES = (HIGH_WATERMARK, KIP_101, KIP_279, KIP_320_FIRST_TRY, KIP_320)


def log_of(records: Records) -> Log:
    """A log with these records."""
    log = Layout(Log, BOUNDS).blank()
    fill(log, records)
    return log


def fill(log: Log, records: Records) -> None:
    """Append these records."""
    for record_id, epoch in records:
        append_record(log, record_id, epoch)


def records_of(log: Log) -> list[tuple[int, int]]:
    """The records of a log, after a check that the slots behind them are blank."""
    slots = [(record.id, record.epoch) for record in log.records]
    assert slots[log.end_offset :] == [(-1, -1)] * (len(slots) - log.end_offset)
    return slots[: log.end_offset]


def new_partition() -> State:
    """Three replicas with empty logs, all in the ISR, and nothing sent yet."""
    state = Layout(State, BOUNDS).blank()
    state.quorum.isr = Ids(range(BOUNDS["replicas"]))
    return state


def send(state: State, leader_epoch: int, leader: int, isr: Sequence[int] = (0, 1, 2)) -> None:
    """Let the controller be in this epoch with this leader and ISR, told by a request."""
    request = state.leader_and_isr_requests[leader_epoch]
    request.leader = state.quorum.leader = leader
    request.isr = state.quorum.isr = Ids(isr)
    state.quorum.leader_epoch = leader_epoch


def put(
    state: State,
    replica_id: int,
    records: Records = (),
    high_watermark: int = 0,
    leader_epoch: int = -1,
    leader: int = -1,
    isr: Sequence[int] = (0, 1, 2),
) -> None:
    """Let a replica with an empty log have these records, high watermark and beliefs."""
    replica = state.replicas[replica_id]
    fill(replica.log, records)
    replica.high_watermark = high_watermark
    replica.leader_epoch = leader_epoch
    replica.leader = leader
    replica.isr = Ids(isr)
