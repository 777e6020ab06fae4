"""Each property of the idempotent producer says no to a state or step that breaks it, and to nothing that does not."""

import pytest

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.mutation.guards import Examiner, Outcome
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.impl.log.constants import Marker, ProduceError
from kafkacheck.impl.producer.constants import BatchStatus, RequestStage, Sending
from kafkacheck.impl.producer.rules import ProducerRules
from kafkacheck.model.producer.environment import start_known
from kafkacheck.model.producer.family import BOUNDS, SAFETY, STEPS
from kafkacheck.model.producer.system import State, leader_handles_produce, producer_sends, producer_takes_answer
from kafkacheck.spec.producer import properties as spec
from kafkacheck.spec.producer import steps
from tests.support.marks import long_but

RULES = ProducerRules()
LAYOUT = Layout(State, {**BOUNDS, "batches": 4, "replicas": 2, "log_size": 5})
LIMITS = LAYOUT.bounds.as_tuple()
ONE_REPLICA = Layout(
    State, {**BOUNDS, "batches": 4, "log_size": 5, "transactional": 1, "max_verification_guard": 1, "deletions": 1}
)


def good(layout=ONE_REPLICA, count=2):
    """Batches 0 .. count stored and acknowledged."""
    state = layout.blank()
    assert start_known(state, RULES, LIMITS)
    for _ in range(count):
        assert producer_sends(state, RULES, LIMITS, 0, 1)
        assert leader_handles_produce(state, RULES, 0)
        assert producer_takes_answer(state, RULES, LIMITS, 0)
    return state


def log_of(state, replica_id=0):
    return state.partitions[0].replicas[replica_id].log


def stored_twice(state):
    log_of(state).records[2].id = 1


def out_of_order(state):
    log_of(state).records[1].id, log_of(state).records[2].id = 2, 1


def read_and_stored_again(state):
    state.deleted[2] = 1


def later_one_was_deleted(state):
    state.deleted[3] = 0


def passed_over(state):
    state.producer.batches[1].status = BatchStatus.RETRYING
    log_of(state).records[1].id = 3


def gap(state):
    log_of(state).records[2].base_sequence = 3


def epoch_falls(state):
    log_of(state).records[1].producer_epoch = 1


def acknowledged_elsewhere(state):
    state.producer.batches[2].offset = 1


def failed_and_stored(state):
    state.producer.batches[2].status = BatchStatus.FAILED


def forgotten(state):
    log_of(state).producers[0].batches[0].offset = 1


def remembered_and_gone(state):
    log_of(state).end_offset = 2


CASES = [
    (spec.each_batch_is_stored_once, stored_twice),
    (spec.each_batch_is_stored_once, read_and_stored_again),
    (spec.batches_lie_in_order, out_of_order),
    (spec.batches_are_read_in_order, later_one_was_deleted),
    (spec.no_batch_is_passed_over, passed_over),
    (spec.sequences_follow_each_other, gap),
    (spec.older_epochs_are_fenced, epoch_falls),
    (spec.acknowledged_batches_are_stored, acknowledged_elsewhere),
    (spec.failed_batches_are_absent, failed_and_stored),
    (spec.producer_state_matches_log, forgotten),
    (spec.producer_state_matches_log, remembered_and_gone),
]


@pytest.mark.parametrize(("holds", "broken"), CASES)
def test_a_property_says_no_where_it_is_broken(holds, broken):
    state = good()
    assert holds(state)
    broken(state)
    assert not holds(state)


def test_every_state_property_is_tested_here():
    single = {*STEPS, steps.acknowledgements_are_true, steps.retries_go_in_order}
    assert set(SAFETY) - single <= {holds for holds, _ in CASES}


def test_every_replica_counts():
    state = LAYOUT.blank()
    assert start_known(state, RULES, LIMITS)
    follower = log_of(state, 1)
    follower.end_offset = 2
    follower.records[1].id = 0
    assert not spec.each_batch_is_stored_once(state)


def test_a_batch_that_was_deleted_is_not_missing():
    state = good()
    log_of(state).start_offset = 1
    log_of(state).records[0].id = -1
    assert not spec.acknowledged_batches_are_stored(state)
    state.deleted[0] = 0
    assert spec.acknowledged_batches_are_stored(state)


def test_what_an_invalid_batch_leaves_open_is_no_gap():
    state = good()
    passed_over(state)
    state.producer.batches[1].is_invalid = 1
    assert spec.no_batch_is_passed_over(state)


def test_a_marker_has_no_place_among_the_sequences():
    state = good(count=1)
    log = log_of(state)
    log.end_offset = 3
    log.records[2].producer_id, log.records[2].producer_epoch = 0, 0
    log.records[2].marker = Marker.COMMIT
    assert spec.sequences_follow_each_other(state)
    log.records[2].marker = Marker.NONE
    assert not spec.sequences_follow_each_other(state)


@pytest.mark.parametrize(("sending", "is_safe"), [(Sending.BUFFERED, False), (Sending.SYNCHRONOUS, True)])
def test_what_is_lost_in_a_buffer_counts_only_where_send_has_returned(sending, is_safe):
    state = good()
    state.producer.batches[3].status = BatchStatus.LOST
    assert spec.sends_that_returned_are_safe(state, RULES._replace(sending=sending)) is is_safe
    acknowledged_and_gone = good()
    log_of(acknowledged_and_gone).records[2].id = -1
    assert not spec.sends_that_returned_are_safe(acknowledged_and_gone, RULES._replace(sending=sending))


def answered(error, offset=-1, change=None):
    """The states before and after a leader answers the request of batch 3."""
    before = good()
    assert producer_sends(before, RULES, LIMITS, 0, 1)
    if change is not None:
        change(before)
    after = before.copy()
    request = after.connections[0].requests[0]
    request.stage, request.error, request.offset = RequestStage.ANSWERED, error, offset
    return before, after


def test_a_success_must_be_true():
    before, after = answered(ProduceError.NONE, offset=2)
    assert not steps.acknowledgements_are_true(before, after)
    after.connections[0].requests[0].error = ProduceError.NOT_ENOUGH_REPLICAS
    assert steps.acknowledgements_are_true(before, after)


def of_an_older_epoch(state):
    state.producer.producer_epoch = 1


def with_a_later_sequence(state):
    state.connections[0].requests[0].batch.base_sequence = 4


@pytest.mark.parametrize(
    ("error", "change", "holds"),
    [
        (ProduceError.OUT_OF_ORDER_SEQUENCE_NUMBER, None, False),
        (ProduceError.INVALID_PRODUCER_EPOCH, None, False),
        (ProduceError.NOT_ENOUGH_REPLICAS, None, True),
        (ProduceError.OUT_OF_ORDER_SEQUENCE_NUMBER, with_a_later_sequence, True),
        (ProduceError.INVALID_PRODUCER_EPOCH, of_an_older_epoch, True),
    ],
)
def test_a_batch_that_is_due_must_not_be_refused(error, change, holds):
    assert steps.due_batches_are_not_refused(*answered(error, change=change)) is holds


def test_a_retry_must_not_overtake_one():
    before = good()
    for batch in (2, 3):
        before.producer.batches[batch].status = BatchStatus.RETRYING
    for batch, holds in ((2, True), (3, False)):
        after = before.copy()
        after.producer.batches[batch].status = BatchStatus.IN_FLIGHT
        assert steps.retries_go_in_order(before, after) is holds


def test_two_batches_in_flight_are_seen():
    state = good()
    for batch, expected in ((2, False), (3, True)):
        state.producer.batches[batch].status = BatchStatus.IN_FLIGHT
        assert spec.two_batches_in_flight(state) is expected


def test_progress_is_seen():
    state = good()
    assert steps.nothing_under_way(state)
    state.producer.batches[3].status = BatchStatus.IN_FLIGHT
    assert steps.batch_under_way(state)
    state = LAYOUT.blank()
    start_known(state, RULES, LIMITS)
    assert steps.followers_have_all(state)
    log_of(state, 0).end_offset = 2
    assert steps.follower_behind(state)


NEEDED = {
    "producer.replicas.verification": {
        "only_transactional_producers_have_transactions", "only_final_errors_fail_batches",
        "two_batches_in_transaction", "refused_verifications_are_remembered", "transactions_begin_verified_and_once",
    },
    "producer.synchronous": {
        "producers_keep_their_id", "one_send_at_a_time", "dead_producers_keep_nothing", "first_batch_is_sent_again",
        "later_batch_is_acknowledged",
    },
    "producer.replicas.recovery": {"snapshots_are_in_order", "snapshots_are_kept", "disturbances_are_real"},
    "producer.replicas.state_expires": {"unknown_producer_goes_on"},
    "producer.replicas.retention": {"late_requests_are_handled", "first_sequences_need_no_producer_state"},
    "producer.invalid": {"rewritten_batches_call_for_no_epoch"},
    "producer.replicas.new_replica": {"logs_begin_before_they_end", "appends_have_a_reason"},
    "producer.failover": {
        "connections_keep_their_broker", "refusals_name_no_offset", "high_watermark_awaits_deposed_leaders",
        "leaders_answer", "truncations_keep_what_is_shared", "followers_have_their_leaders_log",
        "connections_end_with_broker", "requests_wait_for_leaders", "request_to_next_leader",
    },
    "producer.settles": {"expired_batches_without_gap_call_for_no_epoch"},
}  # fmt: skip
"""By model, what fails there when some condition is removed."""
QUICK = [
    *("producer.replicas.verification", "producer.synchronous", "producer.replicas.recovery"),
    "producer.replicas.state_expires",
]


@pytest.mark.slow
@pytest.mark.parametrize("name", long_but(NEEDED, QUICK))
def test_what_is_said_of_single_steps_fails_without_a_condition(name):
    examiner = Examiner(catalogue.find_model(name))
    caught = [each for each in examiner.examine(range(len(examiner.mutants))) if each.outcome is Outcome.CAUGHT]
    told = {each.by for each in caught} | {word for each in caught for word in each.reason.split()}
    assert NEEDED[name] <= told
