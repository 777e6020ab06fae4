"""Terms mean what Python's integers do, in every form in which they are kept: folded, as Z3's, and on many states."""

import operator
import pickle
import random

import numpy as np
import pytest

from kafkacheck.checker.proofs import solver
from kafkacheck.checker.proofs.solver import Status, Translation
from kafkacheck.checker.symbolic import term_values, terms
from tests.support import z3_values

X, Y = terms.variable("x", -3, 5), terms.variable("y", 0, 3)
Z = terms.variable("z", 1, 4)
FLAG = terms.flag("flag")

MEANINGS = [
    (terms.plus(X, Y), lambda x, y, z, flag: x + y),
    (terms.minus(X, Y), lambda x, y, z, flag: x - y),
    (terms.minus(terms.number(-1), X), lambda x, y, z, flag: ~x),
    (terms.times(X, Y), lambda x, y, z, flag: x * y),
    (terms.quotient(X, Z), lambda x, y, z, flag: x // z),
    (terms.quotient(X, terms.minus(Y, terms.number(4))), lambda x, y, z, flag: x // (y - 4)),
    (terms.remainder(X, Z), lambda x, y, z, flag: x % z),
    (terms.remainder(X, terms.minus(Y, terms.number(4))), lambda x, y, z, flag: x % (y - 4)),
    (terms.bits_and(X, Y), lambda x, y, z, flag: x & y),
    (terms.bits_or(X, Y), lambda x, y, z, flag: x | y),
    (terms.bits_xor(X, Y), lambda x, y, z, flag: x ^ y),
    (terms.bits_and(X, terms.number(~2)), lambda x, y, z, flag: x & ~2),
    (terms.shifted_down(X, 1), lambda x, y, z, flag: x >> 1),
    (terms.shifted_down(X, 20), lambda x, y, z, flag: x >> 20),
    (terms.least(X, Y), lambda x, y, z, flag: min(x, y)),
    (terms.greatest(X, Y), lambda x, y, z, flag: max(x, y)),
    (terms.choice(FLAG, X, Y), lambda x, y, z, flag: x if flag else y),
    (terms.choice(FLAG, X, terms.choice(terms.equals(Y, terms.ONE), X, Z)), lambda x, y, z, f: x if f or y == 1 else z),
    (terms.as_number(FLAG), lambda x, y, z, flag: int(flag)),
    (terms.equals(X, Y), lambda x, y, z, flag: x == y),
    (terms.equals(terms.plus(X, terms.number(2)), terms.number(4)), lambda x, y, z, flag: x + 2 == 4),
    (terms.equals(terms.choice(FLAG, terms.ONE, Y), terms.ONE), lambda x, y, z, flag: flag or y == 1),
    (terms.equals(FLAG, terms.is_less(X, Y)), lambda x, y, z, flag: flag == (x < y)),
    (terms.is_less(X, Y), lambda x, y, z, flag: x < y),
    (terms.is_less(terms.choice(FLAG, terms.ONE, Y), terms.number(2)), lambda x, y, z, flag: (1 if flag else y) < 2),
    (terms.is_less(terms.number(1), terms.choice(FLAG, Y, terms.ONE)), lambda x, y, z, flag: (y if flag else 1) > 1),
    (terms.is_at_most(X, Y), lambda x, y, z, flag: x <= y),
    (terms.is_within(X, -1, 2), lambda x, y, z, flag: -1 <= x <= 2),
    (terms.implication(FLAG, terms.is_less(X, Y)), lambda x, y, z, flag: not flag or x < y),
    (terms.choice(FLAG, terms.is_less(X, Y), terms.equals(X, Z)), lambda x, y, z, flag: x < y if flag else x == z),
]
ROWS = [(x, y, z, flag) for x in range(-3, 6) for y in range(4) for z in range(1, 5) for flag in (False, True)]
COLUMNS = {name: np.array(column) for name, column in zip("xyz", list(zip(*ROWS, strict=True))[:3], strict=True)}
COLUMNS["flag"] = np.array([row[3] for row in ROWS])


@pytest.mark.parametrize(("term", "meaning"), MEANINGS)
def test_a_term_means_what_python_computes(term, meaning):
    wanted = [meaning(*row) for row in ROWS]
    (values,) = term_values.evaluate([term], COLUMNS)
    assert [int(value) for value in np.broadcast_to(values, len(ROWS))] == [int(value) for value in wanted]
    z3_value = z3_values.evaluate(Translation().expression(term), COLUMNS, {})
    assert [int(value) for value in np.broadcast_to(z3_value, len(ROWS))] == [int(value) for value in wanted]
    if not term.is_bool:
        assert term.low <= min(wanted) and max(wanted) <= term.high


@pytest.mark.parametrize("build", [terms.plus, terms.minus, terms.times, terms.bits_and, terms.bits_or, terms.bits_xor])
def test_constants_are_folded(build):
    symbols = {"plus": "add", "minus": "sub", "times": "mul", "bits_and": "and_", "bits_or": "or_", "bits_xor": "xor"}
    compute = getattr(operator, symbols[build.__name__])
    for left in range(-4, 5):
        for right in range(-4, 5):
            assert build(terms.number(left), terms.number(right)) is terms.number(compute(left, right))


def test_equal_terms_are_one_object_and_opposites_cancel():
    assert terms.plus(X, Y) is terms.plus(X, Y)
    less = terms.is_less(X, Y)
    assert terms.negation(terms.negation(less)) is less
    assert terms.conjunction(less, FLAG, terms.negation(less)) is terms.FALSE
    assert terms.disjunction(terms.negation(less), FLAG, less) is terms.TRUE
    assert terms.conjunction(terms.conjunction(less, FLAG), less) is terms.conjunction(less, FLAG)
    assert terms.equals(Y, terms.number(7)) is terms.FALSE
    assert terms.is_less(X, terms.number(6)) is terms.TRUE
    assert terms.is_less(X, X) is terms.FALSE
    one, two = (terms.equals(X, terms.number(value)) for value in (1, 2))
    assert terms.conjunction(one, FLAG, two) is terms.FALSE
    assert terms.disjunction(terms.negation(one), FLAG, terms.negation(two)) is terms.TRUE
    later = terms.plus(Y, terms.number(1))
    assert terms.equals(later, Y) is terms.FALSE and terms.is_less(Y, later) is terms.TRUE
    assert terms.is_less(X, terms.number(X.low + 1)) is terms.equals(X, terms.number(X.low))
    assert terms.is_less(terms.number(X.high - 1), X) is terms.equals(X, terms.number(X.high))
    assert terms.bits_and(Y, terms.minus(terms.number(-1), Y)) is terms.ZERO


def test_terms_survive_the_way_to_another_process():
    roots = [term for term, _ in MEANINGS]
    loaded = terms.load(pickle.loads(pickle.dumps(terms.dump(roots))))
    assert all(one is other for one, other in zip(roots, loaded, strict=True))


def test_a_digest_tells_formulas_apart():
    digests = {terms.digest(term) for term, _ in MEANINGS}
    assert len(digests) == len({id(term) for term, _ in MEANINGS})
    assert terms.digest(X) != terms.digest(terms.variable("x", -3, 6))


def test_the_solver_keeps_variables_in_their_ranges():
    answer = solver.solve([terms.is_less(terms.number(4), X)], 10)
    assert (answer.status, answer.values) == (Status.SATISFIABLE, {"x": 5})
    both = [terms.equals(terms.plus(X, Y), terms.number(8)), terms.is_less(Y, terms.number(3))]
    assert solver.solve(both, 10).status is Status.UNSATISFIABLE


def test_the_solver_grants_wishes_as_far_as_they_go_together():
    apart = terms.negation(terms.equals(X, Y))
    answer = solver.solve([apart, terms.is_less(X, terms.number(3))], 10, {"x": 1, "y": 1})
    assert answer.values["x"] == 1 and answer.values["y"] != 1
    assert solver.solve([terms.disjunction(FLAG, apart)], 10, {"flag": 0, "x": 2}).values["flag"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_random_terms_are_evaluated_alike(seed):
    rng = random.Random(seed)
    pool = [X, Y, Z, terms.number(rng.randint(-9, 9))]
    facts = [FLAG, terms.is_less(X, Y)]
    builders = [terms.plus, terms.minus, terms.bits_and, terms.bits_or, terms.bits_xor, terms.least, terms.greatest]
    for _ in range(60):
        pool.append(rng.choice(builders)(rng.choice(pool), rng.choice(pool)))
        facts.append(rng.choice([terms.equals, terms.is_less])(rng.choice(pool), rng.choice(pool)))
        facts.append(rng.choice([terms.conjunction, terms.disjunction])(rng.choice(facts), rng.choice(facts)))
        pool.append(terms.choice(rng.choice(facts), rng.choice(pool), rng.choice(pool)))
        pool = [term for term in pool if abs(term.low) < 2**40 and term.high < 2**40]
    translation, done = Translation(), {}
    for term, values in zip(pool, term_values.evaluate(pool, COLUMNS), strict=True):
        assert np.all(values == z3_values.evaluate(translation.expression(term), COLUMNS, done))
        assert np.all(values >= term.low) and np.all(values <= term.high)
