"""A trace as lanes, before anything is placed: the lanes, and the items on each at each step."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from kafkacheck.checker.drawing import Event, Lanes, fill, lookup
from kafkacheck.checker.schema import Flag, Kind
from kafkacheck.checker.schema.objects import plain_value
from kafkacheck.checker.schema.pretty import kind_value_text
from kafkacheck.checker.traces.trace import Trace, changed_fields
from kafkacheck.checker.traces.witness import Witness


@dataclass(frozen=True)
class Lane:
    """One lane: its heading, its place from the left, and the path of its part of the state.

    `index` is that of its element; None if it is an extra lane.
    """

    title: str
    order: int
    path: str
    index: int | None = None


@dataclass(frozen=True)
class Item:
    """One item in a lane's cells after a step.

    `is_shaded`: it lies before the marker. `is_new`: the step put it there. `is_removed`: the step took it away, so it
    is drawn a last time; `shaded_on` are then the headings of the lanes on which it lay before the marker until now.
    """

    position: int
    text: str
    is_shaded: bool = False
    is_new: bool = False
    is_removed: bool = False
    shaded_on: tuple[str, ...] = ()


class Story:
    """A trace as the model's `drawing` tells it. Steps are numbered from 0, the initial state."""

    def __init__(self, trace: Trace, drawing: Lanes) -> None:
        self.trace, self.drawing, self.model = trace, drawing, trace.model
        self._kinds: dict[str, Kind] = {leaf.path: leaf.kind for leaf in self.model.layout.leaves}
        self._states = [step.state for step in trace.steps]

    @cached_property
    def lanes(self) -> list[Lane]:
        """All lanes from left to right: the extra ones, then one for each element of the array."""
        array, state = self.drawing.array, self._states[0]
        extra = [Lane(lane.name, order, lane.record) for order, lane in enumerate(self.drawing.extra)]
        count = len(lookup(array, state, {})[0])
        titles = [self._fill(self.drawing.title, state, "", {"lane": index}) for index in range(count)]
        return extra + [Lane(title, len(extra) + i, f"{array}[{i}]", i) for i, title in enumerate(titles)]

    def lines(self, lane: Lane, step: int) -> list[str]:
        """The text of a lane after a step, by lines."""
        if lane.index is None:
            text = self._fill(self.drawing.extra[lane.order].text, self._states[step], "", {})
        else:
            text = self._fill(self.drawing.text, self._element(lane, step), lane.path, {"lane": lane.index})
        return [line for line in text.split("\n") if line]

    def marker(self, lane: Lane, step: int) -> int | None:
        """The marker's position in a lane's cells after a step; None if the lane has no cells."""
        if self.drawing.cells is None or lane.index is None:
            return None
        return int(lookup(self.drawing.cells.marker, self._element(lane, step), {})[0])

    def items(self, lane: Lane, step: int) -> list[Item]:
        """The items in a lane's cells after a step by position, those that the step took away included."""
        before, now, marker = self._texts(lane, max(0, step - 1)), self._texts(lane, step), self.marker(lane, step) or 0
        found = []
        for position in range(max(len(before), len(now))):
            old = before[position] if position < len(before) else None
            new = now[position] if position < len(now) else None
            if old is not None and old != new:
                found.append(Item(position, old, is_removed=True, shaded_on=self._shaded_on(position, old, step - 1)))
            if new is not None:
                found.append(Item(position, new, is_shaded=position < marker, is_new=old != new))
        return found

    def cut(self, step: int) -> str:
        """Words for the items that a step took away, and where they lay before the marker; empty if it took none."""
        cells, parts = self.drawing.cells, []
        for item in (item for lane in self.lanes for item in self.items(lane, step) if item.is_removed):
            shaded = f" ({cells.shaded} on {', '.join(item.shaded_on)})" if cells and item.shaded_on else ""
            parts.append(f"{item.text}{shaded}")
        return f"{cells.cut} {', '.join(parts)}" if cells and parts else ""

    def band(self, lane: Lane, step: int) -> tuple[str, int] | None:
        """The band that a lane has after a step: its text and the value that chooses its colour; None without one."""
        band = self.drawing.band
        if band is None or lane.index is None:
            return None
        element, names = self._element(lane, step), {"lane": lane.index}
        holder, path = lookup(band.holder, element, names, lane.path)
        is_held = holder if isinstance(self._kinds.get(path), Flag) else holder == lane.index
        if not is_held:
            return None
        return self._fill(band.text, element, lane.path, names), int(lookup(band.colour, element, names)[0])

    def held(self, lane: Lane, step: int) -> tuple[int, ...]:
        """The ids that a lane holds after a step, in their order."""
        held = self.drawing.held
        if held is None or lane.index is None:
            return ()
        element = self._element(lane, step)
        return tuple(sorted({each for path in held.ids for each in lookup(path, element, {})[0]}))

    @cached_property
    def ids(self) -> tuple[int, ...]:
        """The ids that any lane holds at any time, in their order."""
        steps = range(len(self._states))
        return tuple(sorted({each for lane in self.lanes for step in steps for each in self.held(lane, step)}))

    def is_changed(self, lane: Lane, step: int) -> bool:
        """Whether a step changed the lane's part of the state."""
        inside = (f"{lane.path}.", f"{lane.path}[")
        return any(f"{change.path}.".startswith(inside) for change in changed_fields(self.trace, step))

    def event(self, step: int) -> Event | None:
        """How the step's action looks; None if the drawing does not say."""
        return self.drawing.events.get(self.trace.steps[step].action or "")

    def event_text(self, step: int) -> str:
        """The words of the step's event; empty without one."""
        event, taken = self.event(step), self.trace.steps[step]
        if event is None or taken.action is None:
            return ""
        kinds = {parameter.name: parameter.kind for parameter in self.model.action(taken.action).parameters}
        return self._fill(event.text, taken.state, "", self._names(step), kinds)

    def ends(self, step: int) -> list[Lane]:
        """The lanes that the step's event starts and ends at: two for an arrow, one for a point, none if not drawn."""
        event = self.event(step)
        found = [self._lane_at(end, step) for end in (event.at, event.to) if end] if event else []
        return list(dict.fromkeys(lane for lane in found if lane is not None))

    def suspects(self, witness: Witness | None) -> tuple[list[Lane], int | None]:
        """The lanes, and the position in their cells, that a witness points to."""
        told = witness.values if witness else ()
        values = {name: value for name, value in told if isinstance(value, int)}
        indices = [values[name] for name in self.drawing.suspects if name in values]
        return [lane for lane in self.lanes if lane.index in indices], values.get(self.drawing.place)

    def _element(self, lane: Lane, step: int) -> Any:
        return lookup(lane.path, self._states[step], {})[0]

    def _texts(self, lane: Lane, step: int) -> list[str]:
        cells = self.drawing.cells
        if cells is None or lane.index is None:
            return []
        element = self._element(lane, step)
        items, length = lookup(cells.items, element, {})[0], lookup(cells.length, element, {})[0]
        where = f"{lane.path}.{cells.items}"
        return [self._fill(cells.text, items[i], f"{where}[{i}]", {}) for i in range(min(length, len(items)))]

    def _shaded_on(self, position: int, text: str, step: int) -> tuple[str, ...]:
        def is_shaded(lane: Lane) -> bool:
            texts, marker = self._texts(lane, step), self.marker(lane, step) or 0
            return position < min(marker, len(texts)) and texts[position] == text

        return tuple(lane.title for lane in self.lanes if is_shaded(lane))

    def _lane_at(self, end: str, step: int) -> Lane | None:
        """The lane that an end of an event names; None if it names none, as a sentinel does."""
        for lane in self.lanes:
            if lane.index is None and lane.title == end:
                return lane
        try:
            value = lookup(end, self._states[step], self._names(step))[0]
        except IndexError:
            return None
        return next((lane for lane in self.lanes if lane.index == value), None)

    def _names(self, step: int) -> dict[str, Any]:
        return {
            **self.trace.steps[step].parameters,
            "before": self._states[max(0, step - 1)],
            "after": self._states[step],
        }

    def _fill(
        self, template: str, root: Any, prefix: str, names: Mapping[str, Any], kinds: Mapping[str, Kind] | None = None
    ) -> str:
        def write(where: str, value: Any) -> str:
            kind = (kinds or {}).get(where, self._kinds.get(where))
            return str(value) if kind is None else kind_value_text(kind, plain_value(value))

        return fill(template, root, names, write, prefix)
