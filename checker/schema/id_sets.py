"""The values of id sets: small sets of ids that never change, with the operators of Python's own sets."""

from collections.abc import Iterable, Iterator
from typing import Any, Union

Others = Union["Ids", set[int]]
"""What stands beside an id set: another one, or a display such as `{member}`."""


class Ids:
    """A set of ids: `Ids()`, `Ids({member})`, `Ids(range(3))`. Iteration yields the ids in ascending order.

    `bits` is the set as a bitmask, as it is kept in a state. An id is 0 or more: a ValueError says so where a sentinel
    such as NONE is added, or asked for.
    """

    __slots__ = ("bits",)
    bits: int

    def __init__(self, members: Iterable[int] = ()) -> None:
        object.__setattr__(self, "bits", bits_of(members))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(
            f"an id set does not change; make another one, such as `ids | {{member}}`, not {name} in it"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return Ids, (list(self),)

    def __contains__(self, member: int) -> bool:
        try:
            return self.bits >> member & 1 == 1
        except ValueError:
            raise _no_id(member) from None

    def __len__(self) -> int:
        return self.bits.bit_count()

    def __iter__(self) -> Iterator[int]:
        return iter(members_of(self.bits))

    def __or__(self, other: Others) -> "Ids":
        return NotImplemented if (bits := _beside(other)) is None else ID_SETS[self.bits | bits]

    def __and__(self, other: Others) -> "Ids":
        return NotImplemented if (bits := _beside(other)) is None else ID_SETS[self.bits & bits]

    def __sub__(self, other: Others) -> "Ids":
        return NotImplemented if (bits := _beside(other)) is None else ID_SETS[self.bits & ~bits]

    def __rsub__(self, other: Others) -> "Ids":
        return NotImplemented if (bits := _beside(other)) is None else ID_SETS[bits & ~self.bits]

    def __xor__(self, other: Others) -> "Ids":
        return NotImplemented if (bits := _beside(other)) is None else ID_SETS[self.bits ^ bits]

    __ror__ = __or__
    __rand__ = __and__
    __rxor__ = __xor__

    def __eq__(self, other: object) -> bool:
        return NotImplemented if (bits := _beside(other)) is None else self.bits == bits

    def __hash__(self) -> int:
        return hash(self.bits)

    def __le__(self, other: Others) -> bool:
        return NotImplemented if (bits := _beside(other)) is None else self.bits & ~bits == 0

    def __lt__(self, other: Others) -> bool:
        return NotImplemented if (bits := _beside(other)) is None else self.bits & ~bits == 0 and self.bits != bits

    def __ge__(self, other: Others) -> bool:
        return NotImplemented if (bits := _beside(other)) is None else bits & ~self.bits == 0

    def __gt__(self, other: Others) -> bool:
        return NotImplemented if (bits := _beside(other)) is None else bits & ~self.bits == 0 and self.bits != bits

    def __repr__(self) -> str:
        return "{" + ", ".join(map(str, self)) + "}"


class _Known(dict[int, Ids]):
    """The id set of each bitmask, made when it is first asked for."""

    def __missing__(self, bits: int) -> Ids:
        made = object.__new__(Ids)
        object.__setattr__(made, "bits", bits)
        self[bits] = made
        return made


ID_SETS = _Known()
"""The id set of each bitmask."""


def members_of(bits: int) -> list[int]:
    """The ids in a bitmask, in order."""
    return [member for member in range(bits.bit_length()) if bits >> member & 1]


def bits_of(members: Iterable[int]) -> int:
    """The bitmask of some ids. ValueError where one is below 0."""
    bits = 0
    for member in members:
        if member < 0:
            raise _no_id(member)
        bits |= 1 << member
    return bits


def _beside(other: object) -> int | None:
    """The bitmask of what stands beside an id set; None where that is no set."""
    if type(other) is Ids:
        return other.bits
    return bits_of(other) if type(other) is set else None


def _no_id(member: int) -> ValueError:
    return ValueError(f"{member} is no id, which is 0 or more; look first whether there is one: `if member != NONE`")
