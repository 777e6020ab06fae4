"""The properties of transactions fail where they must: on small states made by hand, one mistake each."""

import numpy as np
import pytest

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.graphs.state_graph import StateGraph
from kafkacheck.checker.model import Model
from kafkacheck.checker.mutation.guards import Examiner, Outcome
from kafkacheck.checker.schema import Ids
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.checker.search import check
from kafkacheck.impl.log.append import append_batch, append_marker
from kafkacheck.impl.log.constants import Marker
from kafkacheck.impl.log.records import PartitionLog, TransactionIndex
from kafkacheck.impl.log.transactions import first_open_transaction_offset
from kafkacheck.impl.transactions.constants import ProducerState, RequestKind, TransactionState
from kafkacheck.impl.transactions.records import TransactionalIdNumber
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions.family import BOUNDS, TRANSACTIONS, TRANSITIONS
from kafkacheck.model.transactions.starts import start_transactions
from kafkacheck.model.transactions.system import State
from kafkacheck.spec.transactions import properties as transactions
from kafkacheck.spec.transactions import steps as transaction_steps
from tests.support import snippets
from tests.support.command import ROOT
from tests.support.marks import long_but

LAYOUT = Layout(
    State,
    {**BOUNDS, "partitions": 3, "producer_ids": 2, "max_coordinator_epoch": 1, "inputs": 1, "max_processed": 2,
     "offsets_partition": 2},
)  # fmt: skip
RULES = TransactionRules()
C, A = Marker.COMMIT, Marker.ABORT


def state_of(*logs, asked=(), told=()):
    """Partitions with these logs, replicated: a number is a record of that transaction, C and A are markers."""
    state = LAYOUT.blank()
    for each, items in zip(state.partitions, logs, strict=False):
        for item in items:
            if isinstance(item, Marker):
                append_marker(each.log, RULES.log, 0, 0, 0, item)
            else:
                store(each, item)
        each.high_watermark = each.log.end_offset
    for transaction, marker in zip(state.transactions, asked, strict=False):
        transaction.asked = marker
    for transaction, marker in zip(state.transactions, told, strict=False):
        transaction.told = marker
    return state


def store(partition, transaction, epoch=0):
    """Append a record of the transaction."""
    batch = partition.log.records[0].copy()
    batch.id, batch.producer_id, batch.producer_epoch = transaction, 0, epoch
    batch.base_sequence, batch.is_transactional, batch.marker = 0, 1, Marker.NONE
    append_batch(partition.log, RULES.log, batch)


def test_a_good_state_satisfies_everything():
    state = state_of([0, C, 1, A], [0, C], [0, C], asked=[C, A], told=[C, A])
    state.transactions[0].acknowledged = Ids({0, 1})
    state.transactions[0].input_offset = 0
    state.readers[0].position, state.readers[0].delivered = 4, Ids({0})
    state.group.committed = 1
    state.processed[0] = 1
    for name, judge in vars(transactions).items():
        if (
            getattr(judge, "__module__", "") == "kafkacheck.spec.transactions.properties"
            and judge.__code__.co_argcount == 1
        ):
            nothing_such = ("something_is_open", "fenced_client", "something_is_undecided", "partition_is_asked_for")
            assert judge(state) == (name not in nothing_such), name


@pytest.mark.parametrize(
    ("logs", "asked", "told", "violated"),
    [
        (([0, C], [0, A]), [C], [], "transactions_are_atomic"),
        (([0, C],), [A], [], "only_what_was_to_be_committed_is"),
        (([0, C],), [], [], "only_what_was_to_be_committed_is"),
        (([0, A],), [C], [C], "applications_are_told_the_truth"),
        (([0, C],), [C], [A], "applications_are_told_the_truth"),
        (([0, 0, C],), [C], [C], "records_are_stored_once"),
        (([0],), [], [], "nothing_is_undecided"),
        (([0],), [], [], "open_transactions_are_known"),
    ],
)
def test_logs_that_break_a_promise(logs, asked, told, violated):
    assert not getattr(transactions, violated)(state_of(*logs, asked=asked, told=told))


def test_an_acknowledged_record_that_is_nowhere_is_missed():
    state = state_of([0, C], asked=[C], told=[C])
    state.transactions[0].acknowledged = Ids({0})
    assert transactions.committed_transactions_are_whole(state)
    state.transactions[0].acknowledged = Ids({0, 1})
    assert not transactions.committed_transactions_are_whole(state)


def test_a_marker_of_an_older_coordinator_is_seen():
    state = state_of([0, C, 1, C], asked=[C, C])
    state.partitions[0].log.records[1].coordinator_epoch = 1
    assert not transactions.coordinator_epochs_do_not_fall(state)
    state.partitions[0].log.records[3].coordinator_epoch = 1
    assert transactions.coordinator_epochs_do_not_fall(state)


def test_a_batch_of_an_older_producer_epoch_is_seen():
    state = state_of([0, C, 1], asked=[C])
    state.partitions[0].log.records[0].producer_epoch = 1
    assert not transactions.producer_epochs_do_not_fall(state)


@pytest.mark.parametrize(
    ("delivered", "position", "violated"),
    [
        (Ids({2}), 4, "delivered_records_are_committed"),
        (Ids({2}), 4, "only_what_was_to_be_committed_is_delivered"),
        (Ids(), 2, "committed_records_are_delivered"),
        (Ids({0}), 5, "readers_stop_at_undecided"),
    ],
)
def test_what_a_reader_may_not_be_given(delivered, position, violated):
    state = state_of([0, C, 1, A], asked=[C, A])
    state.readers[0].delivered, state.readers[0].position = delivered, position
    assert not getattr(transactions, violated)(state)


def test_a_reader_behind_an_open_transaction_is_seen():
    state = state_of([0])
    assert transactions.readers_stop_at_undecided(state)
    state.readers[0].position = 1
    assert not transactions.readers_stop_at_undecided(state)


def test_a_reader_behind_a_transaction_whose_marker_is_not_replicated_is_seen():
    state = state_of([0, C])
    state.partitions[0].high_watermark = 1
    assert transactions.reads_end_at_stable_offset(state)
    state.readers[0].position = 1
    assert not transactions.reads_end_at_stable_offset(state)


def only_open_transactions_count(log: PartitionLog, index: TransactionIndex) -> int:
    """`first_unstable_offset` without the transactions whose marker is not replicated."""
    return first_open_transaction_offset(log)


@pytest.mark.parametrize("name", ["reader", "two_step_read"])
def test_a_search_finds_a_stable_offset_that_forgets_what_is_not_replicated(monkeypatch, tmp_path, name):
    monkeypatch.setattr("kafkacheck.impl.log.transactions.first_unstable_offset", only_open_transactions_count)
    model = snippets.load(tmp_path, (ROOT / "model" / "transactions" / f"{name}.py").read_text(encoding="utf-8")).MODEL
    result = check(model, engine="interpreted")
    assert result.trace is not None and result.trace.property == "reads_end_at_stable_offset"


def test_an_open_transaction_that_the_log_has_is_known():
    state = state_of([0])
    state.transactional_ids[0].log.entry.producer_id = 0
    state.transactional_ids[0].log.entry.partitions = Ids({0})
    assert transactions.open_transactions_are_known(state)


def test_an_input_with_two_committed_outputs_took_effect_twice():
    state = state_of([0, C, 1, C], asked=[C, C])
    state.transactions[0].input_offset = 0
    assert transactions.inputs_take_effect_once(state)
    state.transactions[1].input_offset = 0
    assert not transactions.inputs_take_effect_once(state)


def test_an_offset_without_its_output_skips_an_input():
    state = state_of([0, A], [], [0, C], asked=[C])
    state.transactions[0].input_offset = 0
    assert transactions.committed_inputs_take_effect(state)
    state.group.committed = 1
    assert not transactions.committed_inputs_take_effect(state)


def test_processing_is_counted():
    state = state_of()
    state.group.committed = 1
    assert not transactions.committed_inputs_are_processed(state)
    state.processed[0] = 2
    assert transactions.committed_inputs_are_processed(state)
    assert not transactions.inputs_are_processed_at_most_once(state)


def test_what_is_stable_must_stay_so():
    before, after = state_of([0, C]), state_of([0])
    assert transaction_steps.stable_offset_does_not_fall(after, before)
    assert not transaction_steps.stable_offset_does_not_fall(before, after)


VALID_PREVIOUS_STATES = {
    "EMPTY": {"EMPTY", "COMPLETE_COMMIT", "COMPLETE_ABORT"},
    "ONGOING": {"ONGOING", "EMPTY", "COMPLETE_COMMIT", "COMPLETE_ABORT"},
    "PREPARE_COMMIT": {"ONGOING"},
    "PREPARE_ABORT": {"ONGOING", "PREPARE_EPOCH_FENCE", "EMPTY", "COMPLETE_COMMIT", "COMPLETE_ABORT"},
    "COMPLETE_COMMIT": {"PREPARE_COMMIT"},
    "COMPLETE_ABORT": {"PREPARE_ABORT"},
    "DEAD": {"EMPTY", "COMPLETE_ABORT", "COMPLETE_COMMIT"},
    "PREPARE_EPOCH_FENCE": {"ONGOING"},
}
"""As the enumeration TransactionState of Kafka 4.0 has it."""


@pytest.mark.parametrize("following", VALID_PREVIOUS_STATES)
@pytest.mark.parametrize("state", VALID_PREVIOUS_STATES)
def test_the_states_that_may_follow_are_those_of_kafka(state, following):
    is_valid = state in VALID_PREVIOUS_STATES[following]
    assert transaction_steps.may_follow(TransactionState[state], TransactionState[following]) is is_valid
    before, after = state_of(), state_of()
    before.transactional_ids[0].log.entry.state = TransactionState[state]
    after.transactional_ids[0].log.entry.state = TransactionState[following]
    assert transaction_steps.transitions_are_valid(before, after) is (is_valid or state == following)


@pytest.mark.parametrize("state", VALID_PREVIOUS_STATES)
def test_an_id_begins_as_empty_and_is_forgotten_when_it_is_idle(state):
    is_removable = state in VALID_PREVIOUS_STATES["DEAD"] or state == "DEAD"
    assert transaction_steps.may_follow(TransactionState[state], TransactionState.NONE) is is_removable
    assert transaction_steps.may_follow(TransactionState.NONE, TransactionState[state]) is (state == "EMPTY")


@pytest.mark.parametrize(
    ("before", "after", "is_valid"),
    [
        ("ONGOING", "ONGOING PREPARE_COMMIT", True),
        ("EMPTY", "EMPTY PREPARE_COMMIT", False),
        ("ONGOING PREPARE_COMMIT", "PREPARE_COMMIT COMPLETE_COMMIT", True),
        ("PREPARE_COMMIT", "PREPARE_COMMIT COMPLETE_ABORT", False),
        ("ONGOING PREPARE_ABORT", "PREPARE_COMMIT COMPLETE_COMMIT", False),
        ("ONGOING", "PREPARE_COMMIT COMPLETE_COMMIT", False),
        ("ONGOING PREPARE_COMMIT", "ONGOING", True),
        ("ONGOING PREPARE_COMMIT", "ONGOING PREPARE_ABORT", False),
        ("EMPTY EMPTY", "EMPTY", True),
        ("EMPTY DEAD", "NONE", True),
        ("EMPTY DEAD", "EMPTY", True),
        ("ONGOING", "ONGOING DEAD", False),
    ],
)
def test_a_coordinator_enters_only_what_was_pending(before, after, is_valid):
    states = [state_of(), state_of()]
    for state, text in zip(states, (before, after), strict=True):
        coordinator = state.transactional_ids[0].coordinators[0]
        coordinator.is_serving = True
        names = [*text.split(), "NONE"]
        coordinator.metadata.state, coordinator.pending_state = (TransactionState[name] for name in names[:2])
    assert transaction_steps.coordinator_transitions_are_valid(*states) is is_valid


def undo_decision(state: State, transactional_id: TransactionalIdNumber) -> bool:
    """A coordinator thinks better of a commit whose markers are not written yet."""
    coordinator = state.transactional_ids[transactional_id].coordinators[0]
    if coordinator.pending_state != TransactionState.COMPLETE_COMMIT:
        return False
    coordinator.pending_state = TransactionState.PREPARE_ABORT
    return True


def skip_decision(state: State, transactional_id: TransactionalIdNumber) -> bool:
    """A coordinator completes a transaction that nobody has decided."""
    entry = state.transactional_ids[transactional_id].log.entry
    if entry.state != TransactionState.ONGOING:
        return False
    entry.state = TransactionState.COMPLETE_COMMIT
    return True


@pytest.mark.slow
@pytest.mark.parametrize(
    ("action", "broken"),
    [(undo_decision, "coordinator_transitions_are_valid"), (skip_decision, "transitions_are_valid")],
)
def test_a_search_finds_an_illegal_transition(action, broken):
    model = Model(
        name="illegal",
        state=State,
        initial=start_transactions,
        bounds=BOUNDS,
        rules=TransactionRules(),
        actions=[*TRANSACTIONS, action],
        always=TRANSITIONS,
    )
    result = check(model)
    assert result.trace is not None and result.trace.property == broken
    assert result.trace.steps[-1].action == action.__name__


def test_an_epoch_that_falls_is_seen():
    before, after = state_of(), state_of()
    before.transactional_ids[0].log.coordinator_epoch = 1
    assert not transaction_steps.transactional_ids_do_not_go_back(before, after)
    assert transaction_steps.transactional_ids_do_not_go_back(after, before)
    before, after = state_of(), state_of()
    for state, epoch in ((before, 1), (after, 0)):
        state.transactional_ids[0].log.entry.producer_id = 0
        state.transactional_ids[0].log.entry.producer_epoch = epoch
    assert not transaction_steps.transactional_ids_do_not_go_back(before, after)
    after.transactional_ids[0].log.entry.producer_id = 1
    assert transaction_steps.transactional_ids_do_not_go_back(before, after)


@pytest.mark.parametrize(("epoch", "is_allowed"), [(0, False), (1, True)])
def test_an_entry_that_an_older_producer_led_to_is_seen(epoch, is_allowed):
    before, after = state_of(), state_of()
    for state in (before, after):
        state.transactional_ids[0].log.entry.producer_id = state.requests[0].producer_id = 0
        state.transactional_ids[0].log.entry.producer_epoch = 1
        state.requests[0].kind, state.requests[0].producer_epoch = RequestKind.END_TXN, epoch
    after.transactional_ids[0].log.is_appended = after.requests[0].is_waiting = True
    assert transaction_steps.older_producers_append_nothing(before, after) is is_allowed


def test_a_client_that_has_stopped_and_goes_on_is_seen():
    before, after = state_of(), state_of()
    after.clients[0].generation = 0
    before.clients[0].state = after.clients[0].state = ProducerState.FATAL_ERROR
    assert transaction_steps.stopped_clients_do_nothing(before, after)
    after.clients[0].input_offset = 0
    assert not transaction_steps.stopped_clients_do_nothing(before, after)


def test_an_offset_that_goes_back_is_seen():
    before, after = state_of(), state_of()
    before.group.committed = 1
    assert transaction_steps.committed_offset_does_not_fall(after, before)
    assert not transaction_steps.committed_offset_does_not_fall(before, after)


def transitions_of(model):
    """From which state to which the transaction log goes anywhere, and what is ever pending."""
    graph, paths = StateGraph(model), [leaf.path for leaf in model.layout.leaves]
    steps = [(each.sources.copy(), each.targets.copy()) for each in graph.steps()]
    states = np.concatenate([model.layout.unpack(each.words) for each in graph.states(0, graph.counts.distinct)])
    entered = states[:, paths.index("transactional_ids[0].log.entry.state")]
    taken = {pair for each in steps for pair in zip(*(entered[side].tolist() for side in each), strict=True)}
    pending = set(states[:, paths.index("transactional_ids[0].coordinators[0].pending_state")].tolist())
    names = {each.value: each.name for each in TransactionState}
    return {(names[one], names[other]) for one, other in taken if one != other}, {names[each] for each in pending}


@pytest.mark.slow
def test_every_legal_transition_of_the_transaction_log_is_taken_and_no_other():
    sizes = {"clients": 2, "requests": 2, "produces": 2, "delays": 0, "batches": 1, "producer_ids": 2, "log_size": 2}
    taken, pending = transitions_of(catalogue.find_model("transactions.coordinator.expiry").with_bounds(sizes))
    again, _ = transitions_of(catalogue.find_model("transactions.end").with_bounds({"requests": 1, "log_size": 3}))
    idle = ("EMPTY", "COMPLETE_COMMIT", "COMPLETE_ABORT")
    assert taken | again == {
        ("NONE", "EMPTY"),
        *((state, "ONGOING") for state in idle),
        *((state, "NONE") for state in idle),  # through DEAD, which is appended and leaves nothing
        ("ONGOING", "PREPARE_COMMIT"),
        ("ONGOING", "PREPARE_ABORT"),
        ("PREPARE_COMMIT", "COMPLETE_COMMIT"),
        ("PREPARE_ABORT", "COMPLETE_ABORT"),
        ("COMPLETE_COMMIT", "EMPTY"),
        ("COMPLETE_ABORT", "EMPTY"),
        *((state, "PREPARE_ABORT") for state in idle),  # an abort of what the coordinator does not know of (version 2)
    }
    assert pending == {each.name for each in TransactionState} - {"PREPARE_EPOCH_FENCE"}


NEEDED = {
    "transactions.group.offsets_end": {
        "coordinators_answer_by_their_state", "appended_entries_follow_requests", "verifications_are_true",
        "completions_bring_the_next_id", "records_are_sent_in_transactions", "requests_carry_their_version",
        "commits_await_acknowledgements", "only_begun_transactions_are_ended", "only_verified_batches_are_stored",
        "only_what_does_not_fit_is_refused", "verified_batches_have_a_guard", "markers_are_written_unless_fenced",
        "markers_go_where_they_are_awaited", "aborted_index_names_transactions", "strays_keep_their_topic",
        "pending_offsets_follow_their_marker", "disturbances_are_real",
    },
    "transactions.coordinator.epochs": {"clients_go_on_as_they_were_told"},
    "transactions.cleaner": {
        "the_cleaner_removes_what_nobody_needs", "aborted_record_is_cleaned", "marker_is_cleaned",
        "last_marker_is_cleaned",
    },
    "transactions.end": {"abort_after_error", "verifications_are_joined"},
    "transactions.late.offsets": {"followed_markers_are_answered"},
    "transactions.group.plain_commits": {"rebalances_wait_for_transactions", "plain_consumer_does_not_wait"},
    "transactions.coordinator.zombie_coordinator": {
        "answers_follow_appends", "producer_is_forgotten_behind_failover", "coordinator_is_replaced_at_rest",
        "entry_outlives_its_coordinator", "entry_is_lost",
    },
}  # fmt: skip
"""By model, what fails there when some condition is removed."""
QUICK = {"transactions.cleaner": ("clean_segment", "can_drop_marker", "has_data")}
"""Without --long, of these models only, and only conditions of these functions are removed."""


@pytest.mark.slow
@pytest.mark.parametrize("name", long_but(NEEDED, QUICK))
def test_what_is_said_of_single_steps_fails_without_a_condition(name, request):
    examiner = Examiner(catalogue.find_model(name))
    functions = None if request.config.getoption("--long") else QUICK.get(name)
    chosen = [
        number
        for number, each in enumerate(examiner.mutants)
        if functions is None or each.function.__name__ in functions
    ]
    caught = [each for each in examiner.examine(chosen) if each.outcome is Outcome.CAUGHT]
    told = {each.by for each in caught} | {word for each in caught for word in each.reason.split()}
    assert NEEDED[name] <= told
