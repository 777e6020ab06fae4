"""Files that appear whole or not at all, and folders to put them in."""

import contextlib
import os
import stat
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import FrameType

from kafkacheck.checker.process import shutdown
from kafkacheck.checker.process.errors import UsageError


def atomic_write(path: Path, data: str | bytes) -> None:
    """Write `data` (text as UTF-8) to `path`: a reader sees the old file or the whole new one, never a part.

    Raises UsageError if the file cannot be written; then the old file, if any, is untouched.
    """
    write_together({path: data})


def write_together(contents: Mapping[Path, str | bytes | None]) -> None:
    """Write several files (text as UTF-8; None removes the file): each appears whole, and none before all can.

    Raises UsageError if one cannot be written. Until the last byte is on the disk every old file is untouched, and
    Ctrl-C waits while the new ones take their places.
    """
    for path in contents:
        _check_ordinary(path)
    temporary: dict[Path, Path] = {}
    try:
        for number, (path, data) in enumerate(contents.items()):
            if data is not None:
                temporary[path] = path.parent / f".kafkacheck-{os.getpid()}-{number}.tmp"
                with _explained(f"cannot write {path}"):
                    _write(temporary[path], data.encode("utf-8") if isinstance(data, str) else data)
        with _undisturbed():
            for path, data in contents.items():
                with _explained(f"cannot {'remove' if data is None else 'write'} {path}"):
                    if data is None:
                        path.unlink(missing_ok=True)
                    else:
                        os.replace(temporary[path], path)
    finally:
        for place in temporary.values():
            with contextlib.suppress(OSError):
                place.unlink(missing_ok=True)


def make_folder(path: Path) -> Path:
    """Make the folder `path` and those above it, if they are not there, and return it; UsageError if that fails."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise UsageError(f"cannot use {path} as a folder: a file of that name is there; name another folder") from error
    except (OSError, ValueError) as error:
        raise UsageError(
            f"cannot make the folder {path}: {reason_of(error)}; name a place that can be written"
        ) from error
    return path


def make_usable(folder: Path, option: str = "--out") -> list[Path]:
    """Make the folder and those above it, if they are missing, and return the folders that were made.

    UsageError if that fails, or if no file can be written into the folder; the folders that were made are removed then.
    `option` is the option that names another folder.
    """
    made = [each for each in (folder, *folder.parents) if not each.exists()]
    make_folder(folder)
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"a full disk takes no byte")
            file.flush()
    except OSError as error:
        remove_empty(made)
        raise UsageError(
            f"cannot write into the folder {folder}: {reason_of(error)}; name another one with {option}"
        ) from error
    return made


def remove_empty(folders: Iterable[Path]) -> None:
    """Remove those of the folders, each before the one that it lies in, that are empty."""
    for folder in folders:
        with contextlib.suppress(OSError):
            folder.rmdir()


def check_writable(path: Path) -> None:
    """Find out whether a file can be written at `path`, whose folder is made. UsageError if it cannot."""
    make_usable(path.parent)
    _check_ordinary(path)


def reason_of(error: OSError | ValueError) -> str:
    """Why the system refused, in its own words."""
    return (getattr(error, "strerror", None) or str(error)).lower()


def _check_ordinary(path: Path) -> None:
    with _explained(f"cannot write {path}"), contextlib.suppress(FileNotFoundError):
        if not stat.S_ISREG(path.stat().st_mode):
            raise UsageError(f"cannot write {path}: it exists and is not an ordinary file; name another file")


def _write(path: Path, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


@contextlib.contextmanager
def _explained(failure: str) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:
        raise UsageError(f"{failure}: {reason_of(error)}; name a place that can be written") from error


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Hold back a request to end until the block is done."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[tuple[int, FrameType | None]] = []
    with shutdown.handling(lambda number, frame: held.append((number, frame))):
        yield
    if held:
        shutdown.handle(*held[0])
