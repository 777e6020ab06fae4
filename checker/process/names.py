"""Names of models, and names that a user got wrong: the nearest one there is, and the error that says so."""

import difflib
import re
from collections.abc import Iterable
from pathlib import Path

CATALOGUE = "kafkacheck.model"
"""The package whose modules are the catalogue's models."""
OWN_CATALOGUE = "model"
"""The package that is the catalogue in its place, if Python finds one of that name."""
BASE = "base"
"""The module of a model that bears its folder's name."""

RELEASE = "release="
"""How the settings of a model name a release of the modelled system; its rules come before all other settings."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The words "; did you mean X?" for the nearest known name, whatever the case of letters; empty if none is near."""
    near = nearest(name, known)
    return f"; did you mean {near}?" if near else ""


def nearest(name: str, known: Iterable[str]) -> str:
    """The nearest known name, whatever the case of letters; empty if none is near."""
    by_folded: dict[str, str] = {}
    for each in known:
        by_folded.setdefault(each.casefold(), each)
    near = difflib.get_close_matches(name.casefold(), by_folded, n=1)
    return by_folded[near[0]] if near else ""


def a_or_an(name: str) -> str:
    """The name with "a" or "an" in front, by its first letter."""
    return f"{'an' if name[:1].lower() in tuple('aeiou') else 'a'} {name}"


def shortened(text: str, most: int = 60) -> str:
    """The text, or only its beginning if it is too long for a message."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


def printable(text: str) -> str:
    """The text, with line ends and other letters that cannot be printed written as in Python."""
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


def unknown(what: str, name: str, known: Iterable[str], model: str) -> str:
    """The message for an unknown name: the name, the known ones, and the nearest of them."""
    names = list(known)
    return f"{model} has no {what} {shortened(name)!r}; it has: {', '.join(names) or 'none'}{did_you_mean(name, names)}"


def model_name(module: str, file: str = "") -> str:
    """The name of the model that a module, in a file of that path, defines.

    In the catalogue it is the module's dotted path below the package. Elsewhere it is the file's name, without letters
    that no name may have. An underscore after a keyword of Python, as in `return_`, is no part of a name.
    """
    parts = module.removeprefix("kafkacheck.").split(".")
    if parts.pop(0) != OWN_CATALOGUE or not parts:
        return re.sub(r"[^\w.-]", "_", Path(file).stem or module).strip("_")
    if parts[-1] == BASE and len(parts) > 1:
        parts.pop()
    return ".".join(part.rstrip("_") for part in parts)


def short_names(name: str) -> tuple[tuple[str, ...], ...]:
    """Shorter names of a model of the catalogue, the clearest first; equally clear ones lie together.

    The first are the forms that names had when the models of a family lay in one folder; then come the last parts.
    """
    parts = name.split(".")
    ends = tuple(".".join(parts[number:]) for number in range(1, len(parts)))
    return ("_".join(parts),), (f"{parts[0]}_{parts[-1]}", f"{parts[0]}.{parts[-1]}") if ends else (), ends
