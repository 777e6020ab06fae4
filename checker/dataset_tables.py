"""The tables of a state graph as Arrow tables: states with their fields and what is judged of them, and steps."""

import numpy as np
import pyarrow as pa

from checker import arrow
from checker.model import Model
from checker.schema import Allowance
from checker.state_graph import NO_STATE, States, Steps


class Tables:
    """Makes the tables of a model's state graph.

    `columns` names the column of each field of a state, `schema` is their type as text, `limited` are the bounds
    with the fields that count up to them, `steps` the columns of each (action, parameters).
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._properties = [each.name for each in model.properties]
        self._ends = np.array(
            [leaf.low if isinstance(leaf.kind, Allowance) else leaf.high for leaf in model.layout.leaves]
        )
        self.columns = arrow.field_columns(model.layout)
        self.limited = arrow.limited_by(model.layout)
        self.steps = arrow.StepColumns(model)
        nothing = arrow.type_array(model.layout.root, np.empty((0, len(model.layout.leaves)), np.int64))
        self.schema = str(pa.struct([(column, nothing.type.field(name).type) for name, column in self.columns.items()]))

    def states(self, states: States) -> pa.Table:
        """States as rows: their number, fingerprint, parent, fields, and what is judged of them."""
        model, count = self._model, len(states.words)
        rows = model.layout.unpack(states.words)
        columns = {
            "state": pa.array(np.arange(states.first, states.first + count)),
            "fingerprint": pa.array(states.fingerprints.view(np.int64)),
            "parent": pa.array(states.parents, mask=states.parents < 0),
        }
        whole = arrow.type_array(model.layout.root, rows)
        columns |= {column: whole.field(name) for name, column in self.columns.items()}
        judged = [states.verdicts >> np.uint64(place) & np.uint64(1) for place in range(arrow.bit_count(model))]
        invariants = [place for place, each in enumerate(model.properties) if not each.is_step]
        if invariants:
            holds = [judged[place] == 0 for place in invariants]
            columns["properties"] = arrow.flags([self._properties[place] for place in invariants], holds)
        if model.sometimes:
            met = [each == 1 for each in judged[len(self._properties) :]]
            columns["sometimes"] = arrow.flags([each.name for each in model.sometimes], met)
        if model.measures:
            measured = [pa.array(states.measures[:, place].copy()) for place in range(len(model.measures))]
            columns["measures"] = pa.StructArray.from_arrays(measured, names=[each.name for each in model.measures])
        if self.limited:
            at_end = [(rows[:, leaves] == self._ends[leaves]).any(axis=1) for leaves in self.limited.values()]
            columns["at_bound"] = arrow.flags(list(self.limited), at_end)
        return pa.table(columns)

    def edges(self, steps: Steps) -> pa.Table:
        """Steps as rows: their source, action, parameters, target, and which properties they violate."""
        combinations = pa.array(steps.combinations)
        columns = {
            "source": pa.array(steps.sources.astype(np.int64)),
            "action": self.steps.actions.take(combinations),
        }
        if self.steps.parameters is not None:
            columns["parameters"] = self.steps.parameters.take(combinations)
        columns["target"] = pa.array(steps.targets.astype(np.int64), mask=steps.targets == NO_STATE)
        columns["violates"] = arrow.name_lists(self._properties, steps.wrongs)
        return pa.table(columns)
