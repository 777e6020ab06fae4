"""Whether the formula of an action agrees with the action in plain Python, on reached and on random states."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kafkacheck.checker.exploration.evaluation import call_text
from kafkacheck.checker.model import Action, Model
from kafkacheck.checker.process.errors import SelfCheckError
from kafkacheck.checker.proofs.confirmation import (
    MOST_REACHED,
    Confirmed,
    Effect,
    Searched,
    draw,
    run,
    shortly,
    some_calls,
    state_lines,
)
from kafkacheck.checker.schema.objects import Values
from kafkacheck.checker.symbolic import term_values
from kafkacheck.checker.symbolic.symbolic import Step


@dataclass
class Calls:
    """Calls of one action in plain Python: the states, the parameters, and the effect of each."""

    action: Action
    states: list[Values] = field(default_factory=list)
    given: list[Values] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)


@dataclass
class Sample:
    """Calls of every action, by its name. `confirmed` counts them."""

    calls: dict[str, Calls]
    confirmed: Confirmed


def sample_of(model: Model, searched: Searched) -> Sample:
    """Run the actions from states of a search, from states near those in which one is enabled, and from any others."""
    calls = {each.name: Calls(each) for each in model.actions}
    drawn = 0

    def examine(values: Values, rng: random.Random) -> bool:
        nonlocal drawn
        drawn += 1
        is_enabled = False
        for action, given in some_calls(model, rng):
            effect = run(model, action, given, model.layout.restore(values))
            is_enabled |= effect.enabled
            of_action = calls[action.name]
            of_action.states.append(values)
            of_action.given.append(given)
            of_action.effects.append(effect)
        return is_enabled

    draw(model, searched.sample(MOST_REACHED), examine)
    made = [effect for each in calls.values() for effect in each.effects]
    enabled = sum(effect.enabled for effect in made)
    return Sample(
        calls, Confirmed(searched.states, searched.depth, searched.is_complete, drawn, None, len(made), enabled)
    )


def confirm_steps(model: Model, steps: Mapping[str, Step], suffix: str, searched: Searched) -> Confirmed:
    """Compare the formulas of actions, by name, with the actions; how much was tried.

    `suffix` is that of the variables' names, see `symbolic.variables`. SelfCheckError if one differs.
    """
    sample = sample_of(model, searched)
    for name, step in steps.items():
        calls = sample.calls[name]
        known = _known(model, calls, suffix)
        for values, given, effect, said in zip(
            calls.states, calls.given, calls.effects, _said(step, known, len(calls.states)), strict=True
        ):
            if not said.is_like(effect):
                raise SelfCheckError(
                    f"{model.name}: by its formula {call_text(calls.action, given)} {told(said)} from the state above, "
                    f"in plain Python it {told(effect)}; the state has {shortly(model, values)}",
                    "\n".join(["a state on which the readings differ:", *state_lines(model, values)]),
                )
    return sample.confirmed


def told(effect: Effect) -> str:
    """The effect of an action, in words."""
    if effect.error:
        return "fails"
    return f"returns {effect.enabled} and leads to {effect.after}"


def _known(model: Model, calls: Calls, suffix: str) -> dict[str, Any]:
    rows = np.array(calls.states, np.int64).reshape(len(calls.states), len(model.layout.leaves))
    known = {name + suffix: column for name, column in term_values.known_of(model.layout, rows).items()}
    for number, each in enumerate(calls.action.parameters):
        name = f"{calls.action.name}({each.name}){suffix}"
        known[name] = np.array([given[number] for given in calls.given])
    return known


def _said(step: Step, known: Mapping[str, Any], count: int) -> Sequence[Effect]:
    """The effects by a formula, one for each of `count` states."""
    if not count:
        return []
    found = term_values.evaluate([step.fault, step.enabled, *step.leaves], known)
    fault, enabled, *leaves = (np.broadcast_to(each, count) for each in found)
    after = np.stack(leaves, axis=1).astype(np.int64).tolist()
    return [
        Effect("it fails" if fails else "", bool(is_enabled), tuple(values))
        for fails, is_enabled, values in zip(fault, enabled, after, strict=True)
    ]
