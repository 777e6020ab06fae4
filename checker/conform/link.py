"""The process of a system under test: it is started, asked and ended, whatever it does."""

import contextlib
import json
import os
import selectors
import shlex
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.process.files import reason_of
from kafkacheck.checker.process.names import shortened
from kafkacheck.checker.process.sources import child_command

MOST_BYTES = 1 << 24
"""The longest answer that is read."""
LINES_OF_STDERR = 5
SECONDS_TO_START = 60.0
SECONDS_TO_END = 2.0
SECONDS_BETWEEN_LOOKS = 0.2


class SystemEndedError(Exception):
    """The system gave no answer: it died, hung, or said something else. The message says which.

    `answers` are those that it gave before, to the first requests of those that it was sent.
    """

    def __init__(self, reason: str, answers: Sequence[dict[str, Any]]) -> None:
        super().__init__(reason)
        self.answers = list(answers)


class StoppedError(Exception):
    """The user has asked for an end while the system had not answered; the process is ended."""


def command_of(system: str) -> list[str]:
    """The command that runs a system: a file of Python code, or a command line that speaks JSON lines.

    UsageError if there is no such file or program.
    """
    path = Path(system)
    if system.endswith(".py") and (path.is_file() or not any(each.isspace() for each in system)):
        if not path.is_file():
            raise UsageError(f"there is no file {shortened(system)}; name the file that defines SYSTEM")
        return child_command(f"from kafkacheck.checker.conform import worker; worker.main({str(path.resolve())!r})")
    try:
        words = shlex.split(system)
    except ValueError as error:
        raise UsageError(f"{shortened(system)!r} is no command line: {error}; quote it as a shell would") from None
    if not words:
        raise UsageError("the system is empty; name a file such as queue_system.py, or a command")
    return words


class Link:
    """A system that runs, and is asked through pipes. A context manager, because the process ends with it.

    `seconds` is how long it may take for one answer; `must_stop` is asked meanwhile whether the user wants an end.
    """

    def __init__(self, command: Sequence[str], seconds: float) -> None:
        self.must_stop: Callable[[], bool] = lambda: False
        self._command, self._seconds = list(command), seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115  # it lives as long as the link
        self._rest = b""

    def __enter__(self) -> "Link":
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        self._stderr.close()

    @property
    def is_running(self) -> bool:
        """Whether the process has been started and has not ended."""
        return self._process is not None

    def end(self) -> None:
        """End the process and all that it started; the next question starts another one."""
        process, self._process, self._rest = self._process, None, b""
        if process is None:
            return
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(SECONDS_TO_END if process.poll() is None else 0)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def begin(self) -> None:
        """Start the process anew. UsageError if the system refuses."""
        self.end()
        self._stderr.seek(0)
        self._stderr.truncate()
        try:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                start_new_session=True,
            )
        except OSError as error:
            raise UsageError(
                f"{shortened(self._command[0])} cannot be run: {reason_of(error)}; name a file that defines SYSTEM, or "
                "a command"
            ) from None
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            os.set_blocking(stream.fileno(), False)

    def ask(self, requests: Sequence[dict[str, Any]], is_first: bool = False) -> list[dict[str, Any]]:
        """The answers to some requests, in order. SystemEndedError if one has none; the process is ended then.

        A process that has just started is given more time.
        """
        answers: list[dict[str, Any]] = []
        try:
            self._exchange(requests, answers, max(self._seconds, SECONDS_TO_START if is_first else 0))
        except StoppedError:
            self.end()
            raise
        except (OSError, ValueError) as error:
            reason = self._why_ended() if isinstance(error, OSError) else str(error)
            self.end()
            raise SystemEndedError(reason, answers) from None
        return answers

    def _exchange(self, requests: Sequence[dict[str, Any]], answers: list[dict[str, Any]], seconds: float) -> None:
        process = self._process
        assert process is not None and process.stdin is not None and process.stdout is not None
        left = b"".join(json.dumps(request).encode() + b"\n" for request in requests)
        deadline = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            selector.register(process.stdin, selectors.EVENT_WRITE)
            while len(answers) < len(requests):
                ready = selector.select(min(SECONDS_BETWEEN_LOOKS, deadline - time.monotonic()))
                if self.must_stop():
                    raise StoppedError
                if not ready and time.monotonic() >= deadline:
                    if process.poll() is not None:
                        raise BrokenPipeError
                    raise ValueError(f"it did not answer within {seconds:g} seconds")
                for key, _ in ready:
                    if key.fileobj is process.stdin:
                        left = left[os.write(process.stdin.fileno(), left) :]
                        if not left:
                            selector.unregister(process.stdin)
                    elif self._receive(process.stdout.fileno(), answers):
                        deadline = time.monotonic() + seconds

    def _receive(self, file: int, answers: list[dict[str, Any]]) -> bool:
        data = os.read(file, 1 << 16)
        if not data:
            raise BrokenPipeError
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > MOST_BYTES:
            raise ValueError(f"it gave an answer of more than {MOST_BYTES:,} bytes")
        for line in lines:
            answers.append(_answer(line))
        return bool(lines)

    def _why_ended(self) -> str:
        process = self._process
        assert process is not None
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(SECONDS_TO_END)
        status = process.returncode
        if status is None:
            told = "it closed its stdout"
        elif status < 0:
            told = f"it was ended by signal {-status}"
        else:
            told = f"it ended with status {status}"
        said = self.said()
        return f"{told}; its last words: {said}" if said else told

    def said(self) -> str:
        """The last lines that the system wrote to stderr."""
        self._stderr.seek(0, os.SEEK_END)
        self._stderr.seek(max(0, self._stderr.tell() - 2000))
        lines = self._stderr.read().decode(errors="replace").strip().splitlines()
        return " | ".join(lines[-LINES_OF_STDERR:])


def _answer(line: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise ValueError(
            f"it answered {shortened(line.decode(errors='replace'))!r}, which is no JSON object; write nothing but "
            "answers to stdout"
        )
    return answer
