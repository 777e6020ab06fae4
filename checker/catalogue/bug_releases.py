"""Which releases of the modelled system have a bug of the museum, by the dates of the rules that it puts back."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kafkacheck.checker.catalogue.museum import Bug
from kafkacheck.checker.schema.releases import EVERY, dated, order, rules_in
from kafkacheck.checker.schema.rules import full_name, switch_value, switches

UNKNOWN = "-"
"""A rule of the bug has no date."""

NEVER = "no release has it"
OPEN = "not yet"


@dataclass(frozen=True)
class Presence:
    """A bug in the releases. `variants`: by their whole names, the rules as they were."""

    rules: Any
    variants: tuple[Mapping[str, Any], ...]

    def is_in(self, release: str) -> bool | None:
        """Whether a release has the bug: all rules of a variant are as they were. None if no date tells.

        UsageError if it is no release.
        """
        order(release)
        then = rules_in(self.rules, release)
        answers = [_is_as(each, then) for each in self.variants]
        return True if True in answers else None if None in answers or not answers else False

    @property
    def fixed_in(self) -> str:
        """The releases without the bug, each where the one before has it; or `UNKNOWN`, `NEVER` or `OPEN`."""
        dates = dated(self.rules)
        steps = {step.release for each in self.variants for name in each for step in dates.get(name, ())}
        had: bool | None = False
        found = []
        for release in sorted({EVERY, *steps}, key=order):
            has = self.is_in(_first_of(release))
            if had and has is False:
                found.append(release)
            had = has
        return UNKNOWN if had is None else OPEN if had else ", ".join(found) or NEVER


def presence(bug: Bug) -> Presence:
    """Where a bug is. ModelError if its entry does not fit the model."""
    if bug.lacks:
        return Presence(None, ())
    rules = bug.dated_rules()
    known = switches(rules)
    variants: list[dict[str, Any]] = []
    for changes in bug.broken:
        named = {full_name(name, known) or name: was for name, was in changes.items()}
        variants.append({name: switch_value(known[name], was, name) for name, was in named.items() if name in known})
    return Presence(rules, tuple(variants))


def _is_as(variant: Mapping[str, Any], then: Mapping[str, Any]) -> bool | None:
    if any(name in then and then[name] != was for name, was in variant.items()):
        return False
    return True if all(name in then for name in variant) else None


def _first_of(release: str) -> str:
    """The first release that the text stands for: "2.8" is "2.8.0.0", without the patches that came later."""
    return ".".join([*release.split("."), "0", "0", "0"][:4])
