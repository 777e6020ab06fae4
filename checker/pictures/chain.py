"""The picture of a trace as a chain of states: tables of all fields, with the changes of each step highlighted."""

from collections.abc import Iterator

import graphviz

from kafkacheck.checker.schema.shape import ArrayOf, Record, Scalar, Type
from kafkacheck.checker.traces.lasso import lasso_lines
from kafkacheck.checker.traces.trace import Trace, call_text, deadlock_text, leaf_texts
from kafkacheck.checker.traces.witness import Witness

FONT = "Courier"
"""A font whose letters are equally wide, so that words fit their cells in every program that draws them."""
CHANGED, HEAD, RED = "#ffe58a", "#e4e9f0", "#c62828"
AGAIN = "and so on again and again"
TABLE = 'BORDER="0" CELLBORDER="1" CELLSPACING="0" CELLPADDING="3" COLOR="#999999"'


def chain_dot(trace: Trace, witness: Witness | None) -> str:
    """The DOT text of the chain, with its ending.

    The ending is the violated property with its first witness, or that no action is enabled. The last step of a lasso
    leads back to the state in which its cycle begins.
    """
    graph = graphviz.Digraph(
        trace.model.name,
        graph_attr={"rankdir": "TB", "ranksep": "0.35", "bgcolor": "white"},
        node_attr={"shape": "plain", "fontname": FONT, "fontsize": "10"},
        edge_attr={"fontname": FONT, "fontsize": "11", "penwidth": "1.4"},
    )
    before: dict[str, str] | None = None
    lines = [] if witness is None else [f"violates {witness.name}", witness.sentence, witness.text]
    if trace.is_deadlock:
        lines = [deadlock_text(trace)]
    if trace.difference:
        lines = list(trace.difference)
    if trace.loop is not None:
        lines = lasso_lines(trace)
    shown = trace.steps if trace.loop is None or trace.is_stop else trace.steps[:-1]
    for index, step in enumerate(shown):
        now = leaf_texts(trace.model, step.state)
        is_last = bool(lines) and index == len(shown) - 1
        graph.node(f"s{index}", label=_state_label(trace, index, now, before, is_last))
        if index:
            graph.edge(f"s{index - 1}", f"s{index}", label=f"  {graphviz.escape(call_text(trace.model, step))}")
        before = now
    if len(shown) < len(trace.steps):
        call = f"  {call_text(trace.model, trace.steps[-1])}: {AGAIN}"
        graph.edge(f"s{len(shown) - 1}", f"s{trace.loop}", label=graphviz.escape(call), color=RED, constraint="false")
    if lines:
        told = "".join(f"<BR/>{line}" if number else line for number, line in enumerate(map(html, filter(None, lines))))
        graph.node("verdict", label=f'<<FONT COLOR="{RED}">{told}</FONT>>')
        graph.edge(f"s{len(shown) - 1}", "verdict", color=RED, arrowhead="none")
    return str(graph.source)


def html(text: str) -> str:
    """Text as it is written inside HTML-like DOT text; letters beyond ASCII as numbers, for every Graphviz alike."""
    special = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
    return "".join(special.get(letter, letter if ord(letter) < 128 else f"&#{ord(letter)};") for letter in text)


def _state_label(trace: Trace, index: int, now: dict[str, str], before: dict[str, str] | None, is_last: bool) -> str:
    start = trace.steps[index].start
    title = f"state {index + 1}: {start}" if start else f"state {index + 1}"
    head = f'<TD ALIGN="LEFT" BGCOLOR="{RED if is_last else HEAD}">{_bold(title, is_last)}</TD>'
    tables = "".join(
        f'<TD BORDER="0" VALIGN="TOP">{_table(name, node, now, before)}</TD>'
        for name, node in _groups(trace.model.layout.root)
    )
    inside = f'<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="2" CELLPADDING="0"><TR>{tables}</TR></TABLE>'
    return f'<<TABLE {TABLE}><TR>{head}</TR><TR><TD ALIGN="LEFT">{inside}</TD></TR></TABLE>>'


def _bold(text: str, is_white: bool = False) -> str:
    inside = f"<B>{html(text)}</B>"
    return f'<FONT COLOR="white">{inside}</FONT>' if is_white else inside


def _groups(root: Record) -> Iterator[tuple[str, Type]]:
    """The tables of a state: one for each field that is a record or an array, and one for all others together."""
    others = tuple((name, node) for name, node in root.fields if _is_one_text(node))
    yield from ((name, node) for name, node in root.fields if not _is_one_text(node))
    if others:
        yield "", Record(root.struct, others)


def _is_one_text(node: Type) -> bool:
    """Whether it is a scalar, a queue or a bag."""
    return isinstance(node, Scalar) or (isinstance(node, Record) and node.slots is not None)


def _table(name: str, node: Type, now: dict[str, str], before: dict[str, str] | None) -> str:
    """One row for each element of an array, or for the record; one column for each scalar, queue or bag in it."""
    rows = {name: node}
    if isinstance(node, ArrayOf):
        rows = {f"{name}[{index}]": node.element for index in range(node.length)}
    columns = list(_columns(next(iter(rows.values())), ""))
    heads = [name] * bool(name) + [column.removeprefix(".") for column in columns]
    lines = ["".join(f'<TD BGCOLOR="{HEAD}" ALIGN="LEFT">{html(head) or " "}</TD>' for head in heads)]
    for path in rows:
        cells = [f'<TD ALIGN="LEFT">{html(path.removeprefix(name)) or " "}</TD>'] * bool(name)
        for column in columns:
            leaf = f"{path}{column}".removeprefix(".")
            is_changed = before is not None and before[leaf] != now[leaf]
            text = f"{before[leaf]} \N{RIGHTWARDS ARROW} {now[leaf]}" if before and is_changed else now[leaf]
            look = f' BGCOLOR="{CHANGED}"' if is_changed else ""
            cells.append(f'<TD ALIGN="LEFT"{look}>{_bold(text) if is_changed else html(text)}</TD>')
        lines.append("".join(cells))
    return f"<TABLE {TABLE}>{''.join(f'<TR>{line}</TR>' for line in lines)}</TABLE>"


def _columns(node: Type, path: str) -> Iterator[str]:
    if _is_one_text(node):
        yield path
    elif isinstance(node, Record):
        for name, child in node.fields:
            yield from _columns(child, f"{path}.{name}")
    elif isinstance(node, ArrayOf):
        for index in range(node.length):
            yield from _columns(node.element, f"{path}[{index}]")
