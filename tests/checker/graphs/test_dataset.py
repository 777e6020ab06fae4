"""A state graph as a data set: named, typed columns, the same states and steps, a folder that is whole or not there."""

import json
import os
import signal
from typing import Annotated

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kafkacheck.checker.exploration.evaluation import Evaluation
from kafkacheck.checker.exploration.exploration import Watch
from kafkacheck.checker.exploration.verdict import Limits
from kafkacheck.checker.graphs import dataset, manifest
from kafkacheck.checker.model import Model
from kafkacheck.checker.process.errors import EvaluationError, UsageError
from kafkacheck.checker.schema import Allowance, Array, ById, Count, Flag, IdSet, Struct
from kafkacheck.checker.schema.objects import value_to_json
from tests.expected import model_of
from tests.support.command import TANK, Command, in_process, write
from tests.toys import behaviours, broken, every_kind

pytestmark = pytest.mark.slow


@pytest.fixture
def kafkacheck(capsys):
    return Command(capsys)


def rows_of(folder, kind):
    """All rows of a table, in order."""
    paths = [(int(path.parent.name.removeprefix("level=")), path) for path in (folder / kind).rglob("*.parquet")]
    parts = [(level, pq.read_table(path, partitioning=None).to_pylist()) for level, path in sorted(paths)]
    return [{**row, "level": level} for level, part in parts for row in part]


def level_file(kind, level):
    """The one file of a level, where the graph was explored in this process."""
    return f"{manifest.level_folder(kind, level)}/{kind}.parquet"


def explored(model, tmp_path):
    run = dataset.write(model, model.name, tmp_path / "graph")
    return run, rows_of(tmp_path / "graph", "states"), rows_of(tmp_path / "graph", "edges")


@pytest.mark.slow
def test_every_state_has_its_fields_and_every_step_its_parameters(tmp_path):
    model = every_kind.SMALLER
    run, states, edges = explored(model, tmp_path)
    assert [row["state"] for row in states] == list(range(run["states"]))
    evaluate, objects = Evaluation(model), []
    for row in states:
        state = model.layout.from_json({name: row[column] for name, column in run["columns"].items()})
        assert model.layout.to_json(state) == {name: row[column] for name, column in run["columns"].items()}
        objects.append(model.layout.flatten(state))
        assert row["properties"] == {"friends_know": model.properties[0].holds(state)}
        assert row["sometimes"] == {"everything_used": model.sometimes[0].holds(state)}
        assert (row["parent"] is None) == (row["level"] == 1)
    assert len(set(objects)) == len(objects)
    told = iter(edges)
    for number, values in enumerate(objects):
        for action, given, after in evaluate.successors(values):
            row = next(told)
            assert (row["source"], row["action"]) == (number, action.name)
            assert objects[row["target"]] == after
            named = {
                each.name: value_to_json(each.kind, value) for each, value in zip(action.parameters, given, strict=True)
            }
            assert {name: value for name, value in row["parameters"].items() if name in named} == named
            assert all(value is None for name, value in row["parameters"].items() if name not in named)
    assert next(told, None) is None


def test_the_types_of_the_columns(tmp_path):
    explored(model_of("kip320").with_bounds({"replicas": 2, "max_records": 1}), tmp_path)
    states = pq.read_schema(tmp_path / "graph" / level_file("states", 1))
    edges = pq.read_schema(tmp_path / "graph" / level_file("edges", 1))
    replica = states.field("replicas").type.value_type
    assert replica.field("leader").type == pa.int32()
    assert replica.field("isr").type.value_type == pa.int32()
    assert replica.field("log").type.field("records").type.value_type.field("epoch").type == pa.int32()
    assert states.field("state").type == states.field("fingerprint").type == states.field("parent").type == pa.int64()
    assert states.field("properties").type.field("strong_isr").type == pa.bool_()
    assert states.field("measures").type.field("isr_size").type == pa.int64()
    assert [field.name for field in states.field("at_bound").type] == ["log_size", "max_records", "max_leader_epoch"]
    assert edges.field("source").type == edges.field("target").type == pa.int64()
    assert edges.field("action").type == pa.string() and edges.field("violates").type.value_type == pa.string()
    assert edges.field("parameters").type.field("leader_epoch").type == pa.int32()


def test_what_the_run_says_of_itself(tmp_path):
    model = model_of("kip101").with_bounds({"replicas": 2})
    run, states, edges = explored(model, tmp_path)
    assert run == manifest.read(tmp_path / "graph")
    assert (run["verdict"], run["property"]) == ("VIOLATED", "weak_isr")
    assert (run["states"], run["edges"]) == (len(states), len(edges))
    assert run["depth"] == len(run["levels"]) == max(row["level"] for row in states)
    for level in run["levels"]:
        assert level["states"] == sum(row["level"] == level["level"] for row in states)
        assert level["edges"] == sum(row["level"] == level["level"] for row in edges)
    for name in ("weak_isr", "strong_isr"):
        wrong = [row["level"] for row in states if not row["properties"][name]]
        assert run["violations"][name] == {"states": len(wrong), "steps": 0, "level": min(wrong)}
    assert run["examples"]["diverging_logs"] == sum(row["sometimes"]["diverging_logs"] for row in states)
    assert {name: each["fired"] for name, each in run["actions"].items()} == {
        name: sum(row["action"] == name for row in edges) for name in run["actions"]
    }
    for row in states:
        assert row["measures"]["isr_size"] == len(row["quorum"]["isr"])
        assert row["measures"]["live_leaders"] == sum(
            each["leader"] == place for place, each in enumerate(row["replicas"])
        )
        assert row["at_bound"]["max_records"] == (row["next_record_id"] == 2)
        assert row["at_bound"]["log_size"] == any(
            2 in (each["log"]["end_offset"], each["high_watermark"]) for each in row["replicas"]
        )


def test_what_lies_outside_the_constraint_is_the_end_of_a_step_only(tmp_path):
    run, states, edges = explored(behaviours.VIOLATED_OUTSIDE, tmp_path)
    assert all(row["left"] + row["right"] <= 4 for row in states)
    outside = [row for row in edges if row["target"] is None]
    assert outside and {tuple(row["violates"]) for row in outside} == {("sum_is_four_at_most",)}
    assert not [row for row in edges if row["target"] is not None and row["violates"]]
    assert run["violations"]["sum_is_four_at_most"]["steps"] == len(outside)
    assert run["verdict"] == "VIOLATED"


def test_a_step_that_violates_says_so(tmp_path):
    run, states, edges = explored(behaviours.STEP_VIOLATED, tmp_path)
    sums = {row["state"]: row["left"] + row["right"] for row in states}
    for row in edges:
        assert row["violates"] == (["sum_grows"] if sums[row["target"]] <= sums[row["source"]] else [])
    assert run["verdict"] == "VIOLATED" and "properties" not in states[0]


class Named(Struct):
    """Fields with the names of columns, in any case."""

    level: Annotated[int, Count(1)]
    State: Annotated[int, Count(1)]
    state_: Annotated[bool, Flag()]
    sets: Annotated[Array[Annotated[int, IdSet(3)]], ById(2)]


def flip(named: Named, value: Annotated[bool, Flag()]) -> bool:
    if named.state_ == value:
        return False
    named.state_ = value
    return True


def lift(named: Named, value: Annotated[int, Count(1)]) -> bool:
    if named.level == value:
        return False
    named.level = value
    named.sets[value] = 5
    return True


def test_a_field_with_the_name_of_a_column_gets_an_underscore(tmp_path):
    run, states, edges = explored(Model(name="named", state=Named, actions=[flip, lift]), tmp_path)
    assert run["columns"] == {"level": "level_", "State": "State_", "state_": "state__", "sets": "sets"}
    assert {row["level_"] for row in states} == {0, 1}
    assert [[0, 2], []] in [row["sets"] for row in states] or [[], [0, 2]] in [row["sets"] for row in states]
    assert set(edges[0]["parameters"]) == {"value_of_flip", "value_of_lift"}


class Purse(Struct):
    coins: Annotated[int, Allowance("coins_given")]
    bought: Annotated[int, Count("most")]


def buy(purse: Purse) -> bool:
    if purse.coins == 0:
        return False
    purse.coins -= 1
    purse.bought += 1
    return True


def test_a_state_is_at_the_bound_of_an_allowance_once_that_is_used_up(tmp_path):
    model = Model(name="purse", state=Purse, bounds={"coins_given": 2, "most": 3}, actions=[buy])
    _, states, _ = explored(model, tmp_path)
    assert [row["at_bound"]["coins_given"] for row in states] == [False, False, True]
    assert not any(row["at_bound"]["most"] for row in states)


def test_a_graph_without_steps(tmp_path):
    run, states, edges = explored(behaviours.ALONE, tmp_path)
    assert (run["states"], run["edges"], len(states), edges) == (1, 0, 1, [])
    assert manifest.read(tmp_path / "graph") == run


def test_the_same_model_gives_the_same_files(tmp_path):
    model = model_of("kip320").with_bounds({"replicas": 2, "max_records": 1})
    for name in ("one", "two"):
        dataset.write(model, "kip320", tmp_path / name)
    one, two = (sorted(path for path in (tmp_path / name).rglob("*") if path.is_file()) for name in ("one", "two"))
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in two]


def left_in(folder):
    return sorted(path.name for path in folder.iterdir())


def test_nothing_is_left_where_the_models_code_fails(tmp_path):
    for model in broken.MODELS:
        with pytest.raises(EvaluationError):
            dataset.write(model, "broken", tmp_path / "graph")
    assert left_in(tmp_path) == []


def test_nothing_is_left_where_a_file_cannot_be_written(tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pq.ParquetWriter, "write_table", full)
    with pytest.raises(UsageError, match=r"cannot write .*graph: no space left on device"):
        dataset.write(behaviours.GRID, "grid", tmp_path / "graph")
    assert left_in(tmp_path) == []


def test_nothing_is_left_where_it_is_interrupted(tmp_path, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(pq.ParquetWriter, "write_table", interrupt)
    with pytest.raises(KeyboardInterrupt):
        dataset.write(behaviours.GRID, "grid", tmp_path / "graph")
    assert left_in(tmp_path) == []


def test_a_folder_that_holds_something_is_left_alone(tmp_path, kafkacheck):
    (tmp_path / "graph").mkdir()
    (tmp_path / "graph" / "mine").write_text("precious")
    ended = kafkacheck("explore", write(tmp_path / "tank.py", TANK), "--out", tmp_path / "graph")
    assert ended.status == 2
    assert "is there already and not an empty folder" in ended.error
    assert (tmp_path / "graph" / "mine").read_text() == "precious"


def test_a_constraint_that_no_initial_state_satisfies(tmp_path):
    model = behaviours.pair_model("nowhere", constraint=behaviours.left_exceeds_all)
    with pytest.raises(EvaluationError, match="every initial state lies outside the constraint"):
        dataset.write(model, "nowhere", tmp_path / "graph")
    violated = behaviours.pair_model(
        "nowhere", constraint=behaviours.left_exceeds_all, always=[behaviours.left_is_positive]
    )
    with pytest.raises(UsageError, match="nowhere has no state to write"):
        dataset.write(violated, "nowhere", tmp_path / "graph")
    assert left_in(tmp_path) == []


def test_the_command_says_what_it_wrote(tmp_path, kafkacheck):
    file = write(tmp_path / "tank.py", TANK)
    ended = kafkacheck("explore", file, "--set", "valve=OPEN", "--out", tmp_path / "graph")
    assert (ended.status, ended.err) == (0, "")
    first, second, third, fourth = ended.out.splitlines()
    assert first == "tank: capacity=3 valve=OPEN drains=True pour=1"
    assert second == "never_full is violated by 1 states and 0 steps, first at level 4"
    assert third == f"written: {tmp_path / 'graph'}"
    assert fourth == "tank: VIOLATED never_full states=4 steps=6 depth=4"
    run = json.loads((tmp_path / "graph" / "_run.json").read_text())
    assert run["locator"] == str(file) and run["rules"] == {"valve": "OPEN", "drains": True, "pour": 1}


def damaged(folder, change):
    path = folder / "_run.json"
    path.write_text(change(path.read_text()))


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (lambda folder: damaged(folder, lambda text: text[:50]), "cannot be read"),
        (lambda folder: damaged(folder, lambda text: "[]"), "does not describe a state graph"),
        (
            lambda folder: damaged(folder, lambda text: text.replace(f'"version": {manifest.VERSION}', '"version": 9')),
            "9",
        ),
        (
            lambda folder: damaged(folder, lambda text: text.replace('"measures"', '"pleasures"')),
            "is damaged: it is not what was written; restore it, or explore the model again",
        ),
        (lambda folder: (folder / "_run.json").unlink(), "there is no _run.json in it"),
        (
            lambda folder: (folder / level_file("edges", 2)).unlink(),
            "edges.parquet cannot be read: no such file or directory; restore",
        ),
    ],
)
def test_a_folder_that_is_no_data_set_is_named(tmp_path, kafkacheck, damage, why):
    dataset.write(behaviours.STARTS, "starts", tmp_path / "graph")
    damage(tmp_path / "graph")
    ended = kafkacheck("analyze", tmp_path / "graph")
    assert ended.status == 2 and why in ended.error


def test_a_folder_that_is_not_there(tmp_path, kafkacheck):
    ended = kafkacheck("analyze", tmp_path / "nothing")
    assert ended.status == 2 and "there is no such folder" in ended.error


def test_a_missing_package_is_named(tmp_path):
    program = (
        "import sys\nsys.modules['pyarrow'] = None\nfrom kafkacheck.checker.commands.command_line import main\n"
        f"sys.exit(main(['explore', 'kip320', '--out', {str(tmp_path / 'graph')!r}]))"
    )
    ended = in_process(program=program)
    assert ended.status == 2
    assert "needs the package pyarrow, which is not installed; install kafkacheck[spark]" in ended.error


def test_rows_are_written_some_at_a_time(tmp_path, monkeypatch):
    """The blocks of a search need not end with a level, and what is told does not depend on them."""
    whole, *rows = explored(behaviours.PHILOSOPHERS, tmp_path / "whole")
    monkeypatch.setattr("kafkacheck.checker.compiled.compiled.BUFFER", 1)
    parts, *same_rows = explored(behaviours.PHILOSOPHERS, tmp_path / "parts")
    assert parts.pop("files").keys() == whole.pop("files").keys()
    assert (parts, same_rows) == (whole, rows)
    assert np.unique([row["level"] for row in rows[1]]).size > 1


def test_an_empty_folder_is_used(tmp_path):
    (tmp_path / "graph").mkdir()
    dataset.write(behaviours.GRID, "grid", tmp_path / "graph")
    assert manifest.read(tmp_path / "graph")["model"] == "grid"


def test_a_limit_leaves_the_levels_found_whole_and_says_so(tmp_path):
    """And these are those of the whole graph, with the same numbers."""
    model = model_of("kip101").with_bounds({"replicas": 2})
    _, states, edges = explored(model, tmp_path / "whole")
    run = dataset.write(model, "kip101", tmp_path / "graph", limits=Limits(max_states=500))
    assert run == manifest.read(tmp_path / "graph")
    assert (run["verdict"], run["unfinished"]) == ("NOT_EXHAUSTED", "it was stopped at 500 distinct states")
    assert 0 < run["states"] <= 500 and run["expanded"] == run["depth"] - 1
    assert rows_of(tmp_path / "graph", "states") == [row for row in states if row["level"] <= run["depth"]]
    kept = rows_of(tmp_path / "graph", "edges")
    assert kept == [row for row in edges if row["level"] < run["depth"]] and len(kept) == run["edges"]
    assert run["generated"] == 1 + len(kept) == 1 + sum(each["fired"] for each in run["actions"].values())
    assert left_in(tmp_path / "graph" / "edges") == sorted(f"level={level}" for level in range(1, run["depth"]))


def test_a_violation_found_before_the_limit_is_the_verdict(tmp_path, kafkacheck):
    file = write(tmp_path / "tank.py", TANK)
    ended = kafkacheck("explore", file, "--set", "valve=OPEN", "--max-states", 3, "--out", tmp_path / "graph")
    assert ended.status == 20
    assert (
        "not all is there: it was stopped at 3 distinct states; there are the states of levels 1 to 3 and " in ended.out
    )
    assert ended.last_line == "tank: NOT_EXHAUSTED states=3 steps=3 depth=3"


def test_ctrl_c_leaves_what_was_found(tmp_path, monkeypatch):
    write_states = dataset._Writer._write_states

    def pressing(self, level):
        write_states(self, level)
        if level == 3:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(dataset._Writer, "_write_states", pressing)
    monkeypatch.setattr(Watch, "is_due", lambda self: True)
    run = dataset.write(behaviours.GRID, "grid", tmp_path / "graph")
    assert run["unfinished"] == "it was interrupted" and run["expanded"] < run["depth"]
    assert run["states"] == len(rows_of(tmp_path / "graph", "states"))


def test_a_limit_that_does_not_let_the_first_level_in(tmp_path, kafkacheck):
    with pytest.raises(UsageError, match="starts has more than 1 initial states; give more to --max-states"):
        dataset.write(behaviours.STARTS, "starts", tmp_path / "graph", limits=Limits(max_states=1))
    assert left_in(tmp_path) == []


def test_a_table_that_is_damaged_is_named(tmp_path, kafkacheck):
    dataset.write(behaviours.STARTS, "starts", tmp_path / "graph")
    path = tmp_path / "graph" / level_file("states", 1)
    content = path.read_bytes()
    path.write_bytes(content[:-20])
    ended = kafkacheck("analyze", tmp_path / "graph")
    assert ended.status == 2 and f"{path} is damaged: " in ended.error
    path.write_bytes((tmp_path / "graph" / level_file("states", 2)).read_bytes())
    ended = kafkacheck("analyze", tmp_path / "graph")
    assert ended.status == 2 and f"{path} is damaged: " in ended.error


def test_what_can_be_reached_is_not_told_of_a_part(tmp_path, kafkacheck):
    dataset.write(behaviours.GRID, "grid", tmp_path / "graph", limits=Limits(max_states=10))
    ended = kafkacheck("analyze", tmp_path / "graph", "--converge", "left = 1")
    assert ended.status == 2 and "not all is there" in ended.error and "to its end" in ended.error
