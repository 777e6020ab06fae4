"""What `kafkacheck guards` prints: a line for each guard, the closing line, and the JSON document."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kafkacheck.checker.mutation.guard_list import Listed
from kafkacheck.checker.mutation.guards import Finding, Outcome


@dataclass(frozen=True)
class Judged:
    """A finding, what is listed for its guard, if anything is, and the models that have judged it.

    `is_default`: whether these have their own bounds and rules, which are the ones that the list speaks of.
    """

    finding: Finding
    listed: Listed | None = None
    models: Sequence[str] = ()
    is_default: bool = True

    @property
    def is_listed(self) -> bool:
        """Whether the guard survived and a listed reason explains it."""
        return self.finding.outcome is Outcome.UNEXPLAINED and self.listed is not None

    @property
    def is_needless(self) -> bool:
        """Whether the guard is listed although it does not survive unexplained."""
        if self.listed is None or not self.is_default or self.finding.outcome is Outcome.UNEXPLAINED:
            return False
        return self.listed.is_met or self.finding.outcome is Outcome.CAUGHT

    @property
    def is_wrong(self) -> bool:
        """Whether the guard is unexplained, or listed and need not be."""
        return self.is_needless or self.word == Outcome.UNEXPLAINED.value

    @property
    def word(self) -> str:
        """What became of the guard: "listed", or the outcome."""
        return "listed" if self.is_listed else self.finding.outcome.value


def text_of(judged: Judged) -> str:
    """A guard, and what became of the model without it."""
    finding = judged.finding
    lines = [f"{judged.word:<11} {finding.place}: {finding.guard}", f"            {_told(judged)}"]
    if finding.trace:
        lines += ["", finding.trace, ""]
    return "\n".join(lines)


def _told(judged: Judged) -> str:
    finding = judged.finding
    where = f" in {finding.model}"
    match finding.outcome:
        case Outcome.CAUGHT:
            length = "" if finding.length is None else f" trace={finding.length}"
            reason = f": {finding.reason}" if finding.reason else ""
            return f"{finding.by}{length}{where}{reason}"
        case Outcome.REDUNDANT:
            if len(judged.models) > 1:
                return f"the same steps in {', '.join(judged.models)}"
            return f"the same {finding.states:,} states and {finding.steps:,} steps{where}"
        case Outcome.EXCLUDED:
            return "the rules leave this out, so nothing was removed"
    others = f"; examined in {', '.join(judged.models)}" if len(judged.models) > 1 else ""
    told = f"{finding.reason}{where}{others}"
    return f"{judged.listed.reason} ({told})" if judged.listed is not None else told


def closing_line(judged: Sequence[Judged], undecided: int = 0) -> str:
    """How many guards were caught, are redundant and unexplained; and listed or undecided, where any are."""
    words = [each.word for each in judged] + undecided * ["undecided"]
    kinds = ["caught", "redundant", "unexplained", *(each for each in ("listed", "undecided") if each in words)]
    return f"guards: {', '.join(f'{words.count(kind)} {kind}' for kind in kinds)}"


def document(judged: Judged) -> dict[str, Any]:
    """The JSON object of one guard. `model` is the one whose bounds and counts these are, the one that caught it if one
    did, and `models` all that were asked; `property` is what caught it; `trace_states` null where it has no trace.
    """
    finding = judged.finding
    return {
        "model": finding.model,
        "models": list(judged.models),
        "guard": finding.guard,
        "place": finding.place,
        "outcome": judged.word,
        "property": finding.by or None,
        "trace_states": finding.length,
        "bounds": dict(finding.bounds),
        "states_distinct": finding.states,
        "states_generated": finding.steps,
        "reason": judged.listed.reason if judged.is_listed and judged.listed else finding.reason or None,
        "trace": finding.trace or None,
    }
