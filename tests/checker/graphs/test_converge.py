"""`analyze --converge` and the liveness of `check` agree on small models, where they ask the same."""

import random
import re
import shutil

import pyarrow.parquet as pq
import pytest

from kafkacheck.checker.catalogue.catalogue import find_model
from kafkacheck.checker.exploration.verdict import Verdict
from kafkacheck.checker.graphs import dataset
from kafkacheck.checker.model import Model
from kafkacheck.checker.search import check
from kafkacheck.impl.ids import NO_LEADER
from kafkacheck.model.replication.system import State, start_partition
from kafkacheck.spec.replication.measures import isr_size, live_leaders
from tests.expected import model_of
from tests.support.command import Command, write

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("spark_session")]

GRAPHS, PLACES, STEPS = 8, 6, 9

HEAD = '''"""Random graphs side by side, one for each initial state. Each step is a call of its own, and is fair."""

from typing import Annotated

from kafkacheck.checker.model.fairness import each
from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Count, Struct


class Spot(Struct):
    graph: Annotated[int, Count({graphs})]
    place: Annotated[int, Count({places})]


def start(spot: Spot, graph: Annotated[int, Count({graphs})]) -> None:
    spot.graph = graph


def is_goal(spot: Spot) -> bool:
    return {goal}


'''


def random_graphs(seed):
    """A model, as the text of a file."""
    choose = random.Random(seed)
    goals = [(graph, choose.randrange(PLACES)) for graph in range(GRAPHS) for _ in range(2)]
    goal = " or ".join(f"spot.graph == {graph} and spot.place == {place}" for graph, place in goals)
    lines = [HEAD.format(graphs=GRAPHS - 1, places=PLACES - 1, goal=goal)]
    for graph in range(GRAPHS):
        lines.append(f"def go_in_{graph}(spot: Spot, number: int) -> bool:\n")
        for number in range(STEPS):
            source, target = choose.sample(range(PLACES), 2)
            lines.append(f"    if number == {number} and spot.place == {source}:\n")
            lines.append(f"        spot.place = {target}\n        return True\n")
        lines.append("    return False\n\n\n")
    lines.append(f"def go(spot: Spot, number: Annotated[int, Count({STEPS - 1})]) -> bool:\n")
    for graph in range(GRAPHS):
        lines.append(f"    if spot.graph == {graph}:\n        return go_in_{graph}(spot, number)\n")
    lines.append("    return False\n\n\n")
    for graph in range(GRAPHS):
        lines.append(f"def is_in_{graph}(spot: Spot) -> bool:\n    return spot.graph == {graph}\n\n\n")
    asked = ", ".join(f"(is_in_{graph}, is_goal)" for graph in range(GRAPHS))
    lines.append("MODEL = Model(name='graphs', state=Spot, initial=start, actions=[go], always=[], ")
    lines.append(f"leads_to=[{asked}], strongly_fair=[each(go)])\n")
    return "".join(lines)


def stuck_in(folder, predicate, kafkacheck, *options):
    """The states that cannot converge, as rows."""
    ended = kafkacheck("analyze", folder / "graph", "--converge", predicate, "--out", folder / "stuck", *options)
    assert ended.status in (0, 1), ended.err
    stuck = {row["state"] for row in pq.read_table(folder / "stuck" / "stuck.parquet").to_pylist()}
    assert (ended.status == 1) == bool(stuck)
    states = pq.read_table(folder / "graph" / "states").to_pylist()
    return [row for row in states if row["state"] in stuck]


def test_where_every_step_is_strongly_fair_converging_is_live(tmp_path, capsys):
    """A goal can be reached from everywhere if and only if it surely is reached again and again."""
    file = write(tmp_path / "graphs.py", random_graphs(7))
    model = find_model(str(file))
    goal = re.search(r"return (.*)\n", file.read_text())[1].replace("spot.", "").replace("==", "=")
    dataset.write(model, str(file), tmp_path / "graph")
    stuck = {row["graph"] for row in stuck_in(tmp_path, goal, Command(capsys), "--model", file)}
    violated = set()
    for graph in range(GRAPHS):
        result = check(model.with_properties([f"is_in_{graph}_leads_to_is_goal"]), "interpreted")
        assert result.verdict in (Verdict.HOLDS, Verdict.VIOLATED)
        if result.verdict is Verdict.VIOLATED:
            violated.add(graph)
    assert stuck == violated and 0 < len(stuck) < GRAPHS


def is_any(state: State) -> bool:
    return True


def all_in_sync(state: State) -> bool:
    if state.quorum.leader == NO_LEADER and state.quorum.leader_epoch == len(state.leader_and_isr_requests) - 1:
        return True  # the bound leaves no epoch for another election
    return isr_size(state) == 2 and live_leaders(state) == 1


def live(fair: list[str]) -> Model:
    """kip320, small, with the claim that all replicas get in sync again by what some actions do."""
    model = model_of("kip320").with_bounds({"replicas": 2, "max_records": 1, "max_leader_epoch": 1})
    actions = [action.function for action in model.actions]
    return Model(
        name="replication.kip320", state=State, initial=start_partition, bounds=model.bounds, rules=model.rules,
        actions=actions,
        leads_to=[(is_any, all_in_sync)], weakly_fair=[each for each in actions if each.__name__ in fair],
    )  # fmt: skip


REPAIRS = (
    "controller_elect_leader", "become_leader", "become_follower", "leader_expand_isr", "follower_replicate",
    "leader_inc_high_watermark",
)  # fmt: skip


def test_a_state_of_kip320_that_cannot_converge_is_where_it_is_not_live(tmp_path, capsys):
    """By all repairs each can and does. Without one it may be stuck, and the lasso of `check` ends in such a state."""
    dataset.write(live(list(REPAIRS)), "kip320", tmp_path / "graph")
    predicate = "size(quorum.isr) = 2 AND size(filter(replicas, (each, id) -> each.leader <=> id)) = 1"
    predicate += " OR quorum.leader IS NULL AND quorum.leader_epoch = size(leader_and_isr_requests) - 1"
    for left_out in (None, "follower_replicate"):
        by = [each for each in REPAIRS if each != left_out]
        model = live(by)
        result = check(model, "interpreted")
        stuck = stuck_in(tmp_path, predicate, Command(capsys), "--by", ",".join(by))
        shutil.rmtree(tmp_path / "stuck")
        assert result.verdict is (Verdict.VIOLATED if stuck else Verdict.HOLDS)
        assert bool(stuck) == (left_out is not None)
        if result.trace is not None:
            fields = list(model.layout.to_json(result.trace.steps[-1].state))
            assert model.layout.to_json(result.trace.steps[-1].state) in [
                {name: row[name] for name in fields} for row in stuck
            ]
