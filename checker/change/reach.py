"""Which models an edit reaches, and in which order they are told."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.catalogue.catalogue import Expectation
from kafkacheck.checker.change.definitions import INSTALLED_AS, Key
from kafkacheck.checker.change.edits import MODEL, Edit, Edits

UNKNOWN = 20_000
"""How many states a model is taken to have of which no file says so."""


@dataclass(frozen=True)
class Reached:
    """A model that an edit reaches: how it is named, its definition, the edits, its file before, and its pinned result.

    `before` is None for a new model.
    """

    name: str
    key: Key
    edits: tuple[Edit, ...]
    before: Path | None
    expectation: Expectation | None

    @property
    def states(self) -> int:
        """About how many states it has; 0 if no file says so."""
        return self.expectation.distinct if self.expectation is not None else 0

    @property
    def rank(self) -> tuple[int, str]:
        """The place in the order in which they are told: the smallest first."""
        return self.expectation.distinct if self.expectation is not None else UNKNOWN, self.name


def models_of(edits: Edits) -> dict[str, Key]:
    """All models of the working tree by the names that commands know: those of the catalogue, and the user's own."""
    known = {name: (module.removeprefix(INSTALLED_AS), MODEL) for name, module in catalogue.modules().items()}
    definitions = edits.now.definitions
    found = {name: key for name, key in known.items() if key in definitions}
    taken = set(found.values())
    own = {each.path: key for key, each in definitions.items() if key[1] == MODEL and key not in taken}
    return found | own


def chosen(models: dict[str, Key], patterns: Sequence[str]) -> dict[str, Key]:
    """The models that one of the patterns fits; all if there is none. UsageError if a pattern fits no model."""
    if not patterns:
        return models
    others = [each for each in patterns if each not in models]
    names = {*patterns, *(catalogue.names_matching(others) if others else ())}
    return {name: key for name, key in models.items() if name in names}


def reached(edits: Edits, models: dict[str, Key]) -> list[Reached]:
    """The models that use an edited definition, by their source text, in the order in which to tell them."""
    expectations = catalogue.expectations()
    former = {now: before for before, now in edits.pairs.items()}
    found = []
    for name, key in models.items():
        old = former.get(key)
        used = edits.now.reached([key])
        then = edits.before.reached([old]) if old is not None else set()
        touching = tuple(
            each
            for each in edits.edits
            if (each.now is not None and each.now.key in used) or (each.before is not None and each.before.key in then)
        )
        if touching:
            before = None if old is None else edits.before.path_of(old[0])
            found.append(Reached(name, key, touching, before, expectations.get(name)))
    return sorted(found, key=lambda each: each.rank)


def unreached(edits: Edits, models: Sequence[Reached]) -> list[Edit]:
    """The edits that no model uses."""
    touched = {id(each) for model in models for each in model.edits}
    return [each for each in edits.edits if id(each) not in touched]
