"""What the brokers of a partition do with a producer's requests: as leader, deposed, as follower, and after a crash."""

from kafkacheck.checker.schema.bounds import Bounds
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.impl.ids import NO_OFFSET
from kafkacheck.impl.log.constants import ProduceError
from kafkacheck.impl.log.producer_state import forget_older_batches
from kafkacheck.impl.log.rules import LogRules
from kafkacheck.impl.producer.constants import RequestStage
from kafkacheck.impl.producer.rules import ProducerRules
from kafkacheck.model.producer.environment import (
    broker_crashes,
    leadership_moves,
    power_fails,
    records_are_deleted,
    replica_begins_anew,
    request_is_left_behind,
    start_known,
    start_with_snapshot,
)
from kafkacheck.model.producer.family import BOUNDS
from kafkacheck.model.producer.system import (
    State,
    broker_flushes_log,
    broker_rolls_segment,
    follower_fetches,
    leader_handles_late_request,
    leader_handles_produce,
    producer_sends,
)

SIZES = {"batches": 6, "log_size": 6, "max_log_start": 6, "max_in_flight": 3, "snapshots": 2, "max_sequence": 8}
BUDGET = dict.fromkeys(("disconnections", "failovers", "crashes", "power_losses", "deletions", "replacements"), 4)
RULES = ProducerRules()
LIMITS = Bounds(BOUNDS).as_tuple()
FLUSHING = RULES._replace(log=LogRules(answers_await_flush=True))


def known(replicas=2, start=start_known):
    state = Layout(State, {**BOUNDS, **SIZES, **BUDGET, "replicas": replicas}).blank()
    assert start(state, RULES, LIMITS)
    return state


def replica_of(state, replica_id=0):
    return state.partitions[0].replicas[replica_id]


def stored(state, replica_id=0):
    log = replica_of(state, replica_id).log
    return [log.records[offset].id for offset in range(log.start_offset, log.end_offset)]


def append(state, count=1, rules=RULES):
    for _ in range(count):
        assert producer_sends(state, rules, LIMITS, 0, 1)
        assert leader_handles_produce(state, rules, 0)


def answers(state):
    return [(request.stage, request.error) for request in state.connections[0].requests]


ACKNOWLEDGED = (RequestStage.ANSWERED, ProduceError.NONE)
DEPOSED = (RequestStage.ANSWERED, ProduceError.NOT_LEADER_OR_FOLLOWER)
WAITING = (RequestStage.WAITING, ProduceError.NONE)


def test_a_request_waits_until_every_replica_has_its_batch_and_the_next_one_waits_behind_it():
    state = known()
    append(state)
    assert producer_sends(state, RULES, LIMITS, 0, 1)
    assert answers(state)[0] == WAITING
    assert not leader_handles_produce(state, RULES, 0), "one at a time"
    assert follower_fetches(state, RULES, 0, 1)
    assert (answers(state)[0], state.partitions[0].high_watermark) == (ACKNOWLEDGED, 2)
    assert leader_handles_produce(state, RULES, 0)


def test_a_deposed_leader_appends_acknowledges_nothing_and_is_cut_when_it_follows():
    state = known()
    append(state)
    assert leadership_moves(state, 0, 1)
    assert not leadership_moves(state, 0, 1), "it leads already"
    assert not follower_fetches(state, RULES, 0, 1)
    assert answers(state)[0] == WAITING
    assert follower_fetches(state, RULES, 0, 0)
    assert (answers(state)[0], stored(state, 0)) == (DEPOSED, [0])
    assert replica_of(state).log == replica_of(state, 1).log
    assert producer_sends(state, RULES, LIMITS, 0, 1)
    assert leader_handles_produce(state, RULES, 0)
    assert answers(state)[1] == DEPOSED


def test_only_who_has_all_that_was_acknowledged_may_lead():
    state = known()
    append(state)
    follower_fetches(state, RULES, 0, 1)
    assert replica_begins_anew(state, 0, 1)
    assert not leadership_moves(state, 0, 1)
    assert follower_fetches(state, RULES, 0, 1)
    assert follower_fetches(state, RULES, 0, 1)
    assert leadership_moves(state, 0, 1)


def test_a_replica_that_begins_anew_begins_where_the_leaders_log_does():
    state = known()
    append(state)
    follower_fetches(state, RULES, 0, 1)
    append(state)
    assert not records_are_deleted(state, RULES, 0, 3), "not above the high watermark"
    assert records_are_deleted(state, RULES, 0, 2)
    assert replica_begins_anew(state, 0, 1)
    old = RULES._replace(log=LogRules(replication_is_trusted=False, unknown_producer_may_go_on=False))
    assert follower_fetches(state, old, 0, 1)
    assert replica_of(state, 1).log.start_offset == replica_of(state, 1).log.end_offset == 2
    assert not follower_fetches(state, old, 0, 1), "it refuses what does not begin with sequence 0"
    assert follower_fetches(state, RULES, 0, 1)
    assert stored(state, 1) == [2]


def test_a_request_left_behind_is_stored_once_and_nobody_is_answered():
    state = known(replicas=1)
    assert producer_sends(state, RULES, LIMITS, 0, 1)
    assert request_is_left_behind(state, RULES, 0)
    assert leader_handles_late_request(state, RULES, 0)
    assert stored(state) == [0, 1]
    assert not leader_handles_late_request(state, RULES, 0)
    assert answers(state)[0][0] == RequestStage.NONE


def test_a_batch_is_acknowledged_when_it_is_flushed_where_that_is_asked_for():
    state = known(replicas=1)
    append(state, rules=FLUSHING)
    assert answers(state)[0] == WAITING
    assert broker_flushes_log(state, FLUSHING, 0, 0)
    assert answers(state)[0] == ACKNOWLEDGED


def test_after_a_crash_a_broker_remembers_the_newest_batch_of_a_producer():
    state = known(start=start_with_snapshot)
    append(state)
    expected = replica_of(state).log.copy()
    forget_older_batches(expected.producers)
    assert expected != replica_of(state).log
    assert broker_crashes(state, RULES, 0, 0)
    assert replica_of(state).log == expected
    assert answers(state)[0][0] == RequestStage.NONE


def snapshots(state):
    return [each.offset for each in replica_of(state).snapshots]


def test_a_power_loss_takes_what_was_not_flushed():
    for keeps_snapshots in (True, False):
        state = known(replicas=1, start=start_with_snapshot)
        append(state)
        assert broker_rolls_segment(state, RULES, 0, 0)
        assert not broker_rolls_segment(state, RULES, 0, 0), "nothing has changed"
        assert not power_fails(state, RULES, 0, 0, 0, True), "offset 1 is flushed"
        kept, cut = state.copy(), state.copy()
        assert power_fails(kept, RULES, 0, 0, 2, keeps_snapshots)
        assert (stored(kept), snapshots(kept)) == ([0, 1], [1, NO_OFFSET]), "recovery begins at 1, and drops later ones"
        assert power_fails(cut, RULES, 0, 0, 1, keeps_snapshots)
        assert (stored(cut), snapshots(cut)) == ([0], [1, NO_OFFSET])
        for each in (kept, cut):
            assert replica_of(each).log.producers[0].batches[0].offset == len(stored(each)) - 1


def test_a_snapshot_that_claims_less_than_it_has_survives_a_cut_and_is_wrong():
    state = known(replicas=1, start=start_with_snapshot)
    rules = RULES._replace(log=LogRules(snapshot_names_its_end=False))
    append(state)
    assert broker_flushes_log(state, rules, 0, 0)
    append(state)
    assert broker_rolls_segment(state, rules, 0, 0)
    assert power_fails(state, rules, 0, 0, 2, True)
    assert stored(state) == [0, 1]
    assert replica_of(state).log.producers[0].batches[0].offset == 2


def test_flushing_keeps_the_newest_snapshot_and_deletes_older_ones():
    state = known(replicas=1, start=start_with_snapshot)
    append(state)
    assert broker_rolls_segment(state, RULES, 0, 0)
    append(state)
    assert not broker_rolls_segment(state, RULES, 0, 0), "there is no room for a third file"
    assert broker_flushes_log(state, RULES, 0, 0)
    assert snapshots(state) == [2, NO_OFFSET]
    assert replica_of(state).snapshots[0].is_flushed
