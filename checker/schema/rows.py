"""Flattened states as rows of bytes: what the interpreted reading keeps of each state."""

import struct

from kafkacheck.checker.schema.layout import Layout
from kafkacheck.checker.schema.objects import Values
from kafkacheck.checker.schema.shape import Leaf

OutOfRangeError = struct.error

CODES = {"b": 7, "h": 15, "i": 31}
"""The codes of `struct` for signed integers, and how many bits are left beside the sign."""


class Rows:
    """The states of a layout as bytes, equal where the states are: one byte a leaf where its range fits in one.

    A tuple of the values takes eight times that, and is slower to compare and to hash.
    """

    def __init__(self, layout: Layout) -> None:
        self._format = struct.Struct("<" + "".join(map(code_for, layout.leaves)))
        self.values = self._format.unpack

    def row(self, values: Values) -> bytes:
        """The bytes of a flattened state. OutOfRangeError where a value does not fit in its place."""
        return self._format.pack(*values)


def code_for(leaf: Leaf) -> str:
    """The shortest code for the range of a leaf."""
    return next(code for code, bits in CODES.items() if -(1 << bits) <= leaf.low and leaf.high < 1 << bits)
