"""`_run.json`: what a data set of a state graph says of itself, and the folders of its tables."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from checker.errors import UsageError
from checker.exploration import Found
from checker.files import reason_of
from checker.graphs.dataset_tables import Tables
from checker.graphs.state_graph import Combinations
from checker.model import Model
from checker.result import Verdict
from checker.settings import rules_of

FORMAT = "kafkacheck state graph"
VERSION = 3
MANIFEST = "_run.json"
STATES, EDGES = "states", "edges"
KEYS = (
    "model", "locator", "question", "bounds", "rules", "hash", "verdict", "property", "unfinished", "states", "edges",
    "generated", "depth", "expanded", "levels", "actions", "violations", "examples", "measures", "limited", "cut_off",
    "columns", "schema", "invariants",
)  # fmt: skip
"""What `_run.json` says."""

Array = np.ndarray[Any, Any]


def level_folder(kind: str, level: int) -> str:
    """Where the files with the states or edges of a level are, within a data set."""
    return f"{kind}/level={level}"


def write(
    folder: Path, model: Model, tables: Tables, locator: str, found: "Explored", tally: "Tally"
) -> dict[str, Any]:
    """Write `_run.json`; what it says. ModelError if what the functions see has changed meanwhile."""
    model.require_unchanged()
    is_open = bool(found.reason) and found.outcome.verdict is Verdict.HOLDS
    edges = [*found.edges, *[0] * (len(found.states) - len(found.edges))]
    data = {
        "format": FORMAT,
        "version": VERSION,
        "model": model.name,
        "locator": locator,
        "question": model.question,
        "bounds": model.bounds,
        "rules": rules_of(model),
        "hash": hashlib.sha256(found.text.encode()).hexdigest(),
        "verdict": (Verdict.NOT_EXHAUSTED if is_open else found.outcome.verdict).value,
        "property": found.outcome.property,
        "unfinished": found.reason,
        "states": sum(found.states),
        "edges": sum(edges),
        "generated": found.initial + sum(edges),
        "depth": len(found.states),
        "expanded": len(found.edges),
        "levels": [
            {"level": number, "states": states, "edges": steps}
            for number, (states, steps) in enumerate(zip(found.states, edges, strict=True), start=1)
        ],
        "actions": {
            action.name: {"fired": int(fired), "parameters": [each.name for each in action.parameters]}
            for action, fired in zip(model.actions, tally.fired, strict=True)
        },
        "violations": tally.violations,
        "examples": tally.examples,
        "measures": [each.name for each in model.measures],
        "limited": list(tables.limited),
        "cut_off": found.cut_off,
        "columns": tables.columns,
        "schema": tables.schema,
        "invariants": [each.name for each in model.properties if not each.is_step],
    }
    (folder / MANIFEST).write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    return data


class Explored(NamedTuple):
    """What was explored: the text of its kernel, what a check would say, and why not all is there, if so.

    `initial` is the number of initial states that were generated; `states` are those of each level, `edges` the steps
    from each level whose steps are there; `cut_off` are the bounds of which it is told which states they cut off.
    """

    text: str
    outcome: Found
    reason: str
    initial: int
    states: list[int]
    edges: list[int]
    cut_off: list[str]


class Tally:
    """What is counted of the levels that were written whole."""

    def __init__(self, model: Model) -> None:
        self._actions = Combinations(model).actions
        self.names = [each.name for each in model.properties]
        self.violations = {name: {"states": 0, "steps": 0, "level": 0} for name in self.names}
        self.examples = dict.fromkeys((each.name for each in model.sometimes), 0)
        self.fired = np.zeros(len(model.actions), np.int64)

    def add_states(self, level: int, counts: Array) -> None:
        """Count some states of a level, of which so many have each bit of the verdicts set."""
        for name, found in zip([*self.names, *self.examples], counts, strict=True):
            if name in self.violations:
                self._violated(name, "states", level, int(found))
            else:
                self.examples[name] += int(found)

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


def bit_counts(masks: Array, bits: int) -> Array:
    """How many of some masks, uint64[n], have each of the lowest bits set: int64[bits]."""
    return np.array([int((masks >> np.uint64(place) & np.uint64(1)).sum()) for place in range(bits)], np.int64)


def read(folder: Path) -> dict[str, Any]:
    """What `_run.json` of a data set says. UsageError where the folder is no data set of this version."""
    path = folder / MANIFEST
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        told = "there is no such folder" if not folder.exists() else f"there is no {MANIFEST} in it"
        raise UsageError(f"{folder} is no state graph: {told}; name a folder that `explore --out` wrote") from None
    except (OSError, ValueError) as error:
        why = reason_of(error) if isinstance(error, OSError) else f"it is no JSON ({error})"
        raise UsageError(f"{path} cannot be read: {why}; name a folder that `explore --out` wrote") from error
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
            _check_table(folder / level_folder(kind, level["level"]), level[kind], names)
    return data


def _check_table(folder: Path, expected: int, columns: Sequence[str]) -> None:
    """UsageError where the files of a level are not there, damaged, or without rows or columns that they must have."""
    paths = sorted(folder.glob("*.parquet"))
    if expected and not paths:
        raise UsageError(f"the data set is not whole: {folder} has no Parquet file; explore the model again")
    found = 0
    for path in paths:
        try:
            metadata = pq.read_metadata(path)
            found, names = found + metadata.num_rows, metadata.schema.to_arrow_schema().names
        except (OSError, pa.ArrowException) as error:
            raise UsageError(f"{path} is damaged: {_first_line(error)}; explore the model again") from None
        missing = [name for name in columns if name not in names]
        if missing:
            raise UsageError(f"{path} has no column {missing[0]}; explore the model again")
    if found != expected:
        raise UsageError(f"{folder} has {found:,} rows and not {expected:,}; explore the model again")


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
