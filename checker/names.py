"""Names that a user got wrong: the nearest one there is, and the error that says so."""

import difflib
from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The words "; did you mean X?" for the nearest known name, whatever the case of letters; empty if none is near."""
    by_folded: dict[str, str] = {}
    for each in known:
        by_folded.setdefault(each.casefold(), each)
    near = difflib.get_close_matches(name.casefold(), by_folded, n=1)
    return f"; did you mean {by_folded[near[0]]}?" if near else ""


def shortened(text: str, most: int = 60) -> str:
    """The text itself, or its beginning where it is longer than a message should be."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


def printable(text: str) -> str:
    """The text with line ends and whatever else cannot be printed written as in Python."""
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


def unknown(what: str, name: str, known: Iterable[str], model: str) -> str:
    """The message for a name that does not exist: what was given, what there is, and the nearest name."""
    names = list(known)
    return f"{model} has no {what} {shortened(name)!r}; it has: {', '.join(names) or 'none'}{did_you_mean(name, names)}"
