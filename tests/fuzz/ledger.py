"""What a long run of random programs has done so far: a file of JSON lines, one for each range of seeds.

A line is written when its range is done, so that a run that is killed goes on behind the last line.
"""

import json
import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Entry:
    """Seeds first .. last-1 of a kind of comparison, all without a difference.

    generator: its digest. totals: see `tests.fuzz.comparing.Totals`, and "cpu" in milliseconds.
    """

    kind: str
    first: int
    last: int
    generator: str
    totals: Counter[str]


class Ledger:
    """The entries of a folder."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / "ledger.jsonl"
        self.entries = list(self._read())

    def _read(self) -> list[Entry]:
        """The whole lines; one that a kill has cut short is as if it had not been written."""
        if not self.path.exists():
            return []
        content = self.path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        if whole != content:
            with self.path.open("r+b") as file:
                file.truncate(len(whole))
        return [_entry(json.loads(line)) for line in whole.splitlines()]

    def add(self, entry: Entry) -> None:
        """Write an entry so that it stays."""
        text = json.dumps(vars(entry) | {"totals": dict(entry.totals)})
        with self.path.open("a", encoding="utf-8") as file:
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
        self.entries.append(entry)

    def programs(self, kind: str) -> int:
        """How many programs were compared."""
        return sum(each.totals["programs"] for each in self.entries if each.kind == kind)

    def next_seed(self, kind: str, first: int) -> int:
        """The first seed that no entry of this kind has, from `first` on."""
        return max([first, *(each.last for each in self.entries if each.kind == kind and each.last > first)])

    def lines(self) -> list[str]:
        """The totals as text: for each kind and generator its seeds and what was counted."""
        found: dict[tuple[str, str], list[Entry]] = {}
        for each in self.entries:
            found.setdefault((each.kind, each.generator), []).append(each)
        lines = []
        for (kind, generator), entries in found.items():
            totals: Counter[str] = sum((each.totals for each in entries), Counter())
            shown = ", ".join(f"{name} {count:,}" for name, count in totals.items() if name != "cpu")
            cost = totals["cpu"] / 1000
            each = cost / max(totals["programs"], 1)
            seeds = ", ".join(f"{first}..{last - 1}" for first, last in _joined(entries))
            lines.append(f"{kind}, generator {generator}, seeds {seeds}: {shown}; {cost:,.0f} CPU s, {each:.3f} each")
        return [*lines, *(f"{kind}: {self.programs(kind):,} programs" for kind in dict.fromkeys(k for k, _ in found))]


def _entry(data: dict[str, Any]) -> Entry:
    return Entry(**data | {"totals": Counter(data["totals"])})


def _joined(entries: list[Entry]) -> list[tuple[int, int]]:
    """The ranges of seeds, those that follow each other as one."""
    ranges: list[tuple[int, int]] = []
    for first, last in sorted((each.first, each.last) for each in entries):
        if ranges and ranges[-1][1] == first:
            ranges[-1] = (ranges[-1][0], last)
        else:
            ranges.append((first, last))
    return ranges
