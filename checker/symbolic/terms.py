"""Terms: formulas over the scalars of a state, each integer with the interval in which its value lies.

Equal terms are one object, so that `is` compares them, and every constructor folds what it can. Integers are exact: no
term overflows, because its interval says how many bits it needs.
"""

import hashlib
import weakref
from collections.abc import Container, Iterable, Iterator, Sequence

BOOL_KIND, INT_KIND = True, False
Payload = int | str | None


class Term:
    """A formula. `is_bool` tells a truth value from an integer, whose value lies in `low` .. `high`.

    operator: const, variable, not, and, or, choose (if-then-else), == < of integers, + - * // % & | ^ and >> by the
        constant in `payload`. `payload` is the value of a constant, the name of a variable.
    """

    __slots__ = ("__weakref__", "_digest", "arguments", "high", "is_bool", "low", "operator", "payload")

    def __init__(
        self, operator: str, arguments: "tuple[Term, ...]", payload: Payload, is_bool: bool, low: int, high: int
    ) -> None:
        self.operator = operator
        self.arguments = arguments
        self.payload = payload
        self.is_bool = is_bool
        self.low = low
        self.high = high
        self._digest: bytes | None = None

    def __repr__(self) -> str:
        return f"<{self.operator} {'' if self.payload is None else self.payload} of {len(self.arguments)}>"

    @property
    def is_constant(self) -> bool:
        """Whether its value is known."""
        return self.operator == "const"

    @property
    def value(self) -> int:
        """The value of a constant."""
        assert isinstance(self.payload, int)
        return self.payload


_known: "weakref.WeakValueDictionary[tuple[object, ...], Term]" = weakref.WeakValueDictionary()


def _term(operator: str, arguments: tuple[Term, ...], low: int, high: int, payload: Payload = None) -> Term:
    return _intern(operator, arguments, payload, INT_KIND, low, high)


def _truth(operator: str, arguments: tuple[Term, ...], payload: Payload = None) -> Term:
    return _intern(operator, arguments, payload, BOOL_KIND, 0, 1)


def _intern(operator: str, arguments: tuple[Term, ...], payload: Payload, is_bool: bool, low: int, high: int) -> Term:
    key = (operator, *map(id, arguments), payload, is_bool, low, high)
    found = _known.get(key)
    if found is None:
        found = _known[key] = Term(operator, arguments, payload, is_bool, low, high)
    return found


def number(value: int) -> Term:
    """The integer constant `value`."""
    return _term("const", (), int(value), int(value), int(value))


TRUE = _truth("const", (), 1)
FALSE = _truth("const", (), 0)
ZERO, ONE = number(0), number(1)


def truth(value: bool) -> Term:
    """The constant True or False."""
    return TRUE if value else FALSE


def variable(name: str, low: int, high: int) -> Term:
    """An integer variable that lies in `low` .. `high`; the constant if that is one value."""
    return number(low) if low == high else _term("variable", (), low, high, name)


def flag(name: str) -> Term:
    """A variable that is True or False."""
    return _truth("variable", (), name)


# -- truth values ----------------------------------------------------------------------------------------------


def negation(term: Term) -> Term:
    """Not `term`."""
    if term.is_constant:
        return truth(not term.value)
    return term.arguments[0] if term.operator == "not" else _truth("not", (term,))


def conjunction(*terms: Term) -> Term:
    """All of `terms`."""
    return _junction("and", terms, TRUE, FALSE)


def disjunction(*terms: Term) -> Term:
    """At least one of `terms`."""
    return _junction("or", terms, FALSE, TRUE)


def _junction(operator: str, terms: Iterable[Term], neutral: Term, deciding: Term) -> Term:
    parts: dict[int, Term] = {}
    negated: set[int] = set()
    values: dict[int, Term] = {}
    for term in terms:
        for part in term.arguments if term.operator == operator else (term,):
            if part is deciding or id(part) in negated or _has_other_value(part, operator, values):
                return deciding
            if part.operator == "not":
                if id(part.arguments[0]) in parts:
                    return deciding
                negated.add(id(part.arguments[0]))
            if part is not neutral:
                parts[id(part)] = part
    if len(parts) < 2:
        return next(iter(parts.values()), neutral)
    return _truth(operator, tuple(parts.values()))


def _has_other_value(part: Term, operator: str, values: dict[int, Term]) -> bool:
    """Whether a term would need two values: one here, and another in an earlier part, which is in `values`."""
    if operator == "or":
        if part.operator != "not":
            return False
        part = part.arguments[0]
    if part.operator != "==" or not part.arguments[1].is_constant:
        return False
    return values.setdefault(id(part.arguments[0]), part.arguments[1]) is not part.arguments[1]


def implication(condition: Term, consequence: Term) -> Term:
    """`consequence` wherever `condition` holds."""
    return disjunction(negation(condition), consequence)


def choice(condition: Term, then: Term, otherwise: Term) -> Term:
    """`then` if `condition` holds, else `otherwise`; both integers, or both truth values."""
    if condition.is_constant:
        return then if condition.value else otherwise
    if then is otherwise:
        return then
    if condition.operator == "not":
        return choice(condition.arguments[0], otherwise, then)
    if then.operator == "choose" and then.arguments[0] is condition:
        then = then.arguments[1]
    if otherwise.operator == "choose" and otherwise.arguments[0] is condition:
        otherwise = otherwise.arguments[2]
    if then.is_bool:
        return _bool_choice(condition, then, otherwise)
    if otherwise.operator == "choose" and otherwise.arguments[1] is then:
        return choice(disjunction(condition, otherwise.arguments[0]), then, otherwise.arguments[2])
    if then is otherwise:
        return then
    low, high = min(then.low, otherwise.low), max(then.high, otherwise.high)
    return _term("choose", (condition, then, otherwise), low, high)


def _bool_choice(condition: Term, then: Term, otherwise: Term) -> Term:
    if then is otherwise:
        return then
    if then.is_constant:
        return disjunction(condition, otherwise) if then.value else conjunction(negation(condition), otherwise)
    if otherwise.is_constant:
        return disjunction(negation(condition), then) if otherwise.value else conjunction(condition, then)
    return _truth("choose", (condition, then, otherwise))


# -- comparisons -----------------------------------------------------------------------------------------------


def equals(left: Term, right: Term) -> Term:
    """Whether two integers, or two truth values, are equal."""
    if left is right:
        return TRUE
    if left.is_bool:
        return _bool_choice(left, right, negation(right))
    if left.is_constant:
        left, right = right, left
    if left.high < right.low or right.high < left.low or _distance(left, right):
        return FALSE
    if right.is_constant:
        if left.is_constant:
            return truth(left.value == right.value)
        if _has_constant_branch(left):
            condition, then, otherwise = left.arguments
            return choice(condition, equals(then, right), equals(otherwise, right))
        if left.operator == "+" and left.arguments[1].is_constant:
            return equals(left.arguments[0], number(right.value - left.arguments[1].value))
    return _truth("==", (left, right))


def _distance(left: Term, right: Term) -> int | None:
    """`right` - `left` if that is evidently a constant; otherwise None."""
    (one, less), (other, more) = _sum(left), _sum(right)
    return more - less if one is other else None


def _sum(term: Term) -> tuple[Term, int]:
    if term.operator == "+" and term.arguments[1].is_constant:
        return term.arguments[0], term.arguments[1].value
    return term, 0


def _has_constant_branch(term: Term) -> bool:
    return term.operator == "choose" and (term.arguments[1].is_constant or term.arguments[2].is_constant)


def is_less(left: Term, right: Term) -> Term:
    """Whether `left` is below `right`."""
    if left.high < right.low:
        return TRUE
    if left.low >= right.high:
        return FALSE
    if (distance := _distance(left, right)) is not None:
        return truth(distance > 0)
    if right.is_constant and right.value == left.low + 1:
        return equals(left, number(left.low))
    if left.is_constant and left.value == right.high - 1:
        return equals(right, number(right.high))
    if right.is_constant and _has_constant_branch(left):
        condition, then, otherwise = left.arguments
        return choice(condition, is_less(then, right), is_less(otherwise, right))
    if left.is_constant and _has_constant_branch(right):
        condition, then, otherwise = right.arguments
        return choice(condition, is_less(left, then), is_less(left, otherwise))
    return _truth("<", (left, right))


def is_at_most(left: Term, right: Term) -> Term:
    """Whether `left` is at most `right`."""
    return negation(is_less(right, left))


def is_within(term: Term, low: int, high: int) -> Term:
    """Whether `term` lies in `low` .. `high`."""
    return conjunction(is_at_most(number(low), term), is_at_most(term, number(high)))


# -- integers --------------------------------------------------------------------------------------------------


def plus(left: Term, right: Term) -> Term:
    """The sum."""
    if left.is_constant:
        left, right = right, left
    if right.is_constant:
        if left.is_constant:
            return number(left.value + right.value)
        if right.value == 0:
            return left
        if left.operator == "+" and left.arguments[1].is_constant:
            return plus(left.arguments[0], number(left.arguments[1].value + right.value))
    return _term("+", (left, right), left.low + right.low, left.high + right.high)


def minus(left: Term, right: Term) -> Term:
    """The difference."""
    if right.is_constant:
        return plus(left, number(-right.value))
    if left is right:
        return ZERO
    return _term("-", (left, right), left.low - right.high, left.high - right.low)


def times(left: Term, right: Term) -> Term:
    """The product."""
    if left.is_constant:
        left, right = right, left
    corners = [one * other for one in (left.low, left.high) for other in (right.low, right.high)]
    if min(corners) == max(corners):
        return number(corners[0])
    return left if right is ONE else _term("*", (left, right), min(corners), max(corners))


def quotient(left: Term, right: Term) -> Term:
    """The quotient rounded down, as Python's //; `right` is not 0."""
    if left.is_constant and right.is_constant and right.value != 0:
        return number(left.value // right.value)
    most = max(abs(left.low), abs(left.high))
    low = 0 if left.low >= 0 and right.low >= 0 else -most
    return _term("//", (left, right), low, most)


def remainder(left: Term, right: Term) -> Term:
    """The remainder with the sign of `right`, as Python's %; `right` is not 0."""
    if left.is_constant and right.is_constant and right.value != 0:
        return number(left.value % right.value)
    if right.low > 0 and left.low >= 0 and left.high < right.low:
        return left
    return _term("%", (left, right), min(right.low + 1, 0), max(right.high - 1, 0))


def bits_and(left: Term, right: Term) -> Term:
    """The bitwise and."""
    if left.is_constant and right.is_constant:
        return number(left.value & right.value)
    for one, other in ((left, right), (right, left)):
        if one.is_constant and other.low >= 0 and _covers(one.value, other.high):
            return other
        if one is minus(number(-1), other):  # ~other
            return ZERO
    low, high = _bit_range(left, right)
    if left.low >= 0 or right.low >= 0:
        low = 0
        high = min(each.high for each in (left, right) if each.low >= 0)
    return ZERO if low == high == 0 else _term("&", (left, right), low, high)


def _covers(mask: int, high: int) -> bool:
    """Whether `mask` has every bit that a value 0 .. high can have."""
    every = (1 << high.bit_length()) - 1
    return mask & every == every


def bits_or(left: Term, right: Term) -> Term:
    """The bitwise or."""
    return _either(left, right, "|", left.value | right.value if left.is_constant and right.is_constant else None)


def bits_xor(left: Term, right: Term) -> Term:
    """The bitwise exclusive or."""
    return _either(left, right, "^", left.value ^ right.value if left.is_constant and right.is_constant else None)


def _either(left: Term, right: Term, operator: str, known: int | None) -> Term:
    if known is not None:
        return number(known)
    if left is ZERO or right is ZERO:
        return right if left is ZERO else left
    low, high = _bit_range(left, right)
    return _term(operator, (left, right), 0 if left.low >= 0 and right.low >= 0 else low, high)


def _bit_range(left: Term, right: Term) -> tuple[int, int]:
    most = 1 << max(abs(bound).bit_length() for each in (left, right) for bound in (each.low, each.high))
    return -most, most - 1


def shifted_down(term: Term, places: int) -> Term:
    """`term >> places`, rounded down."""
    if places == 0:
        return term
    low, high = term.low >> places, term.high >> places
    return number(low) if low == high else _term(">>", (term,), low, high, places)


def least(left: Term, right: Term) -> Term:
    """The smaller one."""
    return narrowed(choice(is_less(left, right), left, right), min(left.low, right.low), min(left.high, right.high))


def greatest(left: Term, right: Term) -> Term:
    """The larger one."""
    return narrowed(choice(is_less(right, left), left, right), max(left.low, right.low), max(left.high, right.high))


def narrowed(term: Term, low: int, high: int) -> Term:
    """`term`, which is known to lie in `low` .. `high`."""
    low, high = max(low, term.low), min(high, term.high)
    if (low, high) == (term.low, term.high):
        return term
    if low >= high:
        return number(low)
    return _term("narrow", (term,), low, high)


def as_number(term: Term) -> Term:
    """A truth value as 1 or 0."""
    return choice(term, ONE, ZERO)


# -- the parts of a term -----------------------------------------------------------------------------------------


def in_order(roots: Sequence[Term], known: Container[int] = ()) -> Iterator[Term]:
    """Every term within the roots, once, arguments before the terms that have them.

    Terms whose `id` is known are left out, with their arguments.
    """
    done: set[int] = set()
    stack: list[tuple[Term, bool]] = [(root, False) for root in reversed(roots)]
    while stack:
        term, is_ready = stack.pop()
        if is_ready:
            yield term
        elif id(term) not in done and id(term) not in known:
            done.add(id(term))
            stack.append((term, True))
            stack.extend((argument, False) for argument in reversed(term.arguments))


def variables_of(roots: Sequence[Term]) -> list[Term]:
    """The variables of some terms, in a fixed order."""
    return [term for term in in_order(roots) if term.operator == "variable"]


def digest(root: Term) -> str:
    """A hash of the formula as hexadecimal text, the same in every process."""
    for term in in_order([root]):
        if term._digest is None:
            text = repr((term.operator, term.payload, term.is_bool, term.low, term.high))
            parts = [text.encode(), *(argument._digest or b"" for argument in term.arguments)]
            term._digest = hashlib.sha256(b"\0".join(parts)).digest()
    assert root._digest is not None
    return root._digest.hex()


Dumped = tuple[list[tuple[str, tuple[int, ...], Payload, bool, int, int]], list[int]]
"""Terms as plain data: each with the numbers of its arguments, which come before it; then the roots' numbers."""


def dump(roots: Sequence[Term]) -> Dumped:
    """Terms as plain data, for another process."""
    numbers: dict[int, int] = {}
    rows: list[tuple[str, tuple[int, ...], Payload, bool, int, int]] = []
    for term in in_order(roots):
        arguments = tuple(numbers[id(argument)] for argument in term.arguments)
        numbers[id(term)] = len(rows)
        rows.append((term.operator, arguments, term.payload, term.is_bool, term.low, term.high))
    return rows, [numbers[id(root)] for root in roots]


def load(dumped: Dumped) -> list[Term]:
    """The terms that `dump` has written."""
    rows, roots = dumped
    made: list[Term] = []
    for operator, arguments, payload, is_bool, low, high in rows:
        made.append(_intern(operator, tuple(made[number] for number in arguments), payload, is_bool, low, high))
    return [made[number] for number in roots]
