"""The distributed reading with all shards in this process: the same answers, and a run directory that loses nothing."""

import numpy as np
import pytest

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.checkpoints.run_directory import DamagedRunError, RunDirectory
from kafkacheck.checker.compiled.kernel import kernel_text
from kafkacheck.checker.distributed import shard as shards
from kafkacheck.checker.distributed import visited
from kafkacheck.checker.distributed.distributed import HereWorkers
from kafkacheck.checker.exploration.verdict import Limits, Verdict
from kafkacheck.checker.model import Model
from kafkacheck.checker.model.identity import differences, identity_of
from kafkacheck.checker.process.background import FailedError
from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.traces.trace import rebuild
from tests.expected import names_of
from tests.support import readings
from tests.support.marks import long_but
from tests.support.snippets import load
from tests.toys import behaviours, broken, die_hard, every_kind, ewd840, hanoi, peterson, two_phase_commit, wide

pytestmark = pytest.mark.slow

TOYS = [
    *(each for each in vars(behaviours).values() if isinstance(each, Model)),
    die_hard.MODEL,
    die_hard.UNSOLVED,
    every_kind.MODEL,
    ewd840.MODEL,
    hanoi.MODEL,
    hanoi.UNSOLVED,
    peterson.MODEL,
    two_phase_commit.MODEL,
    wide.TAPE.with_bounds({"length": 9}),
]


def begins(model):
    """Whether there is something to hand over: a first level without anything to report."""
    first = readings.interpreted(model, Limits(max_states=100))
    return first.depth > 1


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("model", [each for each in TOYS if begins(each)], ids=lambda model: model.name)
def test_any_number_of_shards_gives_the_same_answer(model, count, tmp_path):
    assert readings.distributed(model, tmp_path / "run", count) == readings.compiled(model)


ABSTRACT, CLUSTER = names_of("replication"), names_of("cluster", 15_000)
WIDE = {"replication.truncate_to_high_watermark": 5} | dict.fromkeys(CLUSTER, 20)
"""In its levels there are fewer states."""


@pytest.mark.parametrize("name", long_but(ABSTRACT + CLUSTER, ABSTRACT + names_of("cluster", 400)))
def test_the_catalogue_gives_the_same_answer(name, tmp_path):
    model = catalogue.find_model(name)
    wanted = readings.compiled(model)
    for count, widest in ((2, 1), (3, min(1000, WIDE.get(name, 1000)))):
        search = readings.distributed_search(model, tmp_path / str(count), count, widest=widest)
        found = search.run()
        assert readings.outcome(search, found) == wanted, (count, widest)
        if found is not None:
            assert len(rebuild(model, found.chain, found.property).steps) == len(found.chain)


FAILING = [each for each in broken.MODELS if "initial" not in each.name and begins(each)]


def test_most_broken_models_fail_after_the_first_level():
    assert len(FAILING) > 10


@pytest.mark.parametrize("model", FAILING, ids=lambda model: model.name)
def test_a_failure_is_told_as_by_the_other_readings(model, tmp_path):
    search = readings.distributed_search(model, tmp_path, 2)
    found, wanted = search.run(), readings.compiled(model)
    assert found.verdict is Verdict.EVALUATION_FAILED
    told = readings.outcome(search, found)
    assert told._replace(reason=wanted.reason) == wanted
    assert found.reason.partition(": ")[0] == wanted.reason.partition(": ")[0], "the place; several states may fail"


@pytest.mark.long
def test_small_rooms_give_the_same_answer(tmp_path, monkeypatch):
    model = two_phase_commit.MODEL
    wanted = readings.compiled(model)
    monkeypatch.setattr(shards, "CHUNK", 7)
    monkeypatch.setattr(shards, "MESSAGE_ROWS", 3)
    for count in (2, 7):
        assert readings.distributed(model, tmp_path / str(count), count) == wanted
    monkeypatch.setattr(shards, "CHUNK", 40_000)
    monkeypatch.setattr(shards, "ROOM", 1 << 16)
    model = two_phase_commit.MODEL.with_bounds({"resource_managers": 7})
    assert readings.distributed(model, tmp_path / "two", 1) == readings.compiled(model)


def test_the_visited_runs_are_few(tmp_path):
    search = readings.distributed_search(hanoi.MODEL, tmp_path, 2)
    search.run()
    last = RunDirectory(tmp_path).level(RunDirectory(tmp_path).committed()[-1])
    for part in last.shards:
        assert len(part.visited) <= sum(file.states for file in part.visited).bit_length()


# -- stopping and going on ---------------------------------------------------------------------------------------------


class Dying(HereWorkers):
    """Workers that die in the level after some levels."""

    def __init__(self, levels):
        self.levels = levels

    def run(self, work, parts, reason_to_stop):
        if self.levels == 0:
            list(shards.expand(work, 0, parts[0].level))
            shards.absorb(work, 0, [], parts[0].visited)  # which leaves a file that no level names
            raise FailedError("died")
        self.levels -= 1
        return super().run(work, parts, reason_to_stop)


@pytest.mark.parametrize("levels", range(0, 12, 2))
def test_a_search_that_died_goes_on_at_the_last_whole_level(levels, tmp_path):
    model = catalogue.find_model("kip101")
    died = readings.distributed_search(model, tmp_path, 3, workers=Dying(levels))
    found = died.run()
    if levels < readings.compiled(model).depth - 1:
        assert (found.verdict, found.reason) == (Verdict.NOT_EXHAUSTED, "died")
        assert len(RunDirectory(tmp_path).committed()) == levels + 1
    assert readings.distributed(model, tmp_path, 3) == readings.compiled(model)
    named = {
        file.name
        for number in RunDirectory(tmp_path).committed()
        for part in RunDirectory(tmp_path).level(number).shards
        for file in (part.level, *part.visited)
    }
    assert {path.name for path in (tmp_path / "shards").iterdir()} <= named


def test_a_finished_run_says_the_same_again(tmp_path):
    for model in (catalogue.find_model("kip101"), two_phase_commit.MODEL):
        first = readings.distributed(model, tmp_path / model.name, 2)
        assert readings.distributed(model, tmp_path / model.name, 2) == first


def test_limits_are_looked_at_between_levels(tmp_path):
    model = two_phase_commit.MODEL
    found = readings.distributed(model, tmp_path, 2, Limits(max_states=100))
    assert found.verdict is Verdict.NOT_EXHAUSTED and found.reason == "it was stopped at 100 distinct states"
    assert 100 < found.distinct < 288
    assert readings.distributed(model, tmp_path / "exact", 2, Limits(max_states=288)).verdict is Verdict.HOLDS


# -- damage ------------------------------------------------------------------------------------------------------------


def a_run(folder):
    readings.distributed_search(catalogue.find_model("kip101"), folder, 2, workers=Dying(5)).run()
    run = RunDirectory(folder)
    return run, [run.level(number) for number in run.committed()]


def test_every_damaged_file_is_named(tmp_path):
    run, levels = a_run(tmp_path)
    run.sweep(levels)
    run.verify(levels)
    files = sorted(run.shards.iterdir())
    assert len(files) > 10
    for path in files:
        content = path.read_bytes()
        for damaged in (content[:-1], bytes([content[0] ^ 1]) + content[1:], content[:-9] + b"\0" + content[-8:]):
            if damaged != content:
                path.write_bytes(damaged)
                with pytest.raises(DamagedRunError, match=f"{path.name} is damaged: its checksum is"):
                    run.verify(levels)
        path.unlink()
        with pytest.raises(DamagedRunError, match=f"{path.name} is damaged: no such file"):
            run.verify(levels)
        path.write_bytes(content)


def test_a_damaged_level_is_named(tmp_path):
    run, levels = a_run(tmp_path)
    path = tmp_path / "levels" / f"{len(levels):06}.json"
    text = path.read_text()
    for damaged in ("", text[:-20], "[]", text.replace('"generated": ', '"generated": 1')):
        path.write_text(damaged)
        with pytest.raises(DamagedRunError, match=f"{path.name} is damaged"):
            run.level(len(levels))
    path.write_text((tmp_path / "levels" / "000003.json").read_text())
    with pytest.raises(DamagedRunError, match=f"{path.name} is damaged: it is level 3"):
        run.level(len(levels))
    path.unlink()
    assert run.committed() == [level.number for level in levels[:-1]]
    path = tmp_path / "levels" / "000002.json"
    path.unlink()
    with pytest.raises(DamagedRunError, match=f"{path.name} is damaged: it is missing"):
        run.committed()


def test_a_level_of_another_run_is_refused(tmp_path):
    run, _ = a_run(tmp_path / "one")
    a_run(tmp_path / "other")
    (tmp_path / "one" / "levels" / "000003.json").write_text(
        (tmp_path / "other" / "levels" / "000003.json").read_text()
    )
    with pytest.raises(DamagedRunError, match=r"000003.json is damaged: it is of another run"):
        run.level(3)


@pytest.mark.parametrize("damage", ["cut", "gone"])
def test_damage_met_in_a_level_stops_the_search_and_names_the_file(damage, tmp_path):
    run, levels = a_run(tmp_path)
    path = run.shards / levels[-1].shards[1].level.name
    path.write_bytes(path.read_bytes()[:-8]) if damage == "cut" else path.unlink()
    found = readings.distributed(catalogue.find_model("kip101"), tmp_path, 2)
    assert found.verdict is Verdict.NOT_EXHAUSTED and f"{path.name} is damaged" in found.reason


def test_a_full_disk_is_told_and_leaves_the_run_as_it_was(tmp_path, monkeypatch):
    a_run(tmp_path)

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("kafkacheck.checker.checkpoints.blocks.os.fsync", full)
    found = readings.distributed(catalogue.find_model("kip101"), tmp_path, 2)
    assert found.verdict is Verdict.NOT_EXHAUSTED and "no space left on device" in found.reason
    monkeypatch.undo()
    assert readings.distributed(catalogue.find_model("kip101"), tmp_path, 2) == readings.compiled(
        catalogue.find_model("kip101")
    )


def test_two_processes_cannot_continue_one_run(tmp_path):
    run, _ = a_run(tmp_path)
    with run.locked(), pytest.raises(UsageError, match="is being continued by another process"), run.locked():
        pass
    with run.locked():
        pass


def test_a_folder_that_cannot_take_a_run(tmp_path):
    run, _ = a_run(tmp_path)
    with pytest.raises(UsageError, match="holds a run already; continue it with `kafkacheck resume"):
        run.create({}, "")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").write_text("mine")
    with pytest.raises(UsageError, match="is not empty and holds no run"):
        RunDirectory(tmp_path / "other").create({}, "")
    with pytest.raises(UsageError, match=r"holds no run \(no run.json\)"):
        RunDirectory(tmp_path / "other").about()


# -- what a run depends on ---------------------------------------------------------------------------------------------

COUNTER = '''
from typing import Annotated
from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Count, Struct

STEP = 1

class Counter(Struct):
    """A counter."""

    value: Annotated[int, Count("most")]

def step() -> int:
    """How far."""
    return STEP

def count_up(counter: Counter) -> bool:
    """Count up."""
    if counter.value >= 9:
        return False
    counter.value += step()
    return True

def small(counter: Counter) -> bool:
    """It stays small."""
    return counter.value < 20

MODEL = Model(name="counter", state=Counter, bounds={"most": 10}, actions=[count_up], always=[small])
'''

EDITS = [
    (('"most": 10', '"most": 11'), ["bound most was 10 and is 11", "field value has changed"]),
    (("STEP = 1", "STEP = 2"), ["function step has changed"]),
    (("value < 20", "value < 21"), ["function small has changed"]),
    ((">= 9", ">= 8"), ["function count_up has changed"]),
    ((", always=[small]", ""), ["function small is gone", "properties was ['small'] and is []"]),
    (("count_up", "count_on"), ["action count_up is gone", "action count_on is new"]),
    (("    value: Ann", "    more: bool\n    value: Ann"), ["field more is new"]),
]


@pytest.mark.parametrize(("edit", "told"), EDITS, ids=[told[0] for _, told in EDITS])
def test_an_edit_is_named(edit, told, tmp_path):
    before, after = (load(tmp_path, text).MODEL for text in (COUNTER, COUNTER.replace(*edit)))
    then, now = (identity_of(model, kernel_text(model)) for model in (before, after))
    found = differences(then, now)
    assert set(told) <= set(found), found
    if "function" in told[0]:
        assert found == told, "callers have not changed"
    assert differences(then, identity_of(before, kernel_text(before))) == []


def test_changed_rules_are_named():
    model = catalogue.find_model("kip320")
    then = identity_of(model, kernel_text(model))
    changed = model.with_rules({"fencing": "NONE"})
    assert "rule fencing was CURRENT_LEADER_EPOCH and is NONE" in differences(
        then, identity_of(changed, kernel_text(changed))
    )


def test_owners_share_all_fingerprints_evenly():
    fingerprints = np.arange(10_000, dtype=np.uint64) * np.uint64(2**64 // 10_000)
    for count in (1, 2, 3, 5, 64, 1000):
        owner = shards.owners(fingerprints, count)
        assert (np.diff(owner.astype(np.int64)) >= 0).all()
        sizes = np.bincount(owner.astype(np.int64), minlength=count)
        assert len(sizes) == count and sizes.max() - sizes.min() <= 2


def test_merging_counts_from_the_last_run():
    assert visited.to_merge([8, 4, 2]) == 1
    assert visited.to_merge([8, 4, 3]) == 3
    assert [visited.to_merge([10, size]) for size in (5, 6)] == [1, 2]
