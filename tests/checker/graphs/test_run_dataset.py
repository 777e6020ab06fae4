"""State graphs that Spark explored and wrote: the same states, steps and answers as those explored in one process."""

import os
import re
import signal
import sys
import time
from collections import Counter

import pyarrow.parquet as pq
import pytest

from kafkacheck.checker.catalogue.model_source import Source
from kafkacheck.checker.checkpoints.run_directory import DamagedRunError, RunDirectory
from kafkacheck.checker.distributed import runs
from kafkacheck.checker.distributed.runs import Cluster
from kafkacheck.checker.exploration.verdict import Limits, Verdict
from kafkacheck.checker.graphs import dataset, manifest, run_dataset, run_graph
from kafkacheck.checker.process.errors import EvaluationError, NotExhaustedError, UsageError
from tests.checker.graphs.test_dataset import left_in, rows_of
from tests.support.command import TANK, Command, write
from tests.support.no_spark import Lists

pytestmark = pytest.mark.slow

SMALL = ("replicas=2", "max_records=1", "max_leader_epoch=1")
KIP101 = Source("kip101", SMALL)


@pytest.fixture
def kafkacheck(capsys):
    return Command(capsys)


def searched(source, folder, shards=3, limits=None, goes_past=True):
    """A run directory with every level."""
    cluster = Cluster(shards=shards, shard_from=1)
    return runs.begin(source, folder, cluster, limits or Limits(), goes_past=goes_past)


def content(folder):
    """The states by level and the steps by their content, which do not depend on how states are numbered."""
    run = manifest.read(folder)
    states, edges = rows_of(folder, "states"), rows_of(folder, "edges")
    names = {"state", "parent"}
    texts = {row["state"]: repr({key: row[key] for key in sorted(row) if key not in names}) for row in states}
    assert len(texts) == run["states"], "every state has a number of its own"
    levels = {row["state"]: row["level"] for row in states}
    for row in states:
        assert row["parent"] is None if row["level"] == 1 else levels[row["parent"]] == row["level"] - 1
    steps = Counter(
        repr([texts[row.pop("source")], texts.get(row.pop("target"), "outside"), sorted(row.items(), key=repr)])
        for row in edges
    )
    told = {key: value for key, value in run.items() if key not in ("locator", "unfinished", "files")}
    return told, Counter(texts.values()), steps


def toy(tmp_path, name):
    """A model of the toys as a file."""
    module, _, model = name.rpartition(".")
    path = tmp_path / f"{model.lower()}.py"
    path.write_text(f"from tests.toys.{module} import {model}\n\nMODEL = {model}\n")
    return Source(str(path))


TOYS = [f"behaviours.{name}" for name in ("VIOLATED_OUTSIDE", "STEP_VIOLATED", "STARTS", "ALONE", "PHILOSOPHERS")]
TOYS += [f"behaviours.{name}" for name in ("INITIAL_VIOLATED", "ONE_START_VIOLATED", "STEP_OUTSIDE")]
TOYS += ["every_kind.SMALLER", "two_phase_commit.MODEL", "die_hard.MODEL"]


def same_both_ways(source, tmp_path, shards):
    """Explore and write both ways; what `_run.json` says."""
    run = dataset.write(source.model(), source.text, tmp_path / "one")
    searched(source, tmp_path / "run", shards)
    run_dataset.write(tmp_path / "run", tmp_path / "graph", Cluster(), named=source.text)
    assert content(tmp_path / "graph") == content(tmp_path / "one")
    assert {"run", "graph", "one"} <= set(left_in(tmp_path)) and not list(tmp_path.glob("*.tmp"))
    assert all(path.name[0] != "." for path in (tmp_path / "graph").rglob("*"))
    return run


def seen(folder):
    """All that lies in a folder, with the moment at which it was last written, or had something added or removed."""
    return {path: path.stat().st_mtime_ns for path in (folder, *folder.rglob("*"))}


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("has_lock", [True, False])
def test_a_run_that_cannot_be_written_is_explored_and_stays_as_it_is(has_lock, tmp_path):
    folder = tmp_path / "run"
    searched(KIP101, folder)
    if not has_lock:  # as in a copy from elsewhere
        (folder / "lock").unlink()
    before = seen(folder)
    for path in before:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        run_dataset.write(folder, tmp_path / "graph", Cluster())
        assert seen(folder) == before
    finally:
        for path in before:
            path.chmod(0o755 if path.is_dir() else 0o644)
    dataset.write(KIP101.model(), KIP101.text, tmp_path / "one")
    assert content(tmp_path / "graph") == content(tmp_path / "one")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("name", TOYS)
def test_the_same_states_and_steps(name, tmp_path):
    same_both_ways(toy(tmp_path, name), tmp_path, 1 + TOYS.index(name) % 4)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("change", ["drains=false", "drains=true"])
def test_past_violations_and_deadlocks(change, tmp_path):
    path = write(tmp_path / "tank.py", TANK)
    run = same_both_ways(Source(str(path), ("valve=OPEN", "pour=2", "capacity=4", change)), tmp_path, 2)
    assert run["verdict"] == "VIOLATED"


@pytest.mark.usefixtures("here")
def test_an_initial_state_outside_the_constraint_that_violates(tmp_path):
    path = write(
        tmp_path / "outside.py",
        "from tests.toys import behaviours as toys\n\n"
        "starts = [toys.start_in_the_middle, toys.start_at_corner]\n"
        "given = {'constraint': toys.right_is_small, 'always': [toys.right_is_small]}\n"
        "MODEL = toys.pair_model('outside', initial=starts, **given)\n",
    )
    run = same_both_ways(Source(str(path)), tmp_path, 2)
    assert (run["verdict"], run["violations"]["right_is_small"]["states"]) == ("VIOLATED", 0)
    again = runs.resume(tmp_path / "run", Cluster(), Limits(), named=str(path))
    assert (again.verdict, len(again.trace.steps)) == (Verdict.VIOLATED, 1)


@pytest.mark.long
def test_the_analysis_finds_the_same(tmp_path, spark_session, kafkacheck):
    same_both_ways(KIP101, tmp_path, 3)
    for name in ("one", "graph"):
        ended = kafkacheck("analyze", tmp_path / name)
        assert ended.status == 0, ended.err
    assert len(tables_of(tmp_path / "one")) > 7 and tables_of(tmp_path / "graph") == tables_of(tmp_path / "one")
    ended = kafkacheck("compare", tmp_path / "one", tmp_path / "graph")
    assert ended.last_line == "states: 0 lost, 0 gained; steps: 0 lost, 0 gained"


def tables_of(folder):
    """What was analyzed, but for the numbers of states."""
    found = {}
    for path in sorted((folder / "analysis").glob("*.parquet")):
        table = pq.read_table(path)
        kept = [name for name in table.column_names if name != "first_state"]
        found[path.stem] = table.select(kept).to_pylist()
    return found


def test_the_command(tmp_path, spark_session, kafkacheck):
    """From the model to a data set, from a folder of a search to another, and on to a schedule."""
    settings = [option for change in SMALL for option in ("--set", change)]
    own = ["--engine", "spark", "--run-dir", tmp_path / "run", "--shards", 2, "--spark-from", 50]
    ended = kafkacheck("explore", "kip101", *settings, *own, "--out", tmp_path / "graph")
    assert ended.status == 0, ended.err
    assert ended.last_line == kafkacheck("explore", "kip101", *settings, "--out", tmp_path / "one").last_line
    again = kafkacheck("explore", tmp_path / "run", "--out", tmp_path / "again")
    assert again.status == 0 and again.out == ended.out.replace(str(tmp_path / "graph"), str(tmp_path / "again"))
    assert content(tmp_path / "again") == content(tmp_path / "graph")
    predicate = "replicas[0].leader = 0 AND replicas[1].leader = 0 AND cardinality(quorum.isr) = 1"
    ended = kafkacheck("analyze", tmp_path / "graph", "--where", predicate)
    assert ended.status == 0, ended.err
    nearest = int(ended.last_line.rpartition(" ")[2])
    steps = [line for line in ended.out.splitlines() if re.match(r" ?\d+  ", line)]
    assert len(steps) == nearest > 3
    ended = kafkacheck("analyze", tmp_path / "graph", "--converge", predicate, "--by", "leader_write,become_leader")
    assert ended.status == 1 and "A shortest behaviour to the first of them:" in ended.out


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["kip101", "--engine", "spark"], "name a new one with --run-dir"),
        (["kip101", "--run-dir", "x"], "--run-dir is for --engine spark only"),
        (["kip101", "--engine", "spark", "--run-dir", "graph/run"], "would lie within graph"),
        (["kip101", "--engine", "spark", "--run-dir", "graph"], "would lie within graph"),
        (["kip101", "--shards", "3"], "--shards is for --engine spark only"),
        ([".", "--set", "replicas=2"], "leave out --set"),
        ([".", "--max-states", "2"], "leave out --max-states"),
        (["."], "holds no run (no run.json)"),
    ],
)
def test_what_cannot_be_explored(arguments, why, tmp_path, monkeypatch, kafkacheck):
    monkeypatch.chdir(tmp_path)
    ended = kafkacheck("explore", *arguments, "--out", "graph")
    assert ended.status == 2 and why in ended.error
    assert left_in(tmp_path) == []


@pytest.mark.usefixtures("here")
def test_many_parts_and_pieces_give_the_same(tmp_path, monkeypatch):
    """Those of a small graph are few, so here they are made small."""
    searched(KIP101, tmp_path / "run", 2)
    run_dataset.write(tmp_path / "run", tmp_path / "few", Cluster())
    small = {"LARGEST_PART": 40, "LARGEST_PIECE": 9, "SMALLEST_PIECE": 9}
    for name, value in small.items():
        monkeypatch.setattr(run_dataset, name, value)
    for name, value in {"MESSAGE_ROWS": 5, "ROWS_AT_ONCE": 11, "WRITTEN_AT_ONCE": 7}.items():
        monkeypatch.setattr(run_graph, name, value)
    run_dataset.write(tmp_path / "run", tmp_path / "many", Cluster())
    many, few = (len(list((tmp_path / name / "edges").rglob("*.parquet"))) for name in ("many", "few"))
    assert many > 3 * few
    assert content(tmp_path / "many") == content(tmp_path / "few")
    run_dataset.write(tmp_path / "run", tmp_path / "again", Cluster())
    files = sorted(path.relative_to(tmp_path / "many") for path in (tmp_path / "many").rglob("*") if path.is_file())
    for path in files:
        assert (tmp_path / "many" / path).read_bytes() == (tmp_path / "again" / path).read_bytes()


@pytest.mark.usefixtures("here")
def test_a_part_of_a_search_is_written_as_such(tmp_path):
    """The same levels as of an exploration in one process that is stopped, which also says why."""
    limits = Limits(max_states=100)
    result = searched(KIP101, tmp_path / "run", limits=limits)
    run = run_dataset.write(tmp_path / "run", tmp_path / "graph", Cluster(), result.reason)
    assert run == manifest.read(tmp_path / "graph")
    assert run["unfinished"].startswith("it was stopped at 100 distinct states; continue with: kafkacheck resume ")
    assert run["verdict"] == "NOT_EXHAUSTED" and run["expanded"] == run["depth"] - 1
    dataset.write(KIP101.model(), "kip101", tmp_path / "one")
    _, states, steps = content(tmp_path / "one")
    _, some_states, some_steps = content(tmp_path / "graph")
    assert 100 < some_states.total() < states.total() and some_states <= states
    assert 0 < some_steps.total() < steps.total() and some_steps <= steps
    finished = runs.resume(tmp_path / "run", Cluster(), Limits())
    assert (finished.verdict, finished.states_distinct) == (Verdict.HOLDS, states.total())
    run_dataset.write(tmp_path / "run", tmp_path / "whole", Cluster())
    assert content(tmp_path / "whole") == content(tmp_path / "one")


@pytest.mark.usefixtures("here")
def test_a_search_that_a_violation_ended_is_written_as_far_as_it_came(tmp_path):
    tank = Source(str(write(tmp_path / "tank.py", TANK)), ("valve=OPEN",))
    result = searched(tank, tmp_path / "run", goes_past=False)
    assert result.verdict is Verdict.VIOLATED
    run = run_dataset.write(tmp_path / "run", tmp_path / "graph", Cluster(), named=tank.text)
    assert (run["verdict"], run["property"], run["depth"]) == ("VIOLATED", result.property, result.depth)
    assert run["unfinished"].endswith("ended with VIOLATED (`explore MODEL --engine spark` goes on past that)")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("damage", ["bit", "cut", "gone"])
def test_a_damaged_file_is_named(damage, tmp_path):
    searched(KIP101, tmp_path / "run")
    run = RunDirectory(tmp_path / "run")
    path = run.shards / run.level(4).shards[1].level.name
    content = path.read_bytes()
    path.write_bytes(content[:-1] if damage == "cut" else content[:-200] + bytes([content[-200] ^ 1]) + content[-199:])
    if damage == "gone":
        path.unlink()
    with pytest.raises(UsageError, match=f"graph was not written: .*{path.name} is damaged: "):
        run_dataset.write(tmp_path / "run", tmp_path / "graph", Cluster())
    (tmp_path / "run" / "levels" / "000003.json").write_text("[]")
    with pytest.raises(DamagedRunError, match=r"000003.json is damaged"):
        run_dataset.write(tmp_path / "run", tmp_path / "graph", Cluster())
    assert left_in(tmp_path) == ["run"]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("kind", ["states", "edges"])
def test_a_full_disk_is_told_with_the_file(kind, tmp_path, monkeypatch):
    searched(KIP101, tmp_path / "run")
    write_table = pq.ParquetWriter.write_table

    def full(self, table):
        if kind == "states" or "source" in table.column_names:
            raise OSError(28, "Detail: no space")
        write_table(self, table)

    monkeypatch.setattr(pq.ParquetWriter, "write_table", full)
    with pytest.raises(UsageError, match=rf"not written: .*/{kind}/level=\d+/.*: no space left .*explore .*run --out"):
        run_dataset.write(tmp_path / "run", tmp_path / "graph", Cluster())
    assert left_in(tmp_path) == ["run"]


@pytest.mark.usefixtures("here")
def test_what_cannot_be_written(tmp_path, monkeypatch):
    source = toy(tmp_path, "behaviours.STARTS")
    searched(source, tmp_path / "run")
    (tmp_path / "graph").mkdir()
    (tmp_path / "graph" / "mine").write_text("precious")
    with pytest.raises(UsageError, match="is there already and not an empty folder"):
        run_dataset.write(tmp_path / "run", tmp_path / "graph", Cluster())
    with pytest.raises(UsageError, match=r"holds no run \(no run.json\)"):
        run_dataset.write(tmp_path, tmp_path / "new", Cluster())
    (tmp_path / "starts.py").write_text("from tests.toys.behaviours import GRID\n\nMODEL = GRID\n")
    monkeypatch.delitem(sys.modules, "starts", raising=False)
    with pytest.raises(UsageError, match="was begun with another grid: "):
        run_dataset.write(tmp_path / "run", tmp_path / "new", Cluster(), named=source.text)
    runs.begin(KIP101, tmp_path / "early", Cluster(shards=2), Limits())
    with pytest.raises(UsageError, match="has no level: its search ended before one was wide enough for Spark"):
        run_dataset.write(tmp_path / "early", tmp_path / "new", Cluster())


@pytest.mark.usefixtures("here")
def test_a_measure_that_fails_is_told_with_its_place(tmp_path):
    path = write(tmp_path / "tank.py", BROKEN_MEASURE)
    searched(Source(str(path)), tmp_path / "run")
    with pytest.raises(EvaluationError, match=r"tank.py:\d+"):
        run_dataset.write(tmp_path / "run", tmp_path / "graph", Cluster(), named=str(path))
    assert not (tmp_path / "graph").exists()


BROKEN_MEASURE = TANK.replace("always=", "measures=[per_level], always=").replace(
    "\nMODEL =", "\ndef per_level(tank: Tank) -> int:\n    return 1 // tank.level\n\n\nMODEL ="
)


@pytest.mark.usefixtures("here")
def test_ctrl_c_leaves_the_search(tmp_path, monkeypatch):
    searched(KIP101, tmp_path / "run")

    def pressing(values, count):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)
        return Lists()

    monkeypatch.setattr(Lists, "parallelize", staticmethod(pressing))
    with pytest.raises(NotExhaustedError, match=r"it was interrupted, and nothing was written to .*graph"):
        run_dataset.write(tmp_path / "run", tmp_path / "graph", Cluster())
    assert left_in(tmp_path) == ["run"]


@pytest.mark.usefixtures("here")
def test_what_bounds_cut_off_is_told_the_same(tmp_path):
    dataset.write(KIP101.model(), "kip101", tmp_path / "one", with_cut_off=True)
    searched(KIP101, tmp_path / "run", 2)
    run_dataset.write(tmp_path / "run", tmp_path / "graph", Cluster(), with_cut_off=True)
    assert content(tmp_path / "graph") == content(tmp_path / "one")
    assert len({repr(row["cut_off"]) for row in rows_of(tmp_path / "graph", "states")}) > 2
