"""Pictures whose every node has its place: DOT text that any Graphviz draws alike, because nothing is left to lay out.

Coordinates are points, x to the right and y downwards from the top. Boxes have fixed sizes and words are centred or
start at the left, so that a font with wider letters than expected changes nothing but the words themselves.
"""

import textwrap
from dataclasses import dataclass

import graphviz

POINTS_PER_INCH = 72
FONT = "Helvetica"
GRAPH = {"layout": "neato", "splines": "line", "inputscale": "72", "outputorder": "edgesfirst", "bgcolor": "white"}
NODE = {"shape": "box", "fixedsize": "true", "pin": "true", "margin": "0", "fontname": FONT, "style": "filled"}
EDGE = {"arrowhead": "none", "arrowsize": "0.8", "headclip": "false", "tailclip": "false"}
WIDTH_OF_LETTER = 0.58
WIDTH_OF_BOLD_LETTER = 0.64
"""The width of an average letter, as a part of the font size; that of a wide font, so that words fit their boxes."""

Spot = tuple[float, float]


@dataclass(frozen=True)
class Style:
    """How words are written: size in points, colour, bold or not."""

    size: int = 9
    colour: str = "#222222"
    bold: bool = False


@dataclass(frozen=True)
class Box:
    """A box with one line of words: its width, fill and edge ("" for none), the edge's width; struck through or not."""

    text: str
    width: float
    style: Style = Style()
    fill: str = ""
    edge: str = ""
    border: float = 1
    struck: bool = False
    left: bool = False


class Canvas:
    """Collects nodes and edges; `dot` is the picture's DOT text.

    Nodes lie over edges, later ones over earlier ones; edges of a higher layer lie over those of a lower one.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._nodes: list[dict[str, str]] = []
        self._edges: list[tuple[int, str, str, dict[str, str]]] = []

    @property
    def dot(self) -> str:
        """The DOT text."""
        graph = graphviz.Digraph(self._name, graph_attr=GRAPH, node_attr=NODE, edge_attr=EDGE)
        for number, attributes in enumerate(self._nodes):
            graph.node(f"n{number}", **attributes)
        for _, start, end, attributes in sorted(self._edges, key=lambda edge: edge[0]):
            graph.edge(start, end, **attributes)
        return str(graph.source)

    def _node(self, spot: Spot, width: float, height: float, **attributes: str) -> str:
        size = {"width": f"{width / POINTS_PER_INCH:.3f}", "height": f"{height / POINTS_PER_INCH:.3f}"}
        self._nodes.append({"pos": f"{spot[0]:.1f},{-spot[1]:.1f}!"} | size | attributes)
        return f"n{len(self._nodes) - 1}"

    def _edge(self, layer: int, start: Spot, end: Spot, **attributes: str) -> None:
        first, last = (self._node(spot, 1, 1, shape="point", style="invis", label="") for spot in (start, end))
        self._edges.append((layer, first, last, attributes))

    def line(self, start: Spot, end: Spot, colour: str, width: float = 1, layer: int = 0) -> None:
        """A straight line."""
        self._edge(layer, start, end, color=colour, penwidth=f"{width:g}")

    def arrow(self, start: Spot, end: Spot, colour: str, dashed: bool = False) -> None:
        """A straight arrow from `start` to `end`, over all lines."""
        style = "dashed" if dashed else "solid"
        self._edge(9, start, end, color=colour, style=style, arrowhead="normal", penwidth="1.4")

    def mark(self, spot: Spot, colour: str, letter: str = "") -> None:
        """A round mark, larger if there is a letter in it."""
        size = 13 if letter else 8
        look = {"fontcolor": "white", "fontsize": "10", "fontname": f"{FONT}-Bold"}
        self._node(spot, size, size, shape="circle", label=letter, color=colour, fillcolor=colour, **look)

    def box(self, x: float, y: float, box: Box, height: float) -> None:
        """A box centred on `x`, `height` high, with its top at `y`."""
        look = {"label": f"{graphviz.escape(box.text)}\\l" if box.left else graphviz.escape(box.text)}
        look |= {"fontsize": str(box.style.size), "fontcolor": box.style.colour}
        look |= {"color": box.edge or box.fill or "transparent", "fillcolor": box.fill or "transparent"}
        if box.style.bold:
            look["fontname"] = f"{FONT}-Bold"
        if box.edge and box.border != 1:
            look["penwidth"] = f"{box.border:g}"
        self._node((x, y + height / 2), box.width, height, **look)
        if box.struck:
            stroke = box.style.colour
            self._node((x, y + height / 2), box.width - 6, 0.8, label="", color=stroke, fillcolor=stroke, penwidth="0")

    def row(self, x: float, y: float, boxes: list[Box], height: float) -> None:
        """Boxes side by side, centred on `x`, with their top at `y`."""
        left = x - sum(box.width for box in boxes) / 2
        for box in boxes:
            self.box(left + box.width / 2, y, box, height)
            left += box.width

    def words(self, x: float, y: float, lines: list[str], model: Box) -> float:
        """Lines of words, each in a box like `model`, the first with its top at `y`; returns the bottom of the last."""
        height = model.style.size + 4
        for line in lines:
            look = Box(line, model.width, model.style, model.fill, model.edge, left=model.left)
            self.box(x, y, look, height)
            y += height
        return y


def width_of(text: str, style: Style) -> float:
    """How wide the words are at most, about."""
    return len(text) * style.size * (WIDTH_OF_BOLD_LETTER if style.bold else WIDTH_OF_LETTER)


def wrap(text: str, width: float, style: Style) -> list[str]:
    """The text in lines that fit `width` points."""
    return textwrap.wrap(text, max(8, int(width / width_of("x", style))))
