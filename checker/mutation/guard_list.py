"""The file that lists guards which nothing catches, each with the reason why it is there all the same.

It lies in the folder of the models or above it; an entry speaks of one model, or of all whose names fit a pattern:

    [[guard]]
    model = "counter"
    guard = "client_reads: if client.has_read: return False: never taken"
    reason = "..."
"""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.mutation.guard_group import Key, Member
from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.process.names import did_you_mean

FILE = "guards.toml"
_KEYS = ("model", "guard", "reason")


@dataclass(frozen=True)
class Listed:
    """A reason that is listed. `is_met`: whether all models that the entry speaks of are among those examined."""

    reason: str
    is_met: bool = True


def reasons(members: Sequence[Member]) -> dict[Key, Listed]:
    """The reasons that the files of these models list for their guards; none for a model without a file.

    UsageError if a file cannot be read, an entry is not well-formed, or a guard is listed twice or is none of
    the models' that the entry speaks of.
    """
    files = {file: None for each in members if (file := catalogue.file_beside(each.source.text, FILE)) is not None}
    return {key: listed for file in files for key, listed in _reasons(file, members).items()}


def _reasons(path: Path, members: Sequence[Member]) -> dict[Key, Listed]:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read as TOML: {error}; mend that line") from None
    entries = content.pop("guard", [])
    if content or not isinstance(entries, list):
        raise UsageError(f"{path}: {next(iter(content), 'guard')!r} is no list of guards; write [[guard]] tables only")
    found: dict[Key, Listed] = {}
    for number, entry in enumerate(entries, start=1):
        pattern, guard, reason = _checked(path, number, entry)
        spoken_of = [each for each in members if fnmatchcase(each.model.name, pattern)]
        if not spoken_of:
            continue
        examined = {each.model.name for each in members}
        is_met = not catalogue.is_pattern(pattern) or examined.issuperset(catalogue.names_matching([pattern]))
        keys = {key: each.names[key] for each in spoken_of for key in each.numbers}
        fitting = [key for key, name in keys.items() if name == guard]
        if not fitting and is_met:
            raise UsageError(
                f"{path}: entry {number}: {pattern} has no guard {guard!r}{did_you_mean(guard, keys.values())}; "
                f"correct the name as `kafkacheck guards {pattern}` prints it, or remove the entry"
            )
        for key in fitting:
            if key in found:
                raise UsageError(f"{path}: entry {number}: {guard!r} is listed twice for {pattern}; keep one entry")
            found[key] = Listed(reason, is_met)
    return found


def _checked(path: Path, number: int, entry: object) -> tuple[str, str, str]:
    values = [entry.get(key) for key in _KEYS] if isinstance(entry, dict) else []
    texts = [value.strip() for value in values if isinstance(value, str)]
    if not isinstance(entry, dict) or len(texts) != len(_KEYS) or not all(texts) or len(entry) != len(_KEYS):
        raise UsageError(f"{path}: entry {number} is {entry!r}; give it {', '.join(_KEYS)}, each a text, and no more")
    return texts[0], texts[1], texts[2]
