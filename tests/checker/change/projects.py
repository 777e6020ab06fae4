"""Two copies of a small project, as it was and as it is, and the command that compares them."""

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import Command, Ended, write

_numbers = itertools.count()

RULES = '''"""The rules of a tank."""

from typing import NamedTuple


class Rules(NamedTuple):
    limit: int = 2
    drains: bool = True
'''

STEPS = '''"""What is done to a tank."""

from {package}.rules import Rules
from {package}.system import Tank


def is_full(tank: Tank, rules: Rules) -> bool:
    return tank.level >= rules.limit


def fill(tank: Tank, rules: Rules) -> bool:
    """Fill it, unless it is full."""
    if is_full(tank, rules):
        return False
    tank.level += 1
    return True


def drain(tank: Tank, rules: Rules) -> bool:
    if not rules.drains or tank.level == 0:
        return False
    tank.level -= 1
    return True


def idle(tank: Tank) -> int:
    return tank.level
'''

SYSTEM = '''"""The state of a tank."""

from typing import Annotated

from kafkacheck.checker.schema import Count, Struct


class Tank(Struct):
    level: Annotated[int, Count("capacity")]
'''

SPEC = '''"""What must hold of a tank."""

from {package}.system import Tank


def never_runs_over(tank: Tank) -> bool:
    """It is never quite full.

    Lost to users: their carpet.
    """
    return tank.level < 4


def is_half_empty(tank: Tank) -> bool:
    """There is little in it."""
    return tank.level < 3


def rises_slowly(before: Tank, after: Tank) -> bool:
    """It rises by one."""
    return after.level <= before.level + 1
'''

MODEL = '''"""Does the tank run over?"""

from {package}.rules import Rules
from {package}.spec import is_half_empty, never_runs_over, rises_slowly
from {package}.steps import drain, fill
from {package}.system import Tank
from kafkacheck.checker.model import Model

MODEL = Model(
    state=Tank, bounds={{"capacity": 5}}, rules=Rules(), actions=[fill, drain],
    always=[is_half_empty, never_runs_over, rises_slowly],
)
'''

FILES = {"__init__": "", "rules": RULES, "steps": STEPS, "system": SYSTEM, "spec": SPEC, "tank": MODEL}


class Project:
    """A project in two folders, in which a test edits files."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.package = f"tank_{next(_numbers)}"  # modules of one name would be imported once only
        self.before, self.now = folder / "before", folder / "now"
        self.command = Command(capsys)
        for root in (self.before, self.now):
            for name, text in FILES.items():
                write(self.path(root, name), text.format(package=self.package))

    def path(self, root: Path, name: str) -> Path:
        """The file of a module in one of the folders."""
        return root / self.package / f"{name}.py"

    def edit(self, name: str, old: str, new: str, root: Path | None = None) -> None:
        """Replace a text of a module, by default as it is now."""
        path = self.path(root or self.now, name)
        text = path.read_text(encoding="utf-8")
        assert old in text
        write(path, text.replace(old, new))

    @property
    def model(self) -> str:
        """The name by which commands know the model."""
        return f"{self.package}/tank.py"

    def change(self, *words: object) -> Ended:
        """Run the command."""
        return self.command("change", "--against", self.before, *words)

    def found(self, *words: object) -> dict[str, Any]:
        """The JSON document of the command."""
        ended = self.change("--json", *words)
        assert ended.out, ended.err
        document: dict[str, Any] = json.loads(ended.out)
        return document | {"status": ended.status}
