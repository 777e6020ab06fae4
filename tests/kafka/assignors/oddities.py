"""What Kafka's sticky assignors do that nobody can want: `python -m tests.kafka.assignors.oddities`.

The README of `tests/kafka` tells of them. Each line says which partitions each member got from Kafka's class, and
whether that keeps the guarantees.
"""

import os
import sys

import click

from kafkacheck.spec.assignors.properties import assigned_once, only_subscribed
from tests.kafka.assignors.asking import (
    ASSIGNORS,
    FAILED,
    WIDTH,
    Case,
    Order,
    Row,
    answers_of_kafka,
    group_of,
    partitions_in,
)
from tests.kafka.libs import KafkaError, classes_of
from tests.kafka.systems import jvm

CANNOT = 2
T0, T1 = 0b01, 0b10
T0_0, T0_1, T0_2, T1_0 = 1, 1 << 1, 1 << 2, 1 << WIDTH
OLD, NEW = 1, 2
ODDITIES = {
    "a member without topics comes first": Case((2, 0, 0), (Row(0), Row(T0))),
    "it comes last": Case((2, 0, 0), (Row(T0), Row(0))),
    "the second member has missed a generation and has left the topic": Case(
        (1, 1, 0), (Row(T0, 0, NEW), Row(T1, T0_0, OLD), Row(T0 | T1, T0_0 | T1_0, NEW))
    ),
    "and can have only what nobody else can have": Case(
        (2, 1, 0), (Row(T0, T0_0 | T0_1, NEW), Row(T1, T0_0, OLD), Row(T0, 0, NEW))
    ),
    "a topic was made anew with fewer partitions": Case((1, 0, 0), (Row(T0, T0_2, NEW), Row(T0, 0, NEW))),
    "so it was, and the members have different topics": Case(
        (1, 1, 0), (Row(T0 | T1, T0_2 | T1_0, NEW), Row(T1, 0, NEW))
    ),
}


@click.command()
@click.option("--kafka", "release", metavar="RELEASE", help="Which release; by default the newest.")
def main(release: str | None) -> None:
    """Ask Kafka's sticky assignors for a few groups."""
    try:
        classes = classes_of(release)
    except KafkaError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(CANNOT) from None
    os.environ[jvm.CLASSES] = classes.path
    jvm.started()
    for name in ("sticky", "cooperative_sticky"):
        for what, case in ODDITIES.items():
            (answer,) = answers_of_kafka(ASSIGNORS[name].kind, Order(), [case])
            print(f"Kafka {classes.release}, {name}: {what}: {verdict(case, answer)}")


def verdict(case: Case, answer: tuple[int, ...]) -> str:
    """What the members got, and what is wrong with it."""
    if answer == FAILED:
        return "the assignor throws an exception"
    group = group_of(case, Order())
    assigned = {name: set(partitions_in(bits)) for name, bits in zip(group.members, answer, strict=False)}
    told = "; ".join(
        f"{' '.join(f'{topic}-{number}' for topic, number in sorted(mine)) or 'nothing'}" for mine in assigned.values()
    )
    wrong = [] if only_subscribed(group, assigned) else ["not all is subscribed to"]
    wrong += [] if assigned_once(assigned) else ["one partition has two owners"]
    return f"{told}: {', '.join(wrong) or 'as it should be'}"


if __name__ == "__main__":
    main()
