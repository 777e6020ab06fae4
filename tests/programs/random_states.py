"""Random well-formed states: some anywhere, some near a reachable one, so that actions are enabled in many of them."""

import random

from kafkacheck.checker.proofs import samples


def reached(model, rng, count, length=30):
    """Flattened states met on random walks from the initial states."""
    found = []
    while len(found) < count:
        state = rng.choice(model.initial_states()).copy()
        for _ in range(length):
            enabled = []
            for action in model.actions:
                for values in action.combinations():
                    after = state.copy()
                    if action.apply(after, values):
                        enabled.append(after)
            if not enabled:
                break
            state = rng.choice(enabled)
            found.append(model.layout.flatten(state))
    return found


def anywhere(model, count, seed):
    """`count` flattened states, every scalar drawn from its range, with queues and bags in their form."""
    rng = random.Random(seed)
    return [samples.anywhere(model.layout, rng) for _ in range(count)]


def states(model, count, seed):
    """`count` flattened states: a quarter drawn anywhere, the rest near reached ones."""
    rng = random.Random(seed)
    known = reached(model, rng, 300)
    return [
        samples.near(model.layout, rng, rng.choice(known)) if number % 4 else samples.anywhere(model.layout, rng)
        for number in range(count)
    ]
