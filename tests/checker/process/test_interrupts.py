"""Ctrl-C and the time limit end a search at once, whatever it is doing."""

import gc
import signal
import subprocess
import sys
import time

import pytest

from kafkacheck.checker.exploration.verdict import Limits, Verdict
from kafkacheck.checker.process.interrupts import OURS, Interrupts, Stopped
from kafkacheck.checker.search import check
from tests.support.command import PATIENCE, ROOT, Command, in_process, write
from tests.support.readings import entries_of
from tests.support.snippets import load

pytestmark = pytest.mark.slow

# Each part, once it is made slow, takes hours in plain Python and minutes in machine code.
SLOW = """
from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Count, Struct


class State(Struct):
    count: Annotated[int, Count(9)]
    rounds: Annotated[int, Count(300_000)]


def start(state: State) -> None:
    state.rounds = 300_000


def work(rounds: int) -> int:
    mixed = 1
    for outer in range(rounds):
        for inner in range(rounds):
            mixed = (mixed * 31 + outer ^ inner) % 1000003
    return mixed


def slow_step(state: State) -> bool:
    if state.count == 9:
        return False
    state.count += 1
    if state.count == 3:
        state.count = min(work(state.rounds), 4)
    return True


def step(state: State) -> bool:
    if state.count == 9:
        return False
    state.count += 1
    return True


def slow_invariant(state: State) -> bool:
    return state.count < 3 or work(state.rounds) > 0


def slow_property(before: State, after: State) -> bool:
    return after.count < 3 or work(after.rounds) > 0


def parts(name: str) -> dict:
    if name == "action":
        return {"actions": [slow_step]}
    if name in ("sometimes", "constraint"):
        return {"actions": [step], name: slow_invariant if name == "constraint" else [slow_invariant]}
    return {"actions": [step], "always": [slow_invariant if name == "invariant" else slow_property]}


def model(name: str) -> Model:
    return Model(name="slow", state=State, initial=start, **parts(name))
"""
PARTS = ("action", "invariant", "step", "sometimes", "constraint")
READINGS = ("interpreted", "compiled")


@pytest.mark.parametrize("engine", READINGS)
@pytest.mark.parametrize("part", PARTS)
def test_the_time_limit_ends_a_long_call(engine, part, tmp_path):
    model = load(tmp_path, SLOW).model(part)
    if engine == "compiled":
        entries_of(model)  # so that nothing is left to compile
    result = check(model, engine, Limits(max_seconds=1))
    assert (result.verdict, result.property) == (Verdict.NOT_EXHAUSTED, None)
    assert result.reason == "it was stopped after 1 seconds" and not result.interrupted
    assert result.depth == result.states_distinct <= 4


PRESSED = """
import os, signal, sys, threading
sys.path[:0] = [{root!r}, {folder!r}]
import slow
from kafkacheck.checker.compiled import compiled
from kafkacheck.checker.search import check

def press():
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()

if {engine!r} == "compiled":
    plain = compiled.Workspace.{entry}
    def pressing(*arguments):
        compiled.Workspace.{entry} = plain
        press()
        return plain(*arguments)
    compiled.Workspace.{entry} = pressing
else:
    press()
result = check(slow.model({part!r}), {engine!r})
print(result.verdict.name, result.reason, result.interrupted)
"""


@pytest.mark.parametrize("engine", READINGS)
@pytest.mark.parametrize("part", PARTS)
def test_ctrl_c_ends_a_long_call(engine, part, tmp_path):
    (tmp_path / "slow.py").write_text(SLOW, encoding="utf-8")
    entry = "check" if part in ("invariant", "sometimes") else "expand"
    program = PRESSED.format(root=str(ROOT), folder=str(tmp_path), engine=engine, part=part, entry=entry)
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert ended.stdout == "NOT_EXHAUSTED it was interrupted True\n", ended.stderr


LOOPS = "while True:\n    pass\n"


def test_ctrl_c_while_a_model_is_imported_names_its_file(tmp_path):
    press = "import os, signal, threading\nthreading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
    ended = in_process("check", write(tmp_path / "loop.py", press + LOOPS), folder=tmp_path)
    assert (ended.status, ended.error) == (20, "error: interrupted while importing loop.py")


def test_the_time_limit_holds_for_the_import_of_a_model(tmp_path, capsys):
    place = write(tmp_path / "loops_for_ever.py", LOOPS)
    ended = Command(capsys)("check", place, "--max-seconds", "0.2")
    assert ended.status == 20
    assert "--max-seconds passed while importing" in ended.error and "loops_for_ever.py" in ended.error
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_nothing_is_left_behind(tmp_path):
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGALRM)]
    check(load(tmp_path, SLOW).model("action"), "compiled", Limits(max_states=1, max_seconds=100))
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGALRM)] == before
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
    assert signal.set_wakeup_fd(-1) == -1


def outside() -> None:
    while True:
        time.sleep(0.01)


def inside() -> None:
    outside()


def test_only_protocol_code_is_ended_in_the_middle():
    interrupts = Interrupts(0.05)
    with interrupts.listening(), interrupts.stopping_protocol_code({inside.__code__}):
        time.sleep(0.4)  # several ticks
        with pytest.raises(Stopped), interrupts.stopping_protocol_code({outside.__code__}):
            inside()
    assert interrupts.reason() == "it was stopped after 0.05 seconds"


def test_what_the_garbage_collector_calls_is_not_ended(monkeypatch):
    """Python would print the exception and go on."""
    lost, scope = [], {"gc": gc, "time": time}
    monkeypatch.setattr(sys, "unraisablehook", lost.append)
    exec(
        compile("def work():\n    gc.collect()\n    while True:\n        time.sleep(0.01)\n", OURS + "x", "exec"), scope
    )

    def slow_callback(phase, info):
        until = time.monotonic() + 0.3  # several ticks
        while time.monotonic() < until:
            pass

    gc.callbacks.append(slow_callback)
    interrupts = Interrupts(0.05)
    try:
        with interrupts.listening(), pytest.raises(Stopped), interrupts.stopping_ours():
            scope["work"]()
    finally:
        gc.callbacks.remove(slow_callback)
    assert not lost


def test_a_handler_is_not_ended_by_the_next_tick():
    """It may run in what the garbage collector calls."""
    interrupts = Interrupts(0)
    handler = Interrupts.listening.__wrapped__(interrupts).gi_frame  # a frame in the handlers' file
    with interrupts.stopping_ours():
        interrupts._on_tick(signal.SIGALRM, handler)


@pytest.mark.parametrize(
    "module",
    [
        "pathlib",
        "kafkacheck.checker.process.memory",
        "click",
        "kafkacheck.checker.commands.command_line",
        "kafkacheck.model",
    ],
)
def test_ctrl_c_during_the_first_imports_gives_no_traceback(module):
    program = f"""
import os, runpy, signal, sys
sys.modules.pop("pathlib", None)
class Presses:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Presses())
sys.argv = ["kafkacheck", "check", "kip320"]
runpy.run_module("checker", run_name="__main__")
"""
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE, check=False, cwd=ROOT
    )
    assert ended.returncode == 20
    assert ended.stderr.strip().startswith("error: interrupted before the command ")
