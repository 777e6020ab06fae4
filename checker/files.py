"""Files that appear whole or not at all, and folders to put them in."""

import os
from pathlib import Path

from checker.errors import UsageError


def atomic_write(path: Path, data: str | bytes) -> None:
    """Write `data` (text as UTF-8) to `path`: a reader sees the old file or the whole new one, never a part.

    Raises UsageError where the file cannot be written; then the old file, if any, is untouched.
    """
    content = data.encode("utf-8") if isinstance(data, str) else data
    if path.exists() and not path.is_file():
        raise UsageError(f"cannot write {path}: it exists and is not an ordinary file; name another file")
    temporary = path.parent / f".{path.name}.{os.getpid()}.tmp"
    try:
        try:
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {_reason(error)}; name a place that can be written") from error


def make_folder(path: Path) -> Path:
    """Make the folder `path` and those above it, if they are not there, and return it; UsageError if that fails."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise UsageError(f"cannot use {path} as a folder: a file of that name is there; name another folder") from error
    except OSError as error:
        raise UsageError(
            f"cannot make the folder {path}: {_reason(error)}; name a place that can be written"
        ) from error
    return path


def remove(path: Path) -> None:
    """Remove the file `path` if it is there; UsageError if that fails."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"cannot remove {path}: {_reason(error)}; name a place that can be written") from error


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
