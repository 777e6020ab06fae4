"""The text of a function's body: what llvmlite writes, character by character, in less than half of its time.

Most of the time in which a kernel is made goes by in writing its text, and most of that on a few kinds of instructions.
"""

from collections.abc import Callable, Iterator
from typing import Any


def body(blocks: list[Any]) -> Iterator[str]:
    """The lines of llvmlite's blocks, one of its instructions each."""
    for block in blocks:
        yield f"{block.name}:\n"
        for each in block.instructions:
            write = None if each.metadata or each.flags else _WRITERS.get(each.opname)
            yield write(each) if write else f"  {each}\n"


def _binary(each: Any) -> str:
    one, other = each.operands
    return f"  {each.get_reference()} = {each.opname} {each.type!s} {one.get_reference()}, {other.get_reference()}\n"


def _compare(each: Any) -> str:
    one, other = each.operands
    comparison = f"{each.opname} {each.op} {one.type!s}"
    return f"  {each.get_reference()} = {comparison} {one.get_reference()}, {other.get_reference()}\n"


def _address(each: Any) -> str:
    pointer = each.pointer
    indices = ", ".join([f"{index.type!s} {index.get_reference()}" for index in each.indices])
    kind = "getelementptr inbounds" if each.inbounds else "getelementptr"
    place = f"{kind} {each.source_etype!s}, {pointer.type!s} {pointer.get_reference()}"
    return f"  {each.get_reference()} = {place}, {indices}\n"


def _load(each: Any) -> str:
    (pointer,) = each.operands
    place = f"{pointer.type!s} {pointer.get_reference()}{_align(each)}"
    return f"  {each.get_reference()} = load {each.type!s}, {place}\n"


def _store(each: Any) -> str:
    value, pointer = each.operands
    place = f"{pointer.type!s} {pointer.get_reference()}{_align(each)}"
    return f"  store {value.type!s} {value.get_reference()}, {place}\n"


def _branch(each: Any) -> str:
    return f"  br {', '.join([f'{target.type!s} {target.get_reference()}' for target in each.operands])}\n"


def _align(each: Any) -> str:
    return "" if each.align is None else f", align {each.align}"


_WRITERS: dict[str, Callable[[Any], str]] = {
    **dict.fromkeys(("add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr"), _binary),
    "icmp": _compare, "getelementptr": _address, "load": _load, "store": _store, "br": _branch,
}  # fmt: skip
