"""Levels that a search in one process keeps, and what comes of going on from them."""

import contextlib
import shutil
import time
from pathlib import Path

import numpy as np
import pytest

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.checkpoints import blocks, checkpointing
from kafkacheck.checker.checkpoints.checkpointing import Checkpoints
from kafkacheck.checker.checkpoints.local_run import LocalRun
from kafkacheck.checker.checkpoints.run_directory import DamagedRunError
from kafkacheck.checker.compiled import kernel, machine_code
from kafkacheck.checker.compiled.compiled import CompiledSearch
from kafkacheck.checker.exploration.exploration import Watch, memory_reason
from kafkacheck.checker.exploration.verdict import Limits, Verdict
from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.search import check
from tests.support.command import PATIENCE, TANK, Command, write
from tests.toys import behaviours, peterson_progress, two_phase_commit

pytestmark = pytest.mark.slow

ABOUT = {"source": ["kip101", [], [], False]}
WIDE = two_phase_commit.MODEL.with_bounds({"resource_managers": 5})
KIP101 = catalogue.find_model("kip101")
MODELS = [
    behaviours.CONSTRAINED, behaviours.GRID, behaviours.STARTS, behaviours.STEP_VIOLATED, behaviours.STUCK,
    behaviours.UNMET, peterson_progress.MODEL, WIDE, KIP101,
]  # fmt: skip


@pytest.fixture(autouse=True)
def every_level_in_a_file(monkeypatch):
    """Nothing is waited for between two files."""
    monkeypatch.setattr(checkpointing, "BETWEEN", 0.0)


@pytest.fixture
def kafkacheck(capsys):
    return Command(capsys)


def stopped(model, folder, states):
    """A search that keeps its levels in a folder, and was stopped."""
    with contextlib.closing(Checkpoints(ABOUT, folder)) as checkpoints:
        return check(model, "compiled", Limits(max_states=states), checkpoints=checkpoints)


def resumed(model, folder, limits=None, redoes=False):
    with contextlib.closing(Checkpoints.resuming(folder, redoes)) as checkpoints:
        return check(model, "compiled", limits, checkpoints=checkpoints)


def facts(result):
    """What must be the same, however often a search was stopped."""
    length = None if result.trace is None else len(result.trace.steps)
    counts = (result.states_distinct, result.states_generated, result.states_excluded, result.depth)
    return result.verdict, result.property, length, counts, result.actions, result.unmet


def three_pieces(folder):
    """A search of `WIDE` that was stopped three times."""
    stopped(WIDE, folder, 300)
    for states in (1_500, 4_000):
        resumed(WIDE, folder, Limits(max_states=states))
    return folder


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    with pytest.MonkeyPatch.context() as changes:
        changes.setattr(checkpointing, "BETWEEN", 0.0)
        return three_pieces(tmp_path_factory.mktemp("kept") / "run")


@pytest.fixture
def run(kept, tmp_path):
    """A folder that has at least three files of levels."""
    return Path(shutil.copytree(kept, tmp_path / "run"))


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_a_search_that_was_stopped_comes_to_the_same_answer(model, tmp_path):
    wanted = facts(check(model, "compiled"))
    for number, states in enumerate((2, 13, 500)):
        folder = tmp_path / str(number)
        first = stopped(model, folder, states)
        if first.verdict is Verdict.NOT_EXHAUSTED:
            assert first.resume == f"kafkacheck resume {folder}" and first.reason.endswith(
                f"continue with: {first.resume}"
            )
        resumed(model, folder, Limits(max_states=2 * states))
        assert facts(resumed(model, folder)) == wanted


def test_what_is_kept_are_the_states_and_parents_in_the_order_of_the_search(run):
    search = CompiledSearch(WIDE, machine_code.entries_soon(kernel.kernel_text(WIDE)), Watch(Limits()))
    search.run()
    states, parents, _ = search.kept()
    local_run = LocalRun(run)
    pieces, damage = local_run.pieces()
    parts = [part for piece in pieces for part in local_run.states(piece)]
    count = sum(sum(piece.levels) for piece in pieces)
    assert damage is None and len(pieces) >= 3 and count == search.counts.level_ends[pieces[-1].last - 1] > 1_500
    assert np.array_equal(np.concatenate([part[0] for part in parts]), states[:count])
    assert np.array_equal(np.concatenate([part[1] for part in parts])[1:], parents[1:count])


DAMAGES = {
    "cut": lambda content: content[:-9],
    "flipped": lambda content: content[:-9] + bytes([content[-9] ^ 4]) + content[-8:],
    "missing": lambda content: None,
}


@pytest.mark.parametrize(("folder", "damage"), [("levels", "cut"), ("shards", "flipped"), ("shards", "missing")])
def test_every_damaged_file_is_named_and_found_anew_where_that_is_asked(folder, damage, run, tmp_path):
    wanted = facts(check(WIDE, "compiled"))
    paths = sorted((run / folder).iterdir())
    for path in (paths[0], paths[-1]):
        copy = Path(shutil.copytree(run, tmp_path / "damaged"))
        file = copy / path.relative_to(run)
        content = DAMAGES[damage](file.read_bytes())
        file.unlink() if content is None else file.write_bytes(content)
        with pytest.raises(DamagedRunError, match=rf"{file.name} is damaged: .* with: kafkacheck resume .* --redo-d"):
            resumed(WIDE, copy)
        assert facts(resumed(WIDE, copy, redoes=True)) == wanted
        assert LocalRun(copy).pieces()[1] is None, "it is no longer damaged"
        shutil.rmtree(copy)


def test_a_missing_level_is_named_unless_it_is_the_last(run):
    first, *_, last = sorted((run / "levels").iterdir())
    last.unlink()
    assert LocalRun(run).pieces()[1] is None, "it is as if the search had been killed before"
    first.unlink()
    assert f"{first.name} is damaged: it is missing" in str(LocalRun(run).pieces()[1])


def test_no_flipped_bit_goes_unnoticed(run):
    local_run = LocalRun(run)
    for path in sorted([*(run / "levels").iterdir(), *(run / "shards").iterdir()]):
        content = path.read_bytes()
        for bit in range(0, 8 * len(content), max(8 * len(content) // 40, 1)):
            path.write_bytes(content[: bit // 8] + bytes([content[bit // 8] ^ 1 << bit % 8]) + content[bit // 8 + 1 :])
            damage = local_run.pieces()[1]
            assert damage is not None and path.name in str(damage)
        path.write_bytes(content)
    assert local_run.pieces()[1] is None


def test_what_describes_the_run_is_named_where_it_is_damaged(run):
    path = run / "run.json"
    path.write_bytes(path.read_bytes()[:-2])
    with pytest.raises(DamagedRunError, match=r"run.json is damaged: .*begin a new run in another folder"):
        resumed(WIDE, run)


def test_what_a_killed_process_left_is_removed(run):
    for name in ("shards/000099.arrow", "levels/.kafkacheck-7-0.tmp"):
        (run / name).write_text("half of it")
    assert resumed(WIDE, run).verdict is Verdict.HOLDS
    assert not (run / "shards/000099.arrow").exists() and not (run / "levels/.kafkacheck-7-0.tmp").exists()


def test_another_model_is_refused_and_the_difference_named(run):
    with pytest.raises(UsageError, match=r"begun with another .*: bound resource_managers was 5 and is 4"):
        resumed(WIDE.with_bounds({"resource_managers": 4}), run)


def test_a_folder_in_use_is_refused(run):
    with LocalRun(run).locked(), pytest.raises(UsageError, match="is being continued by another process"):
        resumed(WIDE, run)


def test_a_folder_that_holds_something_else_is_refused_and_one_that_was_hardly_begun_is_not(run, tmp_path):
    with pytest.raises(UsageError, match="holds a run already; continue it with `kafkacheck resume"):
        stopped(WIDE, run, 300)
    folder = tmp_path / "other"
    for name in ("levels", "shards"):
        (folder / name).mkdir(parents=True)
    (folder / ".kafkacheck-1-0.tmp").write_text("half of it")
    assert stopped(WIDE, folder, 300).resume is not None
    other = write(tmp_path / "mine" / "notes", "mine").parent
    with pytest.raises(UsageError, match="is not empty and holds no run"):
        stopped(WIDE, other, 300)
    assert (other / "notes").read_text() == "mine"


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), MemoryError(), ValueError("no codec")])
def test_a_search_that_cannot_be_kept_goes_on_and_says_so(error, tmp_path, monkeypatch):
    writes = blocks.write_all

    def full(path, parts, compression):
        if path.stem > "000003":
            raise error
        writes(path, parts, compression)

    monkeypatch.setattr(blocks, "write_all", full)
    assert facts(stopped(WIDE, tmp_path / "whole", None)) == facts(check(WIDE, "compiled"))
    result = stopped(WIDE, tmp_path / "run", 3_000)
    assert f"{tmp_path / 'run'} has the levels up to " in result.reason and result.resume is not None
    monkeypatch.undo()
    assert facts(resumed(WIDE, tmp_path / "run")) == facts(check(WIDE, "compiled"))


def test_what_cannot_be_written_is_told_once(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpointing, "TRIED_AGAIN", 0.0)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(blocks, "write_all", full)
    note = Checkpoints.note

    def noted(self, search):
        note(self, search)
        until = time.monotonic() + PATIENCE
        while not self._writer.failure and time.monotonic() < until:
            time.sleep(0.001)

    monkeypatch.setattr(Checkpoints, "note", noted)
    with contextlib.closing(Checkpoints(ABOUT, tmp_path / "run")) as checkpoints:
        result = check(WIDE, "compiled", checkpoints=checkpoints)
    assert result.verdict is Verdict.HOLDS
    assert result.remarks == (
        f"warning: {tmp_path / 'run'} takes no more levels: no space left on device; the search goes on, and they are "
        "kept as soon as that is mended",
    )


def test_a_long_search_is_kept_unasked_and_the_folder_goes_with_the_answer(tmp_path, monkeypatch):
    monkeypatch.setenv("KAFKACHECK_CACHE", str(tmp_path))
    checkpoints = Checkpoints(ABOUT, after=0.0)
    with contextlib.closing(checkpoints):
        first = check(WIDE, "compiled", Limits(max_states=3_000), checkpoints=checkpoints)
    [folder] = (tmp_path / "runs").iterdir()
    assert first.resume == f"kafkacheck resume {folder}"
    assert first.remarks == (
        "note: finished levels are kept from now on; if the search ends without an answer, continue with: "
        f"{first.resume}",
    )
    assert facts(resumed(WIDE, folder)) == facts(check(WIDE, "compiled"))
    assert not folder.exists()
    with contextlib.closing(Checkpoints(ABOUT, after=0.0)) as checkpoints:
        assert check(WIDE, "compiled", checkpoints=checkpoints).verdict is Verdict.HOLDS
    assert list((tmp_path / "runs").iterdir()) == []


def test_a_cache_that_cannot_be_written_is_told_and_the_search_goes_on(tmp_path, monkeypatch):
    checkpoints = Checkpoints(ABOUT, after=0.0)
    monkeypatch.setenv("KAFKACHECK_CACHE", str(write(tmp_path / "file", "")))
    with contextlib.closing(checkpoints):
        result = check(WIDE, "compiled", checkpoints=checkpoints)
    assert result.verdict is Verdict.HOLDS
    assert [each.partition(":")[0] for each in result.remarks] == ["warning"] and "--run-dir" in result.remarks[0]


def test_where_memory_runs_out_everything_is_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("KAFKACHECK_CACHE", str(tmp_path))

    def full(self):
        return memory_reason(self.watch.memory_limit) if self.counts.distinct > 3_000 else ""

    monkeypatch.setattr(CompiledSearch, "_make_room", full)
    with contextlib.closing(Checkpoints(ABOUT)) as checkpoints:
        result = check(WIDE, "compiled", Limits(max_memory=1 << 40), checkpoints=checkpoints)
    [folder] = (tmp_path / "runs").iterdir()
    assert result.reason.endswith(f"continue with: kafkacheck resume {folder}")
    monkeypatch.undo()
    assert facts(resumed(WIDE, folder)) == facts(check(WIDE, "compiled"))


def test_a_search_too_large_for_its_memory_is_not_resumed(run):
    result = resumed(WIDE, run, Limits(max_memory=1 << 20))
    assert result.verdict is Verdict.NOT_EXHAUSTED and "1 MiB of memory" in result.reason
    assert result.resume is not None and resumed(WIDE, run).verdict is Verdict.HOLDS


def test_the_command_line_keeps_and_resumes(kafkacheck, tmp_path):
    folder = tmp_path / "run"
    ended = kafkacheck("check", "kip101", "--run-dir", folder, "--max-states", 500)
    assert ended.status == 20 and f"continue with: kafkacheck resume {folder}" in ended.out
    ended = kafkacheck("resume", folder)
    assert ended.status == 12
    wanted = check(KIP101, "compiled")
    counts = f"distinct={wanted.states_distinct} generated={wanted.states_generated} depth={wanted.depth} "
    assert ended.last_line.startswith(
        f"replication.kip101: VIOLATED {wanted.property} trace={len(wanted.trace.steps)} {counts}"
    )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("check", "kip101", "--engine", "interpreted", "--run-dir", "new"), "leave out --engine interpreted"),
        (("check", "kip101", "kip279", "--run-dir", "new"), "--run-dir cannot be given with several models"),
        (("resume", "RUN", "--shards", "2"), "holds a search without Spark, which cannot go on there; leave out --sha"),
        (("explore", "RUN", "--out", "new"), "holds a run by the engine compiled"),
        (("resume", "RUN", "--max-memory", "lots"), "'lots' is no size; write a number with K, M, G or T"),
        (("check", "kip101", "--max-memory", "2K"), "'2K' is not between 1M and"),
    ],
)
def test_what_cannot_be_asked(arguments, told, kafkacheck, tmp_path):
    folder = tmp_path / "run"
    stopped(KIP101, folder, 300)
    ended = kafkacheck(*(str(folder) if each == "RUN" else each for each in arguments))
    assert ended.status == 2 and told in ended.error


@pytest.mark.parametrize(
    ("text", "size"), [("2M", 2 << 20), ("1.5g", 3 << 29), ("4GiB", 4 << 30), ("1048576", 1 << 20)]
)
def test_sizes(text, size):
    from kafkacheck.checker.console.options import Size

    assert Size().convert(text, None, None) == size


def test_a_model_of_ones_own_is_found_again(kafkacheck, tmp_path):
    tank = write(tmp_path / "tank.py", TANK)
    assert kafkacheck("check", tank, "--run-dir", tmp_path / "run", "--engine", "compiled").status == 0
    assert "--model" in kafkacheck("resume", tmp_path / "run").error
    ended = kafkacheck("resume", tmp_path / "run", "--model", tank)
    assert ended.last_line.startswith("tank: HOLDS distinct=3 ")


def test_the_command_that_goes_on_names_a_model_of_ones_own(kafkacheck, tmp_path):
    tank = write(tmp_path / "tank.py", TANK)
    ended = kafkacheck("check", tank, "--run-dir", tmp_path / "run", "--engine", "compiled", "--max-states", 2)
    assert f"continue with: kafkacheck resume {tmp_path / 'run'} --model {tank}" in ended.out
