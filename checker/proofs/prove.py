"""Proofs by induction: invariants that hold at the start and that every action preserves hold for ever.

A step is proved from every well-formed state in which the lemmas and properties hold, reachable or not. If it fails,
the solver's state is a counterexample to induction: reachable, or a sign that a lemma is missing.
"""

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from kafkacheck.checker.exploration.evaluation import Evaluation, call_text
from kafkacheck.checker.model import Action, Model, Property
from kafkacheck.checker.process.errors import EvaluationError, SelfCheckError
from kafkacheck.checker.proofs import solver
from kafkacheck.checker.proofs.confirmation import Confirmation, Confirmed, shortly, state_lines
from kafkacheck.checker.proofs.obligations import Obligation, Obligations, obligations
from kafkacheck.checker.proofs.proof_cache import ProofCache, key
from kafkacheck.checker.proofs.scripts import Script, Scripts
from kafkacheck.checker.proofs.solver import Answer, Status
from kafkacheck.checker.proofs.workers import Question, Reply, Solvers, worker_count
from kafkacheck.checker.schema import Flag
from kafkacheck.checker.schema.objects import Values

BY_FORM = "by its form"
CACHED = "proved before"
"""Why no solver was needed: the formula is evident, such as for an action that writes nothing that a lemma reads; or an
older run has proved the same."""


class Outcome(Enum):
    """The outcome of an obligation."""

    PROVED = "proved"
    FAILED = "FAILED"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True)
class Failure:
    """A counterexample to induction: a state and a call from which the obligation fails.

    after: the state that the call leads to, as plain Python computes it; None if the code fails.
    error: the message of plain Python if the contract of the action is broken.
    """

    before: Values
    action: Action
    parameters: Values
    after: Values | None
    error: str = ""

    @property
    def call(self) -> str:
        """The call as text."""
        return call_text(self.action, self.parameters)


@dataclass(frozen=True)
class Checked:
    """An obligation and its outcome. `how` says why no solver was needed; `reason` why it is UNKNOWN.

    second_seconds: the time of the second solver, None if it was not asked.
    """

    obligation: Obligation
    outcome: Outcome
    seconds: float = 0.0
    how: str = ""
    reason: str = ""
    failure: Failure | None = None
    second_seconds: float | None = None

    @property
    def told(self) -> str:
        """How it was proved without a solver, or how long the solver took."""
        again = "" if self.second_seconds is None else f" and {self.second_seconds:.2f} s"
        return self.how or f"{self.seconds:.2f} s{again}"


@dataclass
class Proof:
    """The lemmas and properties of a proof, and the outcome of every obligation.

    lemmas: those that are used. invariants: these, then the properties of states. steps: the properties of steps.
    starts_wrong: names of invariants that do not hold in some initial state. second: the solver that repeated all, ""
    for none. confirmed: how much of the proof was tried in plain Python as well. interrupted: the request that ended
    the proof early, "" if there was none; the remaining obligations are UNKNOWN.
    """

    model: Model
    lemmas: tuple[Property, ...]
    invariants: tuple[Property, ...]
    steps: tuple[Property, ...]
    checked: list[Checked] = field(default_factory=list)
    starts_wrong: tuple[str, ...] = ()
    seconds: float = 0.0
    second: str = ""
    confirmed: Confirmed | None = None
    interrupted: str = ""

    @property
    def asked(self) -> tuple[Property, ...]:
        """The properties: what is proved and no lemma."""
        lemmas = {each.name for each in self.lemmas}
        return tuple(each for each in (*self.invariants, *self.steps) if each.name not in lemmas)

    @property
    def is_proved(self) -> bool:
        """Whether everything is proved, so that every invariant and every property of steps holds for ever."""
        everything_is = all(each.outcome is Outcome.PROVED for each in self.checked)
        return everything_is and not self.starts_wrong and not self.interrupted

    @property
    def failed(self) -> list[Checked]:
        """The obligations with a counterexample to induction."""
        return [each for each in self.checked if each.outcome is Outcome.FAILED]

    @property
    def repeated(self) -> list[Checked]:
        """The obligations that the second solver was asked, too."""
        return [each for each in self.checked if each.second_seconds is not None]

    @property
    def unknown(self) -> list[Checked]:
        """The obligations that the solver could not decide."""
        return [each for each in self.checked if each.outcome is Outcome.UNKNOWN]


Listener = Callable[[Checked, int], None]
"""Called with each obligation that is decided, in their order, and the number of all."""


@dataclass(frozen=True)
class Settings:
    """How proofs are made: seconds for each question, processes side by side, and whether to reuse older proofs.

    jobs: 0 lets this process ask the solver itself.
    smt_lib: a folder that gets every obligation as an SMT-LIB script. second: the second solver, with its version,
    which repeats every obligation; "" for none.
    """

    timeout: float | None = 60.0
    jobs: int = field(default_factory=worker_count)
    use_cache: bool = True
    smt_lib: Path | None = None
    second: str = ""


def prove(
    model: Model,
    settings: Settings | None = None,
    properties: Sequence[str] | None = None,
    listener: Listener | None = None,
    lemmas: Sequence[Property] | None = None,
) -> Proof:
    """Prove by induction that the model's lemmas and properties hold of every reachable state, and of every step.

    `properties` names the properties to prove (default: all of the model); every lemma is assumed
    and proved in any case. `lemmas` takes the place of those of the model. Beside the solver plain Python searches for
    a second, and runs the actions from other states; see `checker.proofs.confirmation`. Ctrl-C, or a request to end,
    leaves the rest UNKNOWN. UsageError if a property does not exist, or an SMT-LIB script cannot be written.
    SelfCheckError if plain Python, or a second solver, contradicts a proof.
    """
    began = time.perf_counter()
    wanted = model if properties is None else model.with_properties(properties)
    proof = begun(model, wanted.properties, model.lemmas if lemmas is None else lemmas)
    invariants, steps = proof.invariants, proof.steps
    proof.starts_wrong = _wrong_at_start(model, invariants)
    asked = obligations(model, invariants, steps)
    given = settings or Settings()
    proof.second = given.second
    scripts = None if given.smt_lib is None else Scripts(given.smt_lib)
    confirmation = Confirmation(model, invariants, steps)
    prover = Prover(model, (*invariants, *steps), given)
    with prover.solvers.listening():
        for each in prover.run(asked, confirmation.collect):
            proof.checked.append(each)
            if listener is not None:
                listener(each, len(asked.contract) + len(asked.preservation))
    proof.interrupted = prover.solvers.interrupted
    model.require_unchanged()
    if scripts is not None:
        scripts.write(model, [script_of(each.obligation) for each in proof.checked])
    if not proof.interrupted:
        proved = [(each.obligation, each.told) for each in proof.checked if each.outcome is Outcome.PROVED]
        proof.confirmed = confirmation.confirm(proved, proof.is_proved)
    proof.seconds = time.perf_counter() - began
    return proof


def begun(model: Model, properties: Sequence[Property], lemmas: Sequence[Property]) -> Proof:
    """A proof in which nothing has been asked yet."""
    everything = (*lemmas, *properties)
    invariants = tuple(each for each in everything if not each.is_step)
    return Proof(model, tuple(lemmas), invariants, tuple(each for each in everything if each.is_step))


def script_of(each: Obligation) -> Script:
    """An obligation as it is written to a file: as it was decided, under the assumptions that it needed."""
    about = {
        "action": each.action,
        "obligation": each.text,
        "assuming": "every lemma and property of states" if each.assumptions else "nothing",
        "proved if": "unsat",
        "fails if": "sat",
    }
    return Script(f"{each.subject}-{each.action}", about, each.assertions)


def _wrong_at_start(model: Model, invariants: Sequence[Property]) -> tuple[str, ...]:
    evaluation = Evaluation(model)
    states = [model.layout.flatten(state) for state in model.initial_states()]
    return tuple(each.name for each in invariants if not all(_holds(evaluation, each, state) for state in states))


def _holds(evaluation: Evaluation, each: Property, *states: Values) -> bool:
    """Whether a property holds; if its code fails it does not."""
    try:
        return evaluation.holds(each, *states)
    except EvaluationError:
        return False


class Prover:
    """Puts obligations of a model to the solver, unless their form or the cache proves them.

    `properties` are those that the obligations speak of.
    """

    def __init__(self, model: Model, properties: Sequence[Property], settings: Settings) -> None:
        self._model = model
        self._properties = {each.name: each for each in properties}
        self._settings = settings
        self.solvers = Solvers(settings.jobs)
        self._cache = ProofCache(settings.use_cache)
        self._wishes = dict(zip((leaf.path for leaf in model.layout.leaves), model.layout.blank_values, strict=True))

    def run(self, asked: Obligations, meanwhile: Callable[[], None] = lambda: None) -> Iterator[Checked]:
        """The outcomes of all obligations, in their order: first the contract, then the preservation.

        `meanwhile` is called once the solver has much to do.
        """
        alone = list(self.answers(asked.contract))
        again = [each.obligation.assuming(asked.invariant) for each in alone if each.outcome is not Outcome.PROVED]
        helped = iter(list(self.answers(again)))
        for each in alone:
            yield each if each.outcome is Outcome.PROVED else next(helped)
        yield from self.answers(asked.preservation, meanwhile)

    def answers(self, asked: Sequence[Obligation], meanwhile: Callable[[], None] = lambda: None) -> Iterator[Checked]:
        """The outcomes of some obligations, in their order, each as soon as it is known."""
        second = self._settings.second
        keys = ["" if each.is_trivial else key(each, second) for each in asked]
        known = {name for name in keys if name and self._cache.has(name)}
        open_ones = {name: each for each, name in zip(asked, keys, strict=True) if name and name not in known}
        questions = [
            Question(each.assertions, self._settings.timeout, self._wishes, bool(second)) for each in open_ones.values()
        ]
        answered: dict[str, Reply] = {}  # several obligations may be one question, which is asked once
        with contextlib.closing(self.solvers.replies(questions, meanwhile)) as replies:
            for each, name in zip(asked, keys, strict=True):
                if not name:
                    yield Checked(each, Outcome.PROVED, how=BY_FORM)
                elif name in known:
                    yield Checked(each, Outcome.PROVED, how=CACHED)
                else:
                    if name not in answered:
                        answered[name] = next(replies)
                    yield self._judged(each, name, answered[name])

    def _judged(self, each: Obligation, name: str, reply: Reply) -> Checked:
        answer = self._agreed(each, reply)
        seconds = reply.seconds, None if reply.second is None else reply.second_seconds
        match answer.status:
            case Status.UNSATISFIABLE:
                self._cache.add(name)
                return Checked(each, Outcome.PROVED, seconds[0], second_seconds=seconds[1])
            case Status.UNKNOWN:
                return Checked(each, Outcome.UNKNOWN, seconds[0], reason=answer.reason, second_seconds=seconds[1])
        failure = self._failure(each, answer.values)
        return Checked(each, Outcome.FAILED, seconds[0], failure=failure, second_seconds=seconds[1])

    def _agreed(self, each: Obligation, reply: Reply) -> Answer:
        """The common answer of the solvers: a proof needs both.

        SelfCheckError if one says that an obligation can be violated, and the other one that it cannot.
        """
        if reply.second is None:
            return reply.answer
        answers = {f"Z3 {solver.VERSION}": reply.answer, self._settings.second: reply.second}
        found = {answer.status: answer for answer in answers.values()}
        if Status.SATISFIABLE in found and Status.UNSATISFIABLE in found:
            told = " and ".join(f"{answer.status.value} by {name}" for name, answer in answers.items())
            before = self._state(found[Status.SATISFIABLE].values)
            raise SelfCheckError(
                f"{self._model.name}: {each.text} is {told}, where unsatisfiable means proved, and satisfiable that it "
                f"fails from the state above: it has {shortly(self._model, before)}",
                "\n".join(["a state on which two solvers differ:", *state_lines(self._model, before)]),
            )
        if reply.answer.status is not Status.UNKNOWN and reply.answer.status in (
            Status.SATISFIABLE,
            reply.second.status,
        ):
            return reply.answer
        if reply.second.status is Status.SATISFIABLE:
            return reply.second
        reasons = [f"{name}: {answer.reason}" for name, answer in answers.items() if answer.status is Status.UNKNOWN]
        return Answer(Status.UNKNOWN, reason=", ".join(reasons))

    def _state(self, values: Mapping[str, int]) -> Values:
        layout = self._model.layout
        return tuple(
            values.get(leaf.path, blank) for leaf, blank in zip(layout.leaves, layout.blank_values, strict=True)
        )

    def _failure(self, each: Obligation, values: Mapping[str, int]) -> Failure:
        """The solver's state on plain objects, on which the obligation must fail as well."""
        action = self._model.action(each.action)
        before = self._state(values)
        given = [(one, values.get(f"{action.name}({one.name})", one.low)) for one in action.parameters]
        parameters = tuple(bool(value) if isinstance(one.kind, Flag) else value for one, value in given)
        evaluation = Evaluation(self._model)
        try:
            after = evaluation.apply(action, parameters, before)
        except EvaluationError as error:
            return Failure(before, action, parameters, None, str(error))
        broken = None if each.is_contract or after is None else self._properties[each.subject]
        if broken is None or _holds(evaluation, broken, *((before, after) if broken.is_step else (after,))):
            is_misshapen = after is not None and self._model.layout.canonical(after) != after
            raise SelfCheckError(
                f"{self._model.name}: by the solver {call_text(action, parameters)} breaks {each.subject} from the "
                f"state above, in plain Python it does {'so, too' if is_misshapen else 'not'}; it has "
                f"{shortly(self._model, before)}",
                "\n".join(["a state of the solver's:", *state_lines(self._model, before)]),
            )
        return Failure(before, action, parameters, after)
