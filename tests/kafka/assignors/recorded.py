"""What was compared last, for the page of the judges: `covered.toml`, which `--record` writes."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

COVERED = Path(__file__).with_name("covered.toml")
CLOSING = re.compile(
    r"Kafka (?P<kafka>\S+), (?P<assignor>\w+), (?P<part>\w+): (?P<outcome>[A-Z_]+) groups=(?P<groups>\d+) "
    r"failed=(?P<failed>\d+) "
)
NUMBERS = ("kafka", "groups", "failed", "outcome")
HEAD = """
Assignors: how many groups got the same assignment by Kafka and by `impl/assignors/`, and for how many of them both
failed. `python -m tests.kafka.assignors --record` writes the numbers; `tests/kafka/assignors/groups.py` says which
groups a part has.

| assignor | part | kafka | groups | failed | outcome |
| --- | --- | --- | --- | --- | --- |"""


def covered() -> dict[str, dict[str, str]]:
    """By assignor and part the numbers that were recorded last."""
    return tomllib.loads(COVERED.read_text("utf-8")) if COVERED.exists() else {}


def record(line: str) -> None:
    """Keep the numbers of a closing line in place of the former ones of that assignor and part."""
    found = CLOSING.match(line)
    if found is None:
        return
    known = covered() | {f"{found['assignor']}, {found['part']}": {each: found[each] for each in NUMBERS}}
    lines = ["# What `python -m tests.kafka.assignors --record` compared last; never edited by hand.", ""]
    for name in sorted(known):
        lines += [f'["{name}"]', *(f'{key} = "{value}"' for key, value in known[name].items()), ""]
    COVERED.write_text("\n".join(lines).rstrip() + "\n", "utf-8")


def table() -> Iterator[str]:
    """The lines of the page."""
    yield HEAD
    for name, told in covered().items():
        yield f"| {' | '.join([*name.split(', '), *(told[each] for each in NUMBERS)])} |"
