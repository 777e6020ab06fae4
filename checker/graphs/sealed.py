"""Parquet files that show damage: a checksum in each page, and a digest of the whole file, taken as it is written."""

import hashlib
import io
import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.process.files import reason_of

COMPRESSION = "zstd"
VERIFYING = "parquet.page.verify-checksum.enabled"
"""The setting by which Spark compares pages with their checksums."""


class Digest(NamedTuple):
    """The length of a file in bytes, and its SHA-256 in hexadecimal."""

    length: int
    sha256: str


class SealedFile:
    """A new Parquet file, which is begun with its first rows."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._bytes: _Hashed | None = None
        self._file: pq.ParquetWriter | None = None

    def write(self, table: pa.Table) -> None:
        """Write some rows. OSError, naming the file, if that fails."""
        try:
            if self._bytes is None or self._file is None:
                self._bytes = _Hashed(self.path)
                self._file = pq.ParquetWriter(
                    self._bytes, table.schema, compression=COMPRESSION, write_page_checksum=True
                )
            self._file.write_table(table)
        except OSError as error:
            raise OSError(error.errno, os.strerror(error.errno or 5), str(self.path)) from error

    def close(self) -> None:
        """End the file, if it was begun. OSError if that fails."""
        if self._file is not None and self._bytes is not None:
            try:
                self._file.close()
            finally:
                self._bytes.close()

    @property
    def digest(self) -> Digest:
        """The digest of a file that was begun and ended."""
        assert self._bytes is not None and self._bytes.closed
        return self._bytes.digest()


class _Hashed(io.FileIO):
    """A new file, whose digest is that of the bytes that were given to write, not of the bytes on the disk."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "xb")
        self._hash = hashlib.sha256()
        self._length = 0

    def write(self, content: Any) -> int:
        """Write all of the content."""
        left = memoryview(content).cast("B")
        self._hash.update(left)
        self._length += len(left)
        while left:
            left = left[super().write(left) or 0 :]
        return memoryview(content).nbytes

    def digest(self) -> Digest:
        """The digest of the bytes written so far."""
        return Digest(self._length, self._hash.hexdigest())


def verify(folder: Path, kinds: tuple[str, ...], files: Mapping[str, Digest], mend: str) -> None:
    """Compare the files of a data set, which lie in folders of these kinds, with their digests, by their paths in it.

    UsageError with the mend for the first one that differs, is missing, or is there although nothing names it.
    """
    there = sorted(
        path.relative_to(folder).as_posix()
        for kind in kinds
        for path in (folder / kind).rglob("*")
        if not path.is_dir() and not (path.name.startswith((".", "_")) and "=" not in path.name)
    )
    for name in there:
        if name not in files:
            raise UsageError(f"{folder / name} is no file of this data set; remove it, or {mend}")
    with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
        for objection in threads.map(lambda name: _objection(folder / name, files[name]), sorted(files)):
            if objection:
                raise UsageError(f"{objection}; restore that file, or {mend}")


def _objection(path: Path, wanted: Digest) -> str:
    """How a file differs from its digest; "" if it does not."""
    try:
        with open(path, "rb") as file:
            length = os.fstat(file.fileno()).st_size
            if length != wanted.length:
                return f"{path} is damaged: it has {length:,} bytes and not {wanted.length:,}"
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        return f"{path} cannot be read: {reason_of(error)}"
    return "" if found == wanted.sha256 else f"{path} is damaged: its SHA-256 is {found} and not {wanted.sha256}"
