"""How a user named a model, so that it can be found again; and whether the name in a file may be used."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import click

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.model import Model, settings
from kafkacheck.checker.process.errors import UsageError


@dataclass(frozen=True)
class Source:
    """How a model was named: its text (see `catalogue.find_model`), the changes of settings, the properties.

    lemmas: whether its lemmas are checked as well.
    """

    text: str
    changes: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    lemmas: bool = False

    def model(self, max_seconds: float | None = None) -> Model:
        """The model as its source is now. Errors as of `catalogue.find_model`; UsageError for the changes."""
        return self.of(catalogue.find_model(self.text, max_seconds))

    def of(self, model: Model) -> Model:
        """A model with the changes, lemmas and properties. UsageError if it has no such setting or property."""
        model = settings.with_settings(model, self.changes)
        if self.lemmas:
            model = model.with_lemmas()
        return model.with_properties(self.properties) if self.properties else model

    def absolute(self) -> "Source":
        """The same from any folder."""
        if catalogue.is_ours(self.text):
            return replace(self, text=catalogue.own_name(self.text) or self.text)
        path = Path(self.text)
        return replace(self, text=str(path.resolve()) if path.is_file() else self.text)

    def as_json(self) -> list[object]:
        """The same as JSON data, from any folder."""
        return [self.absolute().text, list(self.changes), list(self.properties), self.lemmas]


class Recorded(NamedTuple):
    """A model that a file names: the file, the model's name, and how it was named when the file was written."""

    file: Path
    model: str
    text: str


def resolve(recorded: Sequence[Recorded], given: Sequence[str]) -> list[str]:
    """How to find each of the models: as `given` on the command line, or by a name of the checker's own catalogue.

    A model given once is that of all files that name none of the catalogue, or of all if each does. Otherwise
    UsageError, with the command that names it: to import a module because a file names it would let the file run code.
    """
    if len(given) == len(recorded):
        return list(given)
    if len(given) > len(recorded):
        raise UsageError(f"--model is given {len(given)} times, and {len(recorded)} is enough; leave out the others")
    known = [catalogue.own_name(each.text) for each in recorded]
    foreign = [each for each, name in zip(recorded, known, strict=True) if name is None]
    if not given and foreign:
        told = " and ".join(f"{each.file} names as its model {each.model} the code in {each.text}" for each in foreign)
        texts = list(dict.fromkeys(str(each.text) for each in foreign))
        raise UsageError(
            f"{told}, which is not of the catalogue; a file must not run code that you have not named. If you trust "
            f"that code, give `{_command_with(texts)}`, or name another file that has the model"
        )
    return [given[0] if given and (name is None or not foreign) else str(name) for name in known]


def _command_with(models: Sequence[str]) -> str:
    """The command that is running, with models."""
    context = click.get_current_context(silent=True)
    arguments = ["..."] if context is None else context.find_root().obj or ["..."]
    return shlex.join(["kafkacheck", *arguments, *(word for model in models for word in ("--model", model))])
