"""What an exploration depends on, in parts that have names, so that a difference can be named.

The whole is a hash of the kernel's text, which holds every function that can be reached, every bound and every rule.
"""

import hashlib
import re
from typing import Any

from kafkacheck.checker.model.model import Model
from kafkacheck.checker.model.settings import rules_of

Identity = dict[str, Any]

_FUNCTION = re.compile(r'^define [^@]*@"(?:protocol\.)?([^".]+)[^"]*"', re.MULTILINE)
_NUMBERS = re.compile(r'(@"(?:protocol\.)?[^".]+)(\.[0-9]+)+"')


def identity_of(model: Model, kernel: str) -> Identity:
    """The parts of a model and its kernel's text, as JSON data: what they are, or hashes of it."""
    return {
        "bounds": model.bounds,
        "rules": rules_of(model),
        "properties": [each.name for each in (*model.properties, *model.sometimes)],
        "constraint": None if model.constraint is None else model.constraint.name,
        "fields": {leaf.path: [leaf.low, leaf.high] for leaf in model.layout.leaves},
        "actions": {action.name: [list(each.values) for each in action.parameters] for action in model.actions},
        "functions": _functions(kernel),
        "kernel": _hash(kernel),
    }


def differences(then: Identity, now: Identity) -> list[str]:
    """What is different now, in words; empty where nothing is."""
    if then == now:
        return []
    told = [
        f"{what[:-1]} {name} was {before[name]} and is {after[name]}"
        for what in ("bounds", "rules")
        for before, after in [(then[what], now[what])]
        for name in before
        if name in after and before[name] != after[name]
    ]
    for what in ("bounds", "rules", "fields", "actions", "functions"):
        before, after = then[what], now[what]
        told += [f"{what[:-1]} {name} is gone" for name in before if name not in after]
        told += [f"{what[:-1]} {name} is new" for name in after if name not in before]
        if what not in ("bounds", "rules"):
            told += [
                f"{what[:-1]} {name} has changed" for name in before if after.get(name, before[name]) != before[name]
            ]
    for what in ("properties", "constraint"):
        if then[what] != now[what]:
            told.append(f"{what} was {then[what]} and is {now[what]}")
    return told or ["kafkacheck's own search code has changed"]


def _functions(kernel: str) -> dict[str, str]:
    """A hash of each protocol function's code, by its name; calls count by name, so a caller does not change."""
    starts = [(match.group(1), match.start()) for match in _FUNCTION.finditer(kernel)]
    texts: dict[str, str] = {}
    for (name, start), (_, end) in zip(starts, [*starts[1:], ("", len(kernel))], strict=True):
        texts[name] = texts.get(name, "") + _NUMBERS.sub(r'\1"', kernel[start:end])
    own = ("expand", "absorb", "fill", "spread", "check", "fingerprint", "unpack", "keep")
    return {name: _hash(text) for name, text in texts.items() if name not in own}


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
