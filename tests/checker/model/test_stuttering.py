"""An action that may stutter is a step also where it changes nothing, which fairness does not speak of."""

import pytest

from kafkacheck.checker.exploration.verdict import Verdict
from kafkacheck.checker.mutation.substitution import switched
from kafkacheck.checker.process.errors import ModelError
from kafkacheck.checker.proofs.bmc import BoundedVerdict, check_bounded
from kafkacheck.checker.search import check
from kafkacheck.checker.stateful import state_machine
from kafkacheck.checker.traces.lasso import judge
from tests.support.behaviours import run
from tests.support.reference_checker import explore
from tests.support.snippets import load

READER = """
from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Budget, Count, Struct


class State(Struct):
    stored: Annotated[int, Count(2)]
    read: Annotated[int, Count(2)]
    budget: Budget


def writer_writes(state: State) -> bool:
    if state.stored == 2:
        return False
    state.stored += 1
    return True


def reader_reads(state: State) -> bool:
    state.read = state.stored
    return True


def nothing_is_lost(before: State, after: State) -> bool:
    return before.read <= after.read


def each_step_writes_or_reads(before: State, after: State) -> bool:
    return before.stored != after.stored or before.read != after.read


def all_is_read(state: State) -> bool:
    return state.read == 2


def model(**given: object) -> Model:
    return Model(**{"state": State, "actions": [writer_writes, reader_reads], "always": [nothing_is_lost], **given})
"""


@pytest.fixture
def reader(tmp_path):
    return load(tmp_path, READER)


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_a_step_without_a_change_is_counted_where_the_model_allows_it(reader, engine):
    found = check(reader.model(stuttering=[reader.reader_reads], check_deadlock=True), engine)
    assert found.verdict is Verdict.HOLDS, "to find nothing again and again is no deadlock"
    assert (found.states_distinct, found.states_generated, found.depth) == (6, 10, 4)
    assert found.actions == {"writer_writes": 3, "reader_reads": 6}
    refused = check(reader.model(), engine)
    assert refused.verdict is Verdict.EVALUATION_FAILED
    assert "reader_reads() returned True and changed nothing" in refused.reason
    assert "or list the action in the model's `stuttering`" in refused.reason


def test_the_naive_checker_counts_the_same(reader):
    found = explore(reader.model(stuttering=[reader.reader_reads]))
    assert (found.distinct, found.generated, found.depth) == (6, 10, 4)


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_a_step_without_a_change_is_judged(reader, engine):
    found = check(reader.model(stuttering=[reader.reader_reads], always=[reader.each_step_writes_or_reads]), engine)
    assert found.verdict is Verdict.VIOLATED and found.property == "each_step_writes_or_reads"
    assert [step.action for step in found.trace.steps] == [None, "reader_reads"]


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_a_step_without_a_change_is_no_progress(reader, engine):
    live = {"stuttering": [reader.reader_reads], "eventually": [reader.all_is_read]}
    fair = reader.model(**live, weakly_fair=[reader.writer_writes, reader.reader_reads])
    assert check(fair, engine).verdict is Verdict.HOLDS
    unfair = check(reader.model(**live, weakly_fair=[reader.reader_reads]), engine)
    assert unfair.verdict is Verdict.VIOLATED, "the reader alone reads nothing new for ever"
    assert judge(unfair.trace).reasons == ("never enabled in the cycle: reader_reads",)


def test_bounded_checks_allow_it(reader):
    model = reader.model(stuttering=[reader.reader_reads], check_deadlock=True)
    assert check_bounded(model, 4, 60).verdict is BoundedVerdict.BOUNDED
    refused = check_bounded(reader.model(), 4, 60)
    assert refused.verdict is BoundedVerdict.EVALUATION_FAILED
    assert "returned True and changed nothing" in refused.reason


def test_a_random_run_takes_such_steps(reader):
    machine = state_machine(reader.model(stuttering=[reader.reader_reads]))
    assert all(after is not None for _, after in machine._graph.steps((1, 1)))
    refused = state_machine(reader.model())
    assert [after for (number, _), after in refused._graph.steps((1, 1)) if number == 1] == [None]


def test_a_trace_may_have_such_a_step(reader):
    model = reader.model(stuttering=[reader.reader_reads])
    assert len(run(model, [("reader_reads", {}), ("writer_writes", {}), ("reader_reads", {})]).steps) == 4


def test_other_models_made_of_it_have_the_same_list(reader):
    model = reader.model(stuttering=[reader.reader_reads])
    for other in (model.with_properties([]), switched(model, {})):
        assert [each.may_stutter for each in other.actions] == [False, True]


def test_wrong_lists_are_told(reader):
    def refusal(**given):
        with pytest.raises(ModelError) as caught:
            reader.model(**given)
        return str(caught.value)

    assert "`stuttering` is the function reader_reads; give a list" in refusal(stuttering=reader.reader_reads)
    assert "`stuttering` lists all_is_read, which is no action of the model" in refusal(stuttering=[reader.all_is_read])
    assert "reader_reads is in `stuttering` twice; list it once" in refusal(stuttering=[reader.reader_reads] * 2)
    charged = {"bounds": {"reads": 1}, "charges": {reader.reader_reads: "reads"}}
    assert "which is charged to 'reads' and so changes" in refusal(stuttering=[reader.reader_reads], **charged)
