"""Every known bug is found without its fix and gone with it, at the same bounds, as pinned.

Bugs that share the half with the fix share its search within one process. The largest are left to `make long`.
"""

import pytest

from kafkacheck.checker.catalogue.museum import bugs, pinned
from kafkacheck.checker.commands.command_line import main
from kafkacheck.checker.exploration.verdict import Verdict
from tests.expected import engine_for
from tests.expected import pinned as expected_of_models
from tests.museum.pins import fixed_of, museum, variant_of
from tests.support.command import ROOT
from tests.support.marks import long_but

BUGS = {bug.id: bug for bug in bugs()}
SEARCHED = museum()
PINNED = pinned()

LARGE, LARGE_WITHOUT_FIX = 8_000, 15_000
"""With more states than this, the half with the fix, or the one without, is searched by `make long`."""

KNOWN = (
    *("KIP-101-S1", "KIP-101-S2", "KIP-279 / KAFKA-6361", "KAFKA-7415", "KAFKA-7164", "KAFKA-7128", "KAFKA-14704"),
    *("KIP-320 / KAFKA-6880 / KAFKA-7395", "KAFKA-2334 / KIP-207", "KAFKA-13141", "KAFKA-10706", "KIP-966"),
    *("KIP-903 / KAFKA-14139", "KAFKA-15221", "KIP-841 / KAFKA-13916 / KAFKA-14140", "KIP-497 (expand)"),
    *("KIP-497 (shrink)", "KAFKA-14154 / KAFKA-14144", "KAFKA-2143", "KAFKA-9491", "KAFKA-10432"),
    *("KAFKA-1647 / KAFKA-851 / KAFKA-858 / KAFKA-769", "KAFKA-9835", "KIP-106 / KIP-704 baseline"),
    *("KIP-320 client / KAFKA-7747", "KAFKA-1188 / KAFKA-532", "KIP-380 / KAFKA-7235"),
    *("KIP-570 / KAFKA-9539 / KAFKA-13972", "KAFKA-15665", "KAFKA-9212", "KAFKA-3143", "KIP-966 / KAFKA-15586"),
    *("KAFKA-16234", "KAFKA-9338", "KAFKA-7897", "KAFKA-6857", "KAFKA-16541 / KAFKA-15046", "KAFKA-17142"),
    *("KAFKA-12751", "KAFKA-9839", "KAFKA-1097", "KAFKA-12619", "KAFKA-10527", "KAFKA-10661"),
    *("KAFKA-14077 / KIP-853", "KAFKA-15489", "KAFKA-14372", "KAFKA-14379", "KAFKA-13778"),
    *("KAFKA-13959", "KAFKA-14292", "KAFKA-13173", "KAFKA-18138"),
)

KNOWN_OF_PRODUCERS = (
    *(
        "KAFKA-5494",
        "REDPANDA-3039 / librdkafka-4953",
        "LIBRDKAFKA-SEQ-RESET",
        "KAFKA-12152",
        "KAFKA-8483 / KAFKA-8484",
    ),
    *("KAFKA-6003", "KAFKA-7692 / KAFKA-7693 / KAFKA-5283", "KAFKA-14920 / KIP-890"),
    *("KAFKA-5249 / KAFKA-9892 / KAFKA-5829", "KAFKA-3197", "LIBRDKAFKA-4438", "KAFKA-12153"),
)

KNOWN_OF_TRANSACTIONS = (
    *("KAFKA-17754 / Jepsen Bufstream", "KIP-890 / KAFKA-14402 / KAFKA-12671", "KIP-890 (merge)", "KAFKA-9144"),
    *("KAFKA-6119 / KAFKA-5231", "KAFKA-9666", "KAFKA-16352", "KAFKA-7519 / KAFKA-5351", "KAFKA-15449"),
    *("KIP-447 (generation)", "KIP-447 (stable fetch)", "KAFKA-9807", "KAFKA-7866", "KAFKA-8351", "KAFKA-13727"),
    *("KAFKA-9235", "KAFKA-10080"),
    *("REDPANDA-ZOMBIE-TX", "KAFKA-19367 / KAFKA-20090", "REDPANDA-3616 / EndTxn retry", "KAFKA-5202"),
)

KNOWN_OF_COMPACTION = ("KAFKA-5490", "KAFKA-13194", "KAFKA-14055", "KIP-534 / KAFKA-4529 / KAFKA-8522")


def test_the_museum_has_every_known_bug_of_replication_and_controller():
    assert set(KNOWN) <= set(BUGS)
    assert {BUGS[name].area for name in KNOWN} == {"cluster", "metadata_quorum", "broker_lifecycle"}


def test_the_museum_has_every_known_bug_of_idempotent_producers():
    assert set(KNOWN_OF_PRODUCERS) <= {name for name, bug in BUGS.items() if bug.area == "producer"}


def test_the_museum_has_every_known_bug_of_transactions():
    assert set(KNOWN_OF_TRANSACTIONS) <= {name for name, bug in BUGS.items() if bug.area == "transactions"}


def test_the_museum_has_every_known_bug_of_compaction():
    assert set(KNOWN_OF_COMPACTION) <= {name for name, bug in BUGS.items() if bug.area == "compaction"}


def test_every_bug_is_pinned_and_nothing_else():
    assert sorted(PINNED) == sorted(BUGS)


def test_the_page_of_the_bugs_is_what_the_command_prints_and_what_is_pinned(capsys):
    page = (ROOT / "model" / "BUGS.md").read_text(encoding="utf-8")
    assert main(["bugs", "--list", "--markdown"]) == 0
    assert page == capsys.readouterr().out, "write it anew: kafkacheck bugs --list --markdown > model/BUGS.md"
    for name, bug in BUGS.items():
        lengths = " and ".join(str(each["trace_states"]) for each in PINNED[name]["broken"])
        told = f"`{bug.property}` in {lengths} | {PINNED[name]['fixed']['distinct']:,} |"
        assert told in next(line for line in page.splitlines() if line.startswith(f"| {name} |"))


def is_large_without_fix(name):
    return sum(each["distinct"] for each in PINNED[name]["broken"]) > LARGE_WITHOUT_FIX


@pytest.mark.slow
@pytest.mark.parametrize("name", long_but(BUGS, [name for name in BUGS if not is_large_without_fix(name)]))
def test_a_bug_is_found_without_its_fix(name):
    met = max(each["distinct"] for each in PINNED[name]["broken"])
    results = museum(engine_for(met)).broken(BUGS[name])
    assert {each.verdict for each in results} == {Verdict.VIOLATED}
    assert [variant_of(each) for each in results] == PINNED[name]["broken"]


def is_large(name):
    return PINNED[name]["fixed"]["distinct"] > LARGE


@pytest.mark.slow
@pytest.mark.parametrize("name", long_but(BUGS, [name for name in BUGS if not is_large(name)]))
def test_with_its_fix_everything_holds(name):
    """A half that is a model of the catalogue as it stands is searched by tests/catalogue/test_expected.py."""
    bug = BUGS[name]
    if not (bug.bounds or bug.rules or bug.properties):
        facts = expected_of_models()[bug.model]
        assert PINNED[name]["fixed"] == {key: facts[key] for key in ("verdict", "distinct", "depth")}
        assert PINNED[name]["fixed"]["verdict"] == Verdict.HOLDS.name
        return
    result = SEARCHED.fixed(bug)
    assert result.verdict is Verdict.HOLDS
    assert fixed_of(result) == PINNED[name]["fixed"]
