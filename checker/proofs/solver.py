"""Terms for Z3, and its answers. Only this file imports z3.

An integer is a bit-vector just wide enough for its interval, so that nothing overflows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import z3

from kafkacheck.checker.process import shutdown
from kafkacheck.checker.symbolic.terms import Term, equals, in_order, is_within, negation, number, variables_of

VERSION = z3.get_version_string()

MOST_MILLISECONDS = 2**32 - 2
"""The longest timeout that Z3 takes."""


class Status(Enum):
    """Whether an assertion can hold: an UNKNOWN is none of the other two."""

    SATISFIABLE = "satisfiable"
    UNSATISFIABLE = "unsatisfiable"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Answer:
    """The answer of Z3: the values of the variables if it is SATISFIABLE, and why it is UNKNOWN.

    core: if it is UNSATISFIABLE, the numbers of assertions of the question that cannot hold together already.
    """

    status: Status
    values: dict[str, int] = field(default_factory=dict)
    reason: str = ""
    core: tuple[int, ...] = ()


class Translation:
    """Terms as Z3 expressions; each is translated once."""

    def __init__(self) -> None:
        self._context = z3.Context()
        self._done: dict[int, tuple[Term, Any]] = {}
        self._variables: dict[int, tuple[Term, tuple[Term, ...]]] = {}

    def solver(self) -> Any:
        """A solver for the expressions that are translated here."""
        solver = z3.SolverFor("QF_BV", ctx=self._context)
        solver.set("ctrl_c", False)  # or else Z3 has a handler of its own, and Python's is not called
        return solver

    def expression(self, root: Term) -> Any:
        """A term as a Z3 expression: a Bool, or a signed bit-vector of `width(root)` bits."""
        for term in in_order([root], self._done):
            self._done[id(term)] = (term, self._translate(term))
        return self._done[id(root)][1]

    def variables(self, root: Term) -> tuple[Term, ...]:
        """The variables of a term, in a fixed order."""
        if id(root) not in self._variables:
            self._variables[id(root)] = (root, tuple(variables_of([root])))
        return self._variables[id(root)][1]

    def _of(self, term: Term) -> Any:
        return self._done[id(term)][1]

    def _translate(self, term: Term) -> Any:
        if term.is_bool:
            return self._truth(term)
        if term.operator == "const":
            return z3.BitVecVal(term.value, width(term), self._context)
        if term.operator == "variable":
            return z3.BitVec(str(term.payload), width(term), self._context)
        if term.operator == "choose":
            condition, *sides = term.arguments
            return z3.If(self._of(condition), *(self._resized(side, width(term)) for side in sides))
        if term.operator == "narrow":
            return self._resized(term.arguments[0], width(term))
        if term.operator == ">>":
            (shifted,) = term.arguments
            assert isinstance(term.payload, int)
            whole = self._of(shifted)
            return _resize(z3.Extract(whole.size() - 1, min(term.payload, whole.size() - 1), whole), width(term))
        return self._arithmetic(term)

    def _arithmetic(self, term: Term) -> Any:
        wide = max(width(term), *map(width, term.arguments))
        left, right = (self._resized(side, wide) for side in term.arguments)
        match term.operator:
            case "+":
                value = left + right
            case "-":
                value = left - right
            case "*":
                value = left * right
            case "&":
                value = left & right
            case "|":
                value = left | right
            case "^":
                value = left ^ right
            case "%":
                value = z3_smod(left, right)
            case "//":
                left, right = (_resize(side, wide + 1) for side in (left, right))
                value = (left - z3_smod(left, right)) / right
            case operator:
                raise AssertionError(operator)
        return _resize(value, width(term))

    def _truth(self, term: Term) -> Any:
        match term.operator:
            case "const":
                return z3.BoolVal(bool(term.value), self._context)
            case "variable":
                return z3.Bool(str(term.payload), self._context)
            case "not":
                return z3.Not(self._of(term.arguments[0]))
            case "and":
                return z3.And(*map(self._of, term.arguments))
            case "or":
                return z3.Or(*map(self._of, term.arguments))
            case "choose":
                return z3.If(*map(self._of, term.arguments))
        wide = max(map(width, term.arguments))
        left, right = (self._resized(side, wide) for side in term.arguments)
        return left == right if term.operator == "==" else left < right

    def _resized(self, term: Term, wide: int) -> Any:
        return _resize(self._of(term), wide)


def z3_smod(left: Any, right: Any) -> Any:
    """Python's % of two bit-vectors of equal width: the remainder has the sign of `right`."""
    reference = z3.Z3_mk_bvsmod(left.ctx_ref(), left.as_ast(), right.as_ast())
    return z3.BitVecRef(reference, left.ctx)


def width(term: Term) -> int:
    """How many bits hold every value of an integer term, its sign included."""
    return 1 + max((bound if bound >= 0 else ~bound).bit_length() for bound in (term.low, term.high))


def _resize(value: Any, wide: int) -> Any:
    now = value.size()
    if now == wide:
        return value
    return z3.SignExt(wide - now, value) if now < wide else z3.Extract(wide - 1, 0, value)


def ranges_of(variables: Sequence[Term]) -> list[Term]:
    """That each variable lies in its range, if its bit-vector could hold more."""
    ranges = [_ranged(term) for term in variables if not term.is_bool]
    return [term for term in ranges if not term.is_constant]


def _ranged(term: Term) -> Term:
    half = 1 << (width(term) - 1)
    free = Term("narrow", (term,), None, False, -half, half - 1)
    return is_within(free, term.low, term.high)


class Session:
    """Assertions that grow, and questions under them. `timeout` is in seconds for each question, None for none."""

    def __init__(self, timeout: float | None, translation: Translation | None = None) -> None:
        self._translation = translation or Translation()
        self._solver = self._translation.solver()
        self._variables: dict[int, Term] = {}
        self.limit(timeout)

    def limit(self, timeout: float | None) -> None:
        """Give each question from now on this many seconds; None leaves the limit as it is."""
        if timeout is not None:
            self._solver.set("timeout", int(min(max(1, timeout * 1000), MOST_MILLISECONDS)))

    def add(self, *assertions: Term) -> None:
        """Let the assertions hold from now on."""
        self._know(assertions)
        for term in assertions:
            self._solver.add(self._translation.expression(term))

    def _know(self, terms: Sequence[Term]) -> None:
        met = (term for each in terms for term in self._translation.variables(each))
        new = {id(term): term for term in met if id(term) not in self._variables}
        self._variables |= new
        for term in ranges_of(tuple(new.values())):
            self._solver.add(self._translation.expression(term))

    def ask(self, *assertions: Term) -> Answer:
        """Whether these can hold together with what was added, for variables within their ranges.

        A request to end, such as Ctrl-C, ends it, and is raised or noted as elsewhere.
        """
        self._know(assertions)
        expressions = [self._translation.expression(term) for term in assertions]
        with shutdown.waking(self._solver.interrupt, lambda: False):
            status = self._solver.check(*expressions)
        if status == z3.unsat:
            guilty = {each.get_id() for each in self._solver.unsat_core()} if expressions else ()
            return Answer(
                Status.UNSATISFIABLE,
                core=tuple(number for number, each in enumerate(expressions) if each.get_id() in guilty),
            )
        if status == z3.unknown:
            return Answer(Status.UNKNOWN, reason=self._solver.reason_unknown())
        return Answer(Status.SATISFIABLE, self._values())

    def _values(self) -> dict[str, int]:
        model, values = self._solver.model(), {}
        for term in self._variables.values():
            value = model.eval(self._translation.expression(term), model_completion=True)
            values[str(term.payload)] = int(z3.is_true(value)) if term.is_bool else int(value.as_signed_long())
        return values

    def wish(self, wishes: Mapping[str, int], values: dict[str, int]) -> dict[str, int]:
        """Values in which each variable is as wished for, as far as that goes together with the wishes before."""
        for variable in tuple(self._variables.values()):
            name = str(variable.payload)
            if name in wishes:
                wish = _is(variable, wishes[name])
                if values[name] != wishes[name]:
                    answer = self.ask(wish)
                    if answer.status is not Status.SATISFIABLE:
                        continue
                    values = answer.values
                self.add(wish)
        return values


def solve(
    assertions: Sequence[Term],
    timeout: float | None,
    wishes: Mapping[str, int] | None = None,
    translation: Translation | None = None,
) -> Answer:
    """Whether all assertions can hold at once, for variables within their ranges. `timeout` is in seconds.

    If they can, the answer gives each variable its value of `wishes`, as far as that goes.
    """
    session = Session(timeout, translation)
    session.add(*assertions)
    answer = session.ask()
    if answer.status is Status.SATISFIABLE and wishes:
        return Answer(answer.status, session.wish(wishes, answer.values))
    return answer


def _is(variable: Term, value: int) -> Term:
    if variable.is_bool:
        return variable if value else negation(variable)
    return equals(variable, number(value))
