"""Settings of every test run: it says how to repeat itself, and it gives the same answers each time."""

import contextlib
import gc
import os
import platform
import signal
import sys
from importlib.metadata import version
from pathlib import Path

import hypothesis
import pytest

import checker  # noqa: F401  # from now on the sources of this folder are the package `kafkacheck`
from kafkacheck.checker.compiled import machine_code
from tests import ROOT

# The same examples on every run. KAFKACHECK_EXPLORE=1 looks for new ones, and prints how to repeat a failure.
hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None, print_blob=True)
hypothesis.settings.register_profile("explore", derandomize=False, deadline=None, print_blob=True)
PROFILE = "explore" if os.environ.get("KAFKACHECK_EXPLORE") else "repeatable"
hypothesis.settings.load_profile(PROFILE)

# Nothing a test sees may depend on who runs it. Kernels are kept between runs, but not among the user's own.
# Without the code that Python keeps of its sources, each process that a test starts would take a second longer.
for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "PYTHONDONTWRITEBYTECODE"):
    os.environ.pop(name, None)
sys.dont_write_bytecode = False
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell started us in the background; tests press Ctrl-C
    signal.signal(signal.SIGINT, signal.default_int_handler)
os.environ.setdefault("KAFKACHECK_CACHE", str(ROOT / ".pytest_cache" / "kernels"))

# The searches of tests end soon, so that machine code for long ones would be compiled in vain.
machine_code.WORTH_BETTER = 5.0


def pytest_addoption(parser):
    parser.addoption("--all", action="store_true", help="also run the slow tests")
    parser.addoption("--long", action="store_true", help="compare and prove all that the documents speak of")


def pytest_report_header(config):
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "llvmlite", "hypothesis"))
    scope = "all tests" if config.getoption("--all") else "without the slow tests (--all runs them)"
    return f"kafkacheck: Python {platform.python_version()}, {packages}; hypothesis profile {PROFILE}; {scope}"


def pytest_collection_modifyitems(config, items):
    """Leave out slow and long tests, except with --all or --long, with -m, or where the command line names one.

    Tests that share a Spark come first, so that one of several processes runs them all: each would begin its own.
    """
    items.sort(key=lambda item: "spark_session" not in item.fixturenames)
    if config.getoption("markexpr"):
        return
    named = tuple(argument for argument in config.args if "::" in argument)
    left = {name for name, option in (("slow", "--all"), ("long", "--long")) if not config.getoption(option)}
    out = [
        item
        for item in items
        if any(item.get_closest_marker(name) for name in left) and not item.nodeid.startswith(named or "/")
    ]
    config.hook.pytest_deselected(items=out)
    items[:] = [item for item in items if item not in out]


def pytest_collection_finish():
    """What the tests are made of stays: the garbage collector need not look through it again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def spark_session(tmp_path_factory):
    """A Spark that runs as long as this process tests, on the wheel's Java; commands in this process use it, too."""
    from kafkacheck.checker.distributed import spark

    path = tmp_path_factory.mktemp("path")
    for folder in os.environ["PATH"].split(os.pathsep):
        for program in Path(folder).glob("*"):
            if program.name != "java" and not (path / program.name).exists():
                (path / program.name).symlink_to(program)
    with contextlib.ExitStack() as until_the_end:
        with pytest.MonkeyPatch.context() as changes:
            changes.delenv("JAVA_HOME", raising=False)
            changes.setenv("PATH", str(path))
            beginning = spark.session("local[2]", {"spark.sql.shuffle.partitions": "2"})
            session = until_the_end.enter_context(beginning)
        yield session
