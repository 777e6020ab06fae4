"""The contract of every action of every model, and that both readings take it alike.

On reachable states and on random well-formed ones, reachable or not: False means that not one scalar changed, True that
at least one did, equal input gives equal output, and the compiled reading gives the same successors in the same order.

The readings are compared on 100,000 pairs of a state and an action for each abstract model and for one model each of
the cluster, the producer and transactions with `--long`, and on a part of them without it.
"""

import itertools
import random
from functools import lru_cache

import numpy as np
import pytest

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.compiled import kernel, machine_code
from kafkacheck.checker.compiled.compiled import Workspace
from kafkacheck.checker.compiled.context import EXCLUDED
from kafkacheck.checker.compiled.native import FAULT, FAULT_AT, NO_FAULT
from kafkacheck.checker.exploration.evaluation import Evaluation
from kafkacheck.checker.process.errors import EvaluationError
from kafkacheck.impl.producer.rules import ProducerRules
from kafkacheck.model.producer.environment import start_known
from kafkacheck.model.producer.family import PRODUCER
from kafkacheck.model.replication.system import State
from tests.expected import names_of
from tests.programs.random_states import reached
from tests.support.marks import long_but
from tests.toys.broken import MODELS as BROKEN

pytestmark = pytest.mark.slow

PAIRS = 100_000
"""How many (state, action with parameters) pairs of a model the readings are compared on with `--long`, at least."""

FEWEST = 60
"""On how many states the contract of a larger model is tried without `--long`; every search checks it for each step."""

DEEP = 400
"""States met on random walks, which come to actions that take many steps; of a larger model without `--long` fewer."""


@lru_cache(maxsize=4)
def reachable_states(model, most):
    """States in breadth-first order, found by plain evaluation."""
    evaluation = Evaluation(model)
    found = dict.fromkeys(model.layout.flatten(state) for state in model.initial_states())
    for values in (queue := list(found)):
        if len(found) >= most:
            break
        for _, _, after in evaluation.successors(values):
            if after not in found:
                found[after] = None
                queue.append(after)
    return list(found)[:most]


def random_states(model, count, seed, near=()):
    """Well-typed states, each scalar drawn from its range; every other one differs little from one of `near`."""
    draw = random.Random(seed)
    leaves = model.layout.leaves
    states = []
    for number in range(count):
        values = [draw.randint(leaf.low, leaf.high) for leaf in leaves]
        if number % 2 and near:
            kept = list(draw.choice(near))
            for place in draw.sample(range(len(leaves)), min(3, len(leaves))):
                kept[place] = values[place]
            values = kept
        states.append(tuple(values))
    return states


def interpreted_successors(model, values):
    """(action number, state after) in order, or None where an action fails or breaks its contract."""
    numbers = {action.name: number for number, action in enumerate(model.actions)}
    try:
        return [(numbers[action.name], after) for action, _, after in Evaluation(model).successors(values)]
    except EvaluationError:
        return None


def compiled_successors(model, states):
    """The same for many states, by the compiled reading, also where a successor lies outside the constraint.

    No property is asked: of a state that no behaviour reaches it may fail.
    """
    model = model.with_properties([])
    space = Workspace(kernel.sizes_of(model), machine_code.entries_soon(kernel.kernel_text(model)), len(states))
    space.store[:] = model.layout.pack(np.array(states, np.int64))
    answers = []
    first = 0
    while first < len(states):
        following, amount = space.expand(first, len(states))
        failed = int(space.report[FAULT_AT]) if space.report[FAULT] != NO_FAULT else None
        rows = model.layout.unpack(space.successors[:amount])
        by_state = {row: [] for row in range(first, len(states) if failed is None else failed)}
        for place in range(amount):
            after = tuple(int(value) for value in rows[place])
            by_state.setdefault(int(space.origins[place]), []).append((int(space.actions[place]) % EXCLUDED, after))
        last = following if failed is None else failed
        answers += [by_state[row] for row in range(first, last)]
        if failed is not None:
            answers.append(None)
            space.report[FAULT] = NO_FAULT
        first = len(answers)
    return answers


CLUSTER = (
    *("cluster.deletion.ends", "cluster.old_fetches", "cluster.zombie.retry", "cluster.read_replica.unleased"),
    *(
        "cluster.zookeeper.late_registration",
        "cluster.reassignment.rounds",
        "cluster.deletion",
        "cluster.elections.shutdown",
    ),
    *("cluster.consumer", "cluster.consumer.two_step_read", "cluster.disks", "cluster.isr.two_step_expansion"),
    *("cluster.read_replica.three", "cluster.failover", "cluster.power", "cluster.consumer.follower_reads"),
    *("cluster.disks.log_start", "cluster.zombie.writes", "cluster.convergence.unclean", "cluster.isr.min_isr"),
    "cluster.disks.epoch_files",
)
"""Models that have every action of the cluster's between them; the first three have most of them."""

FEW = {"batches": 3, "partitions": 1, "records_in_batch": 1, "log_size": 3, "max_log_start": 1, "max_in_flight": 2}
"""Bounds at which the actions of the producer's models have few parameters."""


TRANSACTIONS = ("transactions.at_least_once", "transactions.cleaner", "transactions.end")
"""Small models of transactions. In the others every search checks the contract of each step that it takes."""


def all_of_the_producer():
    """One model with every action of the producer's models, with every disturbance that any of them has."""
    models = [catalogue.find_model(name) for name in names_of("producer")]
    bounds = {bound: max(each.bounds[bound] for each in models) for bound in models[0].bounds} | FEW
    actions = list(dict.fromkeys(action.function for each in models for action in each.actions))
    rules = ProducerRules()
    return PRODUCER.model(name="all", initial=start_known, bounds=bounds, rules=rules, actions=actions)


MODELS = (*names_of("replication"), *CLUSTER, "all of the producer", *TRANSACTIONS)


@pytest.mark.long
def test_every_action_of_the_cluster_is_compared():
    has = {name: {each.name for each in catalogue.find_model(name).actions} for name in names_of("cluster")}
    assert set().union(*(has[name] for name in CLUSTER)) == set().union(*has.values())


@pytest.fixture(params=long_but(MODELS, set(MODELS) - set(CLUSTER[3:])), scope="module")
def model(request):
    return all_of_the_producer() if request.param.startswith("all") else catalogue.find_model(request.param)


@pytest.fixture
def share(model, request):
    """How much of the pairs a test compares: one of so many, less of models that are not abstract, which are slow."""
    if request.config.getoption("--long"):
        return 1
    return 5 if model.state is State else 80


def combinations(model):
    return sum(action.combination_count() for action in model.actions)


def test_false_changes_nothing_true_changes_something_and_equal_input_gives_equal_output(model, share):
    layout = model.layout
    enabled = dict.fromkeys((action.name for action in model.actions), 0)
    is_whole = share == 1 or model.state is State
    near = reachable_states(model, 1500 if share == 1 else 500 if is_whole else FEWEST)
    deep = reached(model, random.Random(4), DEEP if is_whole else FEWEST)
    farther = (values for seed in range(6, 16) for values in random_states(model, 1000, seed, deep))
    states = near[::5] + random_states(model, 100, 1, near[:500]) + deep
    random.Random(5).shuffle(states)
    for number, values in enumerate(itertools.chain(states, farther)):
        if number >= len(states) and all(enabled.values()):
            break
        if number == FEWEST and not is_whole:
            break
        state, again = layout.restore(values), layout.restore(values)
        for action in model.actions:
            for given in action.combinations():
                try:
                    outcome = action.apply(state, given)
                except Exception as error:  # a random state that no behaviour reaches may lie outside the rules
                    with pytest.raises(type(error)):
                        action.apply(again, given)
                    state, again = layout.restore(values), layout.restore(values)
                    continue
                assert action.apply(again, given) is outcome
                assert layout.flatten(again) == layout.flatten(state)
                assert (layout.flatten(state) != values) is outcome
                enabled[action.name] += outcome
                if outcome:
                    state, again = layout.restore(values), layout.restore(values)
    assert all(enabled.values()) if is_whole else any(enabled.values()), enabled


@pytest.mark.parametrize("kind", ["reachable", "random"])
def test_the_readings_agree_on_every_action(model, kind, share):
    count = -(-PAIRS // share // combinations(model))
    reachable = reachable_states(model, count)
    states = reachable if kind == "reachable" else random_states(model, count, 2, reachable)
    expected = [interpreted_successors(model, values) for values in states]
    for values, wanted, found in zip(states, expected, compiled_successors(model, states), strict=True):
        assert found == wanted, dict(zip((leaf.path for leaf in model.layout.leaves), values, strict=True))
    if kind == "reachable":
        assert None not in expected
    else:
        assert len(states) * combinations(model) >= PAIRS // share


def test_a_state_on_which_an_action_fails_is_told_by_both_readings():
    """What the comparison above would see where an action fails: a store outside its range, an index too far."""
    for broken in BROKEN:
        if broken.name in ("leaves_range_above", "index_too_large", "divides_by_zero", "writes_then_returns_false"):
            states = random_states(broken, 50, seed=3)
            expected = [interpreted_successors(broken, values) for values in states]
            assert None in expected
            assert compiled_successors(broken, states) == expected
