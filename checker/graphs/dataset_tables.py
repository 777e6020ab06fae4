"""The tables of a state graph as Arrow tables: states with their fields and verdicts, and steps."""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from kafkacheck.checker.graphs import arrow
from kafkacheck.checker.graphs.cut_off import Judged
from kafkacheck.checker.graphs.state_graph import Array, States, Steps
from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Allowance
from kafkacheck.checker.schema.layout import unpacked


class Tables:
    """Makes the tables of a model's state graph, also in processes that do not have the model: it can be pickled.

    `columns` names the column of each field of a state, `schema` is their type as text, `limited` are the bounds
    with the fields that count up to them, `steps` the columns of each (action, parameters), `slots` the places of the
    scalars in a packed state.
    """

    def __init__(self, model: Model) -> None:
        layout = model.layout
        self._root, self.slots = arrow.portable(layout.root), layout.slots
        self._properties = [each.name for each in model.properties]
        self._invariants = [place for place, each in enumerate(model.properties) if not each.is_step]
        self._sometimes = [each.name for each in model.sometimes]
        self._measures = [each.name for each in model.measures]
        self._ends = np.array([leaf.low if isinstance(leaf.kind, Allowance) else leaf.high for leaf in layout.leaves])
        self.columns = arrow.field_columns(layout)
        self.limited = arrow.limited_by(layout, model.flags)
        self.steps = arrow.StepColumns(model)
        nothing = arrow.type_array(self._root, np.empty((0, len(layout.leaves)), np.int64))
        self.schema = str(pa.struct([(column, nothing.type.field(name).type) for name, column in self.columns.items()]))

    def states(self, states: States, cut_off: Mapping[str, Judged]) -> pa.Table:
        """States as rows: their number, fingerprint, parent, fields and verdicts.

        `cut_off` tells for each bound which of them it cuts off.
        """
        count = len(states.words)
        rows = unpacked(states.words, self.slots)
        columns = {
            "state": pa.array(np.arange(states.first, states.first + count)),
            "fingerprint": pa.array(states.fingerprints.view(np.int64)),
            "parent": pa.array(states.parents, mask=states.parents < 0),
        }
        whole = arrow.type_array(self._root, rows)
        columns |= {column: whole.field(name) for name, column in self.columns.items()}
        if self._invariants:
            holds = [~_bit(states.verdicts, place) for place in self._invariants]
            columns["properties"] = arrow.flags([self._properties[place] for place in self._invariants], holds)
        if self._sometimes:
            first = len(self._properties)
            met = [_bit(states.verdicts, first + place) for place in range(len(self._sometimes))]
            columns["sometimes"] = arrow.flags(self._sometimes, met)
        if self._measures:
            measured = [pa.array(states.measures[:, place].copy()) for place in range(len(self._measures))]
            columns["measures"] = pa.StructArray.from_arrays(measured, names=self._measures)
        if self.limited:
            at_end = [(rows[:, leaves] == self._ends[leaves]).any(axis=1) for leaves in self.limited.values()]
            columns["at_bound"] = arrow.flags(list(self.limited), at_end)
        if cut_off:
            found = [pa.array(each.is_cut_off, mask=each.is_unknown) for each in cut_off.values()]
            columns["cut_off"] = pa.StructArray.from_arrays(found, names=list(cut_off))
        return pa.table(columns)

    def edges(self, steps: Steps, outside: Array) -> pa.Table:
        """Steps as rows: their source, action, parameters, target, and which properties they violate.

        `outside`, bool[n]: which of them leave the constraint, so that their target is no state.
        """
        combinations = pa.array(steps.combinations)
        columns = {"source": pa.array(steps.sources.astype(np.int64)), "action": self.steps.actions.take(combinations)}
        if self.steps.parameters is not None:
            columns["parameters"] = self.steps.parameters.take(combinations)
        columns["target"] = pa.array(steps.targets.astype(np.int64), mask=outside)
        columns["violates"] = arrow.name_lists(self._properties, steps.wrongs)
        return pa.table(columns)


def _bit(masks: Array, place: int) -> Array:
    """Of each mask, uint64[n], whether a bit is set."""
    is_set: Array = masks >> np.uint64(place) & np.uint64(1) == 1
    return is_set
