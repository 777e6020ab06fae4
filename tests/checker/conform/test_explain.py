"""A recorded log is explained by a behaviour of the model, or the first line that none explains is named."""

import json
import random
from pathlib import Path

import pytest

from kafkacheck.checker.conform.explanation import Explanation
from kafkacheck.checker.conform.recording import Line, read
from kafkacheck.checker.exploration.exploration import Watch
from kafkacheck.checker.exploration.verdict import Limits
from tests.support.command import Command
from tests.toys import bounded_queue

TOYS = Path(__file__).parents[2] / "toys"
QUEUE = str(TOYS / "bounded_queue.py")


@pytest.fixture
def run(capsys):
    """Runs commands."""
    return Command(capsys)


def written(path, lines):
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return str(path)


def test_the_log_beside_the_queue_is_explained_with_the_puts_that_nobody_saw(run):
    done = run("explain", QUEUE, str(TOYS / "bounded_queue.jsonl"))
    assert done.status == 0
    assert "2  put(item=1)" in done.out
    assert "bounded_queue: EXPLAINED trace=6 lines=5 " in done.out


def test_the_line_that_nothing_explains_is_named_with_the_closest_behaviour(run, tmp_path):
    lines = [
        {"logged": ["put", "take"]},
        {"action": "put", "parameters": {"item": 1}},
        {"action": "put", "parameters": {"item": 0}},
        {"action": "take", "fields": {"last_taken": 0, "length": 1}},
        {"action": "take"},
    ]
    done = run("explain", QUEUE, written(tmp_path / "log", lines), "--out", str(tmp_path / "out"))
    assert done.status == 23
    assert 'line 4: no behaviour explains {"action": "take", "fields": {"last_taken": 0, "length": 1}}' in done.out
    assert "last_taken: the log has 0, the closest behaviour 1" in done.out
    assert "length: the log" not in done.out
    assert "UNEXPLAINED trace=4 lines=4" in done.out
    assert {file.suffix for file in (tmp_path / "out").iterdir()} >= {".json", ".dot"}
    document = json.loads(run("explain", QUEUE, str(tmp_path / "log"), "--json").out)
    assert document["unexplained"] == [
        {"line": 4, "is_possible": True, "fields": {"last_taken": {"log": 0, "model": 1}}}
    ]


def test_a_step_that_is_not_possible(run, tmp_path):
    log = written(tmp_path / "log", [{"action": "close"}, {"action": "close"}])
    done = run("explain", QUEUE, log)
    assert done.status == 23
    assert "line 2: no behaviour explains" in done.out
    assert "not possible in any state that fits the lines before" in done.out


def test_lines_of_different_processes_have_no_order(run, tmp_path):
    lines = [
        {"logged": ["put", "take"]},
        {"process": "consumer", "action": "take", "fields": {"last_taken": 1}},
        {"process": "producer", "action": "put", "parameters": {"item": 1}},
    ]
    assert run("explain", QUEUE, written(tmp_path / "log", lines)).status == 0
    one = [lines[0], *({key: each[key] for key in each if key != "process"} for each in lines[1:])]
    assert run("explain", QUEUE, written(tmp_path / "one", one)).status == 23


def test_a_search_that_was_cut_short_explains_nothing_away(run, tmp_path):
    log = written(tmp_path / "log", [{"fields": {"length": 3}}])
    done = run("explain", QUEUE, log, "--max-states", "4")
    assert done.status == 20
    assert "not finished: it was stopped at 4 distinct states" in done.out
    assert "NOT_EXHAUSTED" in done.out


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "has no observation"),
        ("{", "line 1: Expecting property name"),
        ("[1]", "line 1: it is [1]; expected a JSON object"),
        ("{}", "line 1: it tells nothing"),
        ('{"acton": "put"}', "it has 'acton'; did you mean action?"),
        ('{"action": "putt"}', "no action 'putt'; did you mean put?"),
        ('{"action": "put", "parameters": {"itm": 1}}', "no parameter 'itm'; did you mean item?"),
        ('{"action": "put", "parameters": {"item": "x"}}', 'line 1, item: "x" is not a value of'),
        ('{"parameters": {"item": 1}, "fields": {"length": 0}}', "expected an object, beside an action"),
        ('{"fields": {"lengt": 1}}', "names 'lengt', which no field of the model fits; did you mean length?"),
        ('{"fields": {"items": 1}}', "items has 3 values; name one, such as items[0]"),
        ('{"fields": {"closed": 1}}', "line 1, closed: 1 is not a value of"),
        ('{"fields": [1]}', "fields is [1]; expected an object"),
        ('{"logged": 1}', "logged is 1; expected a list of actions"),
        ('{"process": 1, "fields": {"length": 0}}', "process is 1; expected a name"),
        ('{"fields": {"length": ' + "9" * 5000 + "}}", "line 1: it cannot be read: "),
        ("[" * 100_000, "line 1: it cannot be read: "),
        ('{"fields": {"length": 0, "length": 1}}', "line 1: it cannot be read: 'length' stands twice"),
        ('{"fields', "line 1: Unterminated string starting at letter 2"),
        (b"\xff", "name a file of JSON lines"),
    ],
)
def test_bad_input(run, tmp_path, text, told):
    log = tmp_path / "log"
    log.write_bytes(text if isinstance(text, bytes) else text.encode())
    done = run("explain", QUEUE, str(log))
    assert done.status == 2
    assert told in done.err
    assert "Traceback" not in done.err


def test_a_log_that_is_not_there(run, tmp_path):
    done = run("explain", QUEUE, str(tmp_path / "nothing"))
    assert done.status == 2
    assert "name a file of JSON lines" in done.err


def explains(model, recording) -> bool:
    """The same question, answered by trying every order, one state at a time."""
    layout, lines = model.layout, list(recording.lines.values())

    def fits(line: Line, values) -> bool:
        return all(each.value(values) == wanted for each, wanted in line.fields.items())

    def successors(values):
        for number, action in enumerate(model.actions):
            for parameters in action.combinations():
                state = layout.restore(values)
                if action.apply(state, parameters):
                    yield number, action.named(parameters), layout.flatten(state)

    done, waiting = set(), [(values, (0,) * len(lines)) for values in map(layout.flatten, model.initial_states())]
    while waiting:
        at = waiting.pop()
        if at in done:
            continue
        done.add(at)
        values, position = at
        if all(count == len(each) for count, each in zip(position, lines, strict=True)):
            return True
        for number, named, after in successors(values):
            if number not in recording.logged:
                waiting.append((after, position))
            for process, line in following(lines, position):
                if line.action == number and line.parameters.items() <= named.items() and fits(line, after):
                    waiting.append((after, moved(position, process)))
        for process, line in following(lines, position):
            if line.action is None and fits(line, values):
                waiting.append((values, moved(position, process)))
    return False


def following(lines, position):
    return [(at, each[position[at]]) for at, each in enumerate(lines) if position[at] < len(each)]


def moved(position, process):
    return tuple(count + (at == process) for at, count in enumerate(position))


def random_recording(chance, model):
    """The JSON lines of a random behaviour of which parts are left out, now and then with a wrong value."""
    state, lines = model.initial_states()[0], []
    logged = [action.name for action in model.actions if chance.random() < 0.3]
    if logged:
        lines.append({"logged": logged})
    layout = model.layout
    for _ in range(chance.randrange(1, 7)):
        calls = [(action, values) for action in model.actions for values in action.combinations()]
        chance.shuffle(calls)
        for action, values in calls:
            after = state.copy()
            if action.apply(after, values):
                break
        state = after
        if action.name not in logged and chance.random() < 0.4:
            continue
        shown = dict(zip([leaf.path for leaf in layout.leaves], layout.flatten(state), strict=True))
        kept = [path for path in ("length", "items[0]", "last_taken") if chance.random() < 0.4]
        fields = {path: None if shown[path] < 0 else shown[path] for path in kept}
        if kept and chance.random() < 0.3:
            fields[kept[0]] = chance.randrange(2)
        named = {name: value for name, value in action.named(values).items() if chance.random() < 0.7}
        step = {"action": action.name, "parameters": named} if action.name in logged or chance.random() < 0.6 else {}
        if step or fields:
            lines.append({"process": chance.choice("ab"), **step, "fields": fields})
    return lines


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_it_explains_a_log_exactly_if_trying_all_orders_does(tmp_path, part):
    chance, outcomes = random.Random(part), set()
    model = bounded_queue.MODEL.with_bounds({"capacity": 2})
    while len(outcomes) < 40:
        lines = random_recording(chance, model)
        if not any(each.keys() != {"logged"} for each in lines):
            continue
        recording = read(Path(written(tmp_path / "log", lines)), model)
        explanation = Explanation(model, recording, Watch(Limits()))
        found = explanation.search()
        assert bool(found) == explains(model, recording), lines
        outcomes.add((len(outcomes), bool(found)))
        if not found:
            assert explanation.closest()
        for start, steps in found:
            assert [step.line.number for step in steps if step.line] and start == 0
    assert {found for _, found in outcomes} == {False, True}
