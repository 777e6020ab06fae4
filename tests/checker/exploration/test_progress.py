"""The progress of a search: what it says, how often, and how fast it says the search is."""

import errno
import io
import re
from dataclasses import replace

import pytest

from kafkacheck.checker.console import progress as progress_module
from kafkacheck.checker.console.progress import ProgressReport, Rates
from kafkacheck.checker.exploration.verdict import COMPILING, Progress
from tests.support.command import Terminal


def progress(seconds: float, distinct: int) -> Progress:
    return Progress(
        depth=7,
        states_distinct=distinct,
        states_generated=3 * distinct,
        frontier=11,
        seconds=seconds,
        engine="compiled",
        memory=50_000_000,
    )


def test_progress_is_a_plain_line_now_and_then_where_there_is_no_terminal(monkeypatch):
    stream = io.StringIO()
    with ProgressReport("tank", stream) as show:
        show(progress(0.1, 100))
        assert stream.getvalue() == ""
        monkeypatch.setattr(progress_module, "PLAIN_INTERVAL", 0.0)
        show(progress(2.0, 2000))
        show(progress(6.0, 10000))
    first, second = stream.getvalue().splitlines()
    assert first.startswith("tank: depth=7 distinct=2000 generated=6000 distinct/s=1000 generated/s=3000 frontier=11 ")
    assert " memory=50MB " in first
    assert " distinct/s=2000 generated/s=6000 " in second


@pytest.mark.parametrize("kind", [io.StringIO, Terminal])
def test_while_code_is_compiled_no_number_of_states_is_told(monkeypatch, kind):
    monkeypatch.setattr(progress_module, "LIVE_INTERVAL", 0.0)
    monkeypatch.setattr(progress_module, "PLAIN_INTERVAL", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    stream = kind()
    with ProgressReport("tank", stream) as show:
        show(replace(progress(2.0, 0), engine=COMPILING))
    assert "compiling" in stream.getvalue()
    assert "distinct" not in stream.getvalue() and "depth" not in stream.getvalue()


@pytest.mark.parametrize("kind", [io.StringIO, Terminal])
def test_a_line_about_other_work_keeps_the_same_clock(monkeypatch, kind):
    monkeypatch.setattr(progress_module, "LIVE_INTERVAL", 3600.0)
    monkeypatch.setenv("TERM", "xterm")
    stream = kind()
    with ProgressReport("tank", stream) as show:
        show.show(lambda: "tank: drained=1")
        monkeypatch.setattr(progress_module, "LIVE_INTERVAL", 0.0)
        monkeypatch.setattr(progress_module, "PLAIN_INTERVAL", 0.0)
        show.show(lambda: "tank: drained=2")
    assert "drained=2" in stream.getvalue() and "drained=1" not in stream.getvalue()


def test_no_rate_is_told_before_the_search_was_seen_for_a_second():
    rates = Rates()
    assert rates.now() is None
    for seconds, distinct in ((0.9, 5), (1.0, 50_000), (1.8, 90_000)):
        rates.note(progress(seconds, distinct))
        assert rates.now() is None
    rates.note(progress(2.9, 200_005))
    assert rates.now() == (100_000.0, 300_000.0)


def test_rates_begin_anew_with_a_second_pass_over_the_states():
    rates = Rates()
    for seconds, distinct in ((0.0, 0), (5.0, 5000), (6.0, 10)):
        rates.note(progress(seconds, distinct))
    assert rates.now() is None
    rates.note(progress(8.0, 210))
    assert rates.now()[0] == 100


def test_a_rate_is_that_of_the_last_seconds():
    rates = Rates()
    for number in range(1, 101):
        rates.note(progress(0.1 * number, 100 * number))
    assert rates.now() == pytest.approx((1000, 3000))
    for number in range(1, 41):
        rates.note(progress(10 + 0.1 * number, 10_000 + 5000 * number))
    assert rates.now() == pytest.approx((50_000, 150_000))


def test_progress_is_one_line_redrawn_on_a_terminal(monkeypatch):
    monkeypatch.setattr(progress_module, "LIVE_INTERVAL", 0.0)
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    with ProgressReport("tank", stream) as show:
        show(progress(2.0, 2000))
        show(progress(4.0, 10000))
    assert "distinct 10,000 (4,000/s)" in stream.getvalue()
    assert "frontier 11" in stream.getvalue()


@pytest.mark.parametrize("columns", [40, 80])
def test_no_part_of_the_progress_is_lost_or_folded_where_the_terminal_is_narrow(monkeypatch, columns):
    monkeypatch.setattr(progress_module, "LIVE_INTERVAL", 0.0)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    with ProgressReport("tank", stream) as show:
        show(progress(2.0, 2_000_000))
        show(progress(4.0, 10_000_000))
    lines = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", stream.getvalue()).splitlines()
    parts = ["depth 7", "distinct 10,000,000 (4,000,000/s)", "generated 30,000,000 (12,000,000/s)", "50 MB", "4.0 s"]
    for part in (*parts, "frontier 11", "compiled"):
        assert any(part in line for line in lines), part


@pytest.mark.parametrize("kind", [io.StringIO, Terminal])
def test_a_stream_that_fails_does_not_end_the_search(monkeypatch, kind):
    class Full(kind):
        def write(self, _):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(progress_module, "LIVE_INTERVAL", 0.0)
    monkeypatch.setattr(progress_module, "PLAIN_INTERVAL", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    with ProgressReport("tank", Full()) as show:
        show(progress(2.0, 2000))
