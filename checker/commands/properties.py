"""`kafkacheck properties`: every property of the catalogue, with the models that use it."""

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.catalogue.museum import bugs
from kafkacheck.checker.console.output import markdown_table, say
from kafkacheck.checker.model import Model
from kafkacheck.checker.process.locations import short_path

INTRODUCTION = """\
# What models are judged by

Each table lists the functions of one file that models of the catalogue use. An invariant holds of every state, a step
property of every step, and a liveness property of every fair behaviour. A lemma helps to prove others, an example must
occur, and a measure is a number by which states are counted. The last column names models that are expected to violate
the property, and known bugs that violate it. Each docstring says more, such as the property's source.

Written by `kafkacheck properties --markdown`. `kafkacheck properties` names every model of each.
"""
COLUMNS = ("name", "kind", "says", "in", "violated by")
KINDS = ("invariant", "step", "liveness", "lemma", "example", "measure")

MOST_NAMED = 4
"""More models of one folder than this are counted, in a page."""


@click.command()
@click.option("--markdown", is_flag=True, help="Print the page of the properties, as PROPERTIES.md has it.")
def properties(markdown: bool) -> int:
    """List the properties by which the catalogue's models are judged, file by file.

    These are invariants, properties of steps, liveness properties, lemmas, examples that must occur, and measures. For
    each the command prints the first sentence of its docstring, the models that use it, and the models and known bugs
    that violate it.
    """
    return list_properties(markdown)


@dataclass
class Entry:
    """One property: its first function, its first sentence, its kinds, and the models that use or violate it."""

    name: str
    function: Callable[..., Any]
    says: str
    kinds: set[str] = field(default_factory=set)
    models: list[str] = field(default_factory=list)
    violated_by: list[str] = field(default_factory=list)

    @property
    def place(self) -> str:
        """The file of the function, from the folder that the catalogue lies in."""
        path = Path(self.function.__code__.co_filename)
        roots = [folder.parent for folder in catalogue.folders() if path.is_relative_to(folder.parent)]
        return path.relative_to(roots[0]).as_posix() if roots else short_path(str(path))

    @property
    def line(self) -> int:
        """The line of the function in its file."""
        return self.function.__code__.co_firstlineno


def list_properties(as_page: bool) -> int:
    """Print them, as text or as a page in Markdown; 0. Raises the errors of defining a model of the catalogue."""
    names = catalogue.catalogue_names()
    found = sorted(entries(map(catalogue.find_model, names)), key=lambda each: (each.place, each.line, each.name))
    note_violations(found)
    files: dict[str, list[Entry]] = {}
    for each in found:
        files.setdefault(each.place, []).append(each)
    if as_page:
        say("\n".join([INTRODUCTION, *(_section(file, those, names) for file, those in files.items())]).rstrip("\n"))
        return 0
    for each in found:
        say(f"{each.name}  ({_kinds(each)}, {each.place}:{each.line})\n    {each.says}")
        say(f"    in: {', '.join(each.models)}")
        if each.violated_by:
            say(f"    violated by: {', '.join(each.violated_by)}")
        say("")
    return 0


def entries(models: Iterable[Model]) -> list[Entry]:
    """The properties of these models, each once, with the models in their order."""
    found: dict[tuple[str, str], Entry] = {}
    for model in models:
        for kind, name, functions in _judges(model):
            says = " Leads to: ".join(first_sentence(each.__doc__) for each in functions)
            new = Entry(name, functions[0], says)
            entry = found.setdefault((new.place, name), new)
            entry.kinds.add(kind)
            if model.name not in entry.models:
                entry.models.append(model.name)
    return list(found.values())


def note_violations(found: Iterable[Entry]) -> None:
    """Write into each entry the models that are expected to violate it, then the known bugs."""
    expected = {name: each.property for name, each in catalogue.expectations().items()}
    known = [(bug.id, bug.property, catalogue.full_name(bug.model) or bug.model) for bug in bugs()]
    for entry in found:
        entry.violated_by += [name for name in entry.models if expected.get(name) == entry.name]
        entry.violated_by += [name for name, broken, model in known if broken == entry.name and model in entry.models]


def first_sentence(docstring: str | None) -> str:
    """The first sentence of a docstring, in one line; "" if there is none."""
    paragraph = inspect.cleandoc(docstring or "").split("\n\n")[0]
    return re.split(r"(?<=[.!?])\s+(?=[A-Z`])", " ".join(paragraph.split()))[0]


def used_in(models: Iterable[str], catalogue_names: Iterable[str]) -> str:
    """The models in a few words: if all or many of a folder use it, the folder and their number."""
    used, there = _by_folder(models), _by_folder(catalogue_names)
    words = []
    for folder, names in used.items():
        if len(names) == len(there[folder]) and len(names) > 1:
            words.append(f"all of `{folder}`")
        elif len(names) > MOST_NAMED:
            words.append(f"{len(names)} of {len(there[folder])} of `{folder}`")
        else:
            words += [f"`{name}`" for name in names]
    return ", ".join(words)


def _judges(model: Model) -> Iterator[tuple[str, str, list[Callable[..., Any]]]]:
    for each in model.properties:
        yield ("step" if each.is_step else "invariant"), each.name, [each.function]
    for pair in model.liveness:
        yield "liveness", pair.name, [each.function for each in (pair.trigger, pair.goal) if each is not None]
    for each in model.lemmas:
        yield "lemma", each.name, [each.function]
    for each in model.sometimes:
        yield "example", each.name, [each.function]
    for measure in model.measures:
        yield "measure", measure.name, [measure.function]


def _section(file: str, those: Iterable[Entry], names: Iterable[str]) -> str:
    rows = (
        (f"`{each.name}`", _kinds(each), each.says, used_in(each.models, names), _code(each.violated_by))
        for each in those
    )
    return f"## [{file}](../{file})\n\n{markdown_table(COLUMNS, rows)}"


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" if re.fullmatch(r"[\w.]+", name) else name for name in names)


def _kinds(entry: Entry) -> str:
    return ", ".join(kind for kind in KINDS if kind in entry.kinds)


def _by_folder(names: Iterable[str]) -> dict[str, list[str]]:
    folders: dict[str, list[str]] = {}
    for name in names:
        folders.setdefault(name.partition(".")[0], []).append(name)
    return folders
