"""Queues, bags and new records do in each reading what they do in Python."""

import itertools
from pathlib import Path

import pyarrow.parquet as parquet
import pytest

from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.schema import add, is_full, remove
from kafkacheck.checker.schema.pretty import lines_unlike_blank
from kafkacheck.checker.search import check
from kafkacheck.checker.traces.itf import to_itf
from kafkacheck.checker.traces.trace import changed_fields
from tests.support import readings, reference_checker
from tests.support.bodies import agree_on, fail_alike, model_of, model_text
from tests.support.command import Command, write
from tests.support.snippets import load
from tests.toys import reordering_channel

BODIES = [
    "if is_full(state.queue):\n    return False\n"
    "add(state.queue, Request(to=place, row=state.cells[0].row))\nreturn True",
    "if is_full(state.queue):\n    return False\nadd(state.queue, Request())\nreturn True",
    "if is_full(state.bag):\n    return False\n"
    "add(state.bag, Request(up=state.f, ids={place} | state.isr, to=n % 3))\nreturn True",
    "if is_full(state.bag):\n    return False\nadd(state.bag, state.last)\nreturn True",
    "if is_full(state.bag) or len(state.queue) == 0:\n    return False\nadd(state.bag, state.queue[0])\n"
    "remove(state.queue, 0)\nreturn True",
    "if place >= len(state.bag):\n    return False\nremove(state.bag, place)\nreturn True",
    "if place >= len(state.bag):\n    return False\ncopy(state.last, state.bag[place])\nreturn leave(state, n)",
    "if place >= len(state.bag) or is_full(state.queue):\n    return False\n"
    "add(state.queue, state.bag[place])\nreturn leave(state, n)",
    "clear(state.bag)\nclear(state.queue)\nreturn leave(state, n)",
    "copy(state.last, Request(to=place, up=state.last.up, ids=state.last.ids | {n % 3}))\nreturn leave(state, n)",
    "total = 0\nfor request in state.bag:\n    total += 1 + request.to + request.row[0] + len(request.ids)\n"
    "return leave(state, total)",
    "for at, request in enumerate(state.bag):\n    if request.up:\n        state.row[at] = request.row[1]\n"
    "return leave(state, n)",
    "return leave(state, sum(1 for request in state.bag for other in state.queue if request == other))",
    "return leave(state, int(any(request.to == place for request in state.queue)) + len(state.bag))",
    "return leave(state, sum(at for at, request in enumerate(state.bag) if place in request.ids))",
    "return leave(state, int(all(request == state.bag[0] for request in state.bag)))",
    "for request in state.bag:\n    if request.up and len(state.bag) > 1:\n        remove(state.bag, 0)\n"
    "        return True\nreturn leave(state, n)",
    "bag = state.bag\nif len(bag) > 0:\n    first = bag[0]\n    state.row[0] = first.row[0]\n"
    "    remove(bag, 0)\nreturn leave(state, n)",
    "if len(state.queue) > 1 and state.queue[0] != state.queue[1]:\n    return leave(state, 1)\nreturn leave(state, 2)",
    "if len(state.bag) > 1 and not is_full(state.bag):\n    add(state.bag, state.bag[1])\n"
    "return leave(state, len(state.bag))",
    "if len(state.bag) > 2:\n    remove(state.bag, 1)\n"
    "    add(state.bag, Request(to=-1, row=state.bag[1].row))\nreturn leave(state, n)",
]


@pytest.mark.slow
def test_every_reading_does_what_python_does(tmp_path):
    agree_on(tmp_path, *BODIES[:11])
    agree_on(tmp_path, *BODIES[11:])


FAILING = {
    "for i in range(place + 1):\n    add(state.queue, Request(to=place))\nreturn True": "is full with 2; ask first",
    "for i in range(place + 2):\n    add(state.bag, state.last)\nreturn True": "is full with 3; ask first",
    "return leave(state, state.queue[place].to)": "is outside this Queue[Request], which holds",
    "return leave(state, state.bag[n - 1].to)": "IndexError",
    "remove(state.queue, place)\nreturn True": "which holds 0; ask first: `if place >= len(...): return False`",
    "remove(state.bag, n - 1)\nreturn True": "index -1 is outside this Bag[Request], which holds 0; ask first",
    "add(state.bag, Request(ids=Ids({place - 1})))\nreturn True": "is no id",
}


@pytest.mark.parametrize("body", FAILING)
def test_every_reading_fails_where_python_does(body, tmp_path):
    fail_alike(tmp_path, body)
    reason = check(model_of(tmp_path, body)).reason
    assert FAILING[body] in reason and ".py:" in reason.split(": ")[0]


def test_a_bag_is_the_same_whatever_the_order_of_adding(tmp_path):
    module = load(tmp_path, model_text(BODIES[0]))
    requests = [{"to": 1, "up": True}, {"to": 0}, {"to": 1}]
    found = set()
    for order in itertools.permutations(requests):
        state = module.MODEL.layout.blank()
        for each in order:
            add(state.bag, module.Request(**each))
        assert [(each.to, each.up) for each in state.bag] == [(0, False), (1, False), (1, True)]
        found.add(module.MODEL.layout.flatten(state))
        assert is_full(state.bag)
        remove(state.bag, 1)
        remove(state.bag, 1)
        remove(state.bag, 0)
        assert state == module.MODEL.layout.blank()
    assert len(found) == 1


def test_what_is_written_is_known(tmp_path):
    requests = {("Request", name) for name in ("to", "up", "ids", "row")}
    queue, bag = {("Queue[Request]", "length")}, {("Bag[Request]", "length")}
    written = [each.read.written for each in model_of(tmp_path, *BODIES[:6]).actions]
    assert written[0] == queue | {("Request", "to"), ("Request", "row")} and written[1] == queue
    assert written[2] == bag | requests and written[3] == bag | requests
    assert written[4] == bag | queue | requests and written[5] == bag | requests


@pytest.mark.parametrize(
    ("model", "verdict", "distinct", "length"),
    [(reordering_channel.MODEL, "HOLDS", 207, 0), (reordering_channel.ALTERNATING_BIT, "VIOLATED", 40, 8)],
)
def test_a_channel_that_reorders_is_a_bag(model, verdict, distinct, length):
    plain, native, naive = readings.interpreted(model), readings.compiled(model), reference_checker.explore(model)
    assert plain == native and (plain.verdict.value, plain.distinct, plain.length) == (verdict, distinct, length)
    assert (naive.verdict, naive.distinct, naive.generated) == (verdict, distinct, plain.generated)


def test_a_trace_and_its_files_show_queues_and_bags():
    result = check(reordering_channel.ALTERNATING_BIT)
    assert result.trace is not None
    layout, last = result.model.layout, result.trace.steps[-1].state
    assert layout.flatten(layout.from_json(layout.to_json(last))) == layout.flatten(last)
    assert str(last.messages) == f"[{', '.join(map(str, last.messages))}]"
    assert layout.to_json(last)["answers"] == [{"tag": 0}, {"tag": 1}]
    one = {"#bigint": "1"}
    assert to_itf(result.trace)["states"][1]["messages"] == [{"tag": {"#bigint": "0"}, "number": one}]
    changes = [str(each) for step in (1, 7) for each in changed_fields(result.trace, step)]
    assert changes[0] == "messages: [] -> [Message(number=1)]"
    assert changes[-1] == "answers: [Answer(tag=1)] -> [Answer(), Answer(tag=1)]"


@pytest.mark.parametrize("data", [[{"tag": 0}] * 3, {"length": 0, "slots": []}, None])
def test_a_saved_bag_that_does_not_fit_is_refused(data):
    layout = reordering_channel.MODEL.layout
    saved = layout.to_json(layout.blank()) | {"answers": data}
    with pytest.raises(UsageError, match=r"state.answers: expected a list of at most 2, found .*; are the bounds the"):
        layout.from_json(saved)


def test_no_text_shows_how_a_bag_is_kept(capsys, tmp_path):
    model = reordering_channel.ALTERNATING_BIT
    paths = [leaf.path for leaf in model.layout.leaves]
    assert paths[3:6] == ["messages.length", "messages[0].tag", "messages[0].number"]
    beyond = {"messages[1].number": 2}
    values = tuple(beyond.get(leaf.path, leaf.scalar.blank) for leaf in model.layout.leaves)
    [line] = lines_unlike_blank(model.layout, values)
    assert line == "messages = [], and behind its end Message(), Message(number=2)"
    write(tmp_path / "channel.py", "from tests.toys.reordering_channel import ALTERNATING_BIT as MODEL\n")
    run, file, dot, graph = Command(capsys), *(str(tmp_path / name) for name in ("channel.py", "graph.dot", "graph"))
    texts = [run("check", file, "--out", str(tmp_path / "out")).out, run("explore", file, "--out", graph).out]
    assert run("graph", file, "--out", dot, "--set", "room=1").status == 0
    texts += [path.read_text("utf-8") for path in (Path(dot), *(tmp_path / "out").iterdir())]
    saved = tmp_path / "out" / "reordering_channel-delivered_in_order.json"
    assert "still violates delivered_in_order" in run("replay", file, str(saved)).out
    assert "Message(number=1)" in texts[0] and "messages = [Message(number=1)]" in texts[2]
    assert not any("slots" in text for text in texts)
    rows = [row for each in Path(graph).rglob("*.parquet") for row in parquet.read_table(each).to_pylist()]
    assert {"tag": 1, "number": 2} in [message for row in rows for message in row.get("messages", ())]
