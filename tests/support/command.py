"""Running the command line in tests, and small models to run it on, as the text of files."""

import io
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from kafkacheck.checker.commands.command_line import main
from tests import ROOT

PATIENCE = 300
"""Seconds after which a process that a test waits for hangs, also on a busy machine."""

# Holds with 3 states. valve=OPEN violates never_full, pour=2 violates rises_slowly, drains=false ends in a deadlock,
# and capacity=1 lets an action leave its range.
TANK = '''"""Can the tank run full?"""

from enum import IntEnum
from typing import Annotated, NamedTuple

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Count, Struct


class Valve(IntEnum):
    SHUT = 0
    OPEN = 1


class Rules(NamedTuple):
    valve: Valve
    drains: bool
    pour: int


class Tank(Struct):
    level: Annotated[int, Count("capacity")]


def fill(tank: Tank, rules: Rules) -> bool:
    if tank.level + rules.pour > 2 + rules.valve:
        return False
    tank.level += rules.pour
    return True


def drain(tank: Tank, rules: Rules) -> bool:
    if not rules.drains:
        return False
    if tank.level == 0:
        return False
    tank.level -= 1
    return True


def never_full(tank: Tank) -> bool:
    """The level stays below 3."""
    return tank.level != 3


def rises_slowly(before: Tank, after: Tank) -> bool:
    """The level rises by one."""
    return after.level <= before.level + 1


def half_full(tank: Tank) -> bool:
    return tank.level == 2


MODEL = Model(
    name="tank",
    state=Tank,
    bounds={"capacity": 3},
    rules=Rules(valve=Valve.SHUT, drains=True, pour=1),
    actions=[fill, drain],
    always=[never_full, rises_slowly],
    sometimes=[half_full],
    check_deadlock=True,
)
'''

# A million states: more than any test waits for.
PLAIN = '''"""Two counters that rise independently."""

from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Count, Struct


class Position(Struct):
    x: Annotated[int, Count(999)]
    y: Annotated[int, Count(999)]


def go_right(position: Position) -> bool:
    if position.x == 999:
        return False
    position.x += 1
    return True


def go_up(position: Position) -> bool:
    if position.y == 999:
        return False
    position.y += 1
    return True


MODEL = Model(name="plain", state=Position, actions=[go_right, go_up])
'''


@dataclass(frozen=True)
class Ended:
    """How a command ended: its exit status and what it wrote."""

    status: int
    out: str
    err: str

    @property
    def last_line(self) -> str:
        return self.out.rstrip().splitlines()[-1]

    @property
    def error(self) -> str:
        """The one error that the command ended with, on stderr, and nothing else of an error or traceback."""
        assert "Traceback" not in self.out + self.err
        errors = [line for line in self.err.splitlines() if line.startswith("error: ")]
        assert len(errors) == 1, self.err
        return errors[0]


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


class Command:
    """Runs kafkacheck within this process: quick, and what it imports stays imported."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: object) -> Ended:
        self._capsys.readouterr()
        path = list(sys.path)
        try:
            status = main([str(argument) for argument in arguments])
        finally:
            sys.path[:] = path
        captured = self._capsys.readouterr()
        return Ended(status, captured.out, captured.err)

    def check(self, model: object, *arguments: object) -> Ended:
        """Check a model by the interpreted reading."""
        return self("check", model, "--engine", "interpreted", *arguments)


def in_process(*arguments: object, folder: Path = ROOT, program: str = "", **environment: str) -> Ended:
    """Run kafkacheck, or another Python `program`, in a process of its own, from `folder`."""
    start = ["-c", program] if program else ["-m", "checker"]
    run = subprocess.run(
        [sys.executable, *start, *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return Ended(run.returncode, run.stdout, run.stderr)


def write(path: Path, text: str) -> Path:
    """Write a file, and the folders above it; the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def catalogue(folder: Path, expected: str, **models: str) -> Path:
    """A folder with a catalogue of its own."""
    write(folder / "model" / "__init__.py", "")
    write(folder / "model" / "expected.toml", expected)
    for name, text in models.items():
        write(folder / "model" / f"{name}.py", text.replace('name="tank"', f'name="{name}"'))
    return folder
