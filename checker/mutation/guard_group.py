"""Which models judge a guard, and in which order: those that were named, then others of the catalogue that have it."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.catalogue.model_source import Source
from kafkacheck.checker.exploration.verdict import Verdict
from kafkacheck.checker.model import Model
from kafkacheck.checker.mutation.guards import Finding, Outcome
from kafkacheck.checker.mutation.mutation import Mutant
from kafkacheck.checker.mutation.substitution import mutants

FEW_STATES = 50_000
"""How many states a model of another system may have that is asked about a guard of a function which it calls, too."""

Key = str
"""A guard, wherever it is met: its place and name."""


@dataclass(frozen=True)
class Member:
    """A model that judges guards: of each guard its number within the model, and the name by which it is listed."""

    source: Source
    model: Model
    numbers: dict[Key, int]
    names: dict[Key, str]


def key_of(mutant: Mutant) -> Key:
    """The key of a guard, the same in every model."""
    return f"{mutant.place}: {mutant.name}"


def member(source: Source) -> Member:
    """The model that a source names. UsageError or ModelError if there is none."""
    model = source.model()
    known = mutants(model)
    numbers = {key_of(each): number for number, each in enumerate(known)}
    return Member(source, model, numbers, {key_of(each): each.name for each in known})


def named(patterns: Sequence[str], changes: tuple[str, ...]) -> list[Source]:
    """The models that were asked for, one or several; those first which answer soonest."""
    if len(patterns) == 1 and not catalogue.is_pattern(patterns[0]):
        return [Source(patterns[0], changes)]
    return [Source(name) for name in in_order(catalogue.names_matching(patterns))]


def in_order(names: Iterable[str]) -> list[str]:
    """Names of the catalogue: models that hold first, and among them the smallest."""
    expected = catalogue.expectations()

    def rank(name: str) -> tuple[bool, int, str]:
        known = expected.get(name)
        return known is not None and known.verdict is not Verdict.HOLDS, known.distinct if known else 0, name

    return sorted(names, key=rank)


def others(members: Sequence[Member]) -> list[str]:
    """The other models of the catalogue which have the state that one of these has, if that is of the catalogue."""
    return [name for name in _rest(members) if _has_state_of(members, name)]


def callers_elsewhere(members: Sequence[Member]) -> list[str]:
    """The models of the catalogue with other states, and with few of them, if these models are of the catalogue."""
    expected = catalogue.expectations()
    small = [name for name in _rest(members) if name in expected and expected[name].distinct <= FEW_STATES]
    return [name for name in small if not _has_state_of(members, name)]


def _rest(members: Sequence[Member]) -> list[str]:
    names = catalogue.catalogue_names()
    given = {each.source.text for each in members}
    return in_order(name for name in names if name not in given) if given.intersection(names) else []


def _has_state_of(members: Sequence[Member], name: str) -> bool:
    return catalogue.find_model(name).state in {each.model.state for each in members}


class Verdicts:
    """The findings on each guard so far, in the order of the models that have judged it."""

    def __init__(self, members: Sequence[Member]) -> None:
        self.keys = list(dict.fromkeys(key for each in members for key in each.numbers))
        self._found: dict[Key, list[Finding]] = {key: [] for key in self.keys}
        self._asked = Counter(key for each in members for key in each.numbers)

    def note(self, key: Key, finding: Finding) -> None:
        """A model has judged a guard."""
        self._found[key].append(finding)

    def finding(self, key: Key) -> Finding | None:
        """The common finding: caught by one model, else unexplained by one, else redundant in all that have it."""
        found = self._found[key]
        for outcome in (Outcome.CAUGHT, Outcome.UNEXPLAINED, Outcome.REDUNDANT, Outcome.EXCLUDED):
            for each in found:
                if each.outcome is outcome:
                    return each
        return None

    def left(self, keys: Iterable[Key]) -> list[Key]:
        """Those of these guards that are not caught yet."""
        return [key for key in keys if (found := self.finding(key)) is None or found.outcome is not Outcome.CAUGHT]

    def is_settled(self, key: Key) -> bool:
        """Whether no other model must be asked: one has caught the guard, or it is redundant in all that were named."""
        found = self.finding(key)
        if found is None or found.outcome is Outcome.UNEXPLAINED:
            return False
        return found.outcome is Outcome.CAUGHT or len(self._found[key]) >= self._asked[key]

    def models_of(self, key: Key) -> list[str]:
        """The models that have judged a guard, and whose rules have it."""
        return [each.model for each in self._found[key] if each.outcome is not Outcome.EXCLUDED]
