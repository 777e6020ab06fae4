"""Terms as SMT-LIB 2 scripts, which any solver for bit-vectors reads. The same terms always give the same bytes.

It is a second reading of terms beside the one that `checker.proofs.solver` gives to Z3: if one of them is wrong, a
solver that reads the script says something else.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from kafkacheck.checker.proofs.solver import ranges_of, width
from kafkacheck.checker.symbolic.terms import Term, in_order, variables_of

DEEPEST = 20
"""How deeply expressions are nested; deeper ones are given names, as are those that occur several times."""

_OPERATORS = {"+": "bvadd", "-": "bvsub", "*": "bvmul", "&": "bvand", "|": "bvor", "^": "bvxor", "%": "bvsmod"}


def script(assertions: Sequence[Term]) -> str:
    """The question whether all assertions can hold at once, for variables within their ranges, up to `(check-sat)`."""
    return "\n".join(["(set-logic QF_BV)", *_Writer([*ranges_of(variables_of(assertions)), *assertions]).lines(), ""])


class _Writer:
    """Writes some assertions. An integer is a signed bit-vector of `width(term)` bits."""

    def __init__(self, roots: Sequence[Term]) -> None:
        self._roots = roots
        self._terms = list(in_order(roots))
        self._uses = Counter(id(argument) for term in self._terms for argument in term.arguments)
        self._texts: dict[int, str] = {}
        self._depths: dict[int, int] = {}

    def lines(self) -> Iterator[str]:
        """The declarations, definitions and assertions, then the question."""
        for term in self._terms:
            sort = "Bool" if term.is_bool else f"(_ BitVec {width(term)})"
            text = self._truth(term) if term.is_bool else self._integer(term)
            depth = 1 + max((self._depths[id(argument)] for argument in term.arguments), default=-1)
            if term.operator == "variable":
                yield f"(declare-const {text} {sort})"
            elif term.arguments and (self._uses[id(term)] > 1 or depth > DEEPEST):
                name, depth = f"${len(self._texts)}", 0
                yield f"(define-fun {name} () {sort} {text})"
                text = name
            self._texts[id(term)], self._depths[id(term)] = text, depth
        yield from (f"(assert {self._texts[id(root)]})" for root in self._roots)
        yield "(check-sat)"

    def _integer(self, term: Term) -> str:
        wide = width(term)
        match term.operator:
            case "const":
                return f"(_ bv{term.value % (1 << wide)} {wide})"
            case "variable":
                return _symbol(term)
            case "choose":
                condition, *sides = term.arguments
                then, otherwise = (self._resized(side, wide) for side in sides)
                return f"(ite {self._texts[id(condition)]} {then} {otherwise})"
            case "narrow":
                return self._resized(term.arguments[0], wide)
            case ">>":
                (shifted,) = term.arguments
                assert isinstance(term.payload, int)
                first, last = width(shifted) - 1, min(term.payload, width(shifted) - 1)
                return _resize(f"((_ extract {first} {last}) {self._texts[id(shifted)]})", first - last + 1, wide)
        enough = max(wide, *map(width, term.arguments)) + (term.operator == "//")
        left, right = (self._resized(side, enough) for side in term.arguments)
        if term.operator == "//":
            return _resize(f"(bvsdiv (bvsub {left} (bvsmod {left} {right})) {right})", enough, wide)
        return _resize(f"({_OPERATORS[term.operator]} {left} {right})", enough, wide)

    def _truth(self, term: Term) -> str:
        match term.operator:
            case "const":
                return "true" if term.value else "false"
            case "variable":
                return _symbol(term)
            case "==" | "<":
                enough = max(map(width, term.arguments))
                left, right = (self._resized(side, enough) for side in term.arguments)
                return f"({'=' if term.operator == '==' else 'bvslt'} {left} {right})"
            case operator:
                name = "ite" if operator == "choose" else operator
                return f"({name} {' '.join(self._texts[id(argument)] for argument in term.arguments)})"

    def _resized(self, term: Term, wide: int) -> str:
        return _resize(self._texts[id(term)], width(term), wide)


def _symbol(term: Term) -> str:
    return f"|{term.payload}|"


def _resize(text: str, now: int, wide: int) -> str:
    if now == wide:
        return text
    return f"((_ sign_extend {wide - now}) {text})" if now < wide else f"((_ extract {wide - 1} 0) {text})"
