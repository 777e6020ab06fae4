"""The page `impl/JUDGED.md`: which class of Kafka judges which module of `impl/`, and how much of it was compared.

python -m tests.kafka.judged > impl/JUDGED.md

The numbers are those of `covered.toml`, which `python -m tests.kafka --record` writes.
"""

import ast
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.kafka.assignors import recorded
from tests.kafka.libs import newest_release
from tests.kafka.runs import JUDGES, RUNS, Run

HERE = Path(__file__).resolve().parent
IMPL = HERE.parents[1] / "impl"
COVERED = HERE / "covered.toml"
TEETH = HERE / "teeth.toml"
UNTOLD = HERE / "untold.toml"
HEAD = """\
# Beside which class of Kafka

Each module of `impl/` with rules, and the class of Kafka that runs beside it (`make kafka`); then what was compared in
the last runs that were recorded. CONFORMS: every edge of the state graph at the run's bounds, but for those behind a
listed difference. NOT_EXHAUSTED: it was cut short, and no difference was found until then. Written by
`python -m tests.kafka.judged > impl/JUDGED.md`; the numbers are those of `python -m tests.kafka --record`.
[tests/kafka](../tests/kafka/README.md) says how.
"""
NOT_JUDGED = {
    "broker/consumer_requests.py": "not driven: a real `Partition` has `fetchOffsetForTimestamp` and the fetches of "
    "consumers, and `ReplicaManager` chooses the read replica; no model asks these functions alone",
    "broker/fetch_session.py": "not driven: `FetchSessionHandler` and `FetchManager` have the rule; beside `Partition` "
    "no fetch has a session, and beside the fetcher the leader's half is played",
    "broker/lifecycle.py": "not driven: `BrokerLifecycleManager` has the rule; it runs a thread of its own, and beside "
    "`BrokerHeartbeatManager` the brokers are played",
    "broker/registration.py": "no class can: `KafkaServer` registered brokers in ZooKeeper, and no release since 4.0 "
    "has it",
    "client/consumer.py": "not driven: `SubscriptionState`, `OffsetFetcher` and `OffsetsForLeaderEpochClient` have the "
    "rule",
    "client/pattern_subscription.py": "not driven: `ConsumerHeartbeatRequestManager` has the rule",
    "client/read_committed.py": "not driven: `CompletedFetch` and `TransactionIndex` have the rule; beside "
    "`UnifiedLog` the index is compared, but no consumer reads",
    "client/read_replica.py": "not driven: `SubscriptionState` and `FetchCollector` have the rule",
    "coordinator/producer_ids.py": "not driven: `ProducerIdManager` has the rule; the coordinator runs beside one that "
    "is played, and the model knows no blocks of ids",
    "delivery/handover.py": "no class can: it is a stand-in for the coordinator of either protocol, each of which is "
    "judged",
    "delivery/commits.py": "not driven: `CommitRequestManager` and `ConsumerCoordinator` have the rule",
    "producer/leader.py": "not driven: `ReplicaManager` and `DelayedProduce` have the rule; beside `Sender` any answer "
    "may come",
    "replication/": "no class can: this is the public specification of the generations up to KIP-320, whose steps "
    "Kafka takes in several classes; `controller/` and `broker/` have the rules as Kafka has them",
    "resumption/leader.py": "not driven: `Partition` and `LeaderEpochFileCache` have the rule; "
    "`broker/epoch_file.py`, which it calls, is judged",
    "transactions/cleaner.py": "not driven: `Cleaner` has the rule; it runs beside `compaction/cleaner.py`, which has "
    "keys and a delete horizon; here the cleaner removes sooner",
}
"""By module, or by the beginning of several, why no class of Kafka runs beside it: none can, or none is driven yet."""
PURE = {
    "assignors/": "the assignors of Kafka, on all small groups (`python -m tests.kafka.assignors`)",
    "placement/": "`Utils.abs` and Java's `String` (`tests/kafka/test_placement.py`)",
}
"""By the beginning of modules, which classes judge them though no model runs beside these."""
SWITCHES, MUTANTS, DATES = "switches", "mutants", "profiles"
ALL = "all conditions"
"""Under this name the numbers of conditions are recorded: all, told, of no effect, and left."""
HEADINGS = {
    SWITCHES: """\
Is a wrong rule noticed? `python -m tests.kafka.teeth` turns each dated switch that the judged modules read, and runs
the class until model and class differ; in brackets, after how many steps. If no class tells it, the reason is there.
""",
    DATES: """\
Are the dates right? In the release that a switch names it is set as before it, and in the release before as after it
(`--profiles`).
""",
}
MUTANTS_HEAD = """\
Conditions of the judged modules that were taken away, one at a time (`--mutants`). Some change no step at the bounds of
the runs. Those that are left change some, and the class does not tell; the second table says why.
"""
NUMBERS = ("kafka", "edges", "refusals", "steps", "outcome")
NOT_YET = "no adapter yet"


def covered() -> dict[str, dict[str, str]]:
    """By run, its numbers as they were recorded last."""
    return tomllib.loads(COVERED.read_text("utf-8")) if COVERED.exists() else {}


def record(run: str, release: str, closing: str) -> None:
    """Keep the numbers of a run that agreed, from the closing line of `conform`, in place of its former ones."""
    outcome = re.search(r": ([A-Z_]+) ", closing)
    told = dict(re.findall(r"(edges|refusals|steps)=(\S+)", closing))
    known = covered() | {run: {"kafka": release, "outcome": outcome[1] if outcome else "", **told}}
    lines = ["# What `python -m tests.kafka --record` compared last; never edited by hand.", ""]
    for name in sorted(known):
        lines += [f'["{name}"]', *(f'{key} = "{value}"' for key, value in known[name].items()), ""]
    COVERED.write_text("\n".join(lines).rstrip() + "\n", "utf-8")


def teeth() -> dict[str, dict[str, dict[str, str]]]:
    """By kind of change and by change, what each system made of it when it was last recorded."""
    return tomllib.loads(TEETH.read_text("utf-8")) if TEETH.exists() else {}


def untold() -> dict[str, str]:
    """By wrong rule the reason why no class tells it."""
    return {each["change"]: each["reason"] for each in _listed("switch")}


def untold_conditions(system: str) -> dict[str, str]:
    """By condition the reason why the class of a system does not tell that it was taken away."""
    return {
        name: each["reason"] for each in _listed("conditions") if each["system"] == system for name in each["names"]
    }


def _listed(kind: str) -> list[dict[str, Any]]:
    listed: dict[str, list[dict[str, Any]]] = tomllib.loads(UNTOLD.read_text("utf-8")) if UNTOLD.exists() else {}
    return listed.get(kind, [])


def record_teeth(kind: str, system: str, outcomes: Mapping[str, str], is_whole: bool) -> None:
    """Keep what a system made of changes of one kind, in place of its former outcomes.

    If only some of its runs were asked (`is_whole` is False), what others have told stays told. Of conditions only
    those are kept that are left.
    """
    known = teeth()
    changes = known.setdefault(kind, {})
    for told in changes.values() if is_whole else ():
        told.pop(system, None)
    if kind == MUTANTS and system in changes.get(ALL, {}):
        _tell_left(changes, system, outcomes)
    else:
        for change, outcome in outcomes.items():
            before = changes.setdefault(change, {}).get(system, "")
            if kind != MUTANTS or not is_told(outcome):
                changes[change][system] = before if is_told(before) and not is_told(outcome) else outcome
    lines = ["# What `python -m tests.kafka.teeth --record` found last; never edited by hand.", ""]
    for each in sorted(known):
        for change, told in sorted(known[each].items()):
            if told:
                lines += [f"[{each}.{json.dumps(change)}]"]
                lines += [f"{json.dumps(name)} = {json.dumps(told[name])}" for name in sorted(told)] + [""]
    TEETH.write_text("\n".join(lines).rstrip() + "\n", "utf-8")


def _tell_left(changes: Mapping[str, dict[str, str]], system: str, outcomes: Mapping[str, str]) -> None:
    """Keep new outcomes of conditions that were left; one that is told now is counted as told."""
    total, told, same, left = (int(each) for each in changes[ALL][system].split(" | "))
    for change in outcomes:
        if change == ALL or system not in changes.get(change, {}):
            continue
        changes[change][system] = outcomes[change]
        if is_told(outcomes[change]):
            del changes[change][system]
            told, left = told + 1, left - 1
    changes[ALL][system] = f"{total} | {told} | {same} | {left}"


def is_told(outcome: str) -> bool:
    """Whether a recorded outcome says that the system told the change from the right rules."""
    return outcome.startswith(("differs", "fails"))


def has_rules(path: Path) -> bool:
    """Whether a module of `impl/` has functions."""
    return any(isinstance(node, ast.FunctionDef) for node in ast.parse(path.read_text("utf-8")).body)


def differences_of(run: Run) -> int:
    """How many known differences the run lists in the newest release."""
    files = [HERE / "known" / each for each in run.known_of(newest_release())]
    return sum(len(tomllib.loads(each.read_text("utf-8"))["difference"]) for each in files)


def row(path: Path) -> str:
    """A module's row of the table."""
    module = path.relative_to(IMPL).as_posix()
    systems = dict.fromkeys(run.system for run in RUNS if module in JUDGES[run.system][1])
    judges = ", ".join(dict.fromkeys(class_of(each) for each in systems))
    told = {**PURE, **NOT_JUDGED}
    judges = judges or next((why for place, why in told.items() if module.startswith(place)), NOT_YET)
    return f"| [{module}]({module}) | {judges} |"


def class_of(system: str) -> str:
    """The name of the class of Kafka that a system drives."""
    return f"`{JUDGES[system][0].rpartition('.')[2]}`"


def page() -> str:
    """The whole page: the modules, and the runs with their numbers."""
    files = sorted(path for path in IMPL.rglob("*.py") if has_rules(path))
    told = covered()
    lines = [HEAD, "| module | judged by |", "| --- | --- |", *map(row, files), ""]
    lines += [f"| run | class | {' | '.join(NUMBERS)} | listed differences |", "| --- " * (len(NUMBERS) + 3) + "|"]
    for run in RUNS:
        numbers = [told[run.name][each] if run.name in told else "not recorded" for each in NUMBERS]
        cells = [f"`{run.name}`", class_of(run.system), *numbers, str(differences_of(run))]
        lines.append(f"| {' | '.join(cells)} |")
    lines += recorded.table()
    lines += teeth_lines()
    return "\n".join(lines) + "\n"


def teeth_lines() -> Iterator[str]:
    """The tables of the wrong rules: switches, dates, and conditions that were taken away."""
    known, reasons = teeth(), untold()
    for kind, heading in HEADINGS.items():
        if kind in known:
            yield from ("", heading, "| wrong rule | told by | read by, and not told by |", "| --- | --- | --- |")
            for change, outcomes in known[kind].items():
                told = [each for each in outcomes if is_told(outcomes[each])]
                others = [class_of(each) for each in outcomes if each not in told]
                reason = reasons.get(change.partition(" in ")[0], "**none**")
                named = ", ".join(f"{class_of(each)} ({steps_of(outcomes[each])})" for each in told)
                yield f"| `{change}` | {named or reason} | {', '.join(others)} |"
    if MUTANTS in known:
        yield from ("", MUTANTS_HEAD, "| class | conditions | told | same steps | left |", "| --- " * 5 + "|")
        yield from (f"| {class_of(each)} | {numbers} |" for each, numbers in known[MUTANTS].get(ALL, {}).items())
        yield from ("", "| class | condition that is left | why |", "| --- | --- | --- |")
        for name, outcomes in known[MUTANTS].items():
            for system in outcomes if name != ALL else ():
                reason = untold_conditions(system).get(name, "**none**")
                yield f"| {class_of(system)} | `{name.replace('`', '')}` | {reason} |"


def steps_of(outcome: str) -> str:
    """How many steps were compared until a wrong rule was told."""
    found = re.search(r"after (\d+) steps", outcome)
    return found[1] if found else "at once"


if __name__ == "__main__":
    print(page(), end="")
