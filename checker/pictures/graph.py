"""The whole state graph of a small model, as a picture: levels ranked, and every step labelled with its action."""

import contextlib
from pathlib import Path

import graphviz
import networkx as nx

from kafkacheck.checker.exploration.evaluation import Evaluation, call_text
from kafkacheck.checker.model import Model
from kafkacheck.checker.pictures.chain import html
from kafkacheck.checker.pictures.render import Written, write_picture
from kafkacheck.checker.process.errors import KafkacheckError, UsageError
from kafkacheck.checker.process.files import atomic_write
from kafkacheck.checker.schema.objects import Values
from kafkacheck.checker.schema.pretty import difference, state_lines

MOST_STATES = 100
"""A picture with more states cannot be read."""
MOST_FIELDS = 6
"""States with more fields are described by their differences from the state before."""
MARGIN = "  "
"""Room on both sides of an edge's label, without which labels side by side and the edge itself touch the words."""
TO = "to"
"""Begins the words beside an arrow with two heads: the state that the step leads to follows."""
RED, PINK, BLUE = "#c62828", "#fde3e3", "#dcebfa"


class TooManyStatesError(UsageError):
    """A state graph that is too large for a picture."""


def state_graph(model: Model, most_states: int = MOST_STATES) -> "nx.MultiDiGraph[int]":
    """All reachable states of a model, numbered from 1 in the order of a breadth-first search.

    Each node has `values` (flattened), `level` (initial states: 1), `parent` (the number of the state it was found
    from; None for an initial state), `is_kept` (False outside the model's constraint) and `violates` (names of
    invariants); each edge has `label` (the call) and `violates` (names of action properties). TooManyStatesError
    if there are more than `most_states`; EvaluationError if the model's code fails.
    """
    evaluate, graph = Evaluation(model), nx.MultiDiGraph()
    invariants = [each for each in model.properties if not each.is_step]
    numbers: dict[Values, int] = {}

    def number_of(values: Values, level: int, parent: int | None) -> int:
        if values not in numbers:
            if len(numbers) == most_states:
                raise TooManyStatesError(
                    f"{model.name} has more than {most_states} states, too many for a picture that can be read"
                )
            numbers[values] = len(numbers) + 1
            violates = [each.name for each in invariants if not evaluate.holds(each, values)]
            kept = evaluate.is_inside(values)
            look = {"values": values, "level": level, "parent": parent, "is_kept": kept, "violates": violates}
            graph.add_node(numbers[values], **look)
            if kept:
                queue.append(values)
        return numbers[values]

    queue: list[Values] = []
    for state in model.initial_states():
        number_of(model.layout.flatten(state), 1, None)
    for values in queue:
        number = numbers[values]
        for action, arguments, after in evaluate.successors(values):
            target = number_of(after, graph.nodes[number]["level"] + 1, number)
            steps = [each.name for each in model.properties if each.is_step and not evaluate.holds(each, values, after)]
            graph.add_edge(number, target, label=call_text(action, arguments), violates=steps)
    return graph


def smaller(model: Model) -> Model | None:
    """The model at smaller bounds at which its graph can be drawn; None if no such bounds are found.

    All bounds are lowered together, none below 0, each time by about a quarter and at least by 1.
    """
    bounds = model.bounds
    while any(value > 0 for value in bounds.values()):
        bounds = {name: value - max(1, value // 4) if value > 0 else value for name, value in bounds.items()}
        for lowest in (0, 1):
            with contextlib.suppress(KafkacheckError):
                small = model.with_bounds({name: max(lowest, value) for name, value in bounds.items()})
                state_graph(small)
                return small
    return None


def graph_dot(model: Model, graph: "nx.MultiDiGraph[int]") -> str:
    """The DOT text of a state graph: one rank for each level, initial states and violations marked."""
    font = {"fontname": "Courier", "fontsize": "10"}
    picture = graphviz.Digraph(
        model.name,
        graph_attr={
            "rankdir": "TB",
            "nodesep": "0.4",
            "bgcolor": "white",
            "label": graphviz.escape(_caption(model, graph)),
            **font,
        },
        node_attr={"shape": "box", "style": "rounded,filled", "fillcolor": "white", **font},
        edge_attr={"fontname": "Courier", "fontsize": "9"},
    )
    levels: dict[int, list[int]] = {}
    for number, level in graph.nodes(data="level"):
        levels.setdefault(level, []).append(number)
    for level, members in levels.items():
        with picture.subgraph(graph_attr={"rank": "min" if level == 1 else "same"}) as rank:
            for number in members:
                rank.node(str(number), **_look(model, graph, number))
    for (start, end, is_violation), labels in _arrows(graph).items():
        look = {"color": RED, "fontcolor": RED, "penwidth": "2"} if is_violation else {}
        look |= {"dir": "both"} if labels[0].startswith(f"{TO} ") else {}
        lines = "".join(f"{MARGIN}{graphviz.escape(label)}{MARGIN}\\l" for label in labels)
        picture.edge(str(start), str(end), label=lines, **look)
    return str(picture.source)


def _arrows(graph: "nx.MultiDiGraph[int]") -> dict[tuple[int, int, bool], list[str]]:
    """The lines beside each arrow, by start, end, and whether they violate a property of steps.

    Steps to and fro between two states of one level share an arrow with two heads, because the words of two arrows
    side by side would lie upon each other.
    """
    calls: dict[tuple[int, int, bool], list[str]] = {}
    for start, end, data in graph.edges(data=True):
        marks = [f"violates {name}" for name in data["violates"]]
        calls.setdefault((start, end, bool(marks)), []).append(": ".join([data["label"], *marks]))
    levels = graph.nodes(data="level")
    for start, end, is_violation in list(calls):
        back = (end, start, is_violation)
        if start < end and back in calls and levels[start] == levels[end]:
            there = [f"{TO} {end}: {label}" for label in calls[start, end, is_violation]]
            calls[start, end, is_violation] = there + [f"{TO} {start}: {label}" for label in calls.pop(back)]
    return calls


def _caption(model: Model, graph: "nx.MultiDiGraph[int]") -> str:
    levels = {level for _, level in graph.nodes(data="level")}
    return f"{model.name}: {len(graph)} states in {len(levels)} levels, {graph.number_of_edges()} steps"


def _look(model: Model, graph: "nx.MultiDiGraph[int]", number: int) -> dict[str, str]:
    data = graph.nodes[number]
    layout, parent = model.layout, data["parent"]
    lines = state_lines(layout, data["values"])
    shown = lines
    if len(lines) > MOST_FIELDS:
        start = layout.blank_values if parent is None else graph.nodes[parent]["values"]
        shown = [f"{change.path} = {change.after}" for change in difference(layout, start, data["values"])]
        shown = shown if parent is None else [f"as {parent}, but", *shown]
    told = [*shown, *(f"violates {name}" for name in data["violates"])]
    told += [] if data["is_kept"] else ["outside the constraint"]
    head, *rest = [f"<B>{number}</B>", *map(html, told)]
    body = "".join(f'<BR ALIGN="LEFT"/>{line}' for line in rest)
    look = {"label": f'<{head}{body}<BR ALIGN="LEFT"/>>', "tooltip": graphviz.escape("\n".join(lines))}
    if data["violates"]:
        look |= {"color": RED, "fillcolor": PINK, "penwidth": "2"}
    elif parent is None:
        look |= {"fillcolor": BLUE, "penwidth": "2"}
    if not data["is_kept"]:
        look |= {"style": "rounded,filled,dashed"}
    return look


def check_name(path: Path) -> None:
    """UsageError if the name of a file does not tell what to write into it."""
    if path.suffix not in (".dot", ".gv", ".svg"):
        raise UsageError(f"cannot write a graph to {path}: end its name in .svg or .dot")


def write_graph(model: Model, path: Path) -> Written:
    """Write the model's state graph to `path`: DOT if it ends in .dot or .gv, SVG and DOT if it ends in .svg.

    UsageError for another ending, for a model with too many states, or if a file cannot be written.
    """
    check_name(path)
    dot = graph_dot(model, state_graph(model))
    if path.suffix == ".svg":
        return write_picture(dot, path)
    atomic_write(path, dot)
    return Written((path,))
