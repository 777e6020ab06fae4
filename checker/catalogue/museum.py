"""The museum: known bugs, each a model with a rule put back to how it was, and the search that finds the bug.

The file `bugs.toml` of a folder of the catalogue may begin with the name of its area, `area = "..."`, which otherwise
is that of the folder. It has one table for each bug that its models show:

    title = "..."                   what went wrong, in a line
    model = "lock"                  the model of the catalogue in which it shows
    property = "mutual_exclusion"   the property that it violates
    broken = [{ retries = "NEVER" }]  the rules as they were; several variants if each shows it
    rules = { ... }                 rules that both halves have, if they differ from the model's (may be missing)
    bounds = { ... }                bounds that both halves have, if they differ from the model's (may be missing)
    properties = ["..."]            the properties that the fixed half checks, where not all (may be missing)
    fixed_by = "..."                what mended it
    reason = "..."                  what a reader must know of the outcome (may be missing)
    lacks = "..."                   instead of model, property and broken: the mechanism that the model lacks

Each bug has two halves. Broken: the search must find a violation of the property. Fixed: with the same bounds every
property of the model must hold in every reachable state.
"""

import builtins
import time
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.exploration.verdict import Limits, Verdict
from kafkacheck.checker.model import Model
from kafkacheck.checker.process.errors import ModelError, UsageError
from kafkacheck.checker.process.names import did_you_mean, shortened
from kafkacheck.checker.result import Result

FILE = "bugs.toml"
PINNED_FILE = "expected_bugs.toml"
TEXTS = ("title", "model", "property", "fixed_by", "reason", "lacks")
KEYS = (*TEXTS, "broken", "rules", "bounds", "properties")


@dataclass(frozen=True)
class Bug:
    """A known bug; see the module for the fields. `area` and `folder` are those of its file."""

    id: str
    area: str
    folder: str
    title: str
    fixed_by: str
    model: str = ""
    property: str = ""
    broken: Sequence[Mapping[str, Any]] = ()
    rules: Mapping[str, Any] = field(default_factory=dict)
    bounds: Mapping[str, int] = field(default_factory=dict)
    properties: Sequence[str] = ()
    reason: str = ""
    lacks: str = ""

    @builtins.property
    def names(self) -> tuple[str, ...]:
        """The id, and each of the names that make it up."""
        return (self.id, *self.id.split(" / "))

    def fixed_model(self) -> Model:
        """The model with the fix and all that it checks. ModelError if the entry does not fit the model."""
        try:
            model = self._model().with_bounds(self.bounds).with_rules(self.rules)
            return model.with_properties(self.properties) if self.properties else model
        except UsageError as error:
            raise ModelError(f"the bug {self.id}: {error}; mend its entry in {self.folder}/{FILE}") from None

    def dated_rules(self) -> Any:
        """The rules of its model, which say since which release they are so. ModelError as above."""
        try:
            return self._model().rules
        except UsageError as error:
            raise ModelError(f"the bug {self.id}: {error}; mend its entry in {self.folder}/{FILE}") from None

    def _model(self) -> Model:
        catalogue.names_matching([self.model])  # an entry cannot have a file of its own imported
        return catalogue.find_model(self.model)

    def broken_models(self) -> list[Model]:
        """One model for each variant without the fix: only the bug's property is checked. ModelError as above."""
        try:
            return [self.fixed_model().with_rules(each).with_properties([self.property]) for each in self.broken]
        except UsageError as error:
            raise ModelError(f"the bug {self.id}: {error}; mend its entry in {self.folder}/{FILE}") from None


@dataclass(frozen=True)
class Exhibit:
    """The results of the two halves. `broken` has one for each variant; both are empty if the model lacks a mechanism.

    After Ctrl-C (`is_interrupted`) those that were not begun are missing.
    """

    bug: Bug
    broken: Sequence[Result] = ()
    fixed: Result | None = None
    seconds: float = 0.0
    is_interrupted: bool = False

    @property
    def is_found(self) -> bool | None:
        """Whether every variant without the fix violates the property; None if the searches leave that open."""
        if self.bug.lacks or any(each.verdict not in (Verdict.VIOLATED, Verdict.NOT_EXHAUSTED) for each in self.broken):
            return False
        is_whole = len(self.broken) == len(self.bug.broken)
        return True if is_whole and all(each.verdict is Verdict.VIOLATED for each in self.broken) else None

    @property
    def is_fixed(self) -> bool | None:
        """Whether everything holds with the fix; None if the search leaves that open."""
        if self.bug.lacks:
            return False
        if self.fixed is None or self.fixed.verdict is Verdict.NOT_EXHAUSTED:
            return None
        return self.fixed.verdict is Verdict.HOLDS

    @property
    def is_begun(self) -> bool:
        """Whether a search came to its end, by itself or otherwise."""
        return bool(self.broken) or self.fixed is not None

    @property
    def is_finished(self) -> bool:
        """Whether no limit and no interruption ended a search, or kept it from being begun."""
        return self.is_found is not None and self.is_fixed is not None

    @property
    def trace_states(self) -> int | None:
        """The length of the shortest counterexample of the first variant, the initial state included."""
        trace = self.broken[0].trace if self.broken else None
        return None if trace is None else len(trace.steps)

    @property
    def states_distinct(self) -> int | None:
        """How many distinct states the half with the fix visited."""
        return None if self.fixed is None else self.fixed.states_distinct

    @property
    def reason(self) -> str:
        """Why the outcome is not as it should be; otherwise the reason that the entry gives."""
        if self.bug.lacks:
            return f"not expressible: it lacks {self.bug.lacks}"
        if not self.is_begun:
            return "not begun"
        told = [f"without the fix: {_told(each)}" for each in self.broken if each.verdict is not Verdict.VIOLATED]
        told += ["without the fix: not begun"] if len(self.broken) < len(self.bug.broken) else []
        if self.fixed is None:
            told.append("with the fix: not begun")
        elif not self.is_fixed:
            told.append(f"with the fix: {_told(self.fixed)}")
        return "; ".join(told) or self.bug.reason


def _told(result: Result) -> str:
    words = [result.verdict.value, result.property or "", f"({result.reason})" if result.reason else ""]
    return " ".join(filter(None, words))


class Museum:
    """Runs bugs. A half with the fix that several bugs share is searched once."""

    def __init__(self, search: Any, limits: Limits) -> None:
        self._search = search
        self._limits = limits
        self._held: dict[tuple[Any, ...], Result] = {}

    def visit(self, bug: Bug) -> Exhibit:
        """Search both halves of a bug, until Ctrl-C. ModelError if its entry does not fit."""
        if bug.lacks:
            return Exhibit(bug)
        started, broken = time.monotonic(), []
        fixed: Result | None = None
        is_interrupted = False
        try:
            broken = self.broken(bug)
            is_interrupted = any(each.interrupted for each in broken)
            if not is_interrupted:
                fixed = self.fixed(bug)
                is_interrupted = fixed.interrupted
        except KeyboardInterrupt:  # between two searches
            is_interrupted = True
        return Exhibit(bug, broken, fixed, time.monotonic() - started, is_interrupted)

    def broken(self, bug: Bug) -> list[Result]:
        """Search the variants without the fix; after Ctrl-C no further one."""
        results: list[Result] = []
        for model in bug.broken_models():
            results.append(self._search(model, self._limits))
            if results[-1].interrupted:
                break
        return results

    def fixed(self, bug: Bug) -> Result:
        """Search the half with the fix, unless that was done for another bug."""
        model = bug.fixed_model()
        key = (model.name, tuple(sorted(model.bounds.items())), model.rules, bug.properties)
        if key not in self._held:
            self._held[key] = self._search(model, self._limits)
        return self._held[key]


def bugs() -> list[Bug]:
    """All bugs, in the order of their folders and then of the files. ModelError if a file is wrong."""
    found: list[Bug] = []
    for path in catalogue.files(FILE):
        try:
            tables = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ModelError(f"{path} cannot be read as TOML: {error}; mend that line") from None
        area = tables.pop("area", path.parent.name)
        found += [_bug(path, area, name, table) for name, table in tables.items()]
    return found


def pinned() -> dict[str, Any]:
    """The pinned results of complete searches, by the bugs' ids. ModelError if an `expected_bugs.toml` is wrong.

    Each bug has `broken`, a list of `{trace_states, distinct}`, and `fixed`, which is `{verdict, distinct, depth}`.
    """
    found: dict[str, Any] = {}
    for path in catalogue.files(PINNED_FILE):
        try:
            found |= tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ModelError(f"{path} cannot be read as TOML: {error}; mend that line") from None
    return found


def chosen_bugs(names: Sequence[str]) -> list[Bug]:
    """The bugs that these texts name, each once; all of them if there is no text. UsageError as `find_bugs`."""
    return list({bug.id: bug for name in names for bug in find_bugs(name)}.values()) if names else bugs()


def find_bugs(text: str) -> list[Bug]:
    """The bug of that id; else those with a name that is `text`, or begins with it and a blank or a hyphen.

    UsageError if there is none.
    """
    every = bugs()
    wanted = text.strip().lower()
    for is_meant in (
        lambda bug: bug.id.lower() == wanted,
        lambda bug: any(f"{name} ".lower().startswith((f"{wanted} ", f"{wanted}-")) for name in bug.names),
    ):
        meant = [bug for bug in every if is_meant(bug)]
        if meant:
            return meant
    names = [name for bug in every for name in bug.names]
    raise UsageError(
        f"there is no bug {shortened(text)!r}{did_you_mean(text, names)}; `bugs --list` shows them all"
        if every
        else f"no folder of the catalogue has a file {FILE} with known bugs"
    )


def _bug(path: Path, area: Any, name: str, table: Any) -> Bug:
    place = f"{path}: [{name}]"
    if not isinstance(area, str):
        raise ModelError(f"{path}: area is {area!r}; write a text")
    if not isinstance(table, dict):
        raise ModelError(f"{place} is {table!r}; write a table")
    for key, value in table.items():
        if key not in KEYS:
            raise ModelError(f"{place} has the key {key!r}{did_you_mean(key, KEYS)}; it may have {', '.join(KEYS)}")
        if key in TEXTS and not (isinstance(value, str) and value.strip()):
            raise ModelError(f"{place}: {key} is {value!r}; write a text")
        if key in ("rules", "bounds") and not isinstance(value, dict):
            raise ModelError(f"{place}: {key} is {value!r}; write a table, {key} = {{ name = value }}")
        if key == "broken" and not (isinstance(value, list) and all(isinstance(each, dict) for each in value)):
            raise ModelError(f"{place}: broken is {value!r}; write a list of tables, broken = [{{ name = value }}]")
        if key == "properties" and not (isinstance(value, list) and all(isinstance(each, str) for each in value)):
            raise ModelError(f"{place}: properties is {value!r}; write a list of names")
    needed = ("title", "fixed_by", *(() if "lacks" in table else ("model", "property", "broken")))
    missing = [key for key in needed if not table.get(key)]
    if missing:
        raise ModelError(f"{place} lacks {', '.join(missing)}")
    given = table | {"properties": tuple(table.get("properties", ()))}
    return Bug(id=name, area=area, folder=path.parent.name, **given)
