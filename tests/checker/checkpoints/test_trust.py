"""No file runs code: of what a run directory or a state graph names, only the checker's own catalogue is imported."""

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.catalogue.model_source import Recorded, Source, resolve
from kafkacheck.checker.checkpoints import run_directory
from kafkacheck.checker.checkpoints.run_directory import RunDirectory
from kafkacheck.checker.checkpoints.run_source import source_of
from kafkacheck.checker.distributed import runs
from kafkacheck.checker.distributed.runs import Cluster
from kafkacheck.checker.exploration.verdict import Limits
from kafkacheck.checker.graphs import data_trace, manifest, run_dataset
from kafkacheck.checker.process.errors import KafkacheckError, UsageError
from kafkacheck.checker.process.files import atomic_write
from tests.support.command import ROOT, TANK, Command, in_process, write

HERE = Cluster(shards=2, shard_from=1)
RAN = "from pathlib import Path\n\nPath({place!r}).write_text('ran')\n"
SMALL = ("replicas=2", "max_records=1", "max_leader_epoch=1")


@pytest.fixture
def kafkacheck(capsys):
    return Command(capsys)


@pytest.fixture
def trap(tmp_path):
    """A model that tells when it is imported."""
    return write(tmp_path / "bob" / "trap.py", TANK + RAN.format(place=str(tmp_path / "ran")))


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """A run directory of a model of the catalogue."""
    folder = tmp_path_factory.mktemp("begun") / "run"
    runs.begin(Source("kip101", SMALL), folder, HERE, Limits(max_states=60))
    return folder


def run_of(begun, folder, text, model="tank"):
    """A run directory that names its model so."""
    run = RunDirectory(Path(shutil.copytree(begun, folder)))
    about = run.about()
    about["source"][0], about["model"] = text, model
    run.describe(about)
    return folder


def graph_of(folder, text, kafkacheck):
    """A state graph that names its model so."""
    settings = [word for change in SMALL for word in ("--set", change)]
    assert kafkacheck("explore", "kip101", *settings, "--out", folder).status == 0
    data = json.loads((folder / "_run.json").read_text())
    del data[manifest.SEAL]
    data["locator"] = text
    atomic_write(folder / "_run.json", json.dumps({**data, manifest.SEAL: manifest._seal(data)}))
    return folder


def commands_on(begun, tmp_path, text, kafkacheck):
    """Every command that reads a folder which names its model."""
    run, graph = run_of(begun, tmp_path / "run", text), graph_of(tmp_path / "graph", text, kafkacheck)
    return [
        ["resume", str(run), "--max-states", "70"],
        ["explore", str(run), "--out", str(tmp_path / "new")],
        ["analyze", str(graph), "--where", "state = 3"],
        ["analyze", str(graph), "--converge", "state = 0", "--out", str(tmp_path / "stuck")],
        ["compare", str(graph), str(graph)],
    ]


def test_no_command_imports_a_model_because_a_file_names_it(begun, tmp_path, trap, kafkacheck):
    for command in commands_on(begun, tmp_path, str(trap), kafkacheck):
        ended = kafkacheck(*command)
        assert ended.status == 2 and ended.out == "", command
        assert f"the code in {trap}, which is not of the catalogue; a file must not run code" in ended.error
        assert f"give `{shlex.join(['kafkacheck', *command, '--model', str(trap)])}`" in ended.error
        assert not (tmp_path / "ran").exists()
    assert not (tmp_path / "new").exists() and not (tmp_path / "stuck").exists()


def test_no_function_imports_a_model_because_a_file_names_it(begun, tmp_path, trap, kafkacheck):
    run, graph = run_of(begun, tmp_path / "run", str(trap)), graph_of(tmp_path / "graph", str(trap), kafkacheck)
    for question in (
        lambda: source_of(run),
        lambda: runs.resume(run, HERE, Limits()),
        lambda: run_dataset.write(run, tmp_path / "new", HERE),
    ):
        with pytest.raises(UsageError, match="a file must not run code that you have not named"):
            question()
    with pytest.raises(TypeError):
        data_trace.trace_to(graph, manifest.read(graph), 1, 0)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    "text",
    [
        "../bob/trap", "../bob/trap.py", "./kip320", "model.kip320", "model/kip320.py",
        "kafkacheck.checker.catalogue.catalogue", "os", "this", "bob.trap", "trap", "", "kip320.py",
        "KIP320", "kip320\n", "museum", "__init__", "expected", "--help", ["kip320"], 7, None,
    ],
)  # fmt: skip
def test_only_names_of_the_catalogue_are_followed(text, tmp_path, trap, monkeypatch):
    (tmp_path / "cwd").mkdir()
    monkeypatch.chdir(tmp_path / "cwd")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert catalogue.own_name(text) is None
    with pytest.raises(UsageError, match="a file must not run code"):
        resolve([Recorded(Path("run"), "kip320", text)], [])
    assert not (tmp_path / "ran").exists()


def test_a_model_of_the_catalogue_needs_no_name():
    assert all(catalogue.own_name(name) == name for name in catalogue.catalogue_names())
    assert runs.Cluster().resuming(Path("run"), "kip101") == "kafkacheck resume run"


def test_a_file_here_is_not_taken_for_a_model_of_the_catalogue(begun, tmp_path):
    """The same name in the current folder, where Python looks for modules, too."""
    folder = tmp_path / "cwd"
    run_of(begun, folder / "run", "kip101", "kip101")
    for place in ("kip101.py", "kip101/__init__.py"):
        write(folder / place, TANK + RAN.format(place=str(tmp_path / "ran")))
    ended = in_process("resume", "run", "--max-states", 70, folder=folder)
    assert ended.status == 20 and not (tmp_path / "ran").exists()
    assert ended.out.startswith("replication.kip101: replicas=2")


def test_a_catalogue_here_is_not_the_catalogue_that_files_name(begun, tmp_path):
    """`python -m checker` puts the current folder first: there another package can have the catalogue's name."""
    folder = tmp_path / "cwd"
    run_of(begun, folder / "run", "kip101", "kip101")
    write(folder / "model" / "__init__.py", "")
    write(folder / "model" / "kip101.py", TANK + RAN.format(place=str(tmp_path / "ran")))
    ended = in_process("resume", "run", folder=folder)
    assert ended.status == 2 and "a file must not run code" in ended.error and not (tmp_path / "ran").exists()


def test_a_trusted_model_is_named_on_the_command_line(tmp_path, kafkacheck):
    text = (ROOT / "tests" / "toys" / "two_phase_commit.py").read_text()
    file = write(tmp_path / "commit.py", text)
    runs.begin(Source(str(file)), tmp_path / "run", HERE, Limits(max_states=20))
    ended = kafkacheck("resume", tmp_path / "run")
    assert ended.status == 2
    (command,) = re.findall(r"give `([^`]*)`", ended.error)
    stopped = kafkacheck(*shlex.split(command)[1:], "--max-states", 60)
    assert stopped.status == 20, stopped.err
    (command,) = re.findall(r"continue with: (.*?)(?:; no violation|$)", stopped.out, re.MULTILINE)
    assert shlex.split(command)[-2:] == ["--model", str(file)]
    copy = write(tmp_path / "copy" / "commit.py", text)
    assert "HOLDS distinct=288 " in kafkacheck("resume", tmp_path / "run", "--model", copy).last_line
    other = write(tmp_path / "other" / "commit.py", text.replace('"resource_managers": 3', '"resource_managers": 4'))
    ended = kafkacheck("resume", tmp_path / "run", "--model", other)
    assert ended.status == 2 and "another two_phase_commit: bound resource_managers was 3 and is 4" in ended.error


def test_two_graphs_may_be_of_two_models():
    ours, one, two = (Recorded(Path(name), name, name) for name in ("kip101", "one.py", "two.py"))
    assert resolve([ours, ours], []) == ["replication.kip101", "replication.kip101"]
    assert resolve([ours, one], ["mine.py"]) == ["replication.kip101", "mine.py"]
    assert resolve([one, two], ["mine.py"]) == ["mine.py", "mine.py"]
    assert resolve([ours, ours], ["mine.py"]) == ["mine.py", "mine.py"]
    assert resolve([one, two], ["1.py", "2.py"]) == ["1.py", "2.py"]
    with pytest.raises(
        UsageError, match=r"one.py and .* two.py, .* give `kafkacheck ... --model one.py --model two.py`"
    ):
        resolve([one, two], [])
    with pytest.raises(UsageError, match="--model is given 2 times, and 1 is enough"):
        resolve([one], ["1.py", "2.py"])


def test_the_option_is_for_folders(kafkacheck, tmp_path):
    ended = kafkacheck("explore", "kip101", "--model", "kip320", "--out", tmp_path / "graph")
    assert ended.status == 2 and "--model is for the folder of a search, and kip101 is none" in ended.error


# -- what a run directory could do otherwise -------------------------------------------------------------------------


def test_machine_code_is_made_of_the_model_and_not_of_what_the_run_has(begun, tmp_path):
    """`kernel.ll` is text that becomes machine code: a worker takes it only if it is what the model was made into."""
    folder = run_of(begun, tmp_path / "run", "kip101", "kip101")
    run = RunDirectory(folder)
    text = run.kernel.read_text()
    assert run.kernel_text(run_directory.kernel_name(text)) == text
    run.kernel.write_text(text.replace("icmp", "icmp ", 1))
    with pytest.raises(KafkacheckError, match=r"kernel.ll is damaged: it is not the text of the kernel"):
        run.kernel_text(run_directory.kernel_name(text))
    assert runs.resume(folder, HERE, Limits()).states_distinct > 60
    assert run.kernel.read_text() == text


@pytest.mark.parametrize("name", ["shards", "levels", "run.json", "lock", "kafkacheck.zip", "kernel.ll"])
def test_a_link_in_a_run_leads_nowhere(begun, name, tmp_path, kafkacheck):
    folder = run_of(begun, tmp_path / "run", "kip101", "kip101")
    precious = tmp_path / "precious"
    if (folder / name).is_dir():
        (folder / name).rename(precious)
        (precious / "mine").write_text("mine")
    else:
        precious.write_text("mine" if name != "run.json" else (folder / name).read_text())
        (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to(precious)
    before = {path: path.read_bytes() for path in [precious, *precious.rglob("*")] if path.is_file()}
    kafkacheck("resume", folder)
    assert {path: path.read_bytes() for path in [precious, *precious.rglob("*")] if path.is_file()} == before


def test_no_module_of_the_checker_reads_pickles_of_files():
    """A pickle runs code: only those come in that a process which kafkacheck started has sent."""
    users = {
        path.name
        for path in (ROOT / "checker").rglob("*.py")
        if re.search(r"\b(pickle|marshal|shelve|dill)\b", path.read_text())
    }
    assert users == {"workers.py", "equivalent.py", "elsewhere.py"}


@pytest.mark.parametrize(
    "source",
    [None, "kip101", {"a": 1}, [], ["kip101"], ["kip101", [], [], 1], ["kip101", [1], [], False], [7, [], [], False]],
    ids=str,
)
def test_a_run_that_says_nothing_sound_of_its_model_is_refused(begun, kafkacheck, tmp_path, source):
    folder = run_of(begun, tmp_path / "run", "kip101", "kip101")
    run = RunDirectory(folder)
    run.describe({**run.described(), "source": source})
    ended = kafkacheck("resume", folder)
    assert ended.status == 2 and "put it back as it was" in ended.error and "bug" not in ended.error
