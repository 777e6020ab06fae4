"""Whether a process has room in memory for the libraries it loads, some of which end it, or blame a file, without.

A limit of the address space (`ulimit -v`) is what can be foreseen: a library is not even begun where it leaves too
little. Python alone is needed to find that out, so that nothing is loaded for it.
"""

import errno
import mmap
import os
import sys
from collections.abc import Sequence
from types import ModuleType

from kafkacheck.checker.process import memory

NEEDS = {"llvmlite": 190, "numpy": 110, "pyarrow": 190, "scipy": 120, "z3": 60}
"""How many MiB of address space must be left to load a library, by its name; a little more than was measured."""
THREAD = 1 << 24
"""How many bytes must be left to begin a thread: it would be waited for in vain where it finds none for its stack."""
LEAST_FREE = 64
"""With fewer MiB left than these, what fails is believed to fail for lack of memory."""


def without_threads() -> None:
    """Let NumPy's library of linear algebra, of which nothing here uses more than the loading, keep to one thread.

    Each of its threads takes memory of its own when NumPy is loaded. What the user has set stays.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def watch_imports() -> None:
    """From now on raise MemoryError where a library is imported that would not find enough address space."""
    if memory.address_space() is not None and not any(isinstance(each, _Finder) for each in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def take(size: int, flags: int = mmap.MAP_SHARED) -> mmap.mmap:
    """So many zeroed bytes of the system. MemoryError where it does not give them just now."""
    try:
        return mmap.mmap(-1, size, flags=flags)
    except (OSError, ValueError, OverflowError) as error:
        raise MemoryError(f"{size:,} bytes: {error}") from error


def need(size: int) -> None:
    """MemoryError where the system does not give so many bytes just now."""
    take(size).close()


def is_short() -> bool:
    """Whether the process, or the whole system, has next to no memory left."""
    return memory.available() < LEAST_FREE << 20


def is_too_short_for(error: BaseException) -> bool:
    """Whether an error of loading a library, or of beginning a thread, is one of memory that it does not name."""
    number = getattr(error, "errno", None)
    return number == errno.ENOMEM or (
        isinstance(error, ImportError | OSError | RuntimeError) and number is None and is_short()
    )


class _Finder:
    """Finds no module, and refuses those for which there is no room."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> None:
        """Nothing. MemoryError where the library would not find enough address space."""
        left = memory.address_space() if name in NEEDS else None
        if left is not None and left >> 20 < NEEDS[name]:
            raise MemoryError(
                f"{name} needs {NEEDS[name]} MiB of address space to be loaded, and {left >> 20} MiB are left"
            )
