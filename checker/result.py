"""The answer of a search."""

import builtins
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from kafkacheck.checker.exploration.exploration import Exploration, Found, Watch, failure
from kafkacheck.checker.exploration.unreached import Unreached
from kafkacheck.checker.exploration.verdict import Verdict
from kafkacheck.checker.model import Liveness, Model, Property
from kafkacheck.checker.process.errors import SelfCheckError
from kafkacheck.checker.traces.trace import Trace, rebuild


@dataclass
class Result:
    """The answer of a search.

    `states_generated` counts the initial states and every (action, parameters) enabled in an expanded state;
    `states_excluded` says how many of these lie outside the constraint (None without one): they are checked, but
    neither counted as distinct nor explored. `depth` is the number of levels, the initial states being level 1. When
    a property is violated, the search finishes that level first, so the counts do not depend on the engine.
    `actions` says how often each action was enabled. `unmet` names the `sometimes` properties without an example;
    `reason` says why a search is NOT_EXHAUSTED or EVALUATION_FAILED, and `interrupted` whether Ctrl-C ended it.
    `resume` is the command that goes on with an unfinished search, if its levels are kept.
    `remarks` are notes from the time when it ran, such as that memory will run out.
    `unreached`: the bounds that no visited state reaches, if the model holds or is violated and they were looked for.
    `checked` is how many visited states plain Python expanded again before HOLDS, see `checker.compiled.self_check`;
    None if no machine code took part.
    `violations` has, if the search went on past them, a shortest counterexample of each violated property and of a
    deadlock: first those that say what users lose.
    `bytes_per_state` is the memory, or with Spark the disk, kept per distinct state, where measured.
    """

    model: Model
    verdict: Verdict
    states_distinct: int
    states_generated: int
    depth: int
    engine: str
    seconds: float
    actions: dict[str, int] = field(default_factory=dict)
    property: str | None = None
    trace: Trace | None = None
    reason: str = ""
    unmet: tuple[str, ...] = ()
    bytes_per_state: float | None = None
    interrupted: bool = False
    states_excluded: int | None = None
    resume: str | None = None
    remarks: tuple[str, ...] = ()
    checked: int | None = None
    violations: tuple[Trace, ...] | None = None
    unreached: Unreached = field(default_factory=Unreached)

    @builtins.property
    def shown(self) -> tuple[Trace, ...]:
        """The counterexamples to show: all that were asked for."""
        if self.violations is None:
            return () if self.trace is None else (self.trace,)
        return self.violations

    @builtins.property
    def never_fired(self) -> tuple[str, ...]:
        """The actions that were never enabled, in the model's order."""
        return tuple(name for name, count in self.actions.items() if count == 0)

    @builtins.property
    def is_vacuous(self) -> bool:
        """Whether the model holds although something that it says is possible never is."""
        return self.verdict is Verdict.HOLDS and bool(self.unmet or self.never_fired)


class Search(Protocol):
    """A search that stopped, by whichever reading.

    `check_itself` is given how many CPU seconds the search took, and says how many of the visited states plain Python
    expanded once more; None if nothing but plain Python was at work. SelfCheckError if the readings differ.
    """

    @builtins.property
    def model(self) -> Model:
        """The model that was searched."""
        ...

    @builtins.property
    def counts(self) -> Exploration:
        """The counts of the search."""
        ...

    @builtins.property
    def engine(self) -> str:
        """The reading's name."""
        ...

    @builtins.property
    def bytes_per_state(self) -> float | None:
        """Memory or disk per distinct state, if measured."""
        ...

    def check_itself(self, seconds: float) -> int | None:
        """Expand some of the visited states by plain Python once more."""
        ...


def with_violations(result: Result, counts: Exploration) -> Result:
    """The answer of a search that went on past violations: with all of them, and the verdict of the shortest one.

    If the search did not come to its end, `reason` says why all the same.
    """
    model, stopped = result.model, result.verdict
    traces = [rebuild(model, chain, model.properties[number].name) for number, chain in counts.violated.items()]
    if counts.deadlock is not None:
        traces.append(rebuild(model, counts.deadlock, None, is_deadlock=True))
    result.violations = sorted_violations(model, traces)
    counts.tolerated = {}
    first = counts.judge(model)
    if first is not None and stopped is not Verdict.SELF_CHECK_FAILED:
        result.verdict, result.property = first.verdict, first.property
        result.trace = next(each for each in traces if each.property == first.property)
    return result


def outcomes_of(model: Model) -> set[str | None]:
    """The names of the properties of a model that say what users lose."""
    judged: list[Property | Liveness] = [*model.properties, *model.liveness]
    return {each.name for each in judged if each.is_outcome}


def sorted_violations(model: Model, traces: Iterable[Trace]) -> tuple[Trace, ...]:
    """Counterexamples in the order in which they are told: what users lose, then the shortest."""
    outcomes = outcomes_of(model)
    return tuple(sorted(traces, key=lambda each: (each.property not in outcomes, len(each.steps))))


def self_checked(search: Search, found: Found | None, seconds: float) -> tuple[Found | None, int | None]:
    """The finding of a search after its self-check, and how many states were checked again.

    `seconds` are the CPU seconds of the search.
    """
    if found is not None:
        return found, None
    try:
        return None, search.check_itself(seconds)
    except SelfCheckError as error:
        return failure(error), None


def result_of(search: Search, found: Found | None, watch: Watch) -> Result:
    """The answer of a search that stopped, by its finding."""
    model, counts = search.model, search.counts.reported(found)
    model.require_unchanged()
    result = Result(
        model=model,
        verdict=Verdict.HOLDS if found is None else found.verdict,
        states_distinct=counts.distinct,
        states_generated=counts.generated,
        depth=counts.depth,
        engine=search.engine,
        seconds=watch.seconds,
        actions={action.name: count for action, count in zip(model.actions, counts.fired, strict=True)},
        unmet=tuple(each.name for number, each in enumerate(model.sometimes) if number not in counts.met),
        bytes_per_state=search.bytes_per_state,
        interrupted=watch.interrupts.pressed,
        states_excluded=None if model.constraint is None else counts.excluded,
    )
    if found is not None:
        result.property = found.property
        result.reason = found.reason
        if found.chain:
            result.trace = rebuild(model, found.chain, found.property, found.verdict is Verdict.DEADLOCK)
    return result
