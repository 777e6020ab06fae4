"""Machine code of kernels, kept between runs under a hash of everything that can reach it."""

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

from checker import native
from checker.kernel import ENTRIES
from checker.native import Entry

KEPT = 200
"""How many kernels are kept; the ones longest unused go first."""

_DIGEST_LENGTH = 32


def cache_folder() -> Path:
    """The folder of all kernels: $KAFKACHECK_CACHE, or kafkacheck in the user's cache folder."""
    chosen = os.environ.get("KAFKACHECK_CACHE")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kafkacheck"


def cached(text: str) -> dict[str, Entry] | None:
    """The entries of a kernel that was compiled before, or None. A damaged file counts as none."""
    path = _path(text)
    try:
        content = path.read_bytes()
        os.utime(path)
    except OSError:
        return None
    digest, code = content[:_DIGEST_LENGTH], content[_DIGEST_LENGTH:]
    if hashlib.sha256(code).digest() != digest:
        return None
    return native.load_object(code, ENTRIES)


def compiled(text: str) -> dict[str, Entry]:
    """The entries of a kernel, compiled now and kept where the cache can be written."""
    code = native.compile_object(text)
    with contextlib.suppress(OSError):  # a cache that cannot be written costs time, nothing else
        _keep(_path(text), hashlib.sha256(code).digest() + code)
    return native.load_object(code, ENTRIES)


def entries(text: str) -> dict[str, Entry]:
    """The entries of a kernel, from the cache or compiled now."""
    return cached(text) or compiled(text)


def _path(text: str) -> Path:
    return cache_folder() / f"{native.fingerprint(text)}.o"


def _keep(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = sorted(path.parent.glob("*.o"), key=lambda each: each.stat().st_mtime)
    for old in kept[: max(0, len(kept) - KEPT + 1)]:
        old.unlink(missing_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(name, path)
    except OSError:
        os.unlink(name)
        raise
