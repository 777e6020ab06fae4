"""Machine code of kernels, kept between runs under all that can reach it (see `checker.process.cache`).

A kernel can be compiled quickly, to begin at once, or well, to go on with (see `native.compile_object`).
"""

import atexit
import contextlib
import subprocess
import tempfile
import time
from collections.abc import Iterator
from typing import IO

from kafkacheck.checker.compiled import native
from kafkacheck.checker.compiled.kernel import ENTRIES
from kafkacheck.checker.compiled.native import Entry
from kafkacheck.checker.process import cache
from kafkacheck.checker.process.sources import child_command

KIND = "code"
"""Its kind in the cache."""

WORTH_BETTER = 0.3
"""After how many CPU seconds of work with quick code better code is begun; most searches have ended by then."""


def cached(text: str, quick: bool = False) -> dict[str, Entry] | None:
    """The entries of a kernel that was compiled before, or None. A damaged file counts as none."""
    code = cache.kept(KIND, native.fingerprint(text, quick))
    return None if code is None else native.load_object(code, ENTRIES)


def entries(text: str, quick: bool = False) -> dict[str, Entry]:
    """The entries of a kernel, from the cache or compiled now."""
    return cached(text, quick) or _loaded(text, quick, native.compile_object(text, quick))


def entries_soon(text: str) -> dict[str, Entry]:
    """The entries of a kernel, optimised if the cache has them so, and otherwise compiled quickly."""
    return cached(text) or entries(text, quick=True)


class Compiler:
    """The compiling of one kernel in another process, or its code from the cache."""

    def __init__(
        self,
        text: str,
        quick: bool,
        known: dict[str, Entry] | None = None,
        process: "subprocess.Popen[bytes] | None" = None,
        output: IO[bytes] | None = None,
    ) -> None:
        self._text = text
        self.is_quick = quick
        self._entries = known
        self._process = process
        self._output = output
        self.lingers = False

    def is_ready(self) -> bool:
        """Whether `entries` answers without waiting."""
        return self._process is None or self._process.poll() is not None

    def entries(self) -> dict[str, Entry]:
        """The kernel's entries. Compiles in this process if the other one could not."""
        if self._entries is None:
            code = self._code() or native.compile_object(self._text, self.is_quick)
            self._entries = _loaded(self._text, self.is_quick, code)
        return self._entries

    def _code(self) -> bytes:
        """The code that the other process has compiled, when it has ended; empty if it could not."""
        if self._process is None or self._output is None or self._process.wait() != 0:
            return b""
        self._output.seek(0)
        return self._output.read()

    def linger(self) -> None:
        """Let the other process go on until this one ends, which then keeps its code for the next run."""
        if not self.is_ready():
            self.lingers = True
            atexit.register(self._keep_at_the_end)

    def _keep_at_the_end(self) -> None:
        with contextlib.suppress(OSError, KeyboardInterrupt):
            code = self._code()
            if code:
                _keep(self._text, self.is_quick, code)
        if self._process is not None and self._process.poll() is None:
            self._process.kill()


@contextlib.contextmanager
def compiling(text: str, quick: bool = False) -> Iterator[Compiler]:
    """Compile a kernel in another process, unless the cache has it. The process is ended on leaving."""
    known = cached(text, quick)
    if known is not None:
        yield Compiler(text, quick, known)
        return
    program = f"from kafkacheck.checker.compiled.native import compile_input; compile_input(quick={quick})"
    with contextlib.ExitStack() as held:
        source, output = (held.enter_context(tempfile.TemporaryFile()) for _ in range(2))
        source.write(text.encode())
        source.seek(0)
        try:
            process = subprocess.Popen(
                child_command(program), stdin=source, stdout=output, stderr=subprocess.DEVNULL, process_group=0
            )
        except OSError:  # there is no room for another process
            yield Compiler(text, quick)
            return
        compiler = Compiler(text, quick, None, process, output)
        try:
            yield compiler
        finally:
            if compiler.lingers:
                held.pop_all()
            else:
                process.kill()
                process.wait()


@contextlib.contextmanager
def compiling_soon(text: str) -> Iterator[Compiler]:
    """As `compiling`, and quickly unless the cache has the kernel compiled well."""
    known = cached(text)
    if known is not None:
        yield Compiler(text, False, known)
        return
    with compiling(text, quick=True) as compiler:
        yield compiler


class Improvement:
    """Better machine code for a kernel whose quick code is at work, once it has been so for some time."""

    def __init__(self, text: str, processes: contextlib.ExitStack) -> None:
        """The compiling process, if any, is ended with `processes`."""
        self._text = text
        self._processes = processes
        self._begun = time.process_time()
        self._compiler: Compiler | None = None
        self._is_possible = True

    def entries(self) -> dict[str, Entry] | None:
        """The better code, or None if it is not ready, or there is no memory for it: the code at work goes on."""
        if not self._is_possible or time.process_time() - self._begun < WORTH_BETTER:
            return None
        try:
            if self._compiler is None:
                self._compiler = self._processes.enter_context(compiling(self._text))
            if not self._compiler.is_ready():
                return None
            return self._compiler.entries()
        except MemoryError:
            self._is_possible = False
            return None

    def linger(self) -> None:
        """As `Compiler.linger`."""
        if self._compiler is not None:
            self._compiler.linger()


def _loaded(text: str, quick: bool, code: bytes) -> dict[str, Entry]:
    """The entries of an object file, which is kept if the cache can be written."""
    _keep(text, quick, code)
    return native.load_object(code, ENTRIES)


def _keep(text: str, quick: bool, code: bytes) -> None:
    cache.keep(KIND, native.fingerprint(text, quick), code)
