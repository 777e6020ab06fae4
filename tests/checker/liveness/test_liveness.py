"""Liveness: verdicts on toy systems, random graphs against brute force, and lassos that replay."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from kafkacheck.checker.catalogue.catalogue import find_model
from kafkacheck.checker.exploration.exploration import Watch
from kafkacheck.checker.exploration.verdict import Limits, Verdict
from kafkacheck.checker.graphs.observed import ObservedGraph, compiled_graph, interpreted_graph
from kafkacheck.checker.model import EVERY_ACTION, EVERY_CALL, Model
from kafkacheck.checker.pictures.chain import chain_dot
from kafkacheck.checker.pictures.lanes_picture import lanes_svg
from kafkacheck.checker.pictures.render import trace_text
from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.result import Result
from kafkacheck.checker.search import check
from kafkacheck.checker.traces.itf import to_itf
from kafkacheck.checker.traces.replay import replay
from kafkacheck.checker.traces.saved import load
from kafkacheck.checker.traces.trace import Trace, to_json
from tests.support import relay
from tests.support.behaviours import run
from tests.support.command import Command, write
from tests.support.marks import long_but
from tests.support.random_graphs import random_graph
from tests.toys import locks, lossy_channel, peterson_progress, token_ring

READINGS = ("interpreted", "compiled")
GRAPHS = 60


def judged(model: Model, reading: str = "interpreted", name: str = "") -> Result:
    result = check(model.with_properties([name]) if name else model, reading)
    assert result.verdict in (Verdict.HOLDS, Verdict.VIOLATED), result.reason
    if result.verdict is Verdict.VIOLATED:
        assert_is_lasso(result)
    return result


def assert_is_lasso(result: Result) -> None:
    """The trace replays, closes, and is fair; and it does not without its last step."""
    trace = result.trace
    assert trace is not None and trace.loop is not None and trace.property == result.property
    outcome = replay(result.model, trace)
    assert outcome.applies and not outcome.reason and outcome.violated_step == len(trace.steps) - 1
    assert trace.steps[-1].state == trace.steps[trace.loop].state


def holds(model: Model, name: str = "", reading: str = "interpreted") -> bool:
    return judged(model, reading, name).verdict is Verdict.HOLDS


OVERTAKEN, RETURNED = "first_waits_leads_to_first_has_lock", "is_taken_leads_to_is_given_back"


@pytest.mark.parametrize("reading", READINGS)
def test_a_lock_starves_under_weak_but_not_under_strong_fairness(reading):
    assert not holds(locks.UNFAIR, RETURNED, reading)
    for model in (locks.FAIR_AS_A_WHOLE, locks.WEAKLY_FAIR, locks.MODEL, locks.STRONGLY_FAIR):
        assert holds(model, RETURNED, reading)
    for model in (locks.UNFAIR, locks.FAIR_AS_A_WHOLE, locks.WEAKLY_FAIR, locks.MODEL):
        assert not holds(model, OVERTAKEN, reading)
    assert holds(locks.STRONGLY_FAIR, OVERTAKEN, reading)


def test_fairness_as_a_whole_is_no_fairness_for_each():
    whole = locks.lock(weakly_fair=[locks.give_back], strongly_fair=[locks.take])
    assert not holds(whole, OVERTAKEN) and holds(locks.STRONGLY_FAIR, OVERTAKEN)


def test_the_first_property_listed_that_is_violated_is_told():
    assert judged(locks.MODEL).property == OVERTAKEN
    assert judged(locks.UNFAIR).property == RETURNED


@pytest.mark.parametrize("reading", READINGS)
def test_a_lossy_channel_needs_strong_fairness(reading):
    assert not holds(lossy_channel.WEAKLY_FAIR, reading=reading)
    assert holds(lossy_channel.STRONGLY_FAIR, reading=reading)


@pytest.mark.parametrize("reading", READINGS)
def test_a_token_comes_to_everyone_unless_the_ring_breaks(reading):
    assert holds(token_ring.MODEL, reading=reading)
    assert not holds(token_ring.ring(weakly_fair=()), reading=reading)
    broken = judged(token_ring.ring(breaks=True), reading)
    assert broken.trace is not None and broken.trace.is_stop


@pytest.mark.parametrize("reading", READINGS)
def test_a_process_that_wants_to_enter_does_so_in_petersons_algorithm(reading):
    assert holds(peterson_progress.MODEL, reading=reading)
    assert holds(peterson_progress.progress(EVERY_CALL), reading=reading)
    assert not holds(peterson_progress.progress(EVERY_ACTION), reading=reading)
    assert not holds(peterson_progress.progress(()), reading=reading)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(GRAPHS))
def test_random_graphs_are_judged_as_brute_force_over_sets_of_states_judges_them(seed, tmp_path):
    graph = random_graph(seed)
    model = find_model(str(write(tmp_path / "random_graph.py", graph.text())))
    never = check(model.with_properties(["is_no_goal"]), "interpreted").verdict is Verdict.HOLDS
    for name, is_leads_to in (("eventually_is_goal", False), ("is_asked_leads_to_is_goal", True)):
        for reading in READINGS if seed < 8 else READINGS[:1]:
            assert holds(model, name, reading) == graph.holds(is_leads_to)
    assert not (never and graph.holds(is_leads_to=False))  # what never is cannot come to pass


@pytest.fixture
def command(capsys) -> Command:
    return Command(capsys)


@pytest.fixture
def starved() -> Trace:
    trace = judged(locks.WEAKLY_FAIR).trace
    assert trace is not None
    return trace


def test_a_lasso_is_told_with_its_cycle_and_the_fairness_it_relies_on(starved):
    text = trace_text(starved)
    steps, cycle = text.split("and from here on again and again:\n")
    assert "2  ask(process_id=0)" in steps and "take(process_id=1)" in cycle
    assert "first_waits holds in state 2, and first_has_lock neither there nor ever after" in cycle
    assert "fair: weak fairness of take(process_id=0): not enabled in state 4" in cycle
    assert "fair: weak fairness of give_back(process_id=1): done by step 5" in cycle
    assert "fair: never enabled in the cycle: weak fairness of give_back(process_id=0)" in cycle


def test_a_stop_is_told_as_one():
    trace = judged(locks.UNFAIR).trace
    assert trace is not None and trace.is_stop and "on nothing happens any more" in trace_text(trace)


def test_itf_says_where_the_loop_begins(starved):
    data = to_itf(starved)
    assert data["loop"] == starved.loop + 1
    first, last = data["states"][starved.loop], data["states"][-1]
    assert first["processes"] == last["processes"]
    assert data["states"][data["loop"]]["action_taken"] == "ask"


def test_a_saved_lasso_is_read_again(starved, tmp_path):
    path = write(tmp_path / "lasso.json", json.dumps(to_json(starved)))
    trace, unknown = load(locks.WEAKLY_FAIR, path)
    assert unknown is None and trace == replace(starved, model=trace.model)
    for wrong in (-1, 5, "2", True):
        write(path, json.dumps(to_json(starved) | {"loop": wrong}))
        with pytest.raises(UsageError, match="expected the index of a step"):
            load(locks.WEAKLY_FAIR, path)


def test_a_lasso_no_longer_violates_where_it_is_not_closed_not_fair_or_not_away_from_the_goal(starved):
    def reason(**changes: object) -> str:
        outcome = replay(changes.get("model", starved.model), replace(starved, **changes))
        assert outcome.applies and outcome.violated_step is None
        return outcome.reason

    assert "the cycle does not close: state 4 is not state 2" in reason(steps=starved.steps[:-1])
    fairer = reason(model=locks.STRONGLY_FAIR)
    assert "strong fairness of take(process_id=0) is broken, which is enabled in state 2 and never done" in fairer
    assert "weak fairness of ask(process_id=0) is broken" not in fairer
    stop = {"steps": starved.steps[:2], "loop": 1}
    assert "weak fairness of take(process_id=0) is broken, which is enabled all along" in reason(**stop)
    assert "is_given_back holds in state 2" in reason(property=RETURNED, **stop)


def test_pictures_mark_where_the_cycle_begins(starved, tmp_path):
    dot = chain_dot(starved, None)
    assert 's3 -> s1 [label="  give_back(process_id=1): and so on again and again"' in dot
    assert "s4 " not in dot


COUNTER = '''"""Does a counter come to its end?"""

from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Count, Struct


class State(Struct):
    count: Annotated[int, Count("most")]


def rise(state: State) -> bool:
    if state.count == 3:
        return False
    state.count += 1
    return True


def fall(state: State) -> bool:
    if state.count < 2:
        return False
    state.count -= 1
    return True


def is_three(state: State) -> bool:
    return state.count == 3


def is_small(state: State) -> bool:
    return state.count < 2


MODEL = Model(
    name="counter",
    state=State,
    bounds={"most": 3},
    actions=[rise, fall],
    eventually=[is_three],
    weakly_fair=[rise],
    CONSTRAINT
)
'''


@pytest.fixture
def counter(tmp_path):
    """The counter's file, with more said in its definition."""
    return lambda more="": write(tmp_path / "counter.py", COUNTER.replace("CONSTRAINT", more))


def test_a_constraint_that_cuts_states_off_leaves_liveness_unjudged(counter):
    for reading in READINGS:
        result = check(find_model(str(counter("constraint=is_small,"))), reading)
        assert result.verdict is Verdict.NOT_EXHAUSTED
        assert "the constraint is_small cuts off 1 successors, through which a behaviour may go on" in result.reason


def test_a_search_cut_short_does_not_judge_liveness():
    for reading in READINGS:
        assert check(locks.MODEL, reading, Limits(max_states=3)).verdict is Verdict.NOT_EXHAUSTED


def test_check_and_replay_of_a_liveness_property(command, counter, tmp_path):
    path, out = counter(), tmp_path / "out"
    ended = command.check(path, "--out", out)
    assert ended.status == 13
    assert ended.last_line.startswith("counter: VIOLATED eventually_is_three trace=4 distinct=4")
    saved = out / "counter-eventually_is_three.json"
    again = command("replay", path, saved)
    assert again.status == 13 and again.last_line == "counter: still violates eventually_is_three trace=4"
    document = json.loads(command.check(path, "--json").out)
    assert (document["property"], document["loop"], len(document["trace"])) == ("eventually_is_three", 1, 4)
    safety = command.check(path, "--property", "type_ok")
    assert safety.status == 0 and "HOLDS" in safety.last_line
    write(saved, saved.read_text().replace('"loop": 1', '"loop": 3'))
    other = command("replay", path, saved)
    assert other.status == 0 and "not fair: weak fairness of rise is broken" in other.out
    assert other.last_line == "counter: no longer violates eventually_is_three trace=4"


def test_spark_refuses_liveness_and_says_what_to_do(command, counter):
    ended = command("check", counter(), "--engine", "spark")
    assert ended.status == 2
    assert "liveness properties, which Spark cannot judge; leave out --engine spark, or name other" in ended.error


def is_quiet(relay: relay.Relay) -> bool:
    return False


def test_lanes_mark_where_the_cycle_begins():
    model = relay.relay_with(eventually=[is_quiet], drawing=relay.MODEL.drawing)
    stop = judged(model).trace
    assert stop is not None and stop.is_stop
    assert "and from here on nothing happens any more" in lanes_svg(stop, model.drawing, None)
    again = replace(stop, steps=run(model, relay.LOSS).steps, loop=1)
    assert "and from here on again and again:" in lanes_svg(again, model.drawing, None)


@pytest.mark.parametrize("seed", long_but(range(8, 30), range(8, 18)))
@pytest.mark.slow
def test_readings_agree_on_random_graphs(seed, tmp_path):
    model = find_model(str(write(tmp_path / "random_graph.py", random_graph(seed).text())))
    for name in ("eventually_is_goal", "is_asked_leads_to_is_goal"):
        assert holds(model, name, "interpreted") == holds(model, name, "compiled")


def explored(model: Model, read: Callable[..., ObservedGraph]) -> tuple:
    graph = read(model, model.predicates(), Watch(Limits()))
    columns = (graph.levels, graph.parents, graph.sources, graph.targets, graph.combinations, graph.first)
    truths = {name: each.tolist() for name, each in graph.truths.items()}
    return [column.tolist() for column in columns], truths, graph.values_of(range(graph.count))


@pytest.mark.parametrize("model", [locks.MODEL, lossy_channel.MODEL, token_ring.MODEL], ids=lambda model: model.name)
def test_both_readings_tell_the_same_graph(model):
    assert explored(model, interpreted_graph) == explored(model, compiled_graph)
