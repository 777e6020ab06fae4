"""Bounds and rules of a model as text: shown, given by `--set name=value`, and taken over from a saved trace."""

import contextlib
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from checker.errors import ModelError, UsageError
from checker.model import Model, unknown

WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,9}")


def rules_of(model: Model) -> dict[str, int | str]:
    """The rules of a model by name, a member of an enum as its name. Empty where the model has none."""
    switches = {} if model.rules is None else model.rules._asdict()
    return {name: getattr(value, "name", value) for name, value in switches.items()}


def settings_text(model: Model) -> str:
    """Bounds, then rules, as they are given to `--set`: `nodes=3 rounds=2 retries=NEVER`."""
    return " ".join(f"{name}={value}" for name, value in {**model.bounds, **rules_of(model)}.items())


def with_settings(model: Model, texts: Sequence[str]) -> Model:
    """The model with every `name=value` of `texts` applied: a bound, or a switch of its rules.

    UsageError where a text is no such pair, a name is unknown or given twice, or the model cannot have the value.
    """
    bounds: dict[str, int] = {}
    rules: dict[str, str] = {}
    for given in texts:
        text = given if len(given) <= 60 else given[:57] + "..."
        name, equals, value = (part.strip() for part in given.partition("="))
        if not equals or not name or not value:
            example = settings_text(model).split(" ")[0] or "nodes=3"
            raise UsageError(f"--set {text}: expected name=value, for example --set {example}")
        if name in bounds or name in rules:
            raise UsageError(f"--set {text}: {name} is set twice; give it once")
        if name in model.bounds:
            if not WHOLE_NUMBER.fullmatch(value):
                now = model.bounds[name]
                raise UsageError(f"--set {text}: a bound is a whole number of at most 9 digits; {name} is {now} now")
            bounds[name] = int(value)
        elif name in rules_of(model):
            rules[name] = value
        else:
            known = [*model.bounds, *rules_of(model)]
            raise UsageError(f"--set {text}: {unknown('bound or rule', name, known, model.name)}")
    try:
        return model.with_bounds(bounds).with_rules(rules) if texts else model
    except (UsageError, ModelError) as error:
        raise UsageError(f"{' '.join(f'--set {text}' for text in texts)}: {error}") from error


def saved_with(path: Path) -> dict[str, Any]:
    """The top level of a saved trace; empty where it cannot be read, which loading it will explain."""
    with contextlib.suppress(OSError, ValueError, RecursionError):
        data = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(data, dict):
            return data
    return {}


def at_saved_bounds(model: Model, saved: dict[str, Any]) -> Model:
    """The model at the bounds at which a trace of it was saved; as it is where it cannot have them."""
    bounds = saved.get("bounds")
    if saved.get("model") == model.name and isinstance(bounds, dict) and bounds != model.bounds:
        with contextlib.suppress(UsageError):
            return model.with_bounds(bounds)
    return model


def changed_rules(model: Model, saved: dict[str, Any]) -> str:
    """The rules at which a trace was saved and that the model does not have now, as for `--set`; empty if none."""
    rules, now = saved.get("rules"), rules_of(model)
    if not isinstance(rules, dict):
        return ""
    return " ".join(f"{name}={value}" for name, value in rules.items() if name in now and now[name] != value)
