"""The cache: machine code, proofs and outcomes of guards, kept between runs in a folder of the user.

A cache must not be able to lie, so every entry has a seal: an HMAC, keyed with a secret of the folder, of its kind, its
whole key and its content. A file without its seal counts as missing and is made anew: one that was copied to another
key, changed, or written elsewhere. The folder must belong to the user. If others can write into it or replace it, it is
not used at all, and one warning says so.

A cache that cannot be used only costs time: nothing here raises an error.
"""

import contextlib
import fcntl
import grp
import hashlib
import hmac
import os
import pwd
import re
import shlex
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

KEPT = 400
"""How many files of one kind are kept; the ones longest unused go first."""

MOST_BYTES = 8 << 20
"""The size at which the older half of some lines is forgotten."""

SECRET = "secret"
TOLD = "KAFKACHECK_CACHE_TOLD"
"""Names the folder about which this process, or one that started it, has warned already."""

_LENGTH = 32
_NEW = ".new-"
_SECONDS_TO_WRITE = 3600
"""A file that was begun longer ago than this was left by a process that was killed."""
_MOST_LINKS = 40
_OLD = re.compile(r"[0-9a-f]{32}\.(o|jsonl)|proofs")
"""Names of files without a seal, as kafkacheck kept them once."""


def folder() -> Path:
    """Where the cache lies: $KAFKACHECK_CACHE, or kafkacheck among the user's caches. RuntimeError without a home."""
    chosen = os.environ.get("KAFKACHECK_CACHE")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kafkacheck"


def path_of(kind: str, key: str) -> Path:
    """The file that keeps something of a kind, a word, under a key, which is any text. RuntimeError without a home."""
    return folder() / f"{_hash(kind, key).hex()[:32]}.{kind}"


def kept(kind: str, key: str) -> bytes | None:
    """The content that was kept under a key, or None."""
    try:
        path = path_of(kind, key)
        secret = _opened(makes=False)
        content = None if secret is None else _content(path)
    except (OSError, RuntimeError):
        return None
    if secret is None or content is None:
        return None
    seal, content = content[:_LENGTH], content[_LENGTH:]
    if not hmac.compare_digest(seal, _seal(secret, kind, key, content)):
        return None
    with contextlib.suppress(OSError):  # a cache that cannot be written can still be read
        os.utime(path)
    return content


def keep(kind: str, key: str, content: bytes) -> None:
    """Keep content under a key, in place of any other: a reader sees the old one or the whole new one."""
    with contextlib.suppress(OSError, RuntimeError):
        secret = _opened(makes=True)
        if secret is not None:
            path = path_of(kind, key)
            _make_room(path)
            _write(path, _seal(secret, kind, key, content) + content)


@contextlib.contextmanager
def one_at_a_time(name: str) -> Iterator[None]:
    """Hold a lock of this name, so that one process at a time works on it, if the cache can be written."""
    with contextlib.ExitStack() as held:
        with contextlib.suppress(OSError, RuntimeError):  # without a lock it is done more than once, nothing else
            if _opened(makes=True) is not None:
                file = held.enter_context(_appended(folder() / f"{name}.lock"))
                fcntl.flock(file, fcntl.LOCK_EX)
        yield


class Lines:
    """Lines of text, kept under one key, to which several processes may add. Each line has a seal of its own."""

    def __init__(self, kind: str, key: str) -> None:
        self._kind, self._key = kind, key
        self._path: Path | None = None
        self._secret: bytes | None = None
        self._seals: dict[str, str] = {}
        with contextlib.suppress(OSError, RuntimeError):
            self._path = path_of(kind, key)
            self._secret = _opened(makes=False)
            content = None if self._secret is None else _content(self._path)
            for line in (content or b"").decode("utf-8", errors="replace").split("\n"):
                text, _, seal = line.rpartition(" ")
                self._seals[text] = seal
            if content is not None:
                os.utime(self._path)

    def __iter__(self) -> Iterator[str]:
        """The lines that are kept, the oldest first."""
        return iter([text for text in self._seals if self.has(text)])

    def has(self, text: str) -> bool:
        """Whether a line is kept."""
        seal = self._seals.get(text)
        return seal is not None and self._secret is not None and hmac.compare_digest(seal.encode(), self._sealed(text))

    def add(self, text: str) -> None:
        """Keep a line, which has no line break. Several processes may do so at once."""
        with contextlib.suppress(OSError, RuntimeError):
            self._secret = self._secret or _opened(makes=True)
            if self._secret is None or self._path is None:
                return
            self._seals[text] = self._sealed(text).decode()
            if not self._path.exists():
                _make_room(self._path)
            with _appended(self._path) as file:  # the break comes first: it ends a line that a killed process left
                file.write(f"\n{text} {self._seals[text]}".encode())
                size = file.tell()
            content = _content(self._path) if size >= MOST_BYTES else None
            if content is not None:
                _write(self._path, content[content.index(b"\n", len(content) // 2) :])

    def _sealed(self, text: str) -> bytes:
        assert self._secret is not None
        return _seal(self._secret, self._kind, self._key, text.encode()).hex().encode()


def _hash(kind: str, key: str) -> bytes:
    return hashlib.sha256(f"{kind}\0{key}".encode(errors="surrogatepass")).digest()


def _seal(secret: bytes, kind: str, key: str, content: bytes) -> bytes:
    return hmac.digest(secret, _hash(kind, key) + content, "sha256")


def _opened(makes: bool) -> bytes | None:
    """The secret of the folder; None, after one warning, if the folder cannot be trusted.

    `makes`: a missing folder or secret is made. OSError if that fails.
    """
    place = folder().absolute()
    if not makes and not place.is_dir():
        return None
    if makes:
        place.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            place.mkdir(mode=0o700)
    objection = _objection(place)
    if objection:
        _tell(place, objection)
        return None
    secret = _content(place / SECRET, private=True)
    if secret is not None and len(secret) == _LENGTH:
        return secret
    return _new_secret(place) if makes else None


def _new_secret(place: Path) -> bytes:
    """A secret for the folder, or the one that another process has made meanwhile."""
    path = place / SECRET
    with contextlib.suppress(OSError):
        for old in [*place.iterdir(), *(place / "guards").glob("*")]:
            if _OLD.fullmatch(old.name) and old.is_file():
                old.unlink()
    with _only_one_in(place):
        secret = _content(path, private=True)
        if secret is None or len(secret) != _LENGTH:
            secret = os.urandom(_LENGTH)
            _write(path, secret)
        return secret


def _objection(place: Path) -> str:
    """Why somebody else could write into the folder, or put another one in its place, with the mend; "" if nobody can.

    OSError if the folder is not there.
    """
    user, way = os.geteuid(), list(_way_to(place))
    other = "choose another folder with KAFKACHECK_CACHE"
    for each in way:
        status, is_end = os.lstat(each), each == way[-1]
        if status.st_uid != user and (is_end or status.st_uid != 0):
            return f"{each} belongs to another user (number {status.st_uid}); {other}"
        if stat.S_ISLNK(status.st_mode):
            continue
        if not stat.S_ISDIR(status.st_mode):
            return f"{each} is no folder; {other}"
        others = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        if not is_end and (status.st_mode & stat.S_ISVTX or (others == stat.S_IWGRP and _is_private(status.st_gid))):
            others = 0
        if others:
            return f"others can write into {each}; give `chmod go-w {shlex.quote(str(each))}`, or {other}"
    return ""


def _way_to(place: Path) -> Iterator[Path]:
    """Each folder and link on the way to an absolute path, the folder itself last. OSError if links form a ring."""
    rest, way, links = list(reversed(place.parts)), Path("/"), 0
    while rest:
        part = rest.pop()
        if part == "..":
            way = way.parent
            continue
        way /= part
        yield way
        if way.is_symlink():
            links += 1
            if links > _MOST_LINKS:
                raise OSError(f"{place} leads through too many links")
            rest += reversed(Path(os.readlink(way)).parts)
            way = way.parent


def _is_private(group: int) -> bool:
    """Whether the user is the only member of a group: many systems give each user one of the same name."""
    try:
        user, found = pwd.getpwuid(os.geteuid()), grp.getgrgid(group)
    except KeyError:
        return False
    return user.pw_gid == group and found.gr_name == user.pw_name and set(found.gr_mem) <= {user.pw_name}


def _content(path: Path, private: bool = False, most: int = -1) -> bytes | None:
    """The content of the user's ordinary file that nobody else can write (nor read, if it is private); or None.

    most: how many bytes of it are read; -1: all.
    """
    others = stat.S_IWGRP | stat.S_IWOTH | ((stat.S_IRWXG | stat.S_IRWXO) if private else 0)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & others:
            return None
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(most)
    finally:
        os.close(descriptor)


def _appended(path: Path) -> IO[bytes]:
    """The file opened for appending without a buffer; a new one replaces a file that cannot be trusted."""
    if os.path.lexists(path) and _content(path, most=0) is None:
        with _only_one_in(path.parent):  # otherwise it removes the file that another process has just made instead
            if _content(path, most=0) is None:
                path.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK
    return open(os.open(path, flags, 0o600), "ab", buffering=0)


@contextlib.contextmanager
def _only_one_in(place: Path) -> Iterator[None]:
    """Let one process at a time replace a file of a folder that others may be making too."""
    descriptor = os.open(place, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _write(path: Path, content: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=_NEW)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def _make_room(path: Path) -> None:
    """Remove the files of the same kind that were longest unused, and those that killed processes left."""
    kept = sorted((_used(each), each) for each in path.parent.glob(f"*{path.suffix}") if each != path)
    for _, old in kept[: max(0, len(kept) - KEPT + 1)]:
        old.unlink(missing_ok=True)
    for left in path.parent.glob(f"{_NEW}*"):
        if _used(left) < time.time() - _SECONDS_TO_WRITE:
            left.unlink(missing_ok=True)


def _used(path: Path) -> float:
    try:
        return path.lstat().st_mtime
    except OSError:  # another process has removed it
        return time.time()


def _tell(place: Path, objection: str) -> None:
    """Say once, in this process and those that it starts, that the folder is not used."""
    if os.environ.get(TOLD) != str(place):
        os.environ[TOLD] = str(place)
        with contextlib.suppress(OSError, ValueError, AttributeError):  # stderr may be closed
            text = f"warning: nothing is kept in the cache {place}, and nothing there is used: {objection}"
            print(text, file=sys.stderr)
