"""Packed states in machine code: from 64-bit words to the leaves that protocol functions work on, and back."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from kafkacheck.checker.compiled.native import I1, I32, I64, POINTER, VOID, Builder, apart, number
from kafkacheck.checker.compiled.text import llvm
from kafkacheck.checker.schema.layout import Layout

Words = list[llvm.Value]
"""A packed state in registers."""

LANES = 4
"""How many leaves are unpacked at a time. Wider vectors make some processors slow down as a whole."""

MOST_COPIED = 8
"""How many words of a packed state are copied one by one."""


FACTORS = 0x1E3779B97F4A7C15, 0x3F58476D1CE4E5B9, 0x14D049BB133111EB
"""The start of a fingerprint, the factor for each word, and the one at the end."""


def fingerprints(states: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    """The fingerprints of packed states, uint64[n, words], as machine code computes them: uint64[n]."""
    first, factor, last_factor = (np.uint64(each) for each in FACTORS)
    values = np.full(len(states), first)
    for column in states.T:
        values = (values ^ column) * factor
        values ^= values >> np.uint64(32)
    values *= last_factor
    return values ^ (values >> np.uint64(29))


class Packing:
    """Writes code that packs and unpacks the states of a layout."""

    def __init__(self, module: llvm.Module, layout: Layout) -> None:
        self.leaves = layout.leaves
        self.count = layout.word_count
        self._unpack = self._define_unpack(module)
        self._copy_all = self._define_copy(module)

    def row(self, builder: Builder, rows: llvm.Value, row: llvm.Value) -> llvm.Value:
        """The address of a packed state in an array of them."""
        return builder.at(rows, builder.mul(row, number(self.count)))

    def load(self, builder: Builder, source: llvm.Value) -> Words:
        """The packed state at an address."""
        return [builder.get(source, word) for word in range(self.count)]

    def store(self, builder: Builder, words: Words, target: llvm.Value) -> None:
        """Write a packed state to an address."""
        for word, value in enumerate(words):
            builder.put(target, word, value)

    def same(self, builder: Builder, one: Words, other: Words) -> llvm.Value:
        """Whether two packed states are equal."""
        different: llvm.Value = number(0)
        for left, right in zip(one, other, strict=True):
            different = builder.or_(different, builder.xor(left, right))
        return builder.icmp_signed("==", different, number(0))

    def fingerprint(self, builder: Builder, words: Words) -> llvm.Value:
        """A 64-bit fingerprint; every bit of the words reaches every bit of it."""
        first, factor, last_factor = FACTORS
        value: llvm.Value = number(first)
        for word in words:
            value = builder.mul(builder.xor(value, word), number(factor))
            value = builder.xor(value, builder.lshr(value, number(32)))
        value = builder.mul(value, number(last_factor))
        return builder.xor(value, builder.lshr(value, number(29)))

    def unpack(self, builder: Builder, source: llvm.Value, state: llvm.Value) -> None:
        """Write all leaves of the packed state at an address to a state."""
        builder.call(self._unpack, [source, state])

    def _define_unpack(self, module: llvm.Module) -> llvm.Function:
        """Not to be inlined: the leaves would be kept in registers, and as these are too few, in memory once more."""
        function = apart(module, VOID, [POINTER, POINTER], "unpack")
        builder = Builder(function.append_basic_block("entry"))
        source, state = function.args
        words = self.load(builder, source)
        for first in range(0, len(self.leaves), LANES):
            leaves = self.leaves[first : first + LANES]
            kind = llvm.VectorType(I64, len(leaves))
            value = llvm.Constant(kind, llvm.Undefined)
            for lane, leaf in enumerate(leaves):
                word = words[leaf.word] if leaf.bits else number(0)
                value = builder.insert_element(value, word, llvm.Constant(I32, lane))
            value = builder.lshr(value, llvm.Constant(kind, [leaf.shift if leaf.bits else 0 for leaf in leaves]))
            value = builder.and_(value, llvm.Constant(kind, [(1 << leaf.bits) - 1 for leaf in leaves]))
            value = builder.add(value, llvm.Constant(kind, [leaf.low for leaf in leaves]))
            builder.store(value, builder.bitcast(builder.at(state, first), kind.as_pointer()), align=8)
        builder.ret_void()
        return function

    def restore(self, builder: Builder, source: llvm.Value, state: llvm.Value, places: Iterable[int]) -> None:
        """Give some leaves of a state the values that they have in the packed state at an address."""
        for place in places:
            builder.put(state, place, self._leaf(builder, source, place))

    def unchanged(self, builder: Builder, source: llvm.Value, state: llvm.Value, places: Iterable[int]) -> llvm.Value:
        """Whether some leaves of a state have the values that they have in the packed state at an address."""
        different: llvm.Value = number(0)
        for place in places:
            before = self._leaf(builder, source, place)
            different = builder.or_(different, builder.xor(before, builder.get(state, place)))
        return builder.icmp_signed("==", different, number(0))

    def _leaf(self, builder: Builder, source: llvm.Value, place: int) -> llvm.Value:
        leaf = self.leaves[place]
        if not leaf.bits:
            return number(leaf.low)
        value = builder.lshr(builder.get(source, leaf.word), number(leaf.shift))
        return builder.add(builder.and_(value, number((1 << leaf.bits) - 1)), number(leaf.low))

    def pack(
        self, builder: Builder, source: llvm.Value, state: llvm.Value, target: llvm.Value, places: Iterable[int]
    ) -> tuple[llvm.Value, llvm.Value]:
        """Write the packed state at an address to another one, with some leaves taken from a state.

        Whether one of these lies outside its range, and whether the packed state is the same as before.
        """
        leaves = [(place, self.leaves[place]) for place in places]
        masks = dict.fromkeys(sorted({leaf.word for _, leaf in leaves}), 0)
        for _, leaf in leaves:
            masks[leaf.word] |= ((1 << leaf.bits) - 1) << leaf.shift
        before = {word: builder.get(source, word) for word in masks}
        packed = {word: builder.and_(before[word], number(~mask)) for word, mask in masks.items()}
        outside, different = llvm.Constant(I1, 0), number(0)
        for place, leaf in leaves:
            value = builder.sub(builder.get(state, place), number(leaf.low))
            outside = builder.or_(outside, builder.icmp_unsigned(">", value, number(leaf.high - leaf.low)))
            if leaf.bits:
                packed[leaf.word] = builder.or_(packed[leaf.word], builder.shl(value, number(leaf.shift)))
        self._copy(builder, source, target, [word for word in range(self.count) if word not in masks])
        for word, value in packed.items():
            builder.put(target, word, value)
            different = builder.or_(different, builder.xor(value, before[word]))
        return outside, builder.icmp_signed("==", different, number(0))

    def _copy(self, builder: Builder, source: llvm.Value, target: llvm.Value, words: list[int]) -> None:
        """Copy these words of a packed state, and others too if these are many."""
        if len(words) > MOST_COPIED:
            builder.call(self._copy_all, [source, target])
            return
        for word in words:
            builder.put(target, word, builder.get(source, word))

    def _define_copy(self, module: llvm.Module) -> llvm.Function:
        """Copies a whole packed state. One function for all: in each place its words would be most of a wide kernel."""
        function = apart(module, VOID, [POINTER, POINTER], "copy")
        builder = Builder(function.append_basic_block("entry"))
        source, target = function.args
        with builder.loop(number(0), number(self.count)) as word:
            builder.put(target, word, builder.get(source, word))
        builder.ret_void()
        return function
