"""How much memory a process may have: the least that the machine, its control groups and its own limits leave."""

import os
import subprocess
import sys

import pytest

from kafkacheck.checker.exploration.exploration import Watch
from kafkacheck.checker.exploration.verdict import Limits
from kafkacheck.checker.process import memory
from tests.support.command import PATIENCE, PLAIN, ROOT, in_process, write

MIB = 1 << 20
MEMINFO = "MemTotal: 9999999 kB\nMemAvailable: 1048576 kB\n"
SECOND = "41 31 0:38 {top} /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw\n"
FIRST = "35 31 0:32 {top} /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"


def machine(folder, groups="", mounts="", files=None):
    """A folder that looks like the root of a machine with one GiB left."""
    write(folder / "proc/meminfo", MEMINFO)
    write(folder / "proc/self/cgroup", groups)
    write(folder / "proc/self/mountinfo", "31 23 0:28 / / rw - tmpfs tmpfs rw\nno line at all\n" + mounts)
    for name, value in (files or {}).items():
        write(folder / "sys/fs/cgroup" / name, f"{value}\n")
    return folder


def group(most, used, stat="", prefix="", name="memory.max"):
    return {f"{prefix}{name}": most, f"{prefix}memory.current": used, f"{prefix}memory.stat": stat}


CASES = {
    "no group": ("", "", {}, 1024, None),
    "a group that is not seen": ("0::/gone\n", SECOND.format(top="/"), {}, 1024, None),
    "no limit": ("0::/a\n", SECOND.format(top="/"), group("max", 5 * MIB, prefix="a/"), 1024, None),
    "its own": ("0::/a\n", SECOND.format(top="/"), group(300 * MIB, 100 * MIB, prefix="a/"), 200, 300),
    "one far above it": (
        "0::/a/b/c\n",
        SECOND.format(top="/"),
        {**group(900 * MIB, 0, prefix="a/b/c/"), **group(400 * MIB, 150 * MIB, prefix="a/")},
        250,
        400,
    ),
    "held back before killed": (
        "0::/a\n",
        SECOND.format(top="/"),
        {**group(300 * MIB, 100 * MIB, prefix="a/"), "a/memory.high": 250 * MIB},
        150,
        250,
    ),
    "the cache of files is given back": (
        "0::/a\n",
        SECOND.format(top="/"),
        group(
            300 * MIB,
            250 * MIB,
            f"inactive_file {100 * MIB}\nactive_file {60 * MIB}\nfile_dirty {10 * MIB}\nanon {90 * MIB}",
            "a/",
        ),
        200,
        300,
    ),
    "over its limit": ("0::/a\n", SECOND.format(top="/"), group(100 * MIB, 120 * MIB, prefix="a/"), 0, 100),
    "a container that sees its own part of the tree": (
        "0::/docker/abc/inner\n",
        SECOND.format(top="/docker/abc"),
        {**group(500 * MIB, 0, prefix="inner/"), **group(200 * MIB, 50 * MIB)},
        150,
        200,
    ),
    "a container with a name space of its own": (
        "0::/\n",
        SECOND.format(top="/"),
        group(200 * MIB, 50 * MIB),
        150,
        200,
    ),
    "a process that was moved out of what it sees": (
        "0::/../other\n",
        SECOND.format(top="/"),
        group(200 * MIB, 50 * MIB),
        150,
        200,
    ),
    "version 1, whose counts with those below are others": (
        "4:memory:/a\n2:cpu:/a\n0::/\n",
        FIRST.format(top="/"),
        {
            "memory/a/memory.limit_in_bytes": 300 * MIB,
            "memory/a/memory.usage_in_bytes": 200 * MIB,
            "memory/a/memory.stat": f"inactive_file {MIB}\ntotal_inactive_file {50 * MIB}",
            "memory/memory.limit_in_bytes": 9223372036854771712,
            "memory/memory.usage_in_bytes": 900 * MIB,
        },
        150,
        300,
    ),
    "words instead of numbers": (
        "0::/a\nnonsense\n",
        SECOND.format(top="/"),
        {**group("many", "some", prefix="a/"), **group(700 * MIB, 0, "anon\n\n")},
        700,
        700,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_least_of_all_limits_counts(case, tmp_path, monkeypatch):
    groups, mounts, files, left, most = CASES[case]
    monkeypatch.setattr(memory, "ROOT", machine(tmp_path, groups, mounts, files))
    monkeypatch.setattr(memory, "_own_limits", lambda *_: iter(()))
    assert memory.available() == left * MIB
    assert memory.limit() == (None if most is None else most * MIB)


def test_a_search_may_have_what_its_group_leaves(tmp_path, monkeypatch):
    groups, mounts, files, _, _ = CASES["its own"]
    monkeypatch.setattr(memory, "ROOT", machine(tmp_path, groups, mounts, files))
    monkeypatch.setattr(memory, "_own_limits", lambda *_: iter(()))
    assert Watch(Limits()).memory_limit == 0.9 * 200 * MIB
    assert Watch(Limits(max_memory=7)).memory_limit == 7


LIMITED = """
import resource, sys
sys.path.insert(0, {root!r})
from kafkacheck.checker.process import memory
resource.setrlimit(resource.{name}, ({most}, {most}))
print(memory.limit(), 0 < memory.available() < {most}, memory.address_space() is not None)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="only Linux says how much of a limit is taken")
@pytest.mark.parametrize("name", ["RLIMIT_AS", "RLIMIT_DATA"])
def test_what_ulimit_leaves_counts(name):
    most = 512 * MIB
    program = LIMITED.format(root=str(ROOT), name=name, most=most)
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    assert ended.stdout == f"{most} True {name == 'RLIMIT_AS'}\n"


def test_no_library_is_needed_to_find_out():
    program = (
        "import sys; from kafkacheck.checker.process import memory; memory.available(); print('psutil' in sys.modules)"
    )
    ended = in_process(program=program)
    assert ended.out == f"{not os.path.exists('/proc/meminfo')}\n"


IN_A_SMALL_GROUP = """
import runpy, sys
from pathlib import Path
from kafkacheck.checker.process import memory
memory.ROOT = Path({root!r})
sys.argv = ["kafkacheck", "check", "plain.py", "--engine", "interpreted"]
runpy.run_module("checker", run_name="__main__")
"""


def test_a_search_in_a_small_group_ends_before_the_system_kills_it(tmp_path):
    machine(tmp_path, "0::/\n", SECOND.format(top="/"), group(110 * MIB, 100 * MIB))
    write(tmp_path / "plain.py", PLAIN)
    ended = in_process(folder=tmp_path, program=IN_A_SMALL_GROUP.format(root=str(tmp_path)))
    assert ended.status == 20 and "it used up the 9 MiB of memory it may have" in ended.out
