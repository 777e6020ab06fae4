"""A state graph as a data set: a folder of Parquet files that any SQL engine reads, and a file that says what it is.

    _run.json                           the model, its bounds and rules, counts, verdicts
    states/level=<level>/states.parquet the states of a level
    edges/level=<level>/edges.parquet   the steps from the states of a level

`level` is a column, too, as readers of such folders know. README.md names the other columns.
"""

import contextlib
import hashlib
import itertools
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from checker import state_graph
from checker.dataset_tables import Tables
from checker.errors import NotExhaustedError, UsageError
from checker.exploration import Watch
from checker.files import make_folder
from checker.model import Model
from checker.result import Limits, ProgressListener, Verdict
from checker.settings import rules_of
from checker.state_graph import Combinations, StateGraph, Steps

FORMAT = "kafkacheck state graph"
VERSION = 2
MANIFEST = "_run.json"
STATES, EDGES = "states", "edges"
KEYS = (
    "model", "locator", "question", "bounds", "rules", "hash", "verdict", "property", "unfinished", "states", "edges",
    "generated", "depth", "expanded", "levels", "actions", "violations", "examples", "measures", "limited", "columns",
    "schema", "invariants",
)  # fmt: skip
"""What `_run.json` says."""

Array = np.ndarray[Any, Any]


def write(
    model: Model,
    locator: str,
    folder: Path,
    progress: ProgressListener | None = None,
    limits: Limits | None = None,
) -> dict[str, Any]:
    """Explore a model, past violations, and write its state graph to `folder`; what `_run.json` says.

    `locator` is how the model is found again. The folder appears when all is written. Where a limit, Ctrl-C or the
    memory ends it, that is all levels found whole, of which the last has no steps, and `_run.json` says so. UsageError
    where the folder is there already, cannot be written, or would hold no state, EvaluationError where the model's code
    fails, NotExhaustedError where it ends before anything is explored.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is there already and not an empty folder; name another one, or remove it")
    watch = Watch(limits or Limits(), progress)
    _check_start(model, watch.limits.max_states)
    with watch.interrupts.listening(), appearing(folder) as work:
        written = _Writer(state_graph.explored(model, watch), work).write(locator)
    return written


def _check_start(model: Model, most: int | None) -> None:
    """UsageError where a limit on the states does not let in the first level."""
    if most is not None and sum(1 for _ in itertools.islice(model.initial_states(), most + 1)) > most:
        raise UsageError(f"{model.name} has more than {most} initial states; give more to --max-states")


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
    missing = [name for name in KEYS if name not in data]
    if missing:
        raise UsageError(f"{path} says nothing of {missing[0]}; restore it, or explore the model again")
    columns = {
        STATES: ["state", "parent", *data["columns"].values()],
        EDGES: ["source", "action", "target", "violates"],
    }
    for level in data["levels"]:
        for kind, names in columns.items():
            _check_table(folder, kind, level["level"], level[kind], names)
    return data


def level_file(kind: str, level: int) -> str:
    """Where the states or edges of a level are, within a data set."""
    return f"{kind}/level={level}/{kind}.parquet"


def _check_table(folder: Path, kind: str, level: int, expected: int, columns: Sequence[str]) -> None:
    """UsageError where a file of a data set is not there, damaged, or without rows or columns that it must have."""
    path = folder / level_file(kind, level)
    if not expected and not path.exists():
        return
    try:
        metadata = pq.read_metadata(path)
        found, names = metadata.num_rows, metadata.schema.to_arrow_schema().names
    except FileNotFoundError:
        raise UsageError(f"{folder} is not whole: {path} is missing; explore the model again") from None
    except (OSError, pa.ArrowException) as error:
        raise UsageError(f"{path} is damaged: {_first_line(error)}; explore the model again") from None
    missing = [name for name in columns if name not in names]
    if missing:
        raise UsageError(f"{path} has no column {missing[0]}; explore the model again")
    if found != expected:
        raise UsageError(f"{path} has {found:,} rows and not {expected:,}; explore the model again")


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


class _Tally:
    """What is counted of the levels that were written whole."""

    def __init__(self, model: Model) -> None:
        self._actions = Combinations(model).actions
        self.names = [each.name for each in model.properties]
        self.violations = {name: {"states": 0, "steps": 0, "level": 0} for name in self.names}
        self.examples = dict.fromkeys((each.name for each in model.sometimes), 0)
        self.fired = np.zeros(len(model.actions), np.int64)

    def add_states(self, level: int, verdicts: Array) -> None:
        """Count what some states of a level are judged to be."""
        for place, name in enumerate([*self.names, *self.examples]):
            found = int((verdicts >> np.uint64(place) & np.uint64(1)).sum())
            if place < len(self.names):
                self._violated(name, "states", level, found)
            else:
                self.examples[name] += found

    def add_steps(self, level: int, combinations: Array, wrongs: Array) -> None:
        """Count how often which combination was a step of a level, and how often property k was violated."""
        self.fired += np.bincount(self._actions, combinations, len(self.fired)).astype(np.int64)
        for name, found in zip(self.names, wrongs, strict=True):
            self._violated(name, "steps", level, int(found))

    def _violated(self, name: str, what: str, level: int, found: int) -> None:
        counts = self.violations[name]
        counts[what] += found
        if found:
            counts["level"] = min(level, counts["level"] or level)


class _Writer:
    def __init__(self, graph: StateGraph, folder: Path) -> None:
        self.graph, self.folder = graph, folder
        self.model = graph.model
        self.tables = Tables(self.model)
        self.tally = _Tally(self.model)
        self.edges: list[int] = []

    def write(self, locator: str) -> dict[str, Any]:
        """Write the data set: every level, or those found until something ends it."""
        reason = ""
        try:
            for level, steps in self.graph.steps_by_level():
                self._write_states(level)
                self._write_edges(level, steps)
        except NotExhaustedError as error:
            reason = str(error)
            for level in range(len(self.edges) + 1, len(self.graph.levels) + 1):
                if not (self.folder / level_file(STATES, level)).is_file():
                    self._write_states(level)
        if not self.graph.levels:
            raise UsageError(f"{self.model.name} has no state to write: no initial state lies within its constraint")
        manifest = self._manifest(locator, reason)
        (self.folder / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
        return manifest

    def _open(self, kind: str, level: int, schema: pa.Schema) -> pq.ParquetWriter:
        path = self.folder / level_file(kind, level)
        path.parent.mkdir(parents=True)
        return pq.ParquetWriter(path, schema, compression="zstd")

    def _write_states(self, level: int) -> None:
        first, last = self.graph.levels[level - 1]
        with contextlib.ExitStack() as opened:
            writer = None
            for states in self.graph.states(first, last):
                table = self.tables.states(states)
                self.tally.add_states(level, states.verdicts)
                writer = writer or opened.enter_context(self._open(STATES, level, table.schema))
                writer.write_table(table)

    def _write_edges(self, level: int, parts: Iterable[Steps]) -> None:
        """Write the steps of a level, or none of them where something ends it before."""
        combinations = np.zeros(len(self.tables.steps), np.int64)
        wrongs, count, writer = np.zeros(len(self.model.properties), np.int64), 0, None
        try:
            for part in parts:
                if len(part.sources):
                    table = self.tables.edges(part)
                    writer = writer or self._open(EDGES, level, table.schema)
                    writer.write_table(table)
                    count += len(table)
                    combinations += np.bincount(part.combinations, minlength=len(combinations))
                    for place in range(len(wrongs)):
                        wrongs[place] += int((part.wrongs >> np.uint64(place) & np.uint64(1)).sum())
        except BaseException:
            if writer is not None:
                writer.close()
                shutil.rmtree((self.folder / level_file(EDGES, level)).parent)
            raise
        if writer is not None:
            writer.close()
        self.edges.append(count)
        self.tally.add_steps(level, combinations, wrongs)

    def _manifest(self, locator: str, reason: str) -> dict[str, Any]:
        graph, model, levels = self.graph, self.model, self.graph.levels
        outcome = graph.outcome
        is_open = bool(reason) and outcome.verdict is Verdict.HOLDS
        edges = [*self.edges, *[0] * (len(levels) - len(self.edges))]
        return {
            "format": FORMAT,
            "version": VERSION,
            "model": model.name,
            "locator": locator,
            "question": model.question,
            "bounds": model.bounds,
            "rules": rules_of(model),
            "hash": hashlib.sha256(graph.text.encode()).hexdigest(),
            "verdict": (Verdict.NOT_EXHAUSTED if is_open else outcome.verdict).value,
            "property": outcome.property,
            "unfinished": reason,
            "states": levels[-1][1],
            "edges": sum(edges),
            "generated": graph.initial + sum(edges),
            "depth": len(levels),
            "expanded": len(self.edges),
            "levels": [
                {"level": number, "states": last - first, "edges": count}
                for number, ((first, last), count) in enumerate(zip(levels, edges, strict=True), start=1)
            ],
            "actions": {
                action.name: {"fired": int(fired), "parameters": [each.name for each in action.parameters]}
                for action, fired in zip(model.actions, self.tally.fired, strict=True)
            },
            "violations": self.tally.violations,
            "examples": self.tally.examples,
            "measures": [each.name for each in model.measures],
            "limited": list(self.tables.limited),
            "columns": self.tables.columns,
            "schema": self.tables.schema,
            "invariants": [each.name for each in model.properties if not each.is_step],
        }
