"""Reproduces the findings on Kafka's own classes, release by release: `python -m tests.kafka.findings`."""

import os
import subprocess
import sys
from pathlib import Path

import click

from tests.kafka.jvm import CLASSES
from tests.kafka.libs import KafkaError, classes_of


def number(finding: str) -> str:
    """The number of a finding, as the page has it: f1."""
    return finding.partition("_")[0]


HERE = Path(__file__).resolve().parent
RELEASES = ("4.0.0", "4.1.2", "4.2.2", "4.3.1", "4.4.0")
FINDINGS = tuple(sorted((each.stem for each in HERE.glob("f[0-9]*.py")), key=lambda name: (len(number(name)), name)))
SECONDS = 120
CANNOT = 2


@click.command()
@click.argument("names", nargs=-1, metavar="[FINDING]...")
@click.option(
    "--kafka", "releases", multiple=True, metavar="RELEASE", help="Which release; by default one of each line."
)
@click.option("--libs", metavar="DIR", help="Take the jars from here: the libs of an unpacked release, or of a build.")
def main(names: tuple[str, ...], releases: tuple[str, ...], libs: str | None) -> None:
    """Reproduce the findings on Kafka's own classes, and print what the classes did.

    FINDING is its number, such as f1.
    """
    findings = [each for each in FINDINGS if not names or {each, number(each)} & set(names)]
    if not findings:
        raise SystemExit(f"error: no finding is called {names[0]}; there are {', '.join(FINDINGS)}")
    failed = False
    try:
        for release in releases or ((None,) if libs else RELEASES):
            classes = classes_of(release, libs)
            for finding in findings:
                failed |= not _ran(finding, classes.release, classes.path)
    except KafkaError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(CANNOT) from None
    raise SystemExit(1 if failed else 0)


def _ran(finding: str, release: str, path: str) -> bool:
    """Run one finding on one release in a process of its own, and print its lines; whether it ran to its end."""
    folders = [str(HERE), str(HERE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    done = subprocess.run(
        [sys.executable, str(HERE / f"{finding}.py")],
        env={**os.environ, CLASSES: path, "PYTHONPATH": os.pathsep.join(folders)},
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    for line in done.stdout.splitlines():
        print(f"Kafka {release}, {line}", flush=True)
    if done.returncode:
        print(f"Kafka {release}, {finding} ended with status {done.returncode}:\n{done.stderr}", file=sys.stderr)
    return done.returncode == 0


if __name__ == "__main__":
    main()
