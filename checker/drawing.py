"""How a model wants its behaviours drawn as lanes: the lanes, and the look of each action.

A description is data. Texts are templates: `{path}` is replaced by the value at that path, written as the state's
kinds write it. A path is made of names, attributes and indices, and an index may itself be a path:
`{before.nodes[sender].queue.length}`. Names stand for, in this order: the parameters of the step's action; `before`
and `after`, the whole states of the step; and the fields of the thing that the text describes (the state after the step
for an event, one element for a lane, one item for a cell). In a lane's text `lane` is its own index.
"""

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kafkacheck.checker.process.errors import ModelError
from kafkacheck.checker.schema import Ids

TEMPLATE = re.compile(r"\{([^{}]*)\}")
WHOLE_STATES = ("before", "after")


@dataclass(frozen=True)
class Event:
    """How one action is drawn: a point on a lane, or an arrow from a lane to another one.

    `at` and `to` are each the name of an extra lane or a path to the index of one; no `to`, or one that names the
    same lane, makes it a point. `asks` draws the arrow dashed: it tells that something was sent, not that it arrived.
    """

    at: str
    text: str
    to: str = ""
    asks: bool = False


@dataclass(frozen=True)
class Cells:
    """A sequence inside each element, drawn as a row of cells.

    `items` is the path of the array and `length` the path of the number of its items; `text` writes one item.
    `marker` is the path of a position: items before it are shaded, and a bar stands where it points. `shaded` is the
    word for such items, and `cut` the verb for a step that takes items away.
    """

    items: str
    length: str
    text: str
    marker: str
    shaded: str
    cut: str


@dataclass(frozen=True)
class Band:
    """A lane is drawn thick and coloured while the field at path `holder` of its element says so.

    It does if it names the lane itself, or is a flag that is set. `text` heads the lane's cells meanwhile, and the
    value at path `colour` chooses the colour.
    """

    holder: str
    text: str
    colour: str


@dataclass(frozen=True)
class Held:
    """What an element holds, drawn as bars along its lane: one for each id, from the step that takes it on.

    `ids` are the paths of sets of ids in the element, which holds all of them. An id has the same colour and the same
    place on every lane, so that two lanes that hold it at a time are seen. `text` is the word for one of them, which
    the legend has.
    """

    ids: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class ExtraLane:
    """A lane for no element of the array; `record` is the path of its part of the state, and `text` describes that."""

    name: str
    record: str
    text: str


@dataclass(frozen=True)
class Lanes:
    """A model's drawing: one lane for each element of `array` (a path of the state), after the `extra` ones.

    `title` is a lane's heading and `text` the line under its cells. `events` maps names of actions to how they look;
    names of actions a model lacks are fine, so that variants share one description. `suspects` are local variables
    of the properties' functions that hold a lane's index, and `place` one that holds a position in the cells: where
    the property's first witness has them, that spot is marked. `legend` lines are written under the picture.
    """

    array: str
    title: str
    text: str
    events: Mapping[str, Event]
    cells: Cells | None = None
    band: Band | None = None
    held: Held | None = None
    extra: tuple[ExtraLane, ...] = ()
    suspects: tuple[str, ...] = ()
    place: str = ""
    legend: tuple[str, ...] = ()

    def check(self, blank: Any, actions: Mapping[str, tuple[str, ...]]) -> None:
        """Raise ModelError for a path, name or template that does not fit.

        `blank` is any state of the model; `actions` maps each action's name to the names of its parameters.
        """
        try:
            element = lookup(self.array, blank, {})[0][0]
        except (AttributeError, KeyError, IndexError, TypeError, SyntaxError) as error:
            raise ModelError(
                f"drawing: array={self.array!r} is not the path of an array in the state ({error})"
            ) from None
        own = {"lane": 0, "before": blank, "after": blank}
        _check_texts("a lane", (self.title, self.text), element, own)
        for lane in self.extra:
            _check_texts(f"the lane {lane.name!r}", (lane.text, f"{{{lane.record}}}"), blank, own)
        if self.cells is not None:
            paths = (self.cells.items, self.cells.length, self.cells.marker)
            _check_texts("cells", tuple(f"{{{path}}}" for path in paths), element, own)
            _check_texts("a cell", (self.cells.text,), lookup(self.cells.items, element, own)[0][0], own)
        if self.band is not None:
            _check_texts("band", (f"{{{self.band.holder}}} {{{self.band.colour}}}", self.band.text), element, own)
        for path in () if self.held is None else self.held.ids:
            _check_texts("held", (f"{{{path}}}",), element, own)
            if not isinstance(lookup(path, element, own)[0], Ids):
                raise ModelError(f"drawing: held ids={path!r} is not the path of a set of ids; declare it as Ids")
        names = {lane.name for lane in self.extra}
        for name, event in self.events.items():
            if name in actions:
                known = own | dict.fromkeys(actions[name], 0)
                ends = tuple(f"{{{end}}}" for end in (event.at, event.to) if end and end not in names)
                _check_texts(f"the event of {name}", (event.text, *ends), blank, known)


def _check_texts(what: str, texts: tuple[str, ...], root: Any, names: Mapping[str, Any]) -> None:
    for text in texts:
        for path in TEMPLATE.findall(text):
            try:
                lookup(path, root, names)
            except IndexError:
                continue  # an index that is a sentinel in this state
            except (KeyError, AttributeError, TypeError, SyntaxError) as error:
                reason = str(error) if isinstance(error, SyntaxError) else f"{type(error).__name__}: {error}"
                raise ModelError(
                    f"drawing: {what} uses {{{path}}}, which cannot be looked up ({reason}); a path is made of fields, "
                    f"[indices] and the names {', '.join(names)}"
                ) from None


def lookup(path: str, root: Any, names: Mapping[str, Any], prefix: str = "") -> tuple[Any, str]:
    """The value at `path`, and its full path in the state (the name itself if it is one of `names`).

    `prefix` is the full path of `root`. An index below zero, as a sentinel is, is an IndexError.
    """

    def walk(node: ast.expr) -> tuple[Any, str]:
        match node:
            case ast.Name(id=name) if name in names:
                return names[name], "" if name in WHOLE_STATES else name
            case ast.Name(id=name):
                return getattr(root, name), f"{prefix}.{name}" if prefix else name
            case ast.Attribute(value=inner, attr=attribute):
                value, where = walk(inner)
                return getattr(value, attribute), f"{where}.{attribute}" if where else attribute
            case ast.Subscript(value=inner, slice=index):
                (value, where), (position, _) = walk(inner), walk(index)
                return value[position], f"{where}[{position}]"
            case ast.Constant(value=int() as number):
                return number, ""
        raise SyntaxError(f"{ast.unparse(node)!r} is neither a field, an index nor a name")

    return walk(ast.parse(path.strip(), mode="eval").body)


def fill(template: str, root: Any, names: Mapping[str, Any], write: Callable[[str, Any], str], prefix: str = "") -> str:
    """The template with each `{path}` replaced by `write(full path, value)`; "?" if an index is out of range."""

    def value_text(match: re.Match[str]) -> str:
        try:
            value, where = lookup(match[1], root, names, prefix)
        except IndexError:
            return "?"
        return write(where, value)

    return TEMPLATE.sub(value_text, template)
