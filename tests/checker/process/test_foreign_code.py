"""What a model's own code does when it is imported: the process survives it, or says what befell it."""

import os
import subprocess
import sys

import pytest

from kafkacheck.checker.process import statuses
from kafkacheck.checker.process.foreign_code import safe_text
from tests.support.command import PATIENCE, ROOT, TANK, Command, in_process, write

pytestmark = pytest.mark.slow

WRONG = statuses.NOT_WELL_FORMED

ENDS = {
    "os._exit(0)": ("import os\nos._exit(0)", WRONG, "ended with exit status 0 while it was importing tank.py"),
    "os._exit(3)": ("import os\nos._exit(3)", WRONG, "ended with exit status 3 while it was importing tank.py"),
    "an exit by C": ("import ctypes\nctypes.CDLL(None)._exit(0)", WRONG, "ended with exit status 0"),
    "os.abort()": ("import os\nos.abort()", WRONG, "ended by SIGABRT while it was importing tank.py"),
    "a wild address": ("import ctypes\nctypes.string_at(0)", WRONG, "ended by SIGSEGV while it was importing tank.py"),
    "kill -9": ("import os\nos.kill(os.getpid(), 9)", statuses.BY_SIGNAL + 9, "ended by SIGKILL from outside"),
    "sys.exit()": ("import sys\nsys.exit(0)", WRONG, "tank.py, line 3: it ends the process (SystemExit: 0)"),
    "a deep recursion": ("def f(n): return f(n + 1)\nf(0)", WRONG, "RecursionError"),
    "a fork": ("import os\nos.fork()", WRONG, "tank.py begins another process by a fork"),
    "a fork that ends": ("import os\nif not os.fork(): os._exit(0)", WRONG, "begins another process by a fork"),
    "builtins replaced": ("import builtins\nbuiltins.len = lambda x: 7", WRONG, "every module: len; a model file only"),
    "an error that cannot say what it is": (
        "class Odd(Exception):\n    def __str__(self): raise ValueError\nraise Odd", WRONG,
        "line 4: Odd: <Odd, whose str() ends in ValueError>",
    ),
    "an error that says it for ever": (
        "class Odd(Exception):\n    def __str__(self):\n        while True: pass\nraise Odd", WRONG,
        "line 5: Odd: <Odd, whose str() ends in Stopped>",
    ),
    "an error that says very much": ("raise ValueError('x' * 10**7)", WRONG, "line 2: ValueError: xxx"),
    "an error with a text that is none": (
        "class Odd(Exception):\n    def __str__(self): return 7\nraise Odd", WRONG,
        "<Odd, whose str() ends in TypeError>",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", ENDS)
def test_an_import_that_ends_the_process_or_fails_is_one_clear_error(case, tmp_path):
    code, status, told = ENDS[case]
    write(tmp_path / "tank.py", f"\n{code}\n{TANK}")
    ended = in_process("check", "tank.py", "--engine", "interpreted", folder=tmp_path)
    assert (ended.status, ended.out) == (status, "")
    assert told in ended.error and len(ended.error) < 2100


HARMLESS = {
    "nothing": "",
    "a folder": "import os\nos.chdir('/')",
    "a limit": "import sys\nsys.setrecursionlimit(30000)",
    "signal handlers": "import signal\nfor each in (2, 15, 14):\n    signal.signal(each, signal.SIG_IGN)",
    "stdout closed": "import sys\nsys.stdout.close()",
    "stderr closed": "import sys\nsys.stderr.close()",
    "all streams closed": "import os, sys\nsys.__stdout__.close()\nsys.__stderr__.close()\nos.close(1)\nos.close(2)",
    "stdout replaced": "import io, sys\nsys.stdout = io.StringIO()\nsys.__stdout__ = None",
    "words": "print('a word')",
    "a thread that waits": "import threading\nthreading.Thread(target=threading.Event().wait).start()",
    "an end with another status": "import atexit, os\natexit.register(os._exit, 7)",
    "an end by a signal": "import atexit, os\natexit.register(os.abort)",
    "another process": "import subprocess, sys\nsubprocess.run([sys.executable, '-c', ''], check=True)",
}


@pytest.mark.parametrize("case", HARMLESS)
def test_what_else_an_import_does_changes_neither_answer_nor_status(case, tmp_path):
    write(tmp_path / "tank.py", f"{HARMLESS[case]}\n{TANK}")
    words = ("--engine", "interpreted", "--set", "valve=OPEN", "--out", "out")
    ended = in_process("check", "tank.py", *words, folder=tmp_path)
    assert ended.status == statuses.INVARIANT_VIOLATED, ended.err
    assert ended.last_line.startswith("tank: VIOLATED ") and "a word" not in ended.out
    assert (tmp_path / "out" / "tank-never_full.json").is_file()


AT_WORK = """
import os, threading
def leave():
    threading.Event().wait(1)
    os._exit(0)
threading.Thread(target=leave, daemon=True).start()
"""


def test_an_exit_while_the_search_is_at_work_is_no_verdict(tmp_path):
    from tests.support.command import PLAIN

    write(tmp_path / "plain.py", f"{AT_WORK}\n{PLAIN}")
    ended = in_process("check", "plain.py", "--engine", "interpreted", folder=tmp_path)
    assert ended.status == statuses.EVALUATION_FAILED
    assert "ended with exit status 0 before it had an answer" in ended.error


@pytest.mark.parametrize(
    "command",
    [("replay", "tank.py", "trace.json"), ("graph", "tank.py", "--out", "g.svg"), ("guards", "tank.py"),
     ("explore", "tank.py", "--out", "graph"), ("prove", "tank.py"), ("bmc", "tank.py", "--depth", "2"),
     ("equivalent", "tank.py", "tank.py"), ("check", "tank"), ("prove", "kip320", "--lemmas", "tank.py")],
    ids=lambda command: " ".join(command[:2]),
)  # fmt: skip
def test_every_command_notices_the_exit(command, tmp_path):
    write(tmp_path / "tank.py", f"import os\nos._exit(0)\n{TANK}")
    write(tmp_path / "trace.json", "{}")
    ended = in_process(*command, folder=tmp_path)
    assert ended.status == WRONG and "ended with exit status 0" in ended.error, ended.err


def test_the_other_model_of_equivalent_is_noticed_too(tmp_path):
    write(tmp_path / "tank.py", TANK)
    write(tmp_path / "other" / "tank.py", f"import os\nos._exit(0)\n{TANK}")
    ended = in_process("equivalent", "tank.py", "other/tank.py", folder=tmp_path)
    assert ended.status == WRONG and "it ends the process (exit status 0)" in ended.error


class Silent:
    def __repr__(self):
        raise ValueError


class Endless:
    def __repr__(self):
        while True:
            pass


class Deep:
    def __repr__(self):
        return repr(self)


class Leaving:
    def __repr__(self):
        sys.exit(0)


class Number:
    def __repr__(self):
        return 7


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        (Silent, "ValueError"),
        (Endless, "Stopped"),
        (Deep, "RecursionError"),
        (Leaving, "SystemExit"),
        (Number, "TypeError"),
    ],
)
def test_a_value_that_cannot_say_what_it_is_is_named_by_its_kind(kind, error, tmp_path, capsys):
    assert safe_text(kind(), repr) == f"<{kind.__name__}, whose repr() ends in {error}>"
    name = kind.__name__
    text = f"import sys\nsys.path.insert(0, {str(ROOT)!r})\nfrom {__name__} import {name}\nMODEL = {name}()\n"
    place = write(tmp_path / f"odd_{name}.py", text)
    ended = Command(capsys)("check", place)
    assert ended.status == WRONG and f"MODEL is <{kind.__name__}, whose repr() ends in {error}>" in ended.error


def test_a_process_without_room_for_another_checks_by_itself(tmp_path):
    """Nothing is known then of an end that the model's code makes, but a model that does not do so is checked."""
    text = """
import os, runpy, sys
def refuse():
    raise BlockingIOError("no process is left")
os.fork = refuse
sys.argv = ["kafkacheck", "check", "tank.py", "--engine", "interpreted"]
runpy.run_module("checker", run_name="__main__")
"""
    write(tmp_path / "tank.py", TANK)
    ended = in_process(program=text, folder=tmp_path)
    assert ended.status == statuses.DONE and ended.last_line.startswith("tank: HOLDS ")


def test_a_supervisor_passes_every_status_on(tmp_path):
    write(tmp_path / "tank.py", TANK)
    run = [sys.executable, "-m", "checker", "check", "tank.py", "--engine", "interpreted"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for words, status in (([], 0), (["--set", "capacity=1"], 75), (["--max-states", "1"], 20)):
        done = subprocess.run(
            [*run, *words], cwd=tmp_path, env=environment, capture_output=True, timeout=PATIENCE, check=False
        )
        assert done.returncode == status
