"""A record of a queue or bag is read before it moves: a later read by its name is refused."""

import pytest

from kafkacheck.checker.process.errors import ModelError
from tests.support.bodies import model_text
from tests.support.snippets import load

HELPERS = '''NOBODY = Ids()


def forget(state: State) -> None:
    """A call that removes."""
    remove(state.queue, 0)


def forget_in(queue: Queue[Request]) -> None:
    """A call that removes from what it is given."""
    remove(queue, 0)


def keep(state: State, request: Request) -> None:
    """A call that reads what it is given after it removed."""
    remove(state.queue, 0)
    state.last.to = request.to


def keep_first(state: State, request: Request) -> None:
    """A call that reads what it is given before it removes."""
    state.last.to = request.to
    remove(state.queue, 0)
'''
GONE = "first = state.queue[0]\n"
READ = "state.last.to = first.to\nreturn True"
REFUSED = {
    f"{GONE}remove(state.queue, 0)\n{READ}": "'first' may be another record or a blank one here; read its fields first",
    f"queue = state.queue\nfirst = queue[0]\nremove(state.queue, 0)\n{READ}": "read its fields first, above that line",
    f"queue = state.queue\n{GONE}remove(queue, 0)\n{READ}": "moves what lies in State.queue, so 'first' may be",
    f"{GONE}row = first.row\nremove(state.queue, 0)\nstate.row[0] = row[0]\nreturn True": "so 'row' may be another",
    f"{GONE}clear(state.queue)\n{READ}": "'first' may be another record or a blank one",
    f"{GONE}if state.f:\n    remove(state.queue, 0)\n{READ}": "'first' may be another record or a blank one",
    f"{GONE}forget(state)\n{READ}": "'first' may be another record or a blank one",
    f"{GONE}forget_in(state.queue)\n{READ}": "'first' may be another record or a blank one",
    f"{GONE}keep(state, first)\nreturn True": "in keep(), read its fields first",
    f"{GONE}remove(state.queue, 0)\nadd(state.bag, first)\nreturn True": "'first' may be another record",
    f"{GONE}remove(state.queue, 0)\nreturn leave(state, sum(first.to for cell in cells))": "'first' may be another",
    "first = state.bag[0]\nadd(state.bag, Request())\n" + READ: "moves what lies in State.bag, so 'first' may be",
    f"{GONE}for i in range(2):\n    state.n = first.to\n    remove(state.queue, 0)\nreturn True": "'first' may be",
    "for at, each in enumerate(state.queue):\n    if each.up:\n        remove(state.queue, at)\nreturn True": (
        "this loop goes on over it; return after that line, or loop by places: `for place in range(len(queue) - 1, -1"
    ),
    "for each in state.bag:\n    if not is_full(state.bag):\n        add(state.bag, Request())\nreturn True": (
        "moves what lies in State.bag, and this loop goes on over it"
    ),
}
ALLOWED = [
    "to = state.queue[0].to\nremove(state.queue, 0)\nstate.last.to = to\nreturn True",
    f"{GONE}remove(state.bag, 0)\n{READ}",
    f"{GONE}add(state.queue, Request())\n{READ}",
    f"{GONE}add(state.bag, first)\nremove(state.queue, 0)\nreturn True",
    f"{GONE}if state.f:\n    remove(state.queue, 0)\n    return True\n{READ}",
    f"{GONE}if rules.off:\n    remove(state.queue, 0)\n{READ}",
    f"{GONE}remove(state.queue, 0)\nfirst = state.queue[0]\n{READ}",
    f"{GONE}keep_first(state, first)\nreturn True",
    "for at, each in enumerate(state.queue):\n    if each.up:\n        remove(state.queue, at)\n        return True\n"
    "return False",
    "for each in state.queue:\n    remove(state.queue, 0)\n    return True\nreturn False",
    "for place in range(len(state.queue) - 1, -1, -1):\n    each = state.queue[place]\n    if each.up:\n"
    "        remove(state.queue, place)\nreturn leave(state, n)",
]


def model_of(tmp_path, *bodies):
    return load(tmp_path, model_text(*bodies).replace("NOBODY = Ids()\n", HELPERS)).MODEL


@pytest.mark.parametrize("body", REFUSED)
def test_a_record_that_may_have_moved_is_not_read(body, tmp_path):
    with pytest.raises(ModelError) as error:
        model_of(tmp_path, body)
    assert REFUSED[body] in str(error.value) and ".py:" in str(error.value)


def test_a_record_that_has_not_moved_is_read(tmp_path):
    assert len(model_of(tmp_path, *ALLOWED).actions) == len(ALLOWED)
