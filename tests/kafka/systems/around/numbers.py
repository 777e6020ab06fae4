"""How doors tell Python of numbers: a set of them as bits, and -1 for none."""

NONE = -1


def optional(number: int) -> int | None:
    """A number, or null for none."""
    return None if number == NONE else number


def bits(values: list[int]) -> int:
    """A set of numbers as bits."""
    return sum(1 << each for each in values)


def numbers(value: int) -> list[int]:
    """The numbers of the bits that are set."""
    return [each for each in range(value.bit_length()) if value >> each & 1]
