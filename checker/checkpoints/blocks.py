"""Packed states on their way between processes and on disk: Arrow data, each state one fixed-width binary value.

A block is a NamedTuple of arrays with one row per state or step: uint64[n, words] becomes a column of fixed-width
binary, [n] a column of numbers. Reading copies nothing: the arrays are views of the bytes or of the mapped file.
"""

import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

Array = np.ndarray[Any, Any]

ROW_BITS = 40
"""A parent is named by its shard and, in the lowest bits, its row in that shard's part of the level before."""


class Candidates(NamedTuple):
    """Successors, each with the first of its parents: uint64[n, words], uint64[n]."""

    states: Array
    parents: Array


class Visited(NamedTuple):
    """Distinct states by ascending fingerprint: uint64[n, words], uint64[n]."""

    states: Array
    fingerprints: Array


class Level(NamedTuple):
    """A shard's part of a level: distinct states by ascending fingerprint, each with its least parent."""

    states: Array
    fingerprints: Array
    parents: Array


class Kept(NamedTuple):
    """States in order of discovery, and how much further each one's parent is than that of the state before.

    uint64[n, words], uint32[n]; the first of `steps` is the parent's number itself.
    """

    states: Array
    steps: Array


class Sent(NamedTuple):
    """Steps: the target of each, uint64[n, words], the number of its source, uint64[n], and the judgement of a kernel.

    That is the action with its parameters, uint32[n], whether the target leaves the constraint, uint8[n], and the
    properties that are violated, uint64[n]. Targets that are numbers are int64[n].
    """

    targets: Array
    sources: Array
    combinations: Array
    outside: Array
    wrongs: Array


Block = TypeVar("Block", Candidates, Visited, Level, Kept, Sent)


def parent_of(shard: int, row: int) -> int:
    """The name of the state in row `row` of a shard."""
    return shard << ROW_BITS | row


def place_of(parent: int) -> tuple[int, int]:
    """The shard and the row that a parent names."""
    return parent >> ROW_BITS, parent & ((1 << ROW_BITS) - 1)


def to_bytes(block: Block) -> bytes:
    """The block as an Arrow stream."""
    sink = pa.BufferOutputStream()
    batch = _batch(block)
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def from_bytes(kind: type[Block], content: bytes) -> Block:
    """The block that `to_bytes` wrote."""
    return _block(kind, pa.ipc.open_stream(pa.py_buffer(content)).read_next_batch())


def write(path: Path, block: Block) -> None:
    """Write a block to a new Arrow file, and wait until the disk has it. OSError if that fails."""
    write_all(path, iter((block,)))


def write_all(path: Path, blocks: Iterator[Block], compression: str | None = None) -> None:
    """Write at least one block to a new Arrow file, and wait until the disk has them all. OSError if that fails."""
    options = pa.ipc.IpcWriteOptions(compression=compression, use_threads=False)
    first = _batch(next(blocks))
    with open(path, "xb") as file:
        with pa.ipc.new_file(file, first.schema, options=options) as writer:
            writer.write_batch(first)
            for block in blocks:
                writer.write_batch(_batch(block))
        file.flush()
        os.fsync(file.fileno())


def read(kind: type[Block], path: Path) -> Block:
    """The first block in a file, mapped into memory. OSError, or pyarrow's ArrowInvalid if it is damaged."""
    return next(read_all(kind, path))


def read_all(kind: type[Block], path: Path) -> Iterator[Block]:
    """The blocks in a file, one after the other; otherwise as `read`."""
    with pa.memory_map(str(path)) as mapped:
        file = pa.ipc.open_file(mapped)
        for number in range(file.num_record_batches):
            yield _block(kind, file.get_batch(number))


def checksum(path: Path) -> int:
    """The CRC-32 of a file."""
    value = 0
    with open(path, "rb") as file:
        while piece := file.read(1 << 22):
            value = zlib.crc32(piece, value)
    return value


def _batch(block: Candidates | Visited | Level | Kept | Sent) -> pa.RecordBatch:
    columns = {}
    for name, values in block._asdict().items():
        rows = len(values)
        data = pa.py_buffer(np.ascontiguousarray(values))
        kind = pa.binary(8 * values.shape[1]) if values.ndim == 2 else pa.from_numpy_dtype(values.dtype)
        columns[name] = pa.Array.from_buffers(kind, rows, [None, data])
    return pa.RecordBatch.from_pydict(columns)


def _block(kind: type[Block], batch: pa.RecordBatch) -> Block:
    arrays = []
    for name in kind._fields:
        column = batch.column(name)
        is_binary = pa.types.is_fixed_size_binary(column.type)
        values = np.frombuffer(column.buffers()[1], np.uint64 if is_binary else column.type.to_pandas_dtype())
        width = column.type.byte_width // 8 if is_binary else 0
        arrays.append(values.reshape(-1, width)[: len(column)] if width else values[: len(column)])
    return kind(*arrays)
