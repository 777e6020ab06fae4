"""Packed states in machine code: from 64-bit words to the leaves that protocol functions work on, and back."""

from collections.abc import Iterable

from checker.layout import Layout
from checker.native import I1, I32, I64, POINTER, VOID, Builder, internal, llvm, number

Words = list[llvm.Value]
"""A packed state in registers."""

LANES = 4
"""How many leaves are unpacked at a time. Wider vectors make some processors slow down as a whole."""


class Packing:
    """Writes code that packs and unpacks the states of a layout."""

    def __init__(self, module: llvm.Module, layout: Layout) -> None:
        self.leaves = layout.leaves
        self.count = layout.word_count
        self._unpack = self._define_unpack(module)

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
        value: llvm.Value = number(0x1E3779B97F4A7C15)
        for word in words:
            value = builder.mul(builder.xor(value, word), number(0x3F58476D1CE4E5B9))
            value = builder.xor(value, builder.lshr(value, number(32)))
        value = builder.mul(value, number(0x14D049BB133111EB))
        return builder.xor(value, builder.lshr(value, number(29)))

    def unpack(self, builder: Builder, source: llvm.Value, state: llvm.Value) -> None:
        """Write all leaves of the packed state at an address to a state."""
        builder.call(self._unpack, [source, state])

    def _define_unpack(self, module: llvm.Module) -> llvm.Function:
        """Not to be inlined: the leaves would be kept in registers, and as these are too few, in memory once more."""
        function = internal(module, VOID, [POINTER, POINTER], "unpack")
        function.attributes.add("noinline")
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
        self, builder: Builder, words: Words, state: llvm.Value, places: Iterable[int]
    ) -> tuple[Words, llvm.Value]:
        """A packed state with some leaves taken from a state, and whether one of these lies outside its range."""
        packed, outside = list(words), llvm.Constant(I1, 0)
        masks = [0] * self.count
        for place in places:
            leaf = self.leaves[place]
            masks[leaf.word] |= ((1 << leaf.bits) - 1) << leaf.shift
        for word, mask in enumerate(masks):
            packed[word] = builder.and_(packed[word], number(~mask)) if mask else packed[word]
        for place in places:
            leaf = self.leaves[place]
            value = builder.sub(builder.get(state, place), number(leaf.low))
            outside = builder.or_(outside, builder.icmp_unsigned(">", value, number(leaf.high - leaf.low)))
            if leaf.bits:
                packed[leaf.word] = builder.or_(packed[leaf.word], builder.shl(value, number(leaf.shift)))
        return packed, outside
