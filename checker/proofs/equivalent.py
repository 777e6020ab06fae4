"""Whether an action of two models does the same on every well-formed state: for an edit that claims to change nothing.

The second model is read in a process of its own, in which the modules beside it come first, so that two copies of a
package can be compared.
"""

import pickle
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from kafkacheck.checker.exploration.evaluation import call_text
from kafkacheck.checker.model import Action, Model
from kafkacheck.checker.process.errors import KafkacheckError, ModelError, SelfCheckError, UsageError
from kafkacheck.checker.process.sources import SOURCES, elsewhere_command
from kafkacheck.checker.proofs.confirmation import Effect, run, shortly, state_lines
from kafkacheck.checker.proofs.differential import Calls, Sample, told
from kafkacheck.checker.proofs.obligations import differs
from kafkacheck.checker.proofs.scripts import Script, Scripts
from kafkacheck.checker.proofs.solver import Status
from kafkacheck.checker.proofs.workers import Question, Reply, Solvers
from kafkacheck.checker.schema import Flag
from kafkacheck.checker.schema.objects import Values
from kafkacheck.checker.symbolic import symbolic, term_values, terms
from kafkacheck.checker.symbolic.symbolic import Leaves, Step
from kafkacheck.checker.symbolic.terms import FALSE, Dumped, Term
from kafkacheck.checker.symbolic.well_formed import well_formed

_PROGRAM = """
import kafkacheck.checker.proofs.equivalent as equivalent
equivalent.describe_model({name!r}, {changes!r})
"""


class Same(Enum):
    """Whether an action of one model is that of the other."""

    EQUIVALENT = "equivalent"
    DIFFERENT = "DIFFERENT"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True)
class Comparison:
    """An action of two models, and whether it does the same.

    If not, `before` is a state and `parameters` are values for which `effects` differ, the first model's first.
    """

    action: Action
    same: Same
    seconds: float
    reason: str = ""
    before: Values = ()
    parameters: Values = ()
    effects: tuple[Effect, ...] = ()


@dataclass(frozen=True)
class Description:
    """A model as another process needs it: its scalars, and its actions with their parameters, as terms.

    containers: the path of each queue and bag, and which of them it is.
    effects: the effects of its actions in plain Python, in the order of the calls that were asked for; none for an
    action that it does not have with these parameters.
    """

    name: str
    leaves: list[tuple[str, int, int]]
    containers: list[tuple[str, str]]
    actions: dict[str, tuple[list[tuple[str, int, int, bool]], Dumped]]
    effects: dict[str, list[Effect]] = field(default_factory=dict)


@dataclass(frozen=True)
class Asked:
    """Calls of actions, by name, whose effects in plain Python are asked for: from which states, with which values.

    leaves: the scalars of the model that asks.
    """

    leaves: list[tuple[str, int, int]]
    calls: dict[str, tuple[list[Values], list[Values]]]


def ask_for(model: Model, calls: Mapping[str, Calls]) -> Asked:
    """The calls whose effects another model must report, so that they can be compared."""
    return Asked(_scalars(model), {name: (each.states, each.given) for name, each in calls.items()})


def describe(model: Model, asked: Asked | None = None) -> Description:
    """The description of a model; with the effects that are asked for, if its states are alike."""
    model.require_unchanged()
    before = symbolic.variables(model.layout)
    actions = {}
    for action in model.actions:
        step = symbolic.step(action, before, symbolic.parameter_variables(action))
        taken = [(each.name, each.low, each.high, isinstance(each.kind, Flag)) for each in action.parameters]
        actions[action.name] = (taken, terms.dump([step.enabled, step.fault, *step.leaves]))
    leaves = _scalars(model)
    effects = {} if asked is None or asked.leaves != leaves else _effects(model, asked)
    return Description(model.name, leaves, _containers(model), actions, effects)


def _scalars(model: Model) -> list[tuple[str, int, int]]:
    return [(leaf.path, leaf.low, leaf.high) for leaf in model.layout.leaves]


def _containers(model: Model) -> list[tuple[str, str]]:
    return [(each.path, "Bag" if each.is_bag else "Queue") for each in model.layout.containers]


def _effects(model: Model, asked: Asked) -> dict[str, list[Effect]]:
    found = {}
    for action in model.actions:
        states, given = asked.calls.get(action.name, ([], []))
        if all(len(values) == len(action.parameters) for values in given):
            restored = map(model.layout.restore, states)
            found[action.name] = [run(model, action, *call) for call in zip(given, restored, strict=True)]
    return found


def describe_model(name: str, changes: Sequence[str]) -> None:
    """Write the pickled description of a model, or an error as (class name, text), on standard output.

    Standard input has the pickled `Asked`, or None.
    """
    from kafkacheck.checker.catalogue import catalogue
    from kafkacheck.checker.model import settings

    answers = sys.stdout.buffer
    asked = pickle.load(sys.stdin.buffer)
    try:
        found: object = describe(settings.with_settings(catalogue.find_model(name), changes), asked)
    except KafkacheckError as error:
        found = (type(error).__name__, str(error))
    pickle.dump(found, answers)
    answers.flush()


def description_of(name: str, changes: Sequence[str] = (), asked: Asked | None = None) -> Description:
    """The description of the model that `name` gives, read in another process, with the effects that are asked for.

    UsageError or ModelError if it cannot be, as for a model of this process.
    """
    first = str(_top(Path(name)) or SOURCES)
    program = _PROGRAM.format(name=name, changes=list(changes))
    done = subprocess.run(elsewhere_command(first, program), input=pickle.dumps(asked), capture_output=True)
    if done.returncode or not done.stdout:
        told = done.stderr.decode(errors="replace").strip() or f"it ends the process (exit status {done.returncode})"
        raise ModelError(f"{name} cannot be read: {told.splitlines()[-1]}")
    found = pickle.loads(done.stdout)
    if isinstance(found, Description):
        return found
    kind, text = found
    raise {"UsageError": UsageError}.get(kind, ModelError)(text)


def _top(path: Path) -> Path | None:
    """The folder from which the modules of a file's package are imported; None if it is no file."""
    if path.suffix != ".py" or not path.is_file():
        return None
    folder = path.resolve().parent
    while (folder / "__init__.py").is_file():
        folder = folder.parent
    return folder


def compare(
    model: Model,
    other: Description,
    names: Sequence[str] = (),
    timeout: float | None = None,
    jobs: int = 0,
    scripts: Scripts | None = None,
) -> list[Comparison]:
    """Compare the actions of these names, by default all, in the order of the model. `scripts` gets every question.

    UsageError if a name is unknown, or the states or parameters of the models are not alike.
    """
    model.require_unchanged()
    _check_alike(model, other)
    for name in names:
        model.action(name)
    wanted = [each for each in model.actions if not names or each.name in names]
    before = symbolic.variables(model.layout)
    pairs = [(_own(action, before), _others(model, action, other)) for action in wanted]
    formed = well_formed(model.layout, before)
    different = [terms.conjunction(formed, _differ(one, two)) for one, two in pairs]
    if scripts is not None:
        about = {"equivalent if": "unsat", "different if": "sat", "other model": other.name}
        pairs_asked = zip(wanted, different, strict=True)
        scripts.write(model, [Script(one.name, {"action": one.name, **about}, (each,)) for one, each in pairs_asked])
    wishes = dict(zip((leaf.path for leaf in model.layout.leaves), model.layout.blank_values, strict=True))
    asked = [Question((each,), timeout, wishes) for each in different if each is not FALSE]
    solvers = Solvers(jobs)
    with solvers.listening():
        replies = iter(list(solvers.replies(asked)))
    return [
        Comparison(action, Same.EQUIVALENT, 0.0) if each is FALSE else _judged(model, action, pair, next(replies))
        for action, each, pair in zip(wanted, different, pairs, strict=True)
    ]


def _check_alike(model: Model, other: Description) -> None:
    leaves = _scalars(model)
    for one, two in zip(leaves, other.leaves, strict=False):
        if one != two:
            raise UsageError(
                f"the states are not alike: {one[0]} in {one[1]} .. {one[2]} here, {two[0]} in {two[1]} .. {two[2]} in "
                "the other model; compare models of one schema at the same bounds (--set)"
            )
    if len(leaves) != len(other.leaves):
        raise UsageError(
            f"the states are not alike: {len(leaves)} scalars here, {len(other.leaves)} in the other model; compare "
            "models of one schema at the same bounds (--set)"
        )
    here, there = dict(_containers(model)), dict(other.containers)
    for path in here | there:
        if here.get(path) != there.get(path):
            own, others = (f"a {each[path]}" if path in each else "no queue or bag" for each in (here, there))
            raise UsageError(
                f"the states are not alike: {path} is {own} here, and {others} in the other model; compare models of "
                "one schema"
            )


def _own(action: Action, before: Leaves) -> Step:
    return symbolic.step(action, before, symbolic.parameter_variables(action))


def _others(model: Model, action: Action, other: Description) -> Step:
    if action.name not in other.actions:
        raise UsageError(f"the other model has no action {action.name!r}; name the actions to compare with --action")
    taken, dumped = other.actions[action.name]
    own = [(each.name, each.low, each.high, isinstance(each.kind, Flag)) for each in action.parameters]
    if taken != own:
        raise UsageError(f"{action.name} has other parameters in the two models: {own} and {taken}; make them alike")
    enabled, fault, *leaves = terms.load(dumped)
    return Step(enabled, tuple(leaves), fault)


def _differ(one: Step, two: Step) -> Term:
    """Whether one of two steps fails alone, is enabled alone, or leads elsewhere."""
    works = terms.negation(one.fault)
    effect = terms.disjunction(_unlike(one.enabled, two.enabled), differs(one.leaves, two.leaves))
    return terms.disjunction(_unlike(one.fault, two.fault), terms.conjunction(works, effect))


def _unlike(one: Term, two: Term) -> Term:
    return terms.negation(terms.equals(one, two))


def _judged(model: Model, action: Action, pair: tuple[Step, Step], reply: Reply) -> Comparison:
    answer = reply.answer
    if answer.status is Status.UNSATISFIABLE:
        return Comparison(action, Same.EQUIVALENT, reply.seconds)
    if answer.status is Status.UNKNOWN:
        return Comparison(action, Same.UNKNOWN, reply.seconds, answer.reason)
    layout = model.layout
    known: dict[str, Any] = dict(zip((leaf.path for leaf in layout.leaves), layout.blank_values, strict=True))
    names = [f"{action.name}({each.name})" for each in action.parameters]
    known |= dict(zip(names, (each.low for each in action.parameters), strict=True)) | answer.values
    before = tuple(known[leaf.path] for leaf in layout.leaves)
    given = zip(names, action.parameters, strict=True)
    parameters = tuple(bool(known[name]) if isinstance(each.kind, Flag) else known[name] for name, each in given)
    effects = tuple(_effect(step, known) for step in pair)
    return Comparison(action, Same.DIFFERENT, reply.seconds, "", before, parameters, effects)


def _effect(step: Step, known: dict[str, Any]) -> Effect:
    fault, enabled, *leaves = term_values.evaluate([step.fault, step.enabled, *step.leaves], known)
    return Effect("it fails" if fault else "", bool(enabled), tuple(int(leaf) for leaf in leaves))


def confirm(
    model: Model,
    other_name: str,
    changes: Sequence[str],
    found: Sequence[Comparison],
    sample: Sample,
    other: Description,
) -> None:
    """Compare the answers with the actions of both models in plain Python.

    SelfCheckError if two actions differ that were found equivalent, agree on a state on which they were found to
    differ, or do not have the effects there that the formulas have.
    """
    for each in found:
        name = each.action.name
        if each.same is Same.EQUIVALENT:
            calls = sample.calls[name]
            for values, given, *effects in zip(
                calls.states, calls.given, calls.effects, other.effects.get(name, []), strict=True
            ):
                if not effects[0].is_like(effects[1]):
                    raise _contradiction(model, "are said to be equivalent", each.action, values, given, effects)
        elif each.same is Same.DIFFERENT:
            asked = Asked(_scalars(model), {name: ([each.before], [each.parameters])})
            (theirs,) = description_of(other_name, changes, asked).effects[name]
            ours = run(model, each.action, each.parameters, model.layout.restore(each.before))
            if not (ours.is_like(each.effects[0]) and theirs.is_like(each.effects[1])):
                claim = "have formulas that say it " + ", and ".join(map(told, each.effects))
                raise _contradiction(model, claim, each.action, each.before, each.parameters, [ours, theirs])


def _contradiction(
    model: Model, claim: str, action: Action, values: Values, given: Values, effects: Sequence[Effect]
) -> SelfCheckError:
    did = ", and ".join(map(told, effects))
    return SelfCheckError(
        f"{model.name}: the two {action.name} {claim}, but in plain Python {call_text(action, given)} {did} in "
        f"the second model, from the state above; it has {shortly(model, values)}",
        "\n".join(["a state that contradicts the solver:", *state_lines(model, values)]),
    )
