"""Holds the assignors of impl/assignors/ against Kafka's own: `python -m tests.kafka.assignors`.

Each line says for one assignor and one set of groups whether both gave the same assignment to every group; and for how
many of them both failed.
"""

import itertools
import os
import sys
import time
from collections.abc import Iterator

import click

from tests.kafka.assignors import recorded
from tests.kafka.assignors.asking import ASSIGNORS, BATCH, FAILED, Answers, Order, asked_in, compared, group_of
from tests.kafka.assignors.groups import KEEPERS, ONE_OWNER, PARTS, orders, parts_of, random_groups
from tests.kafka.libs import KafkaError, classes_of
from tests.kafka.runs import RELEASES
from tests.kafka.systems import jvm

SHOWN = 3
SAMPLE = "sample"
CANNOT = 2


@click.command()
@click.argument("names", nargs=-1, metavar="[ASSIGNOR]...")
@click.option("--kafka", "release", metavar="RELEASE", help="Which release; by default the newest.")
@click.option("--every-release", is_flag=True, help="All releases, from 4.0 on, each in a process of its own.")
@click.option("--libs", metavar="DIR", help="Take the jars from here: the libs of an unpacked release, or of a build.")
@click.option("--part", "parts", multiple=True, metavar="PART", help=f"Only these: {', '.join(PARTS)}, {SAMPLE}.")
@click.option("--sample", type=click.IntRange(0), default=20_000, show_default=True, help="How many random groups.")
@click.option("--seed", type=int, default=0, show_default=True, help="Where the random groups begin.")
@click.option("--record", "records", is_flag=True, help="Keep the numbers for impl/JUDGED.md.")
@click.option("--seconds", type=float, metavar="S", help="End each part after this time; it then says NOT_EXHAUSTED.")
def main(
    names: tuple[str, ...],
    release: str | None,
    every_release: bool,
    libs: str | None,
    parts: tuple[str, ...],
    sample: int,
    seed: int,
    records: bool,
    seconds: float | None,
) -> None:
    """Ask Kafka's assignors and ours for the same groups, and compare the assignments.

    ASSIGNOR is range, round_robin, sticky, cooperative_sticky, broker_range or uniform; all of them by default.
    """
    _check("assignor", names, tuple(ASSIGNORS))
    _check("part", parts, (*PARTS, SAMPLE))
    if every_release:
        raise SystemExit(max(_in_its_own_process(each) for each in RELEASES))
    try:
        classes = classes_of(release, libs)
    except KafkaError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(CANNOT) from None
    os.environ[jvm.CLASSES] = classes.path
    jvm.started()
    agree = True
    for name in names or ASSIGNORS:
        known = [each for each in parts_of(name) if each in parts or not (parts or PARTS[each].is_large)]
        for part in known:
            answers = compared(asked_in(name, classes.release), Order(), PARTS[part].groups())
            agree &= _agrees(classes.release, name, part, answers, seconds, records)
        if sample and (not parts or SAMPLE in parts):
            answers = _sampled(classes.release, name, sample, seed)
            agree &= _agrees(classes.release, name, SAMPLE, answers, seconds, records)
    raise SystemExit(0 if agree else 1)


def _check(what: str, given: tuple[str, ...], known: tuple[str, ...]) -> None:
    for each in given:
        if each not in known:
            print(f"error: there is no {what} {each}; expected one of {', '.join(known)}", file=sys.stderr)
            raise SystemExit(CANNOT)


def _in_its_own_process(release: str) -> int:
    """Compare in one release with the other options of this command; returns the exit status."""
    options = [each for each in sys.argv[1:] if each != "--every-release"]
    return os.spawnv(
        os.P_WAIT, sys.executable, [sys.executable, "-m", "tests.kafka.assignors", *options, "--kafka", release]
    )


def _sampled(release: str, name: str, count: int, seed: int) -> Iterator[Answers]:
    """The comparisons of random groups, in several orders of the hash map."""
    groups = itertools.islice(random_groups(seed, name in KEEPERS and name not in ONE_OWNER), count)
    for order in orders(seed):
        batch = list(itertools.islice(groups, BATCH // 10))
        if not batch:
            return
        yield from compared(asked_in(name, release), order, batch)


def _agrees(
    release: str, name: str, part: str, answers: Iterator[Answers], seconds: float | None, records: bool
) -> bool:
    """Compare one part, and say with which outcome; whether no difference was found."""
    begun = time.monotonic()
    groups = failed = different = 0
    outcome = "CONFORMS"
    for each in answers:
        groups += 1
        failed += each.kafka == FAILED
        if each.kafka != each.ours:
            different += 1
            if different <= SHOWN:
                print(f"{group_of(each.case, each.order)}\n  Kafka: {each.kafka}\n  ours: {each.ours}")
        if seconds is not None and time.monotonic() - begun > seconds:
            outcome = "NOT_EXHAUSTED"
            break
    outcome = "DIFFERENT" if different else outcome
    spent = f"seconds={time.monotonic() - begun:.1f}"
    line = f"Kafka {release}, {name}, {part}: {outcome} groups={groups} failed={failed} different={different} {spent}"
    print(line, flush=True)
    if records and not different:
        recorded.record(line)
    return not different


if __name__ == "__main__":
    main()
