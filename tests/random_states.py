"""Random well-typed states: some anywhere, some near a reachable one, so that actions are enabled in many of them."""

import random


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
    """`count` flattened states, every scalar drawn from its range."""
    rng = random.Random(seed)
    return [tuple(rng.randint(leaf.low, leaf.high) for leaf in model.layout.leaves) for _ in range(count)]


def states(model, count, seed):
    """`count` flattened states: a quarter drawn anywhere, the rest reached ones with up to three scalars changed."""
    rng = random.Random(seed)
    leaves = model.layout.leaves
    known = reached(model, rng, 300)
    drawn = []
    for number in range(count):
        if number % 4 == 0:
            drawn.append(tuple(rng.randint(leaf.low, leaf.high) for leaf in leaves))
            continue
        values = list(rng.choice(known))
        for place in rng.sample(range(len(leaves)), min(rng.randrange(4), len(leaves))):
            values[place] = rng.randint(leaves[place].low, leaves[place].high)
        drawn.append(tuple(values))
    return drawn
