"""`conform`: a model beside a system that agrees, differs, fails, hangs, dies, or describes itself wrongly."""

import json
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from kafkacheck.checker.conform.paths import Paths
from kafkacheck.checker.process.sources import child_command
from kafkacheck.checker.process.statuses import DIFFERENT, DONE, NOT_EXHAUSTED, REFUSED
from tests.support.command import Command

TOYS = Path(__file__).resolve().parents[2] / "toys"
MODEL = str(TOYS / "bounded_queue.py")
FAULTY = str(TOYS / "ring_buffer.py")
FAULT = "if self.head > len(self.slots):"
MENDED = "if self.head >= len(self.slots):"


@pytest.fixture
def system(tmp_path):
    """Writes the ring buffer with other text in some places; the path of the file."""

    def write(*changes: tuple[str, str]) -> str:
        text = Path(FAULTY).read_text(encoding="utf-8")
        for before, after in ((FAULT, MENDED), *changes):
            assert before in text
            text = text.replace(before, after)
        path = tmp_path / "system.py"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


class Conform(Command):
    """Runs `conform` on the bounded queue, and other commands."""

    def of(self, system: str, *options: str):
        """How `conform` ends."""
        return self("conform", MODEL, system, *options)

    def document(self, system: str, *options: str) -> dict:
        """The JSON document of `conform`."""
        return json.loads(self.of(system, "--json", *options).out)


@pytest.fixture
def run(capsys):
    """Runs commands."""
    return Conform(capsys)


def test_a_system_that_agrees_conforms(run, system):
    found = run.document(system())
    assert found["verdict"] == "CONFORMS"
    assert found["edges"] == {"compared": found["edges"]["all"], "all": found["edges"]["all"]}
    assert found["refusals"]["compared"] == found["refusals"]["all"] > 0
    assert found["fields"] == {"compared": 5, "all": 6}
    assert found["walked"] * 3 >= found["steps"] + found["refused"]
    assert run.of(system()).status == DONE


def test_a_fault_in_what_a_system_hides_is_found_with_a_short_schedule(run, tmp_path):
    found = run.of(FAULTY, "--out", str(tmp_path / "out"))
    assert found.status == DIFFERENT
    # Four items must be put and taken before the head passes the end of the ring.
    assert "bounded_queue: DIFFERENT trace=9 " in found.out
    assert "IndexError" in found.out
    trace = json.loads((tmp_path / "out" / "bounded_queue-difference.json").read_text())
    assert [step["action"] for step in trace["trace"][1:]].count("take") == 4
    assert trace["difference"]["kind"] == "threw"


def test_a_saved_difference_is_replayed_beside_a_system(run, system, tmp_path):
    assert run.of(FAULTY, "--out", str(tmp_path)).status == DIFFERENT
    saved = str(tmp_path / "bounded_queue-difference.json")
    again = run("replay", MODEL, saved, "--system", FAULTY)
    assert (again.status, again.out.splitlines()[-1]) == (DIFFERENT, "bounded_queue: DIFFERENT trace=9")
    mended = run("replay", MODEL, saved, "--system", system())
    assert (mended.status, mended.out.splitlines()[-1]) == (DONE, "bounded_queue: AGREES trace=9")
    assert run("replay", MODEL, saved).status == DONE


FAULTS = {
    "accepted": ("if self.closed or self.length == len(self.slots)", "if self.length == len(self.slots)", "put"),
    "refused": ("self.length == len(self.slots)", "self.length + 1 == len(self.slots)", "put"),
    "fields": ("self.taken = self.taken if item is None else item", "pass", "take"),
    "threw": ("self.buffer.closed = True", "self.buffer.closed = 1 / 0", "close"),
    "ended": ("self.buffer.closed = True", "__import__('os')._exit(3)", "close"),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_each_kind_of_difference_is_told(kind, run, system):
    before, after, action = FAULTS[kind]
    found = run.document(system((before, after)))
    assert (found["verdict"], found["difference"]["kind"], found["difference"]["action"]) == ("DIFFERENT", kind, action)


BEGIN = '        """Begin with an empty buffer."""\n'
AT_START = {
    "threw": (BEGIN, BEGIN + "        raise RuntimeError('no start')\n"),
    "ended": (BEGIN, BEGIN + "        __import__('os')._exit(3)\n"),
    "fields": ('return {"length": length,', 'return {"length": 1,'),
}


@pytest.mark.parametrize("kind", AT_START)
def test_a_difference_in_the_initial_state_is_told(kind, run, system):
    found = run.document(system(AT_START[kind]))
    assert (found["difference"]["kind"], found["difference"]["action"], found["trace"]) == (kind, "start", 1)


DAMAGED = (
    None,
    [],
    {"after": 2, "action": "put", "parameters": {"item": 0}},
    [{"after": 2, "action": "put", "parameters": {"item": 9}}],
    [{"after": 99, "action": "put", "parameters": {"item": 0}}],
    [{"action": "put", "parameters": {"item": 0}}],
)


@pytest.mark.parametrize("refused", DAMAGED)
def test_a_damaged_refusal_is_refused(refused, run, system, tmp_path):
    path = system(FAULTS["accepted"][:2])
    run.of(path, "--out", str(tmp_path / "out"))
    saved = tmp_path / "out" / "bounded_queue-difference.json"
    data = json.loads(saved.read_text())
    data["difference"]["refused"] = refused
    saved.write_text(json.dumps(data))
    found = run("replay", MODEL, str(saved), "--system", path)
    assert (found.status, bool(found.error)) == (REFUSED, True)


def test_a_refusal_at_the_end_is_saved_and_replayed(run, system, tmp_path):
    path = system(FAULTS["accepted"][:2])
    found = run.of(path, "--out", str(tmp_path / "out"))
    assert "asked for put(item=0) after that: the system accepted a call that is not enabled" in found.out
    saved = str(tmp_path / "out" / "bounded_queue-difference.json")
    assert run("replay", MODEL, saved, "--system", path).status == DIFFERENT
    assert run("replay", MODEL, saved, "--system", system()).status == DONE


CLOSES = "        if self.length == 0:\n", "        if self.length == 0:\n            self.closed = True\n"


def test_a_refusal_on_the_way_is_saved_and_replayed(run, system, tmp_path):
    """A system that changes something when it refuses differs later, and never without the refusal."""
    path = system(CLOSES)
    found = run.of(path, "--out", str(tmp_path / "out"))
    assert found.status == DIFFERENT
    assert "before, it was asked for take() after step 1, and refused as the model does" in found.out
    saved = tmp_path / "out" / "bounded_queue-difference.json"
    assert run("replay", MODEL, str(saved), "--system", path).status == DIFFERENT
    data = json.loads(saved.read_text())
    data["difference"]["refused"] = []
    saved.write_text(json.dumps(data))
    assert run("replay", MODEL, str(saved), "--system", path).status == DONE


def test_a_system_that_hangs_is_ended(run, system):
    path = system(("self.buffer.closed = True", "import time; time.sleep(1000)"))
    found = run.document(path, "--answer-seconds", "0.5")
    assert found["difference"]["kind"] == "ended"
    assert "0.5 seconds" in found["difference"]["detail"]


def test_the_last_words_of_a_system_are_told(run, system):
    path = system(
        ("self.buffer.closed = True", "__import__('os').system('echo farewell >&2'); __import__('os')._exit(3)")
    )
    detail = run.document(path)["difference"]["detail"]
    assert "status 3" in detail
    assert "farewell" in detail


LIES = {
    "an unknown field": ('"last_taken")', '"last_take")', "'last_take'"),
    "an unknown action": ('"close")', '"shut")', "'shut'"),
    "a field that it does not mention": ('("length", "items", "last_taken")', '("length", "items")', "last_taken"),
    "an action that it does not mention": ('("put", "take", "close")', '("put", "take")', "close"),
    "nothing observed": ('("length", "items", "last_taken")', "()", "conforms to nothing"),
    "a list that is a number": ('("put", "take", "close")', "3", "acts is 3"),
    "a field that it does not observe": (
        '"last_taken": self.taken',
        '"last_taken": self.taken, "closed": True',
        "closed",
    ),
    "no boolean": ("self.buffer.closed = True", "return 1", "returned 1"),
    "no class": ("SYSTEM = ", "SYSTEMS = ", "SYSTEM"),
    "no method": ("def observe", "def observes_", "observe"),
    "an import that fails": ("import Any, ClassVar", "import Any, ClassVars", "ClassVars"),
    "no JSON": ('"length": length', '"length": {1}', "JSON"),
    "another start": ("acts = (", 'starts = "anywhere"\n    acts = (', "anywhere"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_system_that_describes_itself_wrongly_is_refused(run, lie, system):
    before, after, told = LIES[lie]
    found = run.of(system((before, after)))
    assert found.status == REFUSED
    assert told in found.err
    assert "Traceback" not in found.err


def test_a_silent_action_must_not_change_an_observed_field(run, system):
    path = system(('acts = ("put", "take", "close")', 'acts = ("put", "close")\n    silent: ClassVar = {"take": "-"}'),
                  ('refuses = ("put", "take")', 'refuses = ("put",)'))  # fmt: skip
    found = run.of(path)
    assert found.status == REFUSED
    assert "silent" in found.err


def test_the_steps_of_a_silent_action_are_taken_without_the_system(run, system):
    path = system(('acts = ("put", "take", "close")', 'acts = ("put", "take")\n    silent: ClassVar = {"close": "-"}'),
                  ('refuses = ("put", "take")', 'refuses = ("take",)'))  # fmt: skip
    found = run.document(path)
    assert (found["verdict"], found["actions"]) == ("CONFORMS", {"compared": 2, "all": 3})


def known(tmp_path: Path, action: str) -> str:
    """A list of known differences."""
    path = tmp_path / "known.toml"
    lines = ["[[difference]]", 'kind = "fields"', f'action = "{action}"', 'reason = "Why."', 'soundness = "Sound."']
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


def test_a_known_difference_is_passed_and_counted(run, system, tmp_path):
    found = run.document(system(FAULTS["fields"][:2]), "--known", known(tmp_path, "take"))
    assert found["verdict"] == "CONFORMS"
    assert found["listed"][0]["times"] > 0


def test_known_differences_may_be_in_several_files(run, system, tmp_path):
    more = tmp_path / "more"
    more.mkdir()
    files = "--known", known(tmp_path, "put"), "--known", known(more, "take")
    found = run.document(system(FAULTS["fields"][:2]), *files)
    assert [(each["action"], each["times"] > 0) for each in found["listed"]] == [("put", False), ("take", True)]


def test_ways_round_what_is_blocked_are_sought_once_a_round(run, system, tmp_path, monkeypatch):
    blocked, find_parents = [], Paths.find_parents
    monkeypatch.setattr(Paths, "find_parents", lambda self: (blocked.append(self.is_blocked.sum()), find_parents(self)))
    assert run.document(system(FAULTS["fields"][:2]), "--known", known(tmp_path, "take"))["verdict"] == "CONFORMS"
    assert len(blocked) == 2 and blocked[0] == 0 and blocked[1] > 5


def test_a_known_difference_that_does_not_occur_is_an_error(run, system, tmp_path):
    found = run.of(system(), "--known", known(tmp_path, "take"))
    assert found.status == DIFFERENT
    assert "does not occur" in found.out
    wrong = run.of(system(), "--known", known(tmp_path, "takes"))
    assert (wrong.status, "takes" in wrong.err) == (REFUSED, True)


def test_a_comparison_that_is_cut_short_never_conforms(run, system):
    found = run.document(system(), "--max-states", "5")
    assert found["verdict"] == "NOT_EXHAUSTED"
    assert run.of(system(), "--max-states", "5").status == NOT_EXHAUSTED


def test_a_system_may_start_in_every_reachable_state(run, system):
    path = system(
        ("acts = (", 'starts = "reachable"\n    acts = ('),
        ("self.buffer, self.taken = RingBuffer(self.capacity), None",
         "self.buffer, self.taken = RingBuffer(self.capacity), state['last_taken']\n"
         "        self.buffer.closed, self.buffer.length = state['closed'], state['length']\n"
         "        self.buffer.slots = [state[f'items[{i}]'] for i in range(self.capacity)]"),
    )  # fmt: skip
    assert run.document(path)["verdict"] == "CONFORMS"


OTHER = """
import json, sys
capacity, slots, taken = 0, [], None
for line in sys.stdin:
    asked = json.loads(line)
    if "model" in asked:
        capacity = asked["bounds"]["capacity"]
        answer = {"observes": ["length", "last_taken"], "acts": ["put", "take"], "refuses": ["take"],
                  "not_judged": {"items": "-", "closed": "-", "close": "-"}}
    elif "start" in asked:
        slots, taken = [], None
        answer = {"observed": {"length": 0, "last_taken": None}}
    elif asked["act"] == "put":
        slots.append(asked["parameters"]["item"])
        answer = {"accepted": True, "observed": {"length": len(slots), "last_taken": taken}}
    else:
        accepted = bool(slots)
        taken = slots.pop(PLACE) if slots else taken
        answer = {"accepted": accepted, "observed": {"length": len(slots), "last_taken": taken}}
    print(json.dumps(answer), flush=True)
"""


def test_a_system_that_shows_nothing_does_not_conform(run, system):
    found = run.document(system(("        return {", "        return {} and {")))
    assert (found["verdict"], found["fields"]["compared"]) == ("NOT_EXHAUSTED", 0)
    assert "showed no value of any field" in found["reason"]


@pytest.mark.parametrize("name", ["other", "other.py"])
@pytest.mark.parametrize(("place", "verdict"), [("0", "CONFORMS"), ("-1", "DIFFERENT")])
def test_a_system_in_another_process_speaks_json_lines(run, place, verdict, name, tmp_path):
    script = tmp_path / name
    script.write_text(OTHER.replace("PLACE", place), encoding="utf-8")
    found = run.document(f"{sys.executable} {script}")
    assert found["verdict"] == verdict
    assert found["actions"] == {"compared": 2, "all": 3}


@pytest.mark.parametrize(
    ("system", "told"),
    [("no_such.py", "no_such.py"), ("no-such-program", "no-such-program"), ("'", "quote"), (" ", "empty")],
)
def test_a_system_that_is_not_there_is_refused(run, system, told):
    found = run.of(system)
    assert (found.status, told in found.err) == (REFUSED, True)


@pytest.mark.slow
def test_a_request_to_end_keeps_what_was_compared(system):
    path = system()
    program = textwrap.dedent(f"""
        import sys
        from kafkacheck.checker.commands.command_line import main
        sys.exit(main(["conform", {MODEL!r}, {path!r}, "--steps", "100000000"]))
    """)
    process = subprocess.Popen(child_command(program), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    assert "steps=" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    begun = time.monotonic()
    out, _ = process.communicate()
    assert process.returncode == NOT_EXHAUSTED
    assert "NOT_EXHAUSTED" in out.splitlines()[-1]
    assert time.monotonic() - begun < 30
