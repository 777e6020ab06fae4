"""The benchmark measures what it says: the models it ships for other checkers have the states of `kip320`."""

import json
import stat

import pytest

from tests.bench import __main__ as bench
from tests.bench import ours
from tests.bench.measure import BenchmarkError, Bounds, Search, middle, run
from tests.bench.rivals import Rumur, Spin, Tlc
from tests.expected import pinned
from tests.support.command import ROOT

NAMES = ("replicas", "log_size", "max_records", "max_leader_epoch")
ROWS = json.loads((ROOT / "tests" / "data" / "tlc.json").read_text(encoding="utf-8"))["rows"]
DISTINCT = {Bounds(*(row[name] for name in NAMES)): row["distinct"] for row in ROWS if row["model"] == "kip320"}
# One row for each value of each bound, small enough that building the verifier takes longer than running it.
VARIED = [Bounds(2, 1, 1, 3), Bounds(2, 2, 3, 2), Bounds(2, 3, 2, 3), Bounds(3, 1, 1, 1), Bounds(3, 2, 2, 1)]

TLC_OUTPUT = """\
Model checking completed. No error has been found.
1,459,377 states generated, 5,513 distinct states found, 0 states left on queue.
The depth of the complete state graph search is 18.
"""


def rival_or_skip(rival, bounds):
    """The rival built for `bounds`; the test is skipped where it is not installed."""
    if rival.missing():
        pytest.skip(f"not installed: {', '.join(rival.missing())}")
    built = rival(bounds, DISTINCT[bounds])
    built.build()
    return built


@pytest.mark.slow
@pytest.mark.parametrize("bounds", VARIED, ids=str)
@pytest.mark.parametrize("rival", [Spin, Rumur], ids=lambda rival: rival.name)
def test_shipped_models_have_the_states_of_kip320(rival, bounds):
    found, us = rival_or_skip(rival, bounds).explore(), ours.explore("kip320", bounds)
    assert found.distinct == us.distinct == DISTINCT[bounds]
    assert found.generated == us.generated


@pytest.mark.parametrize("bounds", [Bounds(2, 1, 1, 3)], ids=str)
def test_ours_is_measured_in_a_process_of_its_own(bounds):
    found = ours.explored("kip320", bounds)
    assert (found.distinct, found.depth) == (DISTINCT[bounds], 18)
    assert found.cpu > 0 and found.memory > 0


def test_without_bounds_a_model_is_measured_at_its_own():
    found = ours.explored("replica_lag")
    assert found.distinct == pinned()["replica_lag"]["distinct"]


def test_the_models_of_the_cluster_are_shown_beside_kip320(monkeypatch, capsys):
    rates = {"kip320": 4000}
    monkeypatch.setattr(
        ours, "explored", lambda name, bounds: Search(rates.get(name, 1000), 1.0, 1.0, 64_000.0, 9_000, 5)
    )
    bench.cluster_models(2)
    lines = {line.split()[0]: line.split() for line in capsys.readouterr().out.splitlines()[2:]}
    assert set(lines) == {"model", "kip320", *bench.CLUSTER}
    assert lines["kip320"][-1] == "1.00"
    assert {lines[name][-1] for name in bench.CLUSTER} == {"0.25"}


@pytest.fixture
def tlc(tmp_path, monkeypatch):
    """TLC on a specification without content, with a `java` that prints `TLC_OUTPUT` and keeps its arguments."""
    java = tmp_path / "java"
    java.write_text(
        f'#!/bin/sh\necho "$@" > {tmp_path}/arguments\ncat Kip320.cfg {tmp_path}/output\n', encoding="utf-8"
    )
    java.chmod(java.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    (tmp_path / "output").write_text(TLC_OUTPUT, encoding="utf-8")
    (tmp_path / "Kip320.tla").touch()
    monkeypatch.setattr(Tlc, "tla2tools", tmp_path / "tla2tools.jar", raising=False)
    monkeypatch.setattr(Tlc, "specification", tmp_path, raising=False)
    built = Tlc(Bounds(2, 1, 1, 3), 5513)
    built.build()
    yield built
    built.close()


def test_tlc_is_run_without_deadlock_detection_and_with_both_invariants(tlc, tmp_path):
    found = tlc.explore()
    assert (found.distinct, found.generated) == (5513, None)
    arguments = (tmp_path / "arguments").read_text(encoding="utf-8").split()
    assert "-deadlock" in arguments
    assert arguments[-1] == "Kip320.tla"
    configuration = (tlc.folder / "Kip320.cfg").read_text(encoding="utf-8")
    assert "INVARIANTS WeakIsr StrongIsr" in configuration
    assert "Replicas = {r1, r2}" in configuration
    assert "MaxLeaderEpoch = 3" in configuration


def test_a_violation_is_no_measurement(tlc, tmp_path):
    (tmp_path / "output").write_text("Error: Invariant WeakIsr is violated.", encoding="utf-8")
    with pytest.raises(BenchmarkError, match="WeakIsr is violated"):
        tlc.explore()


def test_different_counts_are_told(capsys):
    us, other = Search(10, 1.0, 1.0, 80, 20, 3), Search(11, 1.0, 1.0, 80)
    assert bench.agree({bench.US: us, "other": Search(10, 2.0, 2.0, 80)})
    assert not bench.agree({bench.US: us, "other": other})
    assert "COUNTS DIFFER from kafkacheck: other: 11 distinct" in capsys.readouterr().out


def test_runs_of_one_engine_must_agree():
    assert middle([Search(1, cpu, 2.0, 3) for cpu in (5.0, 4.0, 9.0)]).cpu == 5.0
    with pytest.raises(BenchmarkError, match="disagree"):
        middle([Search(1, 1.0, 1.0, 1), Search(2, 1.0, 1.0, 1)])


def test_what_is_missing_is_said(monkeypatch, capsys):
    monkeypatch.setenv("PATH", "")
    assert bench.rivals(bench.arguments_from([])) == []
    said = capsys.readouterr().out
    assert "SPIN is left out: not installed: spin" in said
    assert "Rumur is left out: not installed: rumur" in said
    assert "TLC is left out" in said


def test_a_failing_tool_is_an_error():
    with pytest.raises(BenchmarkError, match="ended with status 3"):
        run(["sh", "-c", "echo broken; exit 3"])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--bounds", "3/2/2"], "is not of the form 3/2/2/2"),
        (["--runs", "0"], "at least one"),
        (["--tla2tools", "nowhere.jar"], "needs both"),
        (["--tla2tools", "nowhere.jar", "--kafka-specification", "."], "there is no file nowhere.jar"),
    ],
)
def test_wrong_arguments_are_told(given, said, capsys):
    with pytest.raises(SystemExit):
        bench.arguments_from(given)
    assert said in capsys.readouterr().err
