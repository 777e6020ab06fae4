"""`kafkacheck models`: the models of the catalogue, with their bounds, rules and expected verdicts."""

from typing import Any

import click

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.catalogue.catalogue import Expectation
from kafkacheck.checker.catalogue.questions import question_of
from kafkacheck.checker.console.options import json_option
from kafkacheck.checker.console.output import failed, json_text, say
from kafkacheck.checker.model import Model, settings
from kafkacheck.checker.process.errors import KafkacheckError


@click.command()
@click.argument("patterns", metavar="[NAME]...", nargs=-1)
@click.option("--long", "is_long", is_flag=True, help="Show also the bounds and rules, and which property is violated.")
@json_option
def models(patterns: tuple[str, ...], is_long: bool, as_json: bool) -> int:
    """List the models of the catalogue by family: the name of each, the verdict to expect, and its question.

    A NAME is a model, a folder such as transactions, or a pattern such as 'cluster.*'; without one all are listed.
    --long shows bounds and rules as well, but counts rules that are at their defaults; --json has all.
    """
    expectations = catalogue.expectations()
    broken = 0
    listed = []
    family = ""
    names = catalogue.names_matching(patterns, with_folders=True) if patterns else catalogue.catalogue_names()
    width = max(map(len, names), default=0)
    for name in names:
        expected = expectations.get(name)
        try:
            if is_long or as_json:
                model = catalogue.find_model(name)
                listed.append(document(model, expected))
            else:
                question = " ".join(question_of(name).split())
        except KafkacheckError as error:
            broken = failed(str(error), error.exit_status)
            continue
        if as_json:
            continue
        if is_long:
            say(long_text(name, model, expected))
            continue
        if name.partition(".")[0] != family:
            say(("\n" if family else "") + name.partition(".")[0])
            family = name.partition(".")[0]
        verdict = expected.verdict.name if expected else ""
        say(f"  {name:<{width}}  {verdict:<8}  {question}".rstrip())
    if as_json:
        say(json_text(listed))
    return broken


def long_text(name: str, model: Model, expected: Expectation | None) -> str:
    """A model's question, bounds, rules and expected verdict, in lines."""
    return (
        f"{name}\n    {' '.join(model.question.split())}\n"
        f"    bounds and rules: {settings.told_settings(model) or 'none'}\n"
        f"    expected: {expected.text() if expected else 'nothing is said'}\n"
    )


def document(model: Model, expected: Expectation | None) -> dict[str, Any]:
    """A model of the catalogue as JSON data, with its expected verdict."""
    return {
        "name": model.name,
        "question": " ".join(model.question.split()),
        "bounds": dict(model.bounds),
        "rules": settings.rules_of(model),
        "expected": None if expected is None else {"verdict": expected.verdict.name, "property": expected.property},
    }
