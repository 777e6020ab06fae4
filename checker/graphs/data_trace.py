"""From a state or step of a data set to the behaviour that leads there, replayed by the interpreted reading."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from kafkacheck.checker.catalogue.catalogue import find_model
from kafkacheck.checker.compiled.kernel import kernel_text
from kafkacheck.checker.exploration.evaluation import Evaluation
from kafkacheck.checker.graphs.manifest import EDGES, STATES, level_folder
from kafkacheck.checker.model import Action, Model
from kafkacheck.checker.process.errors import EvaluationError, KafkacheckError, SelfCheckError, UsageError
from kafkacheck.checker.schema.objects import Values, value_from_json
from kafkacheck.checker.traces.trace import Step, Trace, rebuild


def model_of(manifest: dict[str, Any], text: str) -> Model:
    """The model that was explored, at its bounds and with its rules; `text` is how to find it, which a user has named.

    UsageError if it is no longer there or so.
    """
    try:
        model = find_model(text)
        if model.name != manifest["model"]:
            raise UsageError(f"{text} defines the model {model.name}; name the one that was explored")
        return model.with_bounds(manifest["bounds"]).with_rules(manifest["rules"])
    except KafkacheckError as error:
        raise UsageError(f"the model {manifest['model']} that was explored is not there now: {error}") from error


def trace_to(folder: Path, manifest: dict[str, Any], level: int, state: int, text: str) -> Trace:
    """A shortest behaviour to a state of a data set, by the model that `text` names.

    UsageError if today's model does not behave so any more.
    """
    model = model_of(manifest, text)
    return _replayed(model, manifest, lambda: rebuild(model, _chain(model, folder, manifest, level, state)))


def trace_with_step(folder: Path, manifest: dict[str, Any], step: dict[str, Any], text: str) -> Trace:
    """A shortest behaviour, by the model that `text` names, to a step: a row of its level, source, action and target.

    If several steps by the action lead from the source to the target, it is the first one. UsageError if today's
    model does not behave so any more; EvaluationError if it does, and its plain functions do not.
    """
    model = model_of(manifest, text)

    def replay() -> Trace:
        chain = _chain(model, folder, manifest, step["level"], step["source"])
        before = rebuild(model, chain)
        action = model.action(step["action"])
        given = _given(model, action, folder, step)
        after = Evaluation(model).apply(action, given, chain[-1])
        if after is None:
            raise EvaluationError(f"{action.name} is not enabled")
        last = Step(action.name, action.named(given), model.layout.restore(after))
        return Trace(model, None, (*before.steps, last))

    return _replayed(model, manifest, replay)


def _replayed(model: Model, manifest: dict[str, Any], replay: Callable[[], Trace]) -> Trace:
    try:
        return replay()
    except (EvaluationError, SelfCheckError, UsageError) as error:
        if hashlib.sha256(kernel_text(model, with_steps=True).encode()).hexdigest() == manifest["hash"]:
            raise
        raise UsageError(
            f"the model {model.name} was changed since it was explored, and no longer behaves so ({error}); explore it "
            "again"
        ) from error


def _chain(model: Model, folder: Path, manifest: dict[str, Any], level: int, state: int | None) -> list[Values]:
    """The flattened states from an initial one to a state of a level."""
    columns, found = manifest["columns"], []
    while state is not None:
        path = folder / level_folder(STATES, level)
        wanted = [("state", "==", state)]
        rows = _rows(path, wanted, ["parent", *columns.values()])
        if not rows:
            raise UsageError(f"{path} has no state {state}; explore the model again")
        data = {name: rows[0][column] for name, column in columns.items()}
        found.append(model.layout.flatten(model.layout.from_json(data)))
        state, level = rows[0]["parent"], level - 1
    return found[::-1]


def _given(model: Model, action: Action, folder: Path, step: dict[str, Any]) -> Values:
    """The parameters of a step, as its data set has them."""
    if not action.parameters:
        return ()
    path = folder / level_folder(EDGES, step["level"])
    wanted = [("source", "==", step["source"]), ("action", "==", step["action"])]
    for row in _rows(path, wanted):
        if row["target"] == step["target"]:
            told = row["parameters"]
            columns = [
                each.name if each.name in told else f"{each.name}_of_{action.name}" for each in action.parameters
            ]
            values = zip(action.parameters, columns, strict=True)
            return tuple(value_from_json(each.kind, told[column], each.name) for each, column in values)
    raise UsageError(f"{path} has no step by {action.name} from state {step['source']}; explore the model again")


def _rows(path: Path, wanted: list[tuple[str, str, Any]], columns: list[str] | None = None) -> list[dict[str, Any]]:
    """The rows of a table that are wanted, every page compared with its checksum. UsageError if one is damaged."""
    try:
        table = pq.read_table(path, columns=columns, filters=wanted, partitioning=None, page_checksum_verification=True)
    except (OSError, pa.ArrowException) as error:
        raise UsageError(f"{path} is damaged: {str(error).splitlines()[0]}; explore the model again") from None
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows
