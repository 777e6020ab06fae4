"""Runs begun and resumed: what they depend on, what they leave behind, and what they refuse. No Spark is started."""

import contextlib
import fcntl
import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.catalogue.model_source import Source
from kafkacheck.checker.checkpoints import blocks
from kafkacheck.checker.checkpoints.run_directory import DamagedRunError, RunDirectory, kernel_name
from kafkacheck.checker.distributed import runs
from kafkacheck.checker.distributed.runs import Cluster
from kafkacheck.checker.exploration.verdict import Limits, Verdict
from kafkacheck.checker.process.errors import UsageError
from tests.support import readings
from tests.support.command import PATIENCE, ROOT

pytestmark = pytest.mark.slow

HERE = Cluster(shards=3, shard_from=1)
"""No level is wide enough for Spark, and the search is handed over to shards at once."""
LATER = Cluster(shards=3, shard_from=100)


def stopped(folder, *changes):
    """A run of kip101 that was stopped in the middle."""
    result = runs.begin(Source("kip101", changes), folder, HERE, Limits(max_states=500))
    assert result.verdict is Verdict.NOT_EXHAUSTED
    return result


def test_a_stopped_run_says_how_to_go_on_and_does(tmp_path):
    folder = tmp_path / "run"
    result = stopped(folder)
    assert result.reason.endswith(f"continue with: kafkacheck resume {folder}")
    finished, wanted = runs.resume(folder, HERE, Limits()), readings.compiled(catalogue.find_model("kip101"))
    assert (finished.verdict, finished.property) == (wanted.verdict, wanted.property)
    assert (finished.states_distinct, finished.states_generated, finished.depth) == (
        wanted.distinct, wanted.generated, wanted.depth,
    )  # fmt: skip
    assert len(finished.trace.steps) == wanted.length
    assert runs.resume(folder, HERE, Limits()).states_distinct == finished.states_distinct, (
        "a finished one says it again"
    )


def test_a_run_keeps_bounds_and_rules(tmp_path):
    changes = ("max_leader_epoch=1", "truncation=KIP_279")
    stopped(tmp_path / "run", *changes)
    model = runs.resume(tmp_path / "run", HERE, Limits(max_states=600)).model
    assert model.bounds["max_leader_epoch"] == 1 and model.rules.truncation.name == "KIP_279"


def test_a_changed_model_is_refused_and_the_change_named(tmp_path):
    path = tmp_path / "counter.py"
    text = (ROOT / "tests" / "toys" / "two_phase_commit.py").read_text()
    path.write_text(text)
    runs.begin(Source(str(path)), tmp_path / "run", HERE, Limits(max_states=20))

    def resumed():
        command = [sys.executable, "-m", "checker", "resume", str(tmp_path / "run"), "--model", str(path)]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False)

    assert '"resource_managers": 3' in text
    path.write_text(text.replace('"resource_managers": 3', '"resource_managers": 4'))
    refused = resumed()
    assert refused.returncode == 2
    assert "begun with another two_phase_commit: bound resource_managers was 3 and is 4" in refused.stderr
    path.unlink()
    assert resumed().returncode == 2 and "counter.py" in resumed().stderr
    path.write_text(text)
    assert "HOLDS distinct=288 " in resumed().stdout


def test_a_file_is_found_again_from_another_folder(tmp_path, monkeypatch):
    path = tmp_path / "commit.py"
    path.write_text((ROOT / "tests" / "toys" / "two_phase_commit.py").read_text())
    monkeypatch.chdir(tmp_path)
    runs.begin(Source("commit.py"), tmp_path / "run", HERE, Limits(max_states=20))
    monkeypatch.chdir("/")
    with pytest.raises(UsageError, match=f"its model two_phase_commit the code in {path}, "):
        runs.resume(tmp_path / "run", HERE, Limits())
    assert runs.resume(tmp_path / "run", HERE, Limits(), named=str(path)).states_distinct == 288


def test_damage_is_named_before_anything_is_done(tmp_path):
    stopped(tmp_path / "run")
    path = sorted((tmp_path / "run" / "shards").iterdir())[0]
    path.write_bytes(path.read_bytes()[:-1])
    before = RunDirectory(tmp_path / "run").committed()
    with pytest.raises(DamagedRunError, match=f"{path.name} is damaged"):
        runs.resume(tmp_path / "run", HERE, Limits())
    assert RunDirectory(tmp_path / "run").committed() == before


@pytest.mark.parametrize("text", ["", "nonsense", None])
def test_a_damaged_kernel_is_written_anew(text, tmp_path):
    stopped(tmp_path / "run")
    path = tmp_path / "run" / "kernel.ll"
    path.unlink() if text is None else path.write_text(text)
    assert runs.resume(tmp_path / "run", HERE, Limits()).verdict is Verdict.VIOLATED


def test_a_master_is_looked_at_before_anything_is_written(tmp_path):
    for master in ("foo", "spark://127.0.0.1:9"):
        with pytest.raises(UsageError, match="master"):
            runs.begin(Source("kip101"), tmp_path / "run", Cluster(master), Limits())
    assert not (tmp_path / "run").exists()


def test_how_to_go_on_repeats_what_the_run_was_given():
    assert Cluster().resuming(Path("a run")) == "kafkacheck resume 'a run'"
    assert Cluster().resuming(Path("run"), "kip320") == "kafkacheck resume run"
    assert Cluster().resuming(Path("run"), "/a b.py") == "kafkacheck resume run --model '/a b.py'"
    given = Cluster("local[1]", spark_from=1000)
    assert given.resuming(Path("run")) == "kafkacheck resume run --master 'local[1]' --spark-from 1000"


def test_a_search_that_stops_before_a_wide_level_says_that_nothing_is_kept(tmp_path):
    result = runs.begin(Source("kip101"), tmp_path / "run", Cluster(shards=2), Limits(max_states=100))
    assert result.reason.endswith("it had no level wide enough for Spark yet, and such levels are not kept")


def test_the_number_of_shards_cannot_change(tmp_path):
    stopped(tmp_path / "run")
    with pytest.raises(UsageError, match="has 3 shards, which cannot become 4"):
        runs.resume(tmp_path / "run", Cluster(shards=4), Limits())


def test_a_run_that_was_killed_before_its_first_level_begins_anew(tmp_path):
    stopped(tmp_path / "run")
    for path in (tmp_path / "run" / "levels").iterdir():
        path.unlink()
    finished = runs.resume(tmp_path / "run", HERE, Limits())
    assert finished.states_distinct == readings.compiled(catalogue.find_model("kip101")).distinct


def test_a_temporary_run_stays_only_where_it_can_be_continued(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    runs.begin(Source("kip101"), None, HERE, Limits())
    assert list(tmp_path.iterdir()) == []
    result = runs.begin(Source("kip101"), None, HERE, Limits(max_states=500))
    [left] = tmp_path.iterdir()
    assert result.reason.endswith(str(left))
    with pytest.raises(UsageError):
        runs.begin(Source("kip101"), None, Cluster("spark://", shards=2, spark_from=1), Limits())
    assert list(tmp_path.iterdir()) == [left]


COMPILE = """
import sys
from kafkacheck.checker.compiled import machine_code
from kafkacheck.checker.compiled import native
from kafkacheck.checker.catalogue.catalogue import find_model
from kafkacheck.checker.compiled.kernel import kernel_text, sizes_of
from kafkacheck.checker.distributed.shard import Work, kernel_of

compile_object = native.compile_object

def counted(text, quick):
    print("compiled", flush=True)
    return compile_object(text, quick)

native.compile_object = counted
folder, name = sys.argv[1:]
kernel_of(Work(folder, name, sizes_of(find_model("kip101")), 1, 1))
print("loaded", flush=True)
"""


def test_many_processes_of_a_machine_compile_a_kernel_once(tmp_path, monkeypatch):
    from kafkacheck.checker.compiled.kernel import kernel_text

    text = kernel_text(catalogue.find_model("kip101"))
    RunDirectory(tmp_path).write_kernel(text)
    monkeypatch.setenv("KAFKACHECK_CACHE", str(tmp_path / "cache"))
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", COMPILE, str(tmp_path), kernel_name(text)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    outputs = [process.communicate(timeout=PATIENCE)[0].split() for process in processes]
    assert all("loaded" in output for output in outputs)
    assert sum(output.count("compiled") for output in outputs) == 1


def test_what_a_level_says_can_be_read_by_people(tmp_path):
    stopped(tmp_path / "run")
    data = json.loads((tmp_path / "run" / "levels" / "000004.json").read_text())
    assert data["level"] == 4 and data["states"] == sum(each["level"][1] for each in data["shards"])
    assert data["summary"]["generated"] > data["states"] and data["sent"] > 0


def test_a_hand_over_that_was_cut_off_begins_anew(tmp_path):
    """As a kill in the middle of it leaves the run: levels are there, and what is known after them is not."""
    runs.begin(Source("kip101"), tmp_path / "run", LATER, Limits(max_states=500))
    run = RunDirectory(tmp_path / "run")
    for number in run.committed():
        if run.level(number).summary is not None:
            (tmp_path / "run" / "levels" / f"{number:06}.json").unlink()
    assert len(run.committed()) > 1
    finished = runs.resume(tmp_path / "run", LATER, Limits())
    assert finished.states_distinct == readings.compiled(catalogue.find_model("kip101")).distinct


def test_a_disk_that_is_full_at_the_hand_over_is_told_with_the_mend(tmp_path, monkeypatch):
    write = blocks.write

    def full(path, block):
        if path.name.startswith("000004"):
            raise OSError(28, "No space left on device", str(path))
        write(path, block)

    monkeypatch.setattr(blocks, "write", full)
    with pytest.raises(UsageError, match=r"cannot write .*: no space left on device; make room there, and go on with "):
        runs.begin(Source("kip101"), tmp_path / "run", LATER, Limits())
    monkeypatch.undo()
    finished = runs.resume(tmp_path / "run", LATER, Limits())
    assert finished.states_distinct == readings.compiled(catalogue.find_model("kip101")).distinct


def test_a_limit_ends_the_wait_for_spark_which_is_not_left_running(tmp_path, monkeypatch):
    may_start, has_ended = threading.Event(), threading.Event()

    @contextlib.contextmanager
    def slow(*_):
        may_start.wait()
        yield None
        has_ended.set()

    monkeypatch.setattr("kafkacheck.checker.distributed.spark.context", slow)
    result = runs.begin(Source("kip101"), tmp_path / "run", Cluster(spark_from=100), Limits(max_seconds=1))
    assert result.verdict is Verdict.NOT_EXHAUSTED and "it was stopped after 1 seconds" in result.reason
    may_start.set()
    assert has_ended.wait(60)


def test_a_run_that_cannot_be_written_is_not_continued(tmp_path, monkeypatch):
    folder = tmp_path / "run"
    stopped(folder)
    before = {path: path.stat().st_mtime_ns for path in (folder, *folder.rglob("*"))}
    monkeypatch.setattr("os.access", lambda path, mode: Path(path) != folder)  # the superuser may write anywhere
    with pytest.raises(UsageError, match=f"{folder} cannot be written, .* kafkacheck explore {folder} --out DIR"):
        runs.resume(folder, HERE, Limits())
    assert {path: path.stat().st_mtime_ns for path in (folder, *folder.rglob("*"))} == before


@pytest.mark.parametrize("ends", [True, False])
def test_a_process_that_ends_just_now_is_waited_for(ends, tmp_path, monkeypatch):
    folder = tmp_path / "run"
    stopped(folder)
    monkeypatch.setattr("kafkacheck.checker.checkpoints.run_directory.SECONDS_TO_END", PATIENCE if ends else 0.2)
    with contextlib.ExitStack() as held:
        other = held.enter_context(open(folder / "lock"))
        fcntl.flock(other, fcntl.LOCK_EX)
        if ends:
            timer = threading.Timer(0.3, fcntl.flock, (other, fcntl.LOCK_UN))
            timer.start()
            held.callback(timer.join)
            assert runs.resume(folder, HERE, Limits()).verdict is Verdict.VIOLATED
        else:
            with pytest.raises(UsageError, match="is being continued by another process"):
                runs.resume(folder, HERE, Limits())
