"""The analysis of state graphs by Spark gives what plain Python and networkx find in the same graphs."""

import collections
import re
import xml.etree.ElementTree
from pathlib import Path

import networkx as nx
import pyarrow.parquet as pq
import pytest

from kafkacheck.checker.exploration.verdict import Limits
from kafkacheck.checker.graphs import dataset
from kafkacheck.checker.model import Model
from kafkacheck.checker.model.settings import with_settings
from tests.checker.graphs.test_dataset import rows_of
from tests.expected import model_of
from tests.support.command import TANK, Command, write

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("spark_session")]

BOUNDS = {"replicas": 2, "max_records": 1, "max_leader_epoch": 1}


@pytest.fixture
def kafkacheck(capsys):
    return Command(capsys)


class Graph:
    """A data set, and its rows in plain Python."""

    def __init__(self, folder, model: Model, locator: str) -> None:
        self.folder = folder
        self.run = dataset.write(model, locator, folder)
        self.states = rows_of(folder, "states")
        self.edges = rows_of(folder, "edges")


@pytest.fixture(scope="module")
def kip101(tmp_path_factory):
    return Graph(tmp_path_factory.mktemp("kip101") / "graph", model_of("kip101").with_bounds(BOUNDS), "kip101")


@pytest.fixture(scope="module")
def kip320(tmp_path_factory):
    return Graph(tmp_path_factory.mktemp("kip320") / "graph", model_of("kip320").with_bounds(BOUNDS), "kip320")


@pytest.fixture(scope="module")
def tank(tmp_path_factory):
    """With a violated invariant, a violated step and a state without a step."""
    from kafkacheck.checker.catalogue.catalogue import find_model

    folder = tmp_path_factory.mktemp("tank")
    file = write(folder / "tank.py", TANK)
    model = with_settings(find_model(str(file)), ["valve=OPEN", "drains=false", "pour=2", "capacity=4"])
    return Graph(folder / "graph", model, str(file))


def counted(values):
    return sorted(collections.Counter(values).items())


def test_every_table_is_what_plain_python_counts(kip101, kafkacheck):
    ended = kafkacheck("analyze", kip101.folder)
    assert ended.status == 0, ended.err
    assert re.fullmatch(r"Spark \S+ on local\[2\] with Java [^\n]+\n", ended.err)
    folder = kip101.folder / "analysis"
    tables = {path.stem: pq.read_table(path).to_pylist() for path in folder.glob("*.parquet")}
    states, edges = kip101.states, kip101.edges
    per_level = dict(counted(row["level"] for row in states))
    steps = dict(counted(row["level"] for row in edges))
    assert [(row["level"], row["states"]) for row in tables["levels"]] == sorted(per_level.items())
    for row in tables["levels"]:
        level = row["level"]
        assert row["steps"] == steps.get(level, 0)
        assert row["growth"] == (round(per_level[level] / per_level[level - 1], 3) if level > 1 else None)
        assert row["steps_per_state"] == round(steps.get(level, 0) / per_level[level], 3)
    assert [row["action"] for row in tables["actions"]] == list(kip101.run["actions"])
    for row in tables["actions"]:
        own = [edge for edge in edges if edge["action"] == row["action"]]
        assert row["times"] == len(own)
        assert row["first_level"] == min((edge["level"] for edge in own), default=None)
        assert row["states_enabled"] == len({edge["source"] for edge in own})
        assert row["percent"] == pytest.approx(100 * len(own) / len(edges), abs=0.001)
    rarest = sorted(row["times"] for row in tables["actions"])[:5]
    assert [row["times"] for row in tables["rarest_actions"]] == rarest
    degrees = collections.Counter(edge["source"] for edge in edges)
    out = counted(degrees[row["state"]] for row in states)
    assert [tuple(row.values()) for row in tables["out_degree"]] == out
    stuck = [row for row in states if not degrees[row["state"]]]
    assert [(row["level"], row["states"]) for row in tables["deadlocks"]] == counted(row["level"] for row in stuck)
    assert tables["deadlocks"][0]["first_state"] == stuck[0]["state"]
    measured = [("isr_size", each) for each in counted(row["measures"]["isr_size"] for row in states)]
    measured += [("live_leaders", each) for each in counted(row["measures"]["live_leaders"] for row in states)]
    assert [(row["measure"], (row["value"], row["states"])) for row in tables["measures"]] == measured
    for row in tables["bounds"]:
        at = [state["level"] for state in states if state["at_bound"][row["bound"]]]
        assert (row["states"], row["first_level"]) == (len(at), min(at, default=None))
        assert row["value"] == kip101.run["bounds"][row["bound"]]
    assert not Path("spark-warehouse").exists(), "Spark's own folder is none of the user's"
    for name in tables:
        assert name in (folder / "report.html").read_text()
    for title in ("States per level", "Deadlocks", "Measures", "States at a bound"):
        assert f"\n{title}\n" in ended.out


def test_violations_are_counted_and_the_page_needs_nothing_beside_it(tank, kafkacheck):
    assert kafkacheck("analyze", tank.folder).status == 0
    rows = pq.read_table(tank.folder / "analysis" / "violations.parquet").to_pylist()
    wrong = [("never_full", row["level"]) for row in tank.states if not row["properties"]["never_full"]]
    steps = [(name, row["level"]) for row in tank.edges for name in row["violates"]]
    assert steps
    found = sorted({*wrong, *steps})
    expected = [(*key, wrong.count(key), steps.count(key)) for key in found]
    assert [tuple(row.values()) for row in rows] == expected
    actions = pq.read_table(tank.folder / "analysis" / "actions.parquet").to_pylist()
    assert [row["first_level"] for row in actions if row["action"] == "drain"] == [None]
    text = (tank.folder / "analysis" / "report.html").read_text()
    assert not re.search(r"(?:src|href)\s*=\s*[\"']?(?!#)|@import|<script|url\(", text)
    plots = re.findall(r"<svg.*?</svg>", text, re.DOTALL)
    assert len(plots) >= 4
    for plot in plots:
        assert xml.etree.ElementTree.fromstring(plot).tag.endswith("svg")
    assert tank.run["verdict"] in text and "Can the tank run full?" in text


def test_an_analysis_does_not_take_the_place_of_anything_else(tank, tmp_path, kafkacheck):
    (tmp_path / "mine").write_text("precious")
    ended = kafkacheck("analyze", tank.folder, "--out", tmp_path)
    assert ended.status == 2 and "is there already and is no analysis" in ended.error
    assert (tmp_path / "mine").read_text() == "precious"


def test_where_counts_and_shows_a_shortest_behaviour(kip101, kafkacheck):
    predicate = "replicas[0].leader = 0 AND replicas[1].leader = 0 AND cardinality(quorum.isr) = 1"
    ended = kafkacheck("analyze", kip101.folder, "--where", predicate)
    wanted = [
        row
        for row in kip101.states
        if [each["leader"] for each in row["replicas"]] == [0, 0] and len(row["quorum"]["isr"]) == 1
    ]
    assert wanted and ended.status == 0, ended.err
    nearest = min(row["level"] for row in wanted)
    total = len(kip101.states)
    expected = (
        f"replication.kip101: {len(wanted)} of {total} states satisfy {predicate}, the nearest at level {nearest}"
    )
    assert ended.last_line == expected
    steps = [line for line in ended.out.splitlines() if re.match(r" ?\d+  ", line)]
    assert len(steps) == nearest and steps[0].endswith("initial state")


def test_where_nothing_is_found(kip101, kafkacheck):
    ended = kafkacheck("analyze", kip101.folder, "--where", "next_record_id > 7")
    assert (ended.status, ended.out) == (
        0,
        f"replication.kip101: 0 of {len(kip101.states)} states satisfy next_record_id > 7\n",
    )


@pytest.mark.parametrize(
    ("predicate", "why"),
    [
        ("replicas[0].colour = 1", "FIELD_NOT_FOUND"),
        ("next_record = 1", "next_record"),
        ("next_record_id", "BOOLEAN"),
        ("next_record_id = ", "PARSE_SYNTAX_ERROR"),
        ("replicas[7].leader = 1", "INVALID_ARRAY_INDEX"),
        ("1 = 1; DROP TABLE states", "PARSE_SYNTAX_ERROR"),
        ("1 = 1) OR (2 = 2", "(line 1, pos 5)"),
    ],
)
def test_a_predicate_that_spark_does_not_accept(kip101, kafkacheck, predicate, why):
    ended = kafkacheck("analyze", kip101.folder, "--where", predicate)
    assert ended.status == 2
    assert why in ended.error and predicate in ended.error


def networkx_of(graph: Graph, actions) -> "nx.DiGraph[int]":
    found = nx.DiGraph()
    found.add_nodes_from(row["state"] for row in graph.states)
    found.add_edges_from((row["source"], row["target"]) for row in graph.edges if row["action"] in actions)
    return found


def test_which_states_can_still_converge_is_what_networkx_finds(kip320, kafkacheck, tmp_path):
    actions = ["controller_elect_leader", "become_leader", "leader_expand_isr"]
    predicate = "measures.live_leaders = 1 AND measures.isr_size = 2"
    by = ["--by", ",".join(actions)]
    ended = kafkacheck("analyze", kip320.folder, "--converge", predicate, *by, "--out", tmp_path / "found")
    backwards = networkx_of(kip320, actions).reverse()
    goal = [row["state"] for row in kip320.states if list(row["measures"].values()) == [2, 1]]
    reaching = set(goal).union(*(nx.descendants(backwards, state) for state in goal))
    stuck = [(row["level"], row["state"]) for row in kip320.states if row["state"] not in reaching]
    assert goal and stuck
    told = f"{len(goal)} of {len(kip320.states)} states satisfy {predicate}; {len(reaching)} can reach one "
    assert told in ended.last_line and ended.last_line.endswith(f"; {len(stuck)} cannot")
    table = pq.read_table(tmp_path / "found" / "stuck.parquet").to_pylist()
    assert [tuple(row.values()) for row in table] == sorted(stuck)
    assert ended.status == 1
    steps = [line for line in ended.out.splitlines() if re.match(r" ?\d+  \D", line)]
    assert len(steps) == stuck[0][0]


def test_all_states_can_converge_to_what_all_are(kip320, kafkacheck):
    ended = kafkacheck("analyze", kip320.folder, "--converge", "state >= 0")
    assert ended.status == 0 and ended.last_line.endswith("; 0 cannot")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--converge", "state = 0", "--by", "leader_expand_irs"], "did you mean leader_expand_isr?"),
        (["--converge", "colour = 0"], "--converge 'colour = 0'"),
        (["--by", "leader_expand_isr"], "--by says by which actions --converge may reach its goal"),
        (["--converge", "state = 0", "--where", "state = 0"], "ask one"),
        (["--where", "state = 0", "--out", "x"], "--where writes nothing"),
        (["--conf", "spark.executor.memroy=1g"], "did you mean spark.executor.memory?"),
        (["--master", "spark://127.0.0.1:1"], "spark.master is 'local[2]' where Spark was started"),
    ],
)
def test_what_cannot_be_asked(kip320, kafkacheck, arguments, why):
    ended = kafkacheck("analyze", kip320.folder, *arguments)
    assert ended.status == 2 and why in ended.error


def content(graph: Graph):
    """States, and steps, as what they are and not by their numbers; with their levels."""
    columns = list(graph.run["columns"].values())
    states = {row["state"]: repr([row[name] for name in columns]) for row in graph.states}
    levels = {states[row["state"]]: row["level"] for row in graph.states}
    steps = {}
    for row in graph.edges:
        given = sorted((name, value) for name, value in row["parameters"].items() if value is not None)
        steps[(states[row["source"]], row["action"], repr(given), states.get(row["target"]))] = row["level"]
    return levels, steps


def test_compare_tells_what_is_lost_and_gained(kip101, kip320, kafkacheck):
    ended = kafkacheck("compare", kip101.folder, kip320.folder)
    assert ended.status == 0, ended.err
    (states_a, steps_a), (states_b, steps_b) = content(kip101), content(kip320)
    lost, gained = set(states_a) - set(states_b), set(states_b) - set(states_a)
    steps_lost, steps_gained = set(steps_a) - set(steps_b), set(steps_b) - set(steps_a)
    assert lost and steps_lost
    expected = (
        f"states: {len(lost)} lost, {len(gained)} gained; steps: {len(steps_lost)} lost, {len(steps_gained)} gained"
    )
    assert ended.last_line == expected
    lines = [line for line in ended.out.splitlines() if re.match(r" +\d+( +\d+){6}$", line)]
    rows = [list(map(int, line.split())) for line in lines]
    for level, *numbers in rows:
        assert numbers == [
            sum(each == level for each in states_a.values()),
            sum(each == level for each in states_b.values()),
            sum(states_a[each] == level for each in lost),
            sum(states_b[each] == level for each in gained),
            sum(steps_a[each] == level for each in steps_lost),
            sum(steps_b[each] == level for each in steps_gained),
        ]
    assert len(rows) == max(kip101.run["depth"], kip320.run["depth"])
    shown = ended.out.split("The first behaviour that b has lost:\n")[1]
    steps = [line for line in shown.splitlines() if re.match(r" ?\d+  \D", line)]
    assert len(steps) == 1 + min(steps_a[each] for each in steps_lost)


def test_compare_with_larger_bounds_tells_what_a_bound_cut_off(kip320, tmp_path, kafkacheck):
    """The states of both are those of the smaller one; what it lacks begins at states that stood at the bound."""
    model = model_of("kip320").with_bounds({**BOUNDS, "max_records": 2})
    larger = Graph(tmp_path / "larger", model, "kip320")
    ended = kafkacheck("compare", kip320.folder, larger.folder)
    gained = len(larger.states) - len(kip320.states)
    assert ended.status == 0 and f"states: 0 lost, {gained} gained; steps: 0 lost, " in ended.last_line
    new = ended.out.split("The first behaviour that is new in b:\n")[1].split("The first behaviour that b has lost")[0]
    steps = [line for line in new.splitlines() if re.match(r" ?\d+  \D", line)]
    assert "leader_write" in steps[-1] and sum("leader_write" in line for line in steps) == 2
    assert "The first behaviour that b has lost: none" in ended.out


def test_graphs_of_other_fields_are_not_compared(tank, kip320, kafkacheck):
    ended = kafkacheck("compare", tank.folder, kip320.folder)
    assert ended.status == 2 and "have states of different fields" in ended.error


def test_a_model_that_was_changed_since_is_named(tmp_path, kafkacheck):
    file = write(tmp_path / "tank.py", TANK)
    assert kafkacheck("explore", file, "--out", tmp_path / "graph").status == 0
    changed = write(tmp_path / "changed" / "tank.py", TANK.replace("tank.level += rules.pour", "tank.level += 2"))
    asked = ("analyze", tmp_path / "graph", "--where", "level_ = 1", "--model")
    ended = kafkacheck(*asked, changed)
    assert ended.status == 2 and "the model tank was changed since it was explored" in ended.error
    for other, why in (
        (tmp_path / "gone.py", "there is no file"),
        ("kip320", "kip320 defines the model replication.kip320"),
    ):
        ended = kafkacheck(*asked, other)
        assert ended.status == 2 and f"the model tank that was explored is not there now: {why}" in ended.error
    ended = kafkacheck(*asked, file)
    assert ended.status == 0 and "1 of 3 states satisfy" in ended.last_line


def test_a_graph_without_steps_is_analyzed(tmp_path, kafkacheck):
    from tests.toys import behaviours

    dataset.write(behaviours.ALONE, "alone", tmp_path / "graph")
    ended = kafkacheck("analyze", tmp_path / "graph")
    assert ended.status == 0, ended.err
    assert "left_is_large       0" in ended.out


def test_of_a_part_only_what_is_known_is_told(tmp_path, kafkacheck):
    """The states of the last level are no deadlocks: their steps are not there."""
    model = model_of("kip101").with_bounds(BOUNDS)
    run = dataset.write(model, "kip101", tmp_path / "graph", limits=Limits(max_states=150))
    ended = kafkacheck("analyze", tmp_path / "graph")
    assert ended.status == 0, ended.err
    assert "warning: " in ended.err and "not all is there: it was stopped at 150 distinct states" in ended.err
    tables = {
        path.stem: pq.read_table(path).to_pylist() for path in (tmp_path / "graph" / "analysis").glob("*.parquet")
    }
    last = tables["levels"][-1]
    assert (last["level"], last["steps"], last["steps_outside"]) == (run["depth"], None, None)
    assert all(row["steps"] for row in tables["levels"][:-1])
    assert all(row["level"] < run["depth"] for row in tables["deadlocks"])
    assert sum(row["states"] for row in tables["out_degree"]) == sum(each["states"] for each in run["levels"][:-1])
    assert "Not all is here: it was stopped at 150" in (tmp_path / "graph" / "analysis" / "report.html").read_text()
