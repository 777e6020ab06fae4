"""Which condition is removed: the switch in functions that can run without any one of their conditions.

`checker.mutation.mutation` writes calls of `is_removed` into such functions, so that one program serves for all
conditions. The interpreted reading runs the calls as they are; machine code reads the number from its context.
"""

NOTHING = -1
"""The number of no condition: the functions do what they always do."""

_removed = NOTHING


def remove(number: int) -> None:
    """From now on the condition of that number is removed, and no other; none with `NOTHING`."""
    global _removed
    _removed = number


def removed() -> int:
    """The number of the condition that is removed now."""
    return _removed


def is_removed(number: int) -> bool:
    """Whether the condition of that number is removed."""
    return number == _removed
