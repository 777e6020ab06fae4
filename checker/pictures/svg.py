"""DOT to SVG, by whichever Graphviz program there is: the system's `dot`, or the one that comes as a wheel."""

import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

MOST_SECONDS = 60
"""A drawing that takes longer is given up: nobody could read it."""

WHEEL_PROGRAM = "graphviz-pure"

ADVICE = (
    "to get the SVG as well, install Graphviz (Debian and Ubuntu: apt-get install graphviz; macOS: brew install "
    f"graphviz) or the wheel (python -m pip install {WHEEL_PROGRAM})"
)


@dataclass(frozen=True)
class Drawn:
    """The SVG, or None and a `note` that says why there is none and how to mend that."""

    svg: bytes | None
    note: str = ""


def programs() -> list[str]:
    """Paths of the programs that can draw DOT, best first: the system's `dot`, then the wheel's beside this Python."""
    scripts = [str(Path(sys.executable).parent), sysconfig.get_path("scripts")]
    found = [
        shutil.which("dot"),
        *(shutil.which(WHEEL_PROGRAM, path=folder) for folder in scripts),
        shutil.which(WHEEL_PROGRAM),
    ]
    return list(dict.fromkeys(program for program in found if program is not None))


def draw(dot: str) -> Drawn:
    """Draw DOT text as SVG with the first program that succeeds; never raises for want of a program."""
    failures: list[str] = []
    for program in programs():
        try:
            run = subprocess.run(
                [program, "-Tsvg"], input=dot.encode("utf-8"), capture_output=True, timeout=MOST_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            failures.append(f"{program} took more than {MOST_SECONDS} seconds")
            continue
        except OSError as error:
            failures.append(f"{program} does not start ({error})")
            continue
        if run.stdout.rstrip().endswith(b"</svg>"):
            return Drawn(run.stdout)
        complaint = run.stderr.decode("utf-8", "replace").strip().splitlines()
        failures.append(f"{program} failed ({complaint[-1] if complaint else f'exit status {run.returncode}'})")
    if not failures:
        return Drawn(None, f"no SVG was drawn, because no Graphviz was found: {ADVICE}")
    return Drawn(None, f"no SVG was drawn: {'; '.join(failures)}; {ADVICE}")
