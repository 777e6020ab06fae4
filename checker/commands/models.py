"""`kafkacheck models`: the models of the catalogue, with their bounds, rules and expected verdicts."""

from typing import Any

import click

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.catalogue.catalogue import Expectation
from kafkacheck.checker.commands.options import json_option
from kafkacheck.checker.commands.output import failed, json_text, say
from kafkacheck.checker.model import Model, settings
from kafkacheck.checker.process.errors import KafkacheckError


@click.command()
@click.argument("patterns", metavar="[NAME]...", nargs=-1)
@json_option
def models(patterns: tuple[str, ...], as_json: bool) -> int:
    """List the models of the catalogue: the question, bounds and rules of each, and the verdict to expect.

    A NAME is a model, a folder such as transactions, or a pattern such as 'cluster.*'; without one all are listed.
    Rules at their defaults are counted only; --json has all.
    """
    expectations = catalogue.expectations()
    broken = 0
    listed = []
    for name in catalogue.names_matching(patterns, with_folders=True) if patterns else catalogue.catalogue_names():
        try:
            model = catalogue.find_model(name)
        except KafkacheckError as error:
            broken = failed(str(error), error.exit_status)
            continue
        expected = expectations.get(name)
        listed.append(document(model, expected))
        if as_json:
            continue
        say(f"{name}\n    {' '.join(model.question.split())}")
        say(f"    bounds and rules: {settings.told_settings(model) or 'none'}")
        say(f"    expected: {expected.text() if expected else 'nothing is said'}\n")
    if as_json:
        say(json_text(listed))
    return broken


def document(model: Model, expected: Expectation | None) -> dict[str, Any]:
    """A model of the catalogue as JSON data, with its expected verdict."""
    return {
        "name": model.name,
        "question": " ".join(model.question.split()),
        "bounds": dict(model.bounds),
        "rules": settings.rules_of(model),
        "expected": None if expected is None else {"verdict": expected.verdict.name, "property": expected.property},
    }
