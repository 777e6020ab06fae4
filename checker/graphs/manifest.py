"""`_run.json`: the description of a data set of a state graph, and the folders of its tables."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kafkacheck.checker.exploration.exploration import Found
from kafkacheck.checker.exploration.verdict import Verdict
from kafkacheck.checker.graphs.dataset_tables import Tables
from kafkacheck.checker.graphs.sealed import Digest, verify
from kafkacheck.checker.graphs.state_graph import Combinations
from kafkacheck.checker.model import Model
from kafkacheck.checker.model.settings import rules_of
from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.process.files import reason_of

FORMAT = "kafkacheck state graph"
VERSION = 4
MANIFEST = "_run.json"
STATES, EDGES = "states", "edges"
KEYS = (
    "model", "locator", "question", "bounds", "rules", "hash", "verdict", "property", "unfinished", "states", "edges",
    "generated", "depth", "expanded", "levels", "actions", "violations", "examples", "measures", "limited", "cut_off",
    "columns", "schema", "invariants", "files",
)  # fmt: skip
"""The keys of `_run.json`."""
SEAL = "sha256"
"""Under this key `_run.json` has a digest of all else that it says."""
AGAIN = "explore the model again, into another folder"

Array = np.ndarray[Any, Any]


def level_folder(kind: str, level: int) -> str:
    """The folder of the files with the states or edges of a level, within a data set."""
    return f"{kind}/level={level}"


def write(
    folder: Path,
    model: Model,
    tables: Tables,
    locator: str,
    found: "Explored",
    tally: "Tally",
    files: Mapping[str, Digest],
) -> dict[str, Any]:
    """Write `_run.json`; its content. `files` are the digests of all files by their paths in the data set.

    ModelError if values that the functions read have changed meanwhile.
    """
    model.require_unchanged()
    is_open = bool(found.reason) and found.outcome.verdict is Verdict.HOLDS
    edges = [*found.edges, *[0] * (len(found.states) - len(found.edges))]
    said = {
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
        "files": {name: list(files[name]) for name in sorted(files)},
    }
    data: dict[str, Any] = json.loads(json.dumps(said))
    (folder / MANIFEST).write_text(json.dumps({**data, SEAL: _seal(data)}, indent=2) + "\n", encoding="utf-8")
    return data


class Explored(NamedTuple):
    """An explored graph: the text of its kernel, the verdict of a check, and why not all is there, if so.

    `initial` is the number of initial states that were generated; `states` are those of each level, `edges` the steps
    from each level whose steps are there; `cut_off` are the bounds whose cut-off states are marked.
    """

    text: str
    outcome: Found
    reason: str
    initial: int
    states: list[int]
    edges: list[int]
    cut_off: list[str]


class Tally:
    """The counts of the levels that were written whole."""

    def __init__(self, model: Model) -> None:
        self._actions = Combinations(model).actions
        self.names = [each.name for each in model.properties]
        self.violations = {name: {"states": 0, "steps": 0, "level": 0} for name in self.names}
        self.examples = dict.fromkeys((each.name for each in model.sometimes), 0)
        self.fired = np.zeros(len(model.actions), np.int64)

    def add_states(self, level: int, counts: Array) -> None:
        """Count some states of a level, and how many of them have each bit of the verdicts set."""
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
    """The content of `_run.json` of a data set, after all files were compared with their digests.

    UsageError if the folder is no data set of this version, or a file is damaged.
    """
    path = folder / MANIFEST
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        told = "there is no such folder" if not folder.exists() else f"there is no {MANIFEST} in it"
        raise UsageError(f"{folder} is no state graph: {told}; name a folder that `explore --out` wrote") from None
    except (OSError, ValueError) as error:
        why = reason_of(error) if isinstance(error, OSError) else f"it is no JSON ({error})"
        raise UsageError(f"{path} cannot be read: {why}; restore it, or {AGAIN}") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise UsageError(
            f"{path} does not describe a state graph; name a folder that `explore --out` wrote, or {AGAIN}"
        )
    if data.get("version") != VERSION:
        raise UsageError(
            f"{path} has version {data.get('version')!r}; this program reads version {VERSION}, which has a "
            f"digest of each file; {AGAIN}"
        )
    seal = data.pop(SEAL, None)
    if seal != _seal(data):
        raise UsageError(f"{path} is damaged: it is not what was written; restore it, or {AGAIN}")
    missing = [name for name in KEYS if name not in data]
    if missing:
        raise UsageError(f"{path} says nothing of {missing[0]}; restore it, or {AGAIN}")
    verify(folder, (STATES, EDGES), {name: Digest(*each) for name, each in data["files"].items()}, AGAIN)
    return data


def _seal(data: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def unfinished_text(run: Mapping[str, Any]) -> str:
    """Which part of a state graph is there, if it is not all, by what `_run.json` says."""
    return (
        f"not all is there: {run['unfinished']}; there are the states of levels 1 to {run['depth']} and the steps from "
        f"those of {run['expanded']} levels"
    )
