"""The definitions that differ between two trees of sources."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import PurePosixPath

from kafkacheck.checker.change.definitions import Definition, Key, Kind, Tree, paired

MODEL = "MODEL"
"""The name that a module gives its model."""
TESTS = "tests"
"""A folder of this name has tests."""


class Way(Enum):
    """In which way a definition was edited. USES: its text is the same, and some name in it means something else."""

    EDITED = "edited"
    USES = "uses another definition"
    NEW = "new"
    REMOVED = "removed"


@dataclass(frozen=True)
class Edit:
    """An edit of one definition: as it was and as it is; None where it is not."""

    before: Definition | None
    now: Definition | None
    way: Way

    @property
    def definition(self) -> Definition:
        """As it is, or as it was if it is gone."""
        found = self.now or self.before
        assert found is not None
        return found

    @property
    def told(self) -> str:
        """Such as "edited function impl/log.py:7 is_full"."""
        place = self.definition
        moved = self.before is not None and self.now is not None and self.before.path != self.now.path
        source = f", from {self.before.path}" if moved and self.before is not None else ""
        parts = f" ({', '.join(self.fields)})" if self.fields else ""
        return f"{self.way.value} {place.kind.value} {place.told}{parts}{source}"

    @property
    def fields(self) -> list[str]:
        """The fields of an edited class that are other ones."""
        if self.before is None or self.now is None:
            return []
        before, now = _fields_of(self.before.tree), _fields_of(self.now.tree)
        return [name for name in dict.fromkeys([*now, *before]) if now.get(name) != before.get(name)]


def _fields_of(tree: ast.stmt) -> dict[str, str]:
    """The fields of a class, each with the text of its definition."""
    body = tree.body if isinstance(tree, ast.ClassDef) else []
    return {ast.unparse(each.target): ast.dump(each) for each in body if isinstance(each, ast.AnnAssign)}


@dataclass(frozen=True)
class Edits:
    """All edits between two trees. `moved`: how many definitions lie in another file and say the same."""

    before: Tree
    now: Tree
    pairs: Mapping[Key, Key]
    edits: list[Edit] = field(default_factory=list)
    moved: int = 0

    @property
    def former(self) -> set[Key]:
        """The keys of the definitions that were edited or removed, as they were."""
        return {each.before.key for each in self.edits if each.before is not None}

    @property
    def todays(self) -> set[Key]:
        """The keys of the definitions that were edited or are new, as they are."""
        return {each.now.key for each in self.edits if each.now is not None}


def edits_between(before: Tree, now: Tree) -> Edits:
    """Every definition that was edited, is new or is gone, in the order of today's files.

    Folders of tests count only where a model is made of them.
    """
    pairs = paired(before, now)
    alike = {path for path in {each.path for each in now.definitions.values()} if now.is_alike(path, before)}
    found: list[Edit] = []
    moved = 0
    for old, new in pairs.items():
        one, other = before.definitions[old], now.definitions[new]
        if (one.path not in alike or one.path != other.path) and one.text != other.text:
            found.append(Edit(one, other, Way.EDITED))
        elif {pairs.get(each, each) for each in before.uses(old)} != now.uses(new):
            found.append(Edit(one, other, Way.USES))
        elif old != new:
            moved += 1
    found += [Edit(each, None, Way.REMOVED) for key, each in before.definitions.items() if key not in pairs]
    todays = set(pairs.values())
    found += [Edit(None, each, Way.NEW) for key, each in now.definitions.items() if key not in todays]
    used = {str(PurePosixPath(path).parent) for tree in (before, now) for path in tree.used_by(MODEL)}
    found = [each for each in found if all(_counts(part.path, used) for part in (each.before, each.now) if part)]
    found.sort(key=lambda each: (each.definition.path, each.definition.line))
    return Edits(before, now, pairs, found, moved)


def _counts(path: str, used: set[str]) -> bool:
    folder = PurePosixPath(path).parent
    return TESTS not in folder.parts or str(folder) in used


def only_functions(edits: list[Edit]) -> bool:
    """Whether none of these edits is of a record, of rules, of a model or of another value that there was before."""
    return all(each.definition.kind is Kind.FUNCTION or each.way in (Way.NEW, Way.REMOVED) for each in edits)
