"""An instruction builder for kernels: llvmlite's, but most instructions are lines of text from the start.

Most of the time in which a kernel is made goes by in writing its text. An object for each instruction, with a name that
is looked up among all others, takes several times as long as the line that it becomes. Only this file imports llvmlite.
"""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import llvmlite
from llvmlite import binding
from llvmlite import ir as llvm

COMPILER = f"{llvmlite.__version__} {binding.llvm_version_info}"
I1, VOID = llvm.IntType(1), llvm.VoidType()
UNSIGNED = {">": "ugt", "<": "ult", ">=": "uge", "<=": "ule", "==": "eq", "!=": "ne"}
SIGNED = {">": "sgt", "<": "slt", ">=": "sge", "<=": "sle", "==": "eq", "!=": "ne"}


class Function(llvm.Function):
    """A function whose instructions may be lines."""

    def __init__(self, module: llvm.Module, kind: llvm.FunctionType, name: str) -> None:
        super().__init__(module, kind, name)
        self.numbers = itertools.count()
        """The numbers in the names of its lines."""

    def descr_body(self, buf: list[str]) -> None:
        """As llvmlite's."""
        buf.extend(_body(self.blocks))


class Line:
    """An instruction as the line of text that it is, and its value: a type, and a name if it has one."""

    __slots__ = ("_reference", "text", "type")

    def __init__(self, kind: llvm.Type, reference: str, text: str) -> None:
        self.type = kind
        self.text = text
        self._reference = reference

    def get_reference(self) -> str:
        """How other instructions name it."""
        return self._reference


class LineBuilder(llvm.IRBuilder):
    """An instruction builder of a `Function` whose simplest instructions are lines.

    What a constant 0 makes of no effect is left out, and so is an address 0 elements further.
    """

    def __init__(self, block: llvm.Block) -> None:
        super().__init__(block)
        self._numbers = block.function.numbers

    def _line(self, kind: llvm.Type, text: str) -> Line:
        """An instruction that has a value."""
        name = f"%v{next(self._numbers)}"
        line = Line(kind, name, f"  {name} = {text}\n")
        self._insert_line(line)
        return line

    def _insert_line(self, line: Line) -> None:
        self._block.instructions.insert(self._anchor, line)
        self._anchor += 1

    def _binary(self, name: str, left: llvm.Value, right: llvm.Value) -> Line:
        if left.type != right.type:
            raise ValueError(f"{name} of {left.type} and {right.type}")
        return self._line(left.type, f"{name} {left.type!s} {left.get_reference()}, {right.get_reference()}")

    def _without_zero(self, name: str, left: llvm.Value, right: llvm.Value, either: bool) -> llvm.Value:
        """An instruction that changes nothing if the right side is 0; or if `either` is."""
        if _is_zero(right):
            return left
        return right if either and _is_zero(left) else self._binary(name, left, right)

    def add(self, left: llvm.Value, right: llvm.Value) -> llvm.Value:
        """Their sum."""
        return self._without_zero("add", left, right, True)

    def sub(self, left: llvm.Value, right: llvm.Value) -> llvm.Value:
        """Their difference."""
        return self._without_zero("sub", left, right, False)

    def or_(self, left: llvm.Value, right: llvm.Value) -> llvm.Value:
        """The bits of either."""
        return self._without_zero("or", left, right, True)

    def xor(self, left: llvm.Value, right: llvm.Value) -> llvm.Value:
        """The bits of one of them only."""
        return self._without_zero("xor", left, right, True)

    def shl(self, left: llvm.Value, right: llvm.Value) -> llvm.Value:
        """Shifted to the left."""
        return self._without_zero("shl", left, right, False)

    def lshr(self, left: llvm.Value, right: llvm.Value) -> llvm.Value:
        """Shifted to the right, zeros first."""
        return self._without_zero("lshr", left, right, False)

    def ashr(self, left: llvm.Value, right: llvm.Value) -> llvm.Value:
        """Shifted to the right, the sign first."""
        return self._without_zero("ashr", left, right, False)

    def and_(self, left: llvm.Value, right: llvm.Value) -> llvm.Value:
        """The bits of both."""
        return self._binary("and", left, right)

    def not_(self, value: llvm.Value) -> llvm.Value:
        """Each bit the other way."""
        return self._binary("xor", value, llvm.Constant(value.type, -1))

    def neg(self, value: llvm.Value) -> llvm.Value:
        """The number with the other sign."""
        return self._binary("sub", llvm.Constant(value.type, 0), value)

    def mul(self, left: llvm.Value, right: llvm.Value) -> llvm.Value:
        """Their product."""
        return self._binary("mul", left, right)

    def icmp_signed(self, operator: str, left: llvm.Value, right: llvm.Value) -> llvm.Value:
        """Whether the comparison of two numbers holds."""
        return self._compare(SIGNED[operator], left, right)

    def icmp_unsigned(self, operator: str, left: llvm.Value, right: llvm.Value) -> llvm.Value:
        """Whether the comparison of two numbers without sign holds."""
        return self._compare(UNSIGNED[operator], left, right)

    def _compare(self, name: str, left: llvm.Value, right: llvm.Value) -> Line:
        if left.type != right.type:
            raise ValueError(f"{name} of {left.type} and {right.type}")
        kind = llvm.VectorType(I1, left.type.count) if isinstance(left.type, llvm.VectorType) else I1
        return self._line(kind, f"icmp {name} {left.type!s} {left.get_reference()}, {right.get_reference()}")

    def load(self, pointer: llvm.Value, align: int | None = None) -> llvm.Value:
        """What lies at an address."""
        kind = pointer.type.pointee
        return self._line(kind, f"load {kind!s}, {_place(pointer, align)}")

    def store(self, value: llvm.Value, pointer: llvm.Value, align: int | None = None) -> None:
        """Write to an address."""
        if pointer.type.pointee != value.type:
            raise TypeError(f"a {value.type} goes to a {pointer.type}")
        text = f"  store {value.type!s} {value.get_reference()}, {_place(pointer, align)}\n"
        self._insert_line(Line(VOID, "", text))

    def gep(self, pointer: llvm.Value, indices: Sequence[llvm.Value]) -> llvm.Value:
        """The address so many elements further."""
        (index,) = indices
        if _is_zero(index):
            return pointer
        place = f"{pointer.type!s} {pointer.get_reference()}, {index.type!s} {index.get_reference()}"
        return self._line(pointer.type, f"getelementptr {pointer.type.pointee!s}, {place}")


def _place(pointer: llvm.Value, align: int | None) -> str:
    return f"{pointer.type!s} {pointer.get_reference()}{'' if align is None else f', align {align}'}"


def _is_zero(value: Any) -> bool:
    return isinstance(value, llvm.Constant) and value.constant == 0


def _body(blocks: list[Any]) -> Iterator[str]:
    """The lines of blocks, one of their instructions each."""
    for block in blocks:
        yield f"{block.name}:\n"
        for each in block.instructions:
            if isinstance(each, Line):
                yield each.text
            elif each.opname == "br" and not each.metadata:
                targets = ", ".join([f"{target.type!s} {target.get_reference()}" for target in each.operands])
                yield f"  br {targets}\n"
            else:
                yield f"  {each}\n"
