"""Holds the models against Kafka's own classes, release by release: `python -m tests.kafka`.

Each run of `runs.py` is one `kafkacheck conform`. The last line says in how many of them model and Kafka agree.
"""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import click

from tests.kafka import judged
from tests.kafka.libs import Classes, KafkaError, classes_of
from tests.kafka.runs import RELEASES, RUNS, Run, plain
from tests.kafka.systems.jvm import CLASSES

HERE = Path(__file__).resolve().parent
CONFORMS, CUT_SHORT, CANNOT = 0, 20, 2
PATIENCE = "--answer-seconds=60"
"""A JVM that starts on a busy machine takes its time."""


@click.command()
@click.argument("names", nargs=-1, metavar="[RUN]...")
@click.option("--kafka", "releases", multiple=True, metavar="RELEASE", help="Which release; by default the newest.")
@click.option("--every-release", is_flag=True, help="All releases, from 4.0 on.")
@click.option("--libs", metavar="DIR", help="Take the jars from here: the libs of an unpacked release, or of a build.")
@click.option(
    "--seconds", type=float, metavar="S", help="Share this time among the runs; what is cut short says NOT_EXHAUSTED."
)
@click.option("--steps", type=int, default=0, metavar="N", help="Walk on in each run until N steps were compared.")
@click.option("--seed", type=int, default=0, show_default=True, help="Where the random walks begin.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="Another bound or rule in every run.")
@click.option("--record", "records", is_flag=True, help="Keep the numbers for impl/JUDGED.md.")
@click.option("--list", "lists", is_flag=True, help="List the runs.")
def main(
    names: tuple[str, ...],
    releases: tuple[str, ...],
    every_release: bool,
    libs: str | None,
    seconds: float | None,
    steps: int,
    seed: int,
    settings: tuple[str, ...],
    records: bool,
    lists: bool,
) -> None:
    """Run Kafka's own classes beside the models, and compare them step by step.

    RUN is one of --list; or the beginning of some, if none has the name.
    """
    exact = [run for run in RUNS if run.name in names]
    runs = exact or [run for run in RUNS if not names or any(run.name.startswith(name) for name in names)]
    if not runs:
        raise SystemExit(f"error: no run begins with {names[0]}; --list shows all")
    if lists:
        print("\n".join(run.name for run in runs))
        return
    compared: list[int | None] = []
    try:
        chosen = RELEASES if every_release else releases or (None,)
        for classes in [classes_of(release, libs) for release in chosen]:
            begun = time.monotonic()
            due = [run for run in runs if plain(classes.release) not in run.not_in]
            for done, run in enumerate(due):
                options = [f"--kafka={plain(classes.release)}", f"--steps={steps}", f"--seed={seed}", PATIENCE]
                given = {each.partition("=")[0]: each for each in (*run.settings, *settings)}
                options += [f"--set={each}" for each in given.values()]
                if seconds is not None:
                    share = (seconds - time.monotonic() + begun) / (len(due) - done)
                    options.append(f"--max-seconds={max(1, round(share))}")
                compared.append(_compared(run, classes, options, seconds is not None, records))
    except KafkaError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(CANNOT) from None
    idle = compared.count(0)
    note = f"; {idle} of them had no time for a step: raise --seconds" if idle else ""
    print(f"{len(compared) - compared.count(None)} of {len(compared)} runs agree{note}")
    raise SystemExit(1 if None in compared else 0)


def _compared(run: Run, classes: Classes, options: list[str], may_be_cut_short: bool, records: bool) -> int | None:
    """Compare once, and say with which outcome. The compared steps; None if an unlisted difference was found.

    If the time was over before the end, that is no difference.
    """
    model = str(HERE / "models" / run.model) if run.model.endswith(".py") else run.model
    known = [f"--known={HERE / 'known' / each}" for each in run.known_of(classes.release)]
    command = [sys.executable, "-m", "checker", "conform", model, str(HERE / "systems" / run.system)]
    done = subprocess.run(
        [*command, *known, *options],
        env={**os.environ, CLASSES: classes.path},
        cwd=HERE.parents[1],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    lines = done.stdout.splitlines()
    closing = lines.pop() if lines else f"ended with status {done.returncode}"
    agrees = done.returncode == CONFORMS or (may_be_cut_short and done.returncode == CUT_SHORT)
    told = re.search(r" steps=(\d+)", closing)
    steps = int(told[1]) if told else 0
    if agrees and not told:
        closing = "NOT_EXHAUSTED steps=0: the time was over before the first step"
    if not agrees:
        print("\n".join(lines))
    elif records and steps:
        judged.record(run.name, classes.release, closing)
    print(f"Kafka {classes.release}, {run.name}: {closing}", flush=True)
    return steps if agrees else None


if __name__ == "__main__":
    main()
