"""However a command is asked to end, it says what it found and why it ends, and leaves no process behind."""

import contextlib
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time

import psutil
import pytest

from kafkacheck.checker import __main__ as program
from kafkacheck.checker.process import shutdown, statuses
from kafkacheck.checker.process.sources import child_command
from tests.support.command import PATIENCE, PLAIN, ROOT, TANK, in_process, write

pytestmark = pytest.mark.slow

HARD = ("check", "kip320", "--set", "max_leader_epoch=4", "--engine", "interpreted")
"""A model of the catalogue with more states than any test waits for."""
REQUESTS = ("SIGINT", "SIGTERM", "SIGHUP")
TOLD = {
    "SIGINT": "it was interrupted",
    "SIGTERM": "it was interrupted by SIGTERM",
    "SIGHUP": "it was interrupted by SIGHUP",
}


@contextlib.contextmanager
def running(folder, *arguments, ignored=(), **more):
    """The command in a group of its own, once it has said what it searches."""

    def begin():
        for number in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"):
            signal.signal(getattr(signal, number), signal.SIG_IGN if number in ignored else signal.SIG_DFL)

    process = subprocess.Popen(
        [sys.executable, "-m", "checker", *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=begin,
        start_new_session=True,
        **more,
    )
    try:
        assert process.stdout.readline()
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.fixture(params=["of the catalogue", "of one's own"])
def search(request, tmp_path):
    """A search that takes long: the words of its command. One of a model of one's own has a supervisor."""
    if request.param == "of the catalogue":
        return HARD
    return ("check", write(tmp_path / "plain.py", PLAIN), "--engine", "interpreted")


def ended(process):
    """How it ended, after it has: status, stdout, stderr; none of its processes is left."""
    out, err = process.communicate(timeout=PATIENCE)
    assert "Traceback" not in out + err and "Exception ignored" not in err
    return process.returncode, out, err


def descendants(process):
    return psutil.Process(process.pid).children(recursive=True)


def wait_for_their_end(processes):
    _, alive = psutil.wait_procs(processes, timeout=PATIENCE)
    assert not [each for each in alive if each.status() != psutil.STATUS_ZOMBIE]


@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_ends_a_search_with_what_it_found(search, name, tmp_path):
    with running(tmp_path, *search) as process:
        others = descendants(process)
        process.send_signal(getattr(signal, name))
        status, out, _ = ended(process)
        assert status == statuses.NOT_EXHAUSTED
        assert f"the search is not finished: {TOLD[name]}; no violation was found until then" in out
        assert re.search(r"NOT_EXHAUSTED distinct=\d+ .*\n$", out)
        wait_for_their_end(others)


def test_the_ctrl_c_of_a_terminal_is_one_press_for_a_whole_group(search, tmp_path):
    """A second one would end the search without an answer."""
    with running(tmp_path, *search) as process:
        os.killpg(process.pid, signal.SIGINT)
        status, out, _ = ended(process)
        assert status == statuses.NOT_EXHAUSTED and "NOT_EXHAUSTED distinct=" in out


@pytest.mark.parametrize(("ignored", "heard"), [("SIGINT", "SIGTERM"), ("SIGHUP", "SIGTERM"), ("SIGTERM", "SIGHUP")])
def test_what_is_ignored_from_the_beginning_stays_ignored_and_the_rest_is_heard(search, ignored, heard, tmp_path):
    """A shell lets a job in the background ignore SIGINT, and `nohup` SIGHUP."""
    with running(tmp_path, *search, ignored=(ignored, "SIGQUIT")) as process:
        for name in (ignored, "SIGQUIT", heard):
            process.send_signal(getattr(signal, name))
        status, out, _ = ended(process)
        assert status == statuses.NOT_EXHAUSTED and TOLD[heard] in out and "NOT_EXHAUSTED distinct=" in out


def test_sigquit_says_where_the_process_was_and_ends_it_at_once(search, tmp_path):
    with running(tmp_path, *search) as process:
        others = descendants(process)
        process.send_signal(signal.SIGQUIT)
        _, err = process.communicate(timeout=PATIENCE)
        assert process.returncode in (-signal.SIGQUIT, statuses.BY_SIGNAL + signal.SIGQUIT)
        assert "most recent call first" in err and re.search(r'File ".*checker/\w+.py", line \d+ in', err)
        wait_for_their_end(others)


def test_where_a_supervisor_is_killed_its_child_ends_too(tmp_path):
    with running(tmp_path, "check", write(tmp_path / "plain.py", PLAIN), "--engine", "interpreted") as process:
        others = descendants(process)
        assert others
        process.kill()
        wait_for_their_end(others)


def test_where_the_child_is_killed_its_supervisor_says_so(tmp_path):
    with running(tmp_path, "check", write(tmp_path / "plain.py", PLAIN), "--engine", "interpreted") as process:
        for each in psutil.Process(process.pid).children():
            each.kill()
        status, _, err = ended(process)
        assert status == statuses.BY_SIGNAL + signal.SIGKILL
        assert re.fullmatch("error: the process was ended by SIGKILL from outside, .* memory runs out; .*\n", err)


PARENT = """
import subprocess, sys, time
sys.path.insert(0, {root!r})
from kafkacheck.checker.process.sources import child_command
begun = subprocess.Popen(child_command("import time; time.sleep(1000)"), process_group=0)
print(begun.pid, flush=True)
time.sleep(1000)
"""


def test_a_process_that_helps_ends_with_the_one_that_began_it():
    """So it is with every one that compiles or solves, in a group of its own."""
    parent = subprocess.Popen([sys.executable, "-c", PARENT.format(root=str(ROOT))], stdout=subprocess.PIPE, text=True)
    helper = psutil.Process(int(parent.stdout.readline()))
    parent.kill()
    parent.communicate()
    wait_for_their_end([helper])


def test_a_process_that_helps_goes_on_as_long_as_it_is_wanted():
    done = subprocess.run(child_command("print(1 + 1)"), capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "2\n", "")


FIRST = """
import os, runpy, signal, sys
sys.modules.pop("pathlib", None)
class Asks:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.{name})
sys.meta_path.insert(0, Asks())
sys.argv = ["kafkacheck", "check", "kip320"]
runpy.run_module("checker", run_name="__main__")
"""


@pytest.mark.parametrize(
    "module",
    [
        "pathlib",
        "kafkacheck.checker.process.shutdown",
        "click",
        "kafkacheck.checker.commands.command_line",
        "kafkacheck.model",
    ],
)
@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_during_the_first_imports_ends_the_process_quietly(module, name):
    done = in_process(program=FIRST.format(module=module, name=name))
    assert done.status == statuses.NOT_EXHAUSTED and done.out == ""
    assert done.error.startswith("error: interrupted") and " before the command " in done.error


def test_the_status_of_the_first_moments_is_that_of_the_table():
    assert program.NOT_EXHAUSTED == statuses.NOT_EXHAUSTED
    assert set(program.REQUESTS) == set(shutdown.REQUESTS)


LONG_CALL = """
import os, signal, sys, threading
sys.path.insert(0, {root!r})
from kafkacheck.checker.process import shutdown
from kafkacheck.checker.symbolic import terms
from kafkacheck.checker.proofs.solver import Session
shutdown.install(signal.SIG_DFL)
first, second = (terms.variable(name, 2, 1 << 30) for name in ("first", "second"))
hard = terms.equals(terms.times(first, second), terms.number(1000003 * 1000033))
threading.Timer(1, os.kill, (os.getpid(), signal.{name})).start()
try:
    print(Session(None).ask(hard))
except KeyboardInterrupt:
    print("heard", shutdown.reason())
"""


@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_ends_what_z3_is_at(name):
    done = in_process(program=LONG_CALL.format(root=str(ROOT), name=name))
    assert done.out == f"heard {TOLD[name].removeprefix('it was ')}\n", done.err


class OnTerminal:
    """The command on a terminal of its own, which is its controlling one."""

    def __init__(self, folder, *arguments):
        self.process, self.side = pty.fork()
        if not self.process:
            os.chdir(folder)
            os.execve(
                sys.executable,
                [sys.executable, "-m", "checker", *map(str, arguments)],
                {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"},
            )
        self.read = b""

    def read_until(self, text):
        while text not in self.read:
            assert select.select([self.side], [], [], PATIENCE)[0], self.read
            self.read += os.read(self.side, 4096)

    def status(self):
        """Its exit status, once it and all that it wrote are there."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            found, status = os.waitpid(self.process, os.WNOHANG)
            if found:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.05)
        os.kill(self.process, signal.SIGKILL)
        raise AssertionError("it does not end")


def test_ctrl_c_on_a_terminal_tells_what_was_found(search, tmp_path):
    terminal = OnTerminal(tmp_path, *search)
    terminal.read_until(b"depth ")
    os.write(terminal.side, b"\x03")
    with contextlib.suppress(OSError):
        terminal.read_until(b"no such text")
    assert terminal.status() == statuses.NOT_EXHAUSTED
    assert b"it was interrupted; no violation" in terminal.read and b"NOT_EXHAUSTED distinct=" in terminal.read


def test_a_terminal_that_is_closed_ends_a_search_in_order(search, tmp_path):
    """What was found can be read no more, but what is to be written is: the run ends as after Ctrl-C."""
    terminal = OnTerminal(tmp_path, *search)
    terminal.read_until(b"depth ")
    os.close(terminal.side)
    assert terminal.status() == statuses.NOT_EXHAUSTED


def test_a_file_is_written_whole_where_a_request_comes_meanwhile(tmp_path, monkeypatch):
    from kafkacheck.checker.process.files import write_together

    replace = os.replace

    def asked(*paths):
        os.kill(os.getpid(), signal.SIGINT)
        replace(*paths)

    monkeypatch.setattr("os.replace", asked)
    with pytest.raises(KeyboardInterrupt):
        write_together({tmp_path / "one": "1", tmp_path / "two": "2"})
    assert sorted(each.name for each in tmp_path.iterdir()) == ["one", "two"]


def test_a_search_that_is_asked_in_another_thread_goes_on(tmp_path):
    """Only the main thread hears; the model is checked all the same."""
    text = f"""
import sys, threading
sys.path[:0] = [{str(ROOT)!r}, {str(tmp_path)!r}]
import tank
from kafkacheck.checker.search import check
thread = threading.Thread(target=lambda: print(check(tank.MODEL, "interpreted").verdict.name))
thread.start()
thread.join()
"""
    write(tmp_path / "tank.py", TANK)
    assert in_process(program=text).out == "HOLDS\n"
