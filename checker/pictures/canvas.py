"""Pictures whose every part has its place, as SVG text: no program has to lay anything out.

Coordinates are points, x to the right and y downwards from the top. Boxes have fixed sizes and words are centred or
start at the left, so that a font with wider letters than expected changes nothing but the words themselves.
"""

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from xml.sax.saxutils import escape

FONT = "Helvetica, Arial, sans-serif"
MARGIN = 8
WIDTH_OF_LETTER = 0.58
WIDTH_OF_BOLD_LETTER = 0.64
"""The width of an average letter, as a part of the font size; that of a wide font, so that words fit their boxes."""
BASELINE = 0.36
"""How far below the middle of a line its letters stand, as a part of the font size."""

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
    """Collects shapes and lines; `svg` is the picture.

    Shapes lie over lines, later ones over earlier ones; lines of a higher layer lie over those of a lower one.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._shapes: list[str] = []
        self._lines: list[tuple[int, str]] = []

    def svg(self, width: float, height: float) -> str:
        """The SVG text of the picture, of which this size is shown."""
        area = {"x": -MARGIN, "y": -MARGIN, "width": width + 2 * MARGIN, "height": height + 2 * MARGIN}
        size = f'width="{area["width"]:.1f}pt" height="{area["height"]:.1f}pt"'
        view = " ".join(f"{value:.1f}" for value in area.values())
        root = f'xmlns="http://www.w3.org/2000/svg" {size} viewBox="{view}" font-family="{FONT}" xml:space="preserve"'
        lines = [text for _, text in sorted(self._lines, key=lambda each: each[0])]
        ground = [f"<title>{escape(self._name)}</title>", _element("rect", area | {"fill": "white"})]
        return "\n".join([f"<svg {root}>", *ground, *lines, *self._shapes, "</svg>", ""])

    def line(self, start: Spot, end: Spot, colour: str, width: float = 1, layer: int = 0, dashes: str = "") -> None:
        """A straight line."""
        ends = {"x1": start[0], "y1": start[1], "x2": end[0], "y2": end[1]}
        look = {"stroke": colour, "stroke-width": width, "stroke-dasharray": dashes}
        self._lines.append((layer, _element("line", ends | look)))

    def arrow(self, start: Spot, end: Spot, colour: str, dashed: bool = False) -> None:
        """A horizontal arrow from `start` to `end`, over all lines."""
        (x, y), back = end, end[0] + (-9 if end[0] > start[0] else 9)
        self.line(start, (back, y), colour, 1.4, layer=9, dashes="5 2" * dashed)
        head = f"{x:.1f},{y:.1f} {back:.1f},{y - 3.5:.1f} {back:.1f},{y + 3.5:.1f}"
        self._lines.append((9, _element("polygon", {"points": head, "fill": colour})))

    def mark(self, spot: Spot, colour: str, letter: str = "") -> None:
        """A round mark, larger if there is a letter in it."""
        look = {"cx": spot[0], "cy": spot[1], "r": 6.5 if letter else 4, "fill": colour}
        self._shapes.append(_element("circle", look))
        self._write(spot, letter, Style(10, "white", bold=True))

    def box(self, x: float, y: float, box: Box, height: float) -> None:
        """A box centred on `x`, `height` high, with its top at `y`."""
        left, middle = x - box.width / 2, y + height / 2
        if box.fill or box.edge:
            place = {"x": left, "y": y, "width": box.width, "height": height}
            look = {"fill": box.fill or "none", "stroke": box.edge, "stroke-width": box.border}
            self._shapes.append(_element("rect", place | look))
        self._write((left if box.left else x, middle), box.text, box.style, "start" if box.left else "middle")
        if box.struck:
            stroke = {"x": left + 3, "y": middle - 0.4, "width": box.width - 6, "height": 0.8}
            self._shapes.append(_element("rect", stroke | {"fill": box.style.colour}))

    def _write(self, spot: Spot, text: str, style: Style, anchor: str = "middle") -> None:
        """Words on a line whose middle is at the height of the spot."""
        place = {"x": spot[0], "y": spot[1] + BASELINE * style.size, "text-anchor": anchor}
        look = {"font-size": style.size, "fill": style.colour, "font-weight": "bold" * style.bold}
        if text:
            self._shapes.append(_element("text", place | look, text))

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


def _element(tag: str, attributes: Mapping[str, object], content: str = "") -> str:
    """An element of SVG with its attributes, but for empty ones."""
    told = {name: f"{value:.1f}" if isinstance(value, float) else value for name, value in attributes.items()}
    words = "".join(f' {name}="{value}"' for name, value in told.items() if value != "")
    return f"<{tag}{words}>{escape(content)}</{tag}>"


def width_of(text: str, style: Style) -> float:
    """How wide the words are at most, about."""
    return len(text) * style.size * (WIDTH_OF_BOLD_LETTER if style.bold else WIDTH_OF_LETTER)


def wrap(text: str, width: float, style: Style) -> list[str]:
    """The text in lines that fit `width` points."""
    return textwrap.wrap(text, max(8, int(width / width_of("x", style))))
