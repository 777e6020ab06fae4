"""Reproduces the findings on Kafka's own classes, release by release: `python -m tests.kafka.findings`.

With `--cluster` those that a schedule of a whole cluster shows run on one, end to end.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import click

from tests.kafka.cluster.process import ran
from tests.kafka.libs import Classes, KafkaError, classes_of, cluster_of
from tests.kafka.systems.jvm import CLASSES


def number(finding: str) -> str:
    """The number of a finding, as the page has it: f1."""
    return finding.partition("_")[0]


HERE = Path(__file__).resolve().parent
RELEASES = ("4.0.0", "4.1.2", "4.2.2", "4.3.1", "4.4.0")
FINDINGS = tuple(sorted((each.stem for each in HERE.glob("f[0-9]*.py")), key=lambda name: (len(number(name)), name)))
ON_CLUSTER = {"f1": ("one", "each"), "f2": ("answer", "configuration"), "f3": ("other", "same")}
"""The findings that run on a whole cluster, each in these ways; they need a minute each."""
ENDS = ("4.0.0", "4.4.0")
"""The releases in which they do by default."""
SECONDS = 120
CANNOT = 2


@click.command()
@click.argument("names", nargs=-1, metavar="[FINDING]...")
@click.option(
    "--kafka", "releases", multiple=True, metavar="RELEASE", help="Which release; by default one of each line."
)
@click.option("--libs", metavar="DIR", help="Take the jars from here: the libs of an unpacked release, or of a build.")
@click.option("--cluster", "on_cluster", is_flag=True, help="Run F1 to F3 on a whole cluster, which Maven fetches.")
def main(names: tuple[str, ...], releases: tuple[str, ...], libs: str | None, on_cluster: bool) -> None:
    """Reproduce the findings on Kafka's own classes, and print what the classes did.

    FINDING is its number, such as f1.
    """
    if on_cluster:
        raise SystemExit(_run_on_cluster(names, releases or ENDS, libs))
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


def _run_on_cluster(names: tuple[str, ...], releases: tuple[str, ...], libs: str | None) -> int:
    """Run findings on a cluster of each release; the exit status."""
    findings = {name: ways for name, ways in ON_CLUSTER.items() if not names or name in names}
    if not findings or libs is not None:
        wrong = "--libs" if libs is not None else names[0]
        print(
            f"error: {wrong} does not go with --cluster; it fetches its jars and runs {', '.join(ON_CLUSTER)}",
            file=sys.stderr,
        )
        return CANNOT
    failed = False
    try:
        for release in releases:
            classes = cluster_of(release)
            for name, ways in findings.items():
                for way in ways:
                    failed |= not _ran_on_cluster(name, way, classes)
    except KafkaError as error:
        print(f"error: {error}", file=sys.stderr)
        return CANNOT
    return int(failed)


def _ran_on_cluster(name: str, way: str, classes: Classes) -> bool:
    """Run one finding in one way, and print its line; whether it ran to its end."""
    with tempfile.TemporaryDirectory() as folder:
        done = ran(HERE / "on_cluster" / f"{name}.py", classes, [way, str(Path(folder) / "log")])
    for line in done.stdout.splitlines():
        if line.startswith(name.upper()):
            print(f"Kafka {classes.release}, {line}", flush=True)
    if done.returncode:
        print(f"Kafka {classes.release}, {name} ended with status {done.returncode}:\n{done.stderr}", file=sys.stderr)
    return done.returncode == 0


def _ran(finding: str, release: str, path: str) -> bool:
    """Run one finding on one release in a process of its own, and print its lines; whether it ran to its end."""
    folders = [str(HERE), str(HERE.parent / "systems"), *filter(None, [os.environ.get("PYTHONPATH")])]
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
