"""The picture of a trace as lanes: one vertical line each, time downwards, one row for each step."""

from kafkacheck.checker.drawing import Lanes
from kafkacheck.checker.pictures.canvas import Box, Canvas, Style, width_of, wrap
from kafkacheck.checker.pictures.lanes import Item, Lane, Story
from kafkacheck.checker.traces.lasso import lasso_lines
from kafkacheck.checker.traces.trace import Trace, call_text, deadlock_text, ending_of, loop_text
from kafkacheck.checker.traces.witness import Witness

SHADES = ("#1f6fb4", "#8e44ad", "#b8650a", "#00796b", "#5d4037", "#3949ab", "#7b8a00", "#ad1457")
INK, GREY, FAINT, FAINTER, RED, PINK, GREEN = (
    "#222222", "#888888", "#c4c4c4", "#ececec", "#c62828", "#fdecec", "#c8eac8",
)  # fmt: skip
PLAIN, BOLD, RED_BOLD, SMALL = Style(9, INK), Style(9, INK, bold=True), Style(9, RED, bold=True), Style(8, "#666666")
LEAST_SPACING, MOST_CALL, LEAST_CELL, BAR, GAP, ROW = 200.0, 240.0, 38.0, 5.0, 8.0, 15.0
HELD, HELD_APART = 9.0, 12.0
"""How wide the bars of held ids are, and how far apart their middles."""


def lanes_svg(trace: Trace, drawing: Lanes, witness: Witness | None) -> str:
    """The lanes as SVG text, with their ending.

    The ending is the violated property with its first witness, or that no action is enabled.
    """
    return _Picture(Story(trace, drawing), witness).draw()


class _Picture:
    """Draws from the top down; every method that draws takes the height of its top and returns that of its bottom."""

    def __init__(self, story: Story, witness: Witness | None) -> None:
        self.story, self.witness = story, witness
        self.lanes, self.count = story.lanes, len(story.trace.steps)
        self.suspects, self.place = story.suspects(witness)
        self.canvas = Canvas(story.model.name)
        self.calls = [call_text(story.model, step) for step in story.trace.steps]
        self.left = 32 + min(MOST_CALL, max(width_of(call, SMALL) for call in self.calls))
        widths = [self._width(lane) + 2 * GAP for lane in self.lanes]
        self.spacing = max(LEAST_SPACING, *widths[len(story.drawing.extra) :])
        self.first = self.left + max(widths[0], 140.0) / 2
        self.right = self._x(self.lanes[-1]) + self.spacing / 2
        self.moments: list[float] = []

    def _width(self, lane: Lane) -> float:
        return max(sum(box.width for box in row) for step in range(self.count) for row in self._card(lane, step))

    def _x(self, lane: Lane) -> float:
        return self.first + lane.order * self.spacing

    def draw(self) -> str:
        """The SVG text."""
        name, trace = self.story.model.name, self.story.trace
        title = f"{name} violates {self.witness.name}" if self.witness else f"{name}: {ending_of(trace) or 'behaviour'}"
        large = Style(15, INK, bold=True)
        top = self.canvas.words(self.right / 2, 0, wrap(title, self.right, large), Box("", self.right, large)) + 11
        for lane in self.lanes:
            self.canvas.words(self._x(lane), top, [lane.title], Box("", self.spacing, Style(12, INK, bold=True)))
        y = top + 22.0
        for step in range(self.count):
            y = self._draw_step(step, y)
            if step == self.story.trace.loop:
                y = self._draw_loop(y)
        for lane in self.lanes:
            self.canvas.line((self._x(lane), top + 20), (self._x(lane), y), FAINT, 1.2)
            self._draw_band(lane, y)
            self._draw_held(lane, y)
        y = self._draw_verdict(y)
        y = self._draw_key(y)
        legend = [line for text in self.story.drawing.legend for line in wrap(text, self.right - 2 * GAP, SMALL)]
        y = self.canvas.words(self.right / 2, y + GAP, legend, Box("", self.right - 2 * GAP, SMALL, left=True))
        return self.canvas.svg(self.right, y)

    def _draw_step(self, step: int, y: float) -> float:
        """The call at the left, the event, and under it the cards of the lanes that the step changed."""
        self.canvas.line((0, y), (self.right, y), FAINTER)
        self.canvas.words(14, y + 3, [str(step + 1)], Box("", 24, BOLD))
        width = self.left - 32
        low = self.canvas.words(
            30 + width / 2, y + 3, wrap(self.calls[step], width + 8, SMALL), Box("", width, SMALL, left=True)
        )
        moment = self._draw_event(step, y + 4)
        self.moments.append(moment)
        for lane in self.lanes:
            is_shown = step in (0, self.count - 1) and lane.index is not None
            if is_shown or self.story.is_changed(lane, step):
                low = max(low, self._draw_card(lane, step, moment + GAP))
        return max(low, moment + GAP) + GAP

    def _draw_loop(self, y: float) -> float:
        """Across all lanes, that the cycle begins here."""
        self.canvas.line((0, y), (self.right, y), RED, 1.6)
        text = Box("", self.right, RED_BOLD, "white")
        lines = wrap(loop_text(self.story.trace), self.right, RED_BOLD)
        return self.canvas.words(self.right / 2, y + 3, lines, text) + GAP

    def _draw_event(self, step: int, y: float) -> float:
        """The mark or arrow of a step under its words; returns the height at which it stands."""
        ends = self.story.ends(step)
        if not ends:
            return y + 6
        start, end = self._x(ends[0]), self._x(ends[-1])
        cut = self.story.cut(step)
        width = max(abs(start - end), self.spacing) - 3 * GAP
        for text, style in ((self.story.event_text(step), PLAIN), (cut, RED_BOLD)):
            for line in wrap(text, width, style):
                y = self.canvas.words((start + end) / 2, y, [line], Box("", width_of(line, style), style, "white"))
        y, colour = y + 7, RED if cut else INK
        self.canvas.mark((start, y), colour)
        if len(ends) == 2:
            event = self.story.event(step)
            self.canvas.arrow((start, y), (end - (4 if end > start else -4), y), colour, bool(event and event.asks))
        for lane in self.lanes:
            if any(item.is_removed for item in self.story.items(lane, step)):
                self.canvas.mark((self._x(lane), y), RED, "x")
        return y

    def _draw_card(self, lane: Lane, step: int, y: float) -> float:
        held = self.story.held(lane, step)
        for each in held:
            self.canvas.box(self._x_of_held(lane, each), y, _held_box(each), ROW)
        y += ROW + 2 if held else 0
        for row in self._card(lane, step):
            self.canvas.row(self._x(lane), y, row, ROW)
            y += ROW + 2
        return y

    def _card(self, lane: Lane, step: int) -> list[list[Box]]:
        """The rows of a lane after a step: the text of its band if it has one, its cells, and its own text."""
        ground = "white" if lane.index is not None else "#f3f3f3"
        texts = [[Box(line, width_of(line, PLAIN), PLAIN, ground)] for line in self.story.lines(lane, step)]
        marker, band = self.story.marker(lane, step), self.story.band(lane, step)
        rows = texts if marker is None else [self._cells(lane, step, marker), *texts]
        if band is not None:
            shade, style = _shade(band[1]), Style(9, "white", bold=True)
            rows.insert(0, [Box(band[0], width_of(band[0], style) + GAP, style, shade)])
        return rows

    def _cells(self, lane: Lane, step: int, marker: int) -> list[Box]:
        """The boxes of the items, with a bar where the marker points."""
        is_suspect = step == self.count - 1 and lane in self.suspects
        items = self.story.items(lane, step)
        boxes = [(item.position, _item_box(item, is_suspect and item.position == self.place)) for item in items]
        if is_suspect and self.place is not None and all(item.position != self.place for item in items):
            boxes.append((self.place, Box("missing", LEAST_CELL + 8, RED_BOLD, PINK, RED, 3)))
        if not boxes:
            boxes.append((0, Box("empty", LEAST_CELL, SMALL, "white", FAINT)))
        before = [box for position, box in boxes if position < marker]
        after = [box for position, box in boxes if position >= marker]
        return [*before, Box("", BAR, PLAIN, INK), *after]

    def _draw_band(self, lane: Lane, bottom: float) -> None:
        bands = [self.story.band(lane, step) for step in range(self.count)]
        starts = [step for step, band in enumerate(bands) if step == 0 or band != bands[step - 1]]
        for start, end in zip(starts, [*starts[1:], self.count], strict=True):
            band, low = bands[start], self.moments[end] if end < self.count else bottom
            if band is not None:
                self.canvas.line(
                    (self._x(lane), self.moments[start]), (self._x(lane), low), _shade(band[1]), 7, layer=1
                )

    def _x_of_held(self, lane: Lane, held: int) -> float:
        """Where the middle of an id's bar is: the bars of all ids are side by side, and the lane in their midst."""
        ids = self.story.ids
        return self._x(lane) + (ids.index(held) - (len(ids) - 1) / 2) * HELD_APART

    def _draw_held(self, lane: Lane, bottom: float) -> None:
        for each in self.story.ids:
            is_held = [each in self.story.held(lane, step) for step in range(self.count)]
            starts = [step for step in range(self.count) if is_held[step] and not (step and is_held[step - 1])]
            for start in starts:
                end = next((step for step in range(start, self.count) if not is_held[step]), self.count)
                low, x = self.moments[end] if end < self.count else bottom, self._x_of_held(lane, each)
                self.canvas.line((x, self.moments[start]), (x, low), _shade(each), HELD, layer=1)

    def _draw_key(self, y: float) -> float:
        """Which colour stands for which id."""
        held = self.story.drawing.held
        if held is None or not self.story.ids:
            return y
        texts = [f"{held.text} {each}" for each in self.story.ids]
        x, y, width = GAP, y + GAP, HELD + 4 + max(width_of(text, PLAIN) for text in texts) + 2 * GAP
        for each, text in zip(self.story.ids, texts, strict=True):
            if x > GAP and x + width > self.right:
                x, y = GAP, y + ROW + 2
            self.canvas.box(x + HELD / 2, y, _held_box(each), ROW)
            middle = x + HELD + 4 + width_of(text, PLAIN) / 2
            self.canvas.box(middle, y, Box(text, width_of(text, PLAIN), PLAIN, left=True), ROW)
            x += width
        return y + ROW

    def _draw_verdict(self, y: float) -> float:
        """The violation and its place, under the last state."""
        if self.story.trace.is_deadlock:
            return self._draw_red(deadlock_text(self.story.trace), [], y)
        if self.story.trace.difference:
            head, *told = self.story.trace.difference
            return self._draw_red(head, told, y)
        if self.story.trace.loop is not None:
            head, *told = lasso_lines(self.story.trace)
            return self._draw_red(head, told, y)
        if self.witness is None:
            return y
        where = [lane.title for lane in self.suspects]
        where += [f"{self.story.drawing.place} {self.place}"] if self.place is not None else []
        told = [
            f"It must hold that: {self.witness.sentence}" if self.witness.sentence else "",
            f"Here it does not for: {', '.join(where)}." if where else "",
            self.witness.text,
        ]
        return self._draw_red(f"state {self.count} violates {self.witness.name}", told, y)

    def _draw_red(self, head: str, told: list[str], y: float) -> float:
        width, style = self.right - 2 * GAP, Style(10, RED)
        banner = Style(12, "white", bold=True)
        y = self.canvas.words(self.right / 2, y + 4, wrap(head, width, banner), Box("", width, banner, RED))
        lines = [f"  {line}" for text in told if text for line in wrap(text, width - 2 * GAP, style)]
        return self.canvas.words(self.right / 2, y, lines, Box("", width, style, PINK, left=True))


def _shade(number: int) -> str:
    return SHADES[number % len(SHADES)]


def _held_box(held: int) -> Box:
    """The id on the ground of its colour."""
    return Box(str(held), HELD, Style(8, "white", bold=True), _shade(held))


def _item_box(item: Item, is_suspect: bool) -> Box:
    if item.is_removed:
        is_lost = bool(item.shaded_on)
        style = Style(9, "white" if is_lost else RED, bold=is_lost)
        width = max(LEAST_CELL, width_of(item.text, style) + GAP)
        return Box(item.text, width, style, RED if is_lost else PINK, RED, struck=True)
    style = BOLD if item.is_new else PLAIN
    width = max(LEAST_CELL, width_of(item.text, BOLD) + GAP)
    edge, border = (RED, 3) if is_suspect else (GREY, 1)
    return Box(item.text, width, style, GREEN if item.is_shaded else "white", edge, border)
