"""A state graph as a data set: a folder of Parquet files that any SQL engine reads, and a file that says what it is.

    _run.json                           the model, its bounds and rules, counts, verdicts
    states/level=<level>/states.parquet the states of a level
    edges/level=<level>/edges.parquet   the steps from the states of a level

`level` is a column, too, as readers of such folders know. README.md names the other columns.
"""

import contextlib
import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from checker import arrow
from checker.errors import UsageError
from checker.files import make_folder
from checker.model import Model
from checker.result import Limits, ProgressListener
from checker.settings import rules_of
from checker.state_graph import NO_STATE, StateGraph, States, Steps

FORMAT = "kafkacheck state graph"
VERSION = 1
MANIFEST = "_run.json"
STATES, EDGES = "states", "edges"


def write(model: Model, locator: str, folder: Path, progress: ProgressListener | None = None) -> dict[str, Any]:
    """Explore a model, past violations, and write its state graph to `folder`; what `_run.json` says.

    `locator` is how the model is found again. The folder appears when it is whole. UsageError where it is there
    already, cannot be written, or would hold no state, EvaluationError where the model's code fails,
    NotExhaustedError where memory ends it.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is there already and not an empty folder; name another one, or remove it")
    with appearing(folder) as work:
        written = _Writer(StateGraph(model, Limits(), progress), work).write(locator)
    return written


@contextlib.contextmanager
def appearing(folder: Path) -> Iterator[Path]:
    """A folder to write into, which takes the place of `folder` at the end; removed where that is not reached.

    UsageError where it cannot be written.
    """
    folder = Path(os.path.abspath(folder))
    make_folder(folder.parent)
    work = folder.parent / f".{folder.name}.{os.getpid()}.tmp"
    try:
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        yield work
        if folder.exists():
            shutil.rmtree(folder)
        work.rename(folder)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UsageError(f"cannot write {folder}: {reason}; name a place that can be written") from error
    finally:
        shutil.rmtree(work, ignore_errors=True)


def read_manifest(folder: Path) -> dict[str, Any]:
    """What `_run.json` of a data set says. UsageError where the folder is no data set of this version."""
    path = folder / MANIFEST
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        told = "there is no such folder" if not folder.exists() else f"there is no {MANIFEST} in it"
        raise UsageError(f"{folder} is no state graph: {told}; name a folder that `explore --out` wrote") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {error}; explore the model again") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise UsageError(f"{path} does not describe a state graph; name a folder that `explore --out` wrote")
    if data.get("version") != VERSION:
        raise UsageError(
            f"{path} has version {data.get('version')!r}; this program reads version {VERSION}, so explore the model "
            "again"
        )
    missing = [name for level in data["levels"] for name in _files(level) if not (folder / name).is_file()]
    if missing:
        raise UsageError(f"{folder} is not whole: {missing[0]} is missing; explore the model again")
    return data


def level_file(kind: str, level: int) -> str:
    """Where the states or edges of a level are, within a data set."""
    return f"{kind}/level={level}/{kind}.parquet"


def _files(level: dict[str, int]) -> list[str]:
    return [level_file(STATES, level["level"])] + [level_file(EDGES, level["level"])] * bool(level["edges"])


class _Writer:
    def __init__(self, graph: StateGraph, folder: Path) -> None:
        self.graph = graph
        self.model = graph.model
        self.folder = folder
        self.columns = arrow.field_columns(self.model.layout)
        self.by_combination = arrow.StepColumns(self.model)
        self.limited = arrow.limited_by(self.model.layout)
        self.names = [each.name for each in self.model.properties]
        self.violations = {name: {"states": 0, "steps": 0, "level": 0} for name in self.names}
        self.examples = dict.fromkeys((each.name for each in self.model.sometimes), 0)
        self.edges: list[int] = []
        self.schema = ""

    def write(self, locator: str) -> dict[str, Any]:
        """Write the whole data set."""
        graph, writer, level = self.graph, None, 0
        for steps in graph.steps():
            if steps.level != level:
                if writer is not None:
                    writer.close()
                level, writer = steps.level, None
                self._write_states(level)
                self.edges.append(0)
            table = self._edges(steps)
            if len(table):
                writer = writer or self._open(EDGES, level, table.schema)
                writer.write_table(table)
            self.edges[-1] += len(table)
        if writer is not None:
            writer.close()
        if not graph.counts.distinct:
            raise UsageError(f"{self.model.name} has no state to write: no initial state lies within its constraint")
        manifest = self._manifest(locator)
        (self.folder / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
        return manifest

    def _open(self, kind: str, level: int, schema: pa.Schema) -> pq.ParquetWriter:
        path = self.folder / level_file(kind, level)
        path.parent.mkdir(parents=True)
        return pq.ParquetWriter(path, schema, compression="zstd")

    def _write_states(self, level: int) -> None:
        first, last = self.graph.levels[level - 1]
        writer = None
        for states in self.graph.states(first, last):
            table = self._states(states)
            self._note(level, states.verdicts)
            writer = writer or self._open(STATES, level, table.schema)
            writer.write_table(table)
        assert writer is not None
        writer.close()

    def _states(self, states: States) -> pa.Table:
        model, count = self.model, len(states.words)
        rows = model.layout.unpack(states.words)
        columns = {
            "state": pa.array(np.arange(states.first, states.first + count)),
            "fingerprint": pa.array(states.fingerprints.view(np.int64)),
            "parent": pa.array(states.parents, mask=states.parents < 0),
        }
        whole = arrow.type_array(model.layout.root, rows)
        fields = {column: whole.field(name) for name, column in self.columns.items()}
        self.schema = str(pa.struct([(name, array.type) for name, array in fields.items()]))
        columns |= fields
        judged = [states.verdicts >> np.uint64(place) & np.uint64(1) for place in range(arrow.bit_count(model))]
        invariants = [place for place, each in enumerate(model.properties) if not each.is_step]
        if invariants:
            holds = [judged[place] == 0 for place in invariants]
            columns["properties"] = arrow.flags([self.names[place] for place in invariants], holds)
        if model.sometimes:
            columns["sometimes"] = arrow.flags(list(self.examples), [each == 1 for each in judged[len(self.names) :]])
        if model.measures:
            measured = [pa.array(states.measures[:, place].copy()) for place in range(len(model.measures))]
            columns["measures"] = pa.StructArray.from_arrays(measured, names=[each.name for each in model.measures])
        if self.limited:
            highest = np.array([leaf.high for leaf in model.layout.leaves])
            at_end = [(rows[:, leaves] == highest[leaves]).any(axis=1) for leaves in self.limited.values()]
            columns["at_bound"] = arrow.flags(list(self.limited), at_end)
        return pa.table(columns)

    def _edges(self, steps: Steps) -> pa.Table:
        combinations = pa.array(steps.combinations)
        columns = {
            "source": pa.array(steps.sources.astype(np.int64)),
            "action": self.by_combination.actions.take(combinations),
        }
        if self.by_combination.parameters is not None:
            columns["parameters"] = self.by_combination.parameters.take(combinations)
        columns["target"] = pa.array(steps.targets.astype(np.int64), mask=steps.targets == NO_STATE)
        columns["violates"] = arrow.name_lists(self.names, steps.wrongs)
        for place, name in enumerate(self.names):
            self._count(name, "steps", steps.level, int((steps.wrongs >> np.uint64(place) & np.uint64(1)).sum()))
        return pa.table(columns)

    def _note(self, level: int, verdicts: np.ndarray[Any, Any]) -> None:
        for place, name in enumerate([*self.names, *self.examples]):
            found = int((verdicts >> np.uint64(place) & np.uint64(1)).sum())
            if place < len(self.names):
                self._count(name, "states", level, found)
            else:
                self.examples[name] += found

    def _count(self, name: str, what: str, level: int, found: int) -> None:
        counts = self.violations[name]
        counts[what] += found
        if found and not counts["level"]:
            counts["level"] = level

    def _manifest(self, locator: str) -> dict[str, Any]:
        graph, model, counts = self.graph, self.model, self.graph.counts
        outcome = graph.outcome
        return {
            "format": FORMAT,
            "version": VERSION,
            "model": model.name,
            "locator": locator,
            "question": model.question,
            "bounds": model.bounds,
            "rules": rules_of(model),
            "hash": hashlib.sha256(graph.text.encode()).hexdigest(),
            "verdict": outcome.verdict.value,
            "property": outcome.property,
            "states": counts.distinct,
            "edges": sum(self.edges),
            "generated": counts.generated,
            "depth": counts.depth,
            "levels": [
                {"level": number, "states": last - first, "edges": edges}
                for number, ((first, last), edges) in enumerate(zip(graph.levels, self.edges, strict=True), start=1)
            ],
            "actions": {
                action.name: {"fired": fired, "parameters": [each.name for each in action.parameters]}
                for action, fired in zip(model.actions, counts.fired, strict=True)
            },
            "violations": self.violations,
            "examples": self.examples,
            "measures": [each.name for each in model.measures],
            "limited": list(self.limited),
            "columns": self.columns,
            "schema": self.schema,
            "invariants": [each.name for each in model.properties if not each.is_step],
        }
