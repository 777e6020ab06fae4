"""Which clients stop when a batch is refused, and what coordinators remember: on small states, one mistake each."""

import pytest

from kafkacheck.checker.schema.layout import Layout
from kafkacheck.impl.transactions.constants import ProducerState, ProduceStage, TransactionState
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions.family import BOUNDS
from kafkacheck.model.transactions.system import State
from kafkacheck.spec.transactions import refusals as spec

LAYOUT = Layout(State, {**BOUNDS, "partitions": 2, "producer_ids": 2, "offsets_partition": 1, "inputs": 1})
RULES = TransactionRules()
VERSION_1 = TransactionRules(transaction_version=1)
MAPPING_IS_KNOWN = TransactionRules(unmapped_id_is_fatal=False)
ABORTABLE, FATAL = ProducerState.ABORTABLE_ERROR, ProducerState.FATAL_ERROR


def sent(stage=ProduceStage.REQUESTED, epoch=1, producer_id=0, is_offset=True):
    """A client in a transaction whose batch is under way; the partitions and the coordinator know its epoch 1."""
    state = LAYOUT.blank()
    coordinator = state.transactional_ids[0].coordinators[0]
    coordinator.is_serving = True
    coordinator.metadata.state, coordinator.metadata.producer_id = TransactionState.ONGOING, 0
    coordinator.metadata.producer_epoch = 1
    for partition in state.partitions:
        partition.log.producers[0].producer_epoch = 1
    state.clients[0].state = ProducerState.IN_TRANSACTION
    produce = state.produces[0]
    produce.stage, produce.partition, produce.input_offset = stage, 1 if is_offset else 0, 0 if is_offset else -1
    produce.batch.producer_id, produce.batch.producer_epoch = producer_id, epoch
    return state


def refused(before, client_state, **fields):
    """The same once the client has heard that its batch is refused, and is in that state."""
    after = before.copy()
    after.produces[0].stage = ProduceStage.IDLE
    after.clients[0].state = client_state
    for name, value in fields.items():
        setattr(after.clients[0], name, value)
    return after


@pytest.mark.parametrize(
    ("batch", "rules", "due"),
    [
        ({"epoch": 0}, RULES, FATAL),
        ({"epoch": 0, "is_offset": False}, RULES, ABORTABLE),
        ({"epoch": 1}, RULES, ABORTABLE),
        ({"epoch": 0, "stage": ProduceStage.VERIFYING}, RULES, FATAL),
        ({"epoch": 0, "stage": ProduceStage.VERIFYING, "is_offset": False}, RULES, ABORTABLE),
        ({"epoch": 1, "stage": ProduceStage.VERIFYING}, RULES, ABORTABLE),
        ({"producer_id": 1, "stage": ProduceStage.VERIFYING, "is_offset": False}, RULES, FATAL),
        ({"producer_id": 1, "stage": ProduceStage.VERIFYING, "is_offset": False}, MAPPING_IS_KNOWN, ABORTABLE),
    ],
)
def test_a_client_stops_exactly_if_its_offsets_are_fenced_or_its_id_is_unknown(batch, rules, due):
    before = sent(**batch)
    for client_state in (ABORTABLE, FATAL):
        after = refused(before, client_state)
        assert spec.only_fenced_and_unknown_clients_stop(before, after, rules) == (client_state == due)


def test_a_request_that_is_given_up_is_no_refusal():
    before = sent(epoch=0)
    before.budget.delays = 1
    after = refused(before, ABORTABLE)
    after.budget.delays = 0
    assert spec.only_fenced_and_unknown_clients_stop(before, after, RULES)


@pytest.mark.parametrize(
    ("is_offset", "rules", "due"), [(False, VERSION_1, True), (False, RULES, False), (True, VERSION_1, False)]
)
def test_a_record_of_version_1_that_is_refused_leaves_a_gap_and_an_offset_does_not(is_offset, rules, due):
    before = sent(is_offset=is_offset)
    for has_lost_batch in (False, True):
        after = refused(before, ABORTABLE, has_lost_batch=has_lost_batch)
        assert spec.only_lost_records_leave_a_gap(before, after, rules) == (has_lost_batch == due)


@pytest.mark.parametrize("rules", [RULES, TransactionRules(previous_producer_id_is_overwritten=False)])
def test_a_producer_id_that_another_one_follows_is_remembered(rules):
    before = sent()
    log = before.transactional_ids[0].log
    log.is_appended, log.appended.state = True, TransactionState.COMPLETE_COMMIT
    before.transactional_ids[0].coordinators[0].pending_state = TransactionState.COMPLETE_COMMIT
    after = before.copy()
    log, metadata = after.transactional_ids[0].log, after.transactional_ids[0].coordinators[0].metadata
    log.is_appended, log.entry.state, metadata.producer_id = False, TransactionState.COMPLETE_COMMIT, 1
    for previous, is_right in ((0, True), (1, False)):
        metadata.previous_producer_id = previous
        assert spec.coordinators_remember_the_previous_id(before, after, rules) == is_right
