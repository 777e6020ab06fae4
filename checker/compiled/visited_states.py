"""The visited states of the compiled reading, asked for values of single leaves."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from kafkacheck.checker.schema.layout import Layout
from kafkacheck.checker.schema.objects import Values

SAMPLE = 4096
"""How many states from everywhere, and how many of the last ones, are looked at before all are."""


class PackedStates:
    """Packed states, uint64[n, words], of a layout, n > 0. See `checker.exploration.unreached.Visited`."""

    def __init__(self, layout: Layout, states: "np.ndarray[Any, Any]") -> None:
        self._layout, self._states = layout, states

    def __len__(self) -> int:
        return len(self._states)

    def has(self, place: int, value: int) -> bool:
        """Whether a leaf has that value in one of them."""
        leaf = self._layout.leaves[place]
        if not leaf.bits:
            return value == leaf.low
        mask = np.uint64((1 << leaf.bits) - 1 << leaf.shift)
        wanted = np.uint64(value - leaf.low << leaf.shift)
        column = self._states[:, leaf.word]
        if bool(np.any(self._sample[:, leaf.word] & mask == wanted)):
            return True
        some, every = (each[leaf.word] for each in self._bits)
        may_occur = wanted & ~some == 0 and every & mask & ~wanted == 0
        return bool(may_occur) and bool(np.any(column & mask == wanted))

    def varies(self, place: int) -> bool:
        """Whether a leaf has several values in them."""
        leaf = self._layout.leaves[place]
        if not leaf.bits:
            return False
        mask = np.uint64((1 << leaf.bits) - 1 << leaf.shift)
        some_values = self._sample[:, leaf.word] & mask
        if bool(np.any(some_values != some_values[0])):
            return True
        some, every = (each[leaf.word] for each in self._bits)
        return bool((some ^ every) & mask)

    def values(self) -> Sequence[Values]:
        """All of them, flattened."""
        return [tuple(each) for each in self._layout.unpack(self._states).tolist()]

    @cached_property
    def _sample(self) -> "np.ndarray[Any, Any]":
        return np.concatenate([self._states[:: max(1, len(self._states) // SAMPLE)], self._states[-SAMPLE:]])

    @cached_property
    def _bits(self) -> "tuple[list[np.uint64], list[np.uint64]]":
        """Of each word, the bits that are set in some state, and those that are set in every state."""
        columns = [self._states[:, word] for word in range(self._states.shape[1])]
        return [np.bitwise_or.reduce(each) for each in columns], [np.bitwise_and.reduce(each) for each in columns]
