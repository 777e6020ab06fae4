"""The cache of machine code: no edit is missed, and nothing that can happen to its files does harm."""

import contextlib
import itertools
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kafkacheck.checker.compiled import kernel, machine_code, native, text
from kafkacheck.checker.compiled.compiled import CompiledSearch
from kafkacheck.checker.exploration.exploration import Watch
from kafkacheck.checker.exploration.verdict import Limits, Verdict
from kafkacheck.checker.process.cache import SECRET, folder, path_of
from kafkacheck.checker.process.errors import ModelError
from kafkacheck.checker.search import check
from tests import ROOT
from tests.expected import model_of
from tests.support.command import PATIENCE, in_process
from tests.support.snippets import load
from tests.toys import behaviours, every_kind, two_phase_commit

pytestmark = pytest.mark.slow

PROTOCOL = '''"""What the system does: the file that is edited."""

from enum import IntEnum
from typing import Annotated

from kafkacheck.checker.schema import Count, Struct

STEP = 1


class Mode(IntEnum):
    """Whether there is a rest."""

    WHOLE = 0
    REST = 1


class State(Struct):
    """A counter."""

    count: Annotated[int, Count("highest")]


def room(state: State) -> int:
    """How far the counter may go."""
    return 9


def next_count(state: State) -> int:
    """The count after a step."""
    return state.count + STEP
'''

SYSTEM = '''"""Which system is checked: this file stays as it is, but for its bounds and rules."""

from typing import NamedTuple

import protocol
from kafkacheck.checker.model import Model
from protocol import Mode, State, next_count


class Rules(NamedTuple):
    """A switch."""

    mode: Mode = Mode.WHOLE


def count_up(state: State, rules: Rules) -> bool:
    """One step."""
    if rules.mode == Mode.REST and state.count >= 2:
        return False
    if next_count(state) > protocol.room(state):
        return False
    state.count = next_count(state)
    return True


def is_small(state: State) -> bool:
    """Holds at first."""
    return state.count < 9 or Mode.REST != 1


MODEL = Model(
    name="edited", state=State, bounds={"highest": 20}, rules=Rules(), actions=[count_up], always=[is_small]
)
'''

PROGRAM = """
import sys
sys.path[:0] = [{folder!r}, {root!r}]
from kafkacheck.checker.process.errors import KafkacheckError
from kafkacheck.checker.search import check
try:
    from system import MODEL
    result = check(MODEL, {engine!r})
    print(result.verdict.name, result.states_distinct)
except KafkacheckError as error:
    print(type(error).__name__, error)
"""


def start(folder, cache, engine="compiled"):
    """A new process that checks the model of a folder."""
    program = PROGRAM.format(folder=str(folder), root=str(ROOT), engine=engine)
    environment = {**os.environ, "KAFKACHECK_CACHE": str(cache), "PYTHONDONTWRITEBYTECODE": ""}
    return subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, env=environment, text=True)


def run(folder, cache, engine="compiled"):
    process = start(folder, cache, engine)
    output, _ = process.communicate(timeout=PATIENCE)
    return output.strip()


@pytest.fixture
def system(tmp_path):
    """The folder of the two files, and a cache that has seen them."""
    (tmp_path / "protocol.py").write_text(PROTOCOL)
    (tmp_path / "system.py").write_text(SYSTEM)
    return tmp_path


_SECONDS = itertools.count(2)


def edit(path, old, new):
    """Change a file as an editor does, a moment later."""
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))
    later = time.time() + 10 + next(_SECONDS)  # Python itself misses an edit of equal size in the same second
    os.utime(path, (later, later))


def kernels(cache):
    return sorted(path.name for path in cache.glob("*") if path.name != SECRET)


def test_an_edit_anywhere_is_never_missed(system, tmp_path_factory):
    cache = tmp_path_factory.mktemp("cache")
    assert run(system, cache) == "VIOLATED 10"
    first = kernels(cache)
    assert len(first) == 1
    assert run(system, cache) == "VIOLATED 10"
    assert kernels(cache) == first
    known = set(first)
    for name, old, new, answer in [
        ("protocol.py", "return state.count + STEP", "return state.count + STEP + STEP", "HOLDS 5"),
        ("protocol.py", "STEP = 1\n", "STEP = 4\n", "HOLDS 2"),
        ("system.py", "= Mode.WHOLE", "= Mode.REST", "HOLDS 2"),
        ("protocol.py", "REST = 1", "REST = 2", "HOLDS 2"),
        ("system.py", '"highest": 20', '"highest": 12', "HOLDS 2"),
    ]:
        edit(system / name, old, new)
        assert run(system, cache) == answer
        assert not set(kernels(cache)) <= known, "another program needs another kernel"
        known |= set(kernels(cache))
    assert run(system, cache, "interpreted") == answer
    assert len(known) == 6


def test_what_cannot_change_the_answer_is_compiled_once(system, tmp_path_factory):
    cache = tmp_path_factory.mktemp("cache")
    run(system, cache)
    first = kernels(cache)
    edit(system / "protocol.py", "How far the counter may go.", "The last count.")
    edit(system / "system.py", 'name="edited"', 'name="renamed"')
    assert run(system, cache) == "VIOLATED 10"
    assert kernels(cache) == first


def test_an_edit_that_python_itself_misses_is_told(system, tmp_path_factory):
    """Python keeps byte code by a file's time and size: an edit that keeps both is not seen by it."""
    cache = tmp_path_factory.mktemp("cache")
    path = system / "protocol.py"
    assert run(system, cache) == "VIOLATED 10"
    if not list((system / "__pycache__").glob("protocol.*.pyc")):
        pytest.skip("this Python keeps no byte code")
    status = path.stat()
    path.write_text(path.read_text().replace("return 9", "return 8"))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    for engine in ("compiled", "interpreted", "auto"):
        told = run(system, cache, engine)
        assert told.startswith("ModelError") and "the text of room is not what Python runs" in told
        assert "protocol.py:24" in told and "remove the __pycache__ folder" in told


def test_two_processes_at_once(system, tmp_path_factory):
    cache = tmp_path_factory.mktemp("cache") / "not" / "yet" / "there"
    processes = [start(system, cache), start(system, cache)]
    assert [process.communicate(timeout=PATIENCE)[0].strip() for process in processes] == ["VIOLATED 10"] * 2
    assert [Path(name).suffix for name in kernels(cache)] == [".code"]


# -- what may happen to the files ------------------------------------------------------------------------------------


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("KAFKACHECK_CACHE", str(folder))
    return folder


def text_of(model):
    return kernel.kernel_text(model)


def kept(model=behaviours.GRID):
    """The file that keeps a model's kernel."""
    return path_of(machine_code.KIND, native.fingerprint(text_of(model)))


def assert_works():
    search = CompiledSearch(behaviours.GRID, machine_code.entries(text_of(behaviours.GRID)), Watch(Limits()))
    assert search.run() is None and search.counts.distinct == 49


def test_a_kernel_is_kept_and_found_again(cache, monkeypatch):
    text = text_of(behaviours.GRID)
    assert machine_code.cached(text) is None
    machine_code.entries(text)
    assert kernels(cache) == [kept().name]
    monkeypatch.setattr(native, "compile_object", None)
    assert set(machine_code.entries(text)) == set(kernel.ENTRIES)
    assert_works()


def test_what_is_compiled_quickly_is_used_until_there_is_better(cache, monkeypatch):
    text = text_of(behaviours.GRID)
    machine_code.entries(text, quick=True)
    [quick] = cache.glob("*.code")
    assert machine_code.cached(text) is None
    compiled = []
    monkeypatch.setattr(machine_code, "_loaded", lambda *given: compiled.append(given))
    assert set(machine_code.entries_soon(text)) == set(kernel.ENTRIES)
    monkeypatch.undo()
    monkeypatch.setenv("KAFKACHECK_CACHE", str(cache))
    machine_code.entries(text)
    quick.unlink()
    assert set(machine_code.entries_soon(text)) == set(kernel.ENTRIES)
    assert not compiled and not quick.exists()


@pytest.mark.parametrize("asked", [0, 1, 3])
def test_better_code_goes_on_where_quick_code_began(cache, asked):
    text = text_of(behaviours.GRID)
    good, left = machine_code.entries(text), iter(range(asked))
    better = machine_code.Improvement(text, contextlib.ExitStack())
    better.entries = lambda: good if next(left, None) is None else None
    search = CompiledSearch(behaviours.GRID, machine_code.entries(text, quick=True), Watch(Limits()), None, better)
    assert search.run() is None and search.counts.distinct == 49
    assert search._space.entries is good


def test_better_code_is_compiled_once_quick_code_has_worked_for_some_time(cache, monkeypatch):
    with contextlib.ExitStack() as processes:
        better = machine_code.Improvement(text_of(behaviours.GRID), processes)
        assert better.entries() is None and better._compiler is None
        monkeypatch.setattr(machine_code, "WORTH_BETTER", 0)
        until = time.monotonic() + PATIENCE
        while (entries := better.entries()) is None and time.monotonic() < until:
            time.sleep(0.01)
        assert set(entries) == set(kernel.ENTRIES)
    assert better._compiler._process.poll() is not None


def test_what_lingers_is_kept_when_the_process_ends(cache):
    lingers = """
from kafkacheck.checker.compiled import kernel
from kafkacheck.checker.compiled import machine_code
from tests.toys import behaviours

with machine_code.compiling(kernel.kernel_text(behaviours.GRID)) as compiler:
    compiler.linger()
"""
    ended = in_process(program=lingers)
    assert (ended.status, ended.err) == (0, "")
    assert machine_code.cached(text_of(behaviours.GRID)) is not None
    assert_works()


def halved(content):
    return content[: len(content) // 2]


def bit_turned(content):
    return content[:1000] + bytes([content[1000] ^ 4]) + content[1001:]


@pytest.mark.parametrize(
    "damage",
    [
        halved,
        bit_turned,
        lambda content: b"",
        lambda content: content[:10],
        lambda content: content[:32],
        lambda content: content + b"\0",
        lambda content: b"no machine code" * 1000,
        lambda content: bytes(len(content)),
    ],
    ids=["half", "bit", "empty", "no digest", "digest only", "longer", "text", "zeros"],
)
def test_a_damaged_file_is_compiled_anew(damage, cache):
    machine_code.entries(text_of(behaviours.GRID))
    whole = kept().read_bytes()
    kept().write_bytes(damage(whole))
    assert machine_code.cached(text_of(behaviours.GRID)) is None
    assert_works()
    assert machine_code.cached(text_of(behaviours.GRID)) is not None
    assert kernels(cache) == [kept().name]


def test_a_folder_or_a_dangling_link_in_the_place_of_a_file(cache):
    kept().mkdir(parents=True)
    assert_works()
    kept().rmdir()
    kept().symlink_to(cache / "nowhere")
    assert_works()


@pytest.mark.parametrize("place", ["/dev/null/cache", "/proc/cache", "{file}", "{file}/below"])
def test_a_cache_that_cannot_be_written_does_no_harm(place, tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("not a folder")
    monkeypatch.setenv("KAFKACHECK_CACHE", place.format(file=file))
    assert_works()
    assert file.read_text() == "not a folder"


def test_a_cache_that_can_be_read_only_is_used(cache, monkeypatch):
    assert_works()

    def refuse(*arguments, **rest):
        raise PermissionError

    monkeypatch.setattr(os, "utime", refuse)
    monkeypatch.setattr(native, "compile_object", None)
    assert machine_code.cached(text_of(behaviours.GRID)) is not None


def test_a_user_without_a_home_has_no_cache(monkeypatch):
    def no_home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("KAFKACHECK_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    assert_works()


def test_where_the_cache_is(monkeypatch, tmp_path):
    monkeypatch.setenv("KAFKACHECK_CACHE", str(tmp_path))
    assert folder() == tmp_path
    monkeypatch.delenv("KAFKACHECK_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert folder() == tmp_path / "kafkacheck"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert folder() == Path.home() / ".cache" / "kafkacheck"


@pytest.mark.parametrize("program", ["/bin/false", "/nowhere/python", "/bin/true"])
@pytest.mark.parametrize("engine", ["auto", "compiled"])
def test_a_compiler_that_cannot_be_started_does_no_harm(program, engine, cache, monkeypatch):
    monkeypatch.setattr(sys, "executable", program)
    monkeypatch.setattr(machine_code, "WORTH_BETTER", 0)
    monkeypatch.setattr(machine_code.Compiler, "is_ready", lambda self: not self._process or self._process.wait() >= 0)
    result = check(behaviours.GRID, engine)
    assert (result.verdict, result.states_distinct) == (Verdict.HOLDS, 49)
    assert engine == "auto" or (result.engine == "compiled" and kept().exists())


def test_a_small_answer_does_not_wait_for_the_compiler(cache, monkeypatch, tmp_path):
    slow = tmp_path / "slow"
    slow.write_text("#!/bin/sh\nexec sleep 600\n")
    slow.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(slow))
    started = time.perf_counter()
    result = check(behaviours.GRID, "auto")
    assert (result.verdict, result.states_distinct, result.engine) == (Verdict.HOLDS, 49, "interpreted")
    assert time.perf_counter() - started < 20


# -- what the name of a kernel says ----------------------------------------------------------------------------------


def as_llvm_reads_it(module):
    """The texts of the module's functions, their names in order of appearance."""
    return [numbered(function) for function in str(text.binding.parse_assembly(module)).split("\ndefine ")]


def numbered(function):
    numbers = {}
    return re.sub(r"%[\w.\"]+", lambda found: f"%{numbers.setdefault(found[0], len(numbers))}", function)


@pytest.mark.parametrize("with_steps", [False, True])
def test_each_line_is_that_of_llvmlite(with_steps, monkeypatch):
    """Without the instructions that change nothing, which llvmlite writes all the same."""
    models = (every_kind.MODEL, behaviours.STEP_VIOLATED, two_phase_commit.MODEL, model_of("replication.kip320"))
    monkeypatch.setattr(text, "_is_zero", lambda value: False)
    written = [as_llvm_reads_it(kernel.kernel_text(each, with_steps)) for each in models]
    for name in [name for name in vars(text.LineBuilder) if not name.startswith("_")]:
        monkeypatch.delattr(text.LineBuilder, name)
    assert written == [as_llvm_reads_it(kernel.kernel_text(each, with_steps)) for each in models]


def test_equal_models_have_one_kernel():
    anew = every_kind.MODEL.with_bounds({})
    assert text_of(every_kind.MODEL) == text_of(anew)
    for each in anew.properties:  # what was read before, and in which order, does not count
        assert text_of(anew.with_properties([each.name])) == text_of(every_kind.MODEL.with_properties([each.name]))
    assert native.fingerprint("text") == native.fingerprint("text") != native.fingerprint("texts")


@pytest.mark.parametrize(
    "other",
    [
        every_kind.MODEL.with_bounds({"members": 3}),
        every_kind.MODEL.with_bounds({"max_epoch": 2}),
        every_kind.MODEL.with_rules({"step": 2}),
        every_kind.MODEL.with_rules({"may_forget": False}),
        every_kind.MODEL.with_rules({"favourite": "GREEN"}),
        every_kind.MODEL.with_properties(["epoch_grows"]),
        every_kind.MODEL.with_properties([]),
    ],
)
def test_bounds_rules_and_properties_are_in_the_name(other):
    assert text_of(other) != text_of(every_kind.MODEL)


ORDER = """
from typing import Annotated
from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import *


class State(Struct):
    one: Annotated[int, Count({high})]
    two: Annotated[int, {two}]


def act(state: State, by: Annotated[int, Count({by}, 1)]) -> bool:
    if state.one + by > 3:
        return False
    state.one += by
    return True


def other(state: State) -> bool:
    if state.two == 1:
        return False
    state.two = 1
    return True


def holds(state: State) -> bool:
    return state.one < 3


MODEL = Model(name="order", state=State, actions=[{actions}], {rest})
"""


def test_everything_that_matters_is_in_the_name(tmp_path):
    plain = {"high": 3, "two": "Count(1)", "by": 1, "actions": "act, other", "rest": ""}
    changes = [
        {},
        {"high": 4},
        {"two": "Count(1, -1)"},
        {"two": "Count(2)"},
        {"by": 2},
        {"actions": "other, act"},
        {"actions": "act"},
        {"rest": "always=[holds]"},
        {"rest": "sometimes=[holds]"},
        {"rest": "constraint=holds"},
        {"rest": "check_deadlock=True"},
    ]
    texts = [text_of(load(tmp_path, ORDER.format(**{**plain, **change})).MODEL) for change in changes]
    assert len(set(texts)) == len(texts)
    assert text_of(load(tmp_path, ORDER.format(**plain)).MODEL) == texts[0]


def test_a_model_that_is_refused_compiles_nothing(cache, tmp_path):
    with pytest.raises(ModelError):
        load(tmp_path, ORDER.format(high=2, two="Count(0)", by=1, actions="act, other", rest=""))
    assert not cache.exists()
