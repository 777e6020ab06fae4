"""How much memory this process may still have, and whether that is enough for a library, a thread or an array.

The machine, a control group or `ulimit` limits it. On Linux this needs Python alone, so that it can be asked before any
library is loaded: without enough address space (`ulimit -v`) some libraries end the process, or blame a file.
"""

import contextlib
import errno
import mmap
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

ROOT = Path("/")
"""The folder in which `proc`, and the control groups that it speaks of, are looked up."""

UNLIMITED = 1 << 60
"""A limit of at least this many bytes means no limit."""

LIMITS = ("memory.max", "memory.high", "memory.limit_in_bytes")
"""Files with a control group's limit: beyond it, the system kills or throttles. The last is for version 1."""
USAGES = ("memory.current", "memory.usage_in_bytes")
RECLAIMED = ("inactive_file", "active_file", "slab_reclaimable")
"""Memory that a control group is charged for, but that the system reclaims as soon as it is needed."""
NOT_YET = ("file_dirty", "file_writeback", "dirty", "writeback")
"""Parts of it that must be written to the disk before; the last two in version 1."""
TOTAL = "total_"
"""In version 1 the counts of a group with those below it begin so."""

NEEDS = {"llvmlite": 190, "numpy": 110, "pyarrow": 190, "scipy": 120, "z3": 60}
"""How many MiB of address space must be left to load a library, by its name; a little more than was measured."""
THREAD = 1 << 24
"""How many bytes must be left to start a thread: without memory for its stack, Python would wait for it for ever."""
LEAST_FREE = 64
"""With fewer MiB left, any failure is taken for lack of memory."""


def available() -> int:
    """How many bytes this process may still take: the least that the machine, its control groups and its own limits
    leave. Nothing is reserved; a moment later it may be less.
    """
    return max(0, min([_left_by_machine(), *(most - used for most, used in (*_groups(), *_own_limits()))]))


def limit() -> int | None:
    """The least of what control groups and the process's own limits let it have, in bytes, used or not; None if
    only the machine's memory limits it.
    """
    return min((most for most, _ in (*_groups(), *_own_limits())), default=None)


def address_space() -> int | None:
    """How many bytes of address space the process may still take; None if that has no limit, or nobody knows."""
    return next((most - used for most, used in _own_limits("RLIMIT_AS")), None)


def limit_blas_threads() -> None:
    """Let NumPy's library of linear algebra, which nothing here uses, start only one thread.

    Each of its threads takes memory when NumPy is loaded. A value that the user has set stays.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def guard_imports() -> None:
    """From now on raise MemoryError if a library is imported that would not find enough address space."""
    if address_space() is not None and not any(isinstance(each, _Finder) for each in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def allocate(size: int, flags: int = mmap.MAP_SHARED) -> mmap.mmap:
    """Zeroed bytes of the system. MemoryError if it refuses them."""
    try:
        return mmap.mmap(-1, size, flags=flags)
    except (OSError, ValueError, OverflowError) as error:
        raise MemoryError(f"{size:,} bytes: {error}") from error


def require(size: int) -> None:
    """MemoryError if the system would refuse this many bytes just now."""
    allocate(size).close()


def is_short() -> bool:
    """Whether the process, or the whole system, has next to no memory left."""
    return available() < LEAST_FREE << 20


def is_cause_of(error: BaseException) -> bool:
    """Whether an error of loading a library, or of beginning a thread, is one of memory that it does not name."""
    number = getattr(error, "errno", None)
    return number == errno.ENOMEM or (
        isinstance(error, ImportError | OSError | RuntimeError) and number is None and is_short()
    )


def _left_by_machine() -> int:
    with contextlib.suppress(OSError, ValueError):
        for line in (ROOT / "proc/meminfo").read_text("ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) << 10
    import psutil

    return int(psutil.virtual_memory().available)


def _own_limits(*names: str) -> Iterator[tuple[int, int]]:
    """The limits that the process was given (`ulimit -v`, `ulimit -d`), and how much of each it has taken, in bytes."""
    with contextlib.suppress(ImportError, OSError, ValueError, IndexError):
        import resource

        sizes = [int(each) * resource.getpagesize() for each in Path("/proc/self/statm").read_text("ascii").split()]
        for name, used in (("RLIMIT_AS", sizes[0]), ("RLIMIT_DATA", sizes[5])):
            most = resource.getrlimit(getattr(resource, name))[0]
            if most != resource.RLIM_INFINITY and (not names or name in names):
                yield most, used


def _groups() -> Iterator[tuple[int, int]]:
    """The limits of the process's control groups, from its own up to the highest that is seen, and how much each has
    in use that cannot be reclaimed at once, in bytes.
    """
    for folder in _folders():
        limits = [number for name in LIMITS if (number := _number(folder / name)) is not None and number < UNLIMITED]
        used = next((number for name in USAGES if (number := _number(folder / name)) is not None), None)
        if limits and used is not None:
            yield min(limits), max(0, used - _reclaimable(folder))


def _folders() -> Iterator[Path]:
    """The folders of the control groups that count this process's memory, innermost first."""
    for line in _lines("proc/self/cgroup"):
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controllers and "memory" not in controllers.split(","):
            continue
        for mounted, top in _mounts("memory" if controllers else ""):
            # A container may see only a part of the tree, from `mounted` on, but its path from the top of the machine.
            inner = path.removeprefix(mounted.rstrip("/")) if (path + "/").startswith(mounted.rstrip("/") + "/") else ""
            parts = [part for part in inner.split("/") if part not in ("", "..")]
            for count in range(len(parts), -1, -1):
                yield top.joinpath(*parts[:count])


def _mounts(controller: str) -> Iterator[tuple[str, Path]]:
    """Where the trees of control groups with this controller ("": those of version 2) are seen: which part of the
    tree, and in which folder.
    """
    for line in _lines("proc/self/mountinfo"):
        before, dash, after = line.partition(" - ")
        fields, kind = before.split(), after.split()
        if not dash or len(fields) < 5 or len(kind) < 3:
            continue
        is_wanted = kind[0] == "cgroup" and controller in kind[2].split(",") if controller else kind[0] == "cgroup2"
        if is_wanted:
            yield fields[3], ROOT / fields[4].replace("\\040", " ").lstrip("/")


def _lines(name: str) -> list[str]:
    with contextlib.suppress(OSError):
        return (ROOT / name).read_text("utf-8", errors="replace").splitlines()
    return []


def _number(path: Path) -> int | None:
    """The number in a file; None if there is no such file, or another word, such as `max`."""
    with contextlib.suppress(OSError, ValueError):
        return int(path.read_text("ascii"))
    return None


def _reclaimable(folder: Path) -> int:
    counts: dict[str, int] = {}
    with contextlib.suppress(OSError, ValueError):
        for line in (folder / "memory.stat").read_text("ascii").splitlines():
            name, _, number = line.partition(" ")
            counts[name] = int(number)
    reclaimed, not_yet = (
        sum(counts.get(TOTAL + name, counts.get(name, 0)) for name in names) for names in (RECLAIMED, NOT_YET)
    )
    return max(0, reclaimed - not_yet)


class _Finder:
    """Finds no module, and refuses those for which there is no room."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> None:
        """Nothing. MemoryError if the library would not find enough address space."""
        left = address_space() if name in NEEDS else None
        if left is not None and left >> 20 < NEEDS[name]:
            raise MemoryError(
                f"{name} needs {NEEDS[name]} MiB of address space to be loaded, and {left >> 20} MiB are left"
            )
