"""The file that lists guards which nothing catches, each with the reason why it is there all the same.

It lies beside the file of the model and may speak of several models:

    [[guard]]
    model = "counter"
    guard = "client_reads: if client.has_read: return False: never taken"
    reason = "..."
"""

import tomllib
from collections.abc import Collection
from pathlib import Path

from checker.errors import UsageError
from checker.names import did_you_mean

FILE = "guards.toml"
_KEYS = ("model", "guard", "reason")


def reasons(folder: Path, model: str, known: Collection[str]) -> dict[str, str]:
    """The reasons listed for a model in the folder's file, by the name of the guard; none where there is no file.

    UsageError where the file cannot be read, an entry is not well-formed, or a guard is listed twice or is none of the
    `known` ones.
    """
    path = folder / FILE
    if not path.is_file():
        return {}
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read as TOML: {error}; mend that line") from None
    entries = content.pop("guard", [])
    if content or not isinstance(entries, list):
        raise UsageError(f"{path}: {next(iter(content), 'guard')!r} is no list of guards; write [[guard]] tables only")
    found: dict[str, str] = {}
    for number, entry in enumerate(entries, start=1):
        name, guard, reason = _checked(path, number, entry)
        if name != model:
            continue
        if guard not in known:
            raise UsageError(
                f"{path}: entry {number}: {model} has no guard {guard!r}{did_you_mean(guard, known)}; correct the name "
                f"as `kafkacheck guards {model}` prints it, or remove the entry"
            )
        if guard in found:
            raise UsageError(f"{path}: entry {number}: {guard!r} is listed twice for {model}; keep one entry")
        found[guard] = reason
    return found


def _checked(path: Path, number: int, entry: object) -> tuple[str, str, str]:
    values = [entry.get(key) for key in _KEYS] if isinstance(entry, dict) else []
    texts = [value.strip() for value in values if isinstance(value, str)]
    if not isinstance(entry, dict) or len(texts) != len(_KEYS) or not all(texts) or len(entry) != len(_KEYS):
        raise UsageError(f"{path}: entry {number} is {entry!r}; give it {', '.join(_KEYS)}, each a text, and no more")
    return texts[0], texts[1], texts[2]
