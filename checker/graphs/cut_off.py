"""The states that a bound cuts off: those from which a call of an action is possible only if the bound is one larger.

The model at the larger bound is compiled, too, and each state is mapped to the same state there: its scalars have the
same values, as much of an allowance is used up, and the additional scalars are blank. Then every action is tried there
with all its parameters. This is exact for one step; later steps are not tried.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from kafkacheck.checker.compiled.context import Sizes
from kafkacheck.checker.compiled.kernel import kernel_text, sizes_of
from kafkacheck.checker.compiled.native import FAULT, FAULT_AT, NO_FAULT, Entry
from kafkacheck.checker.graphs.state_graph import Array, Combinations, StepSpace
from kafkacheck.checker.model import Model
from kafkacheck.checker.process.errors import KafkacheckError
from kafkacheck.checker.schema import Allowance
from kafkacheck.checker.schema.layout import Slot, packed, unpacked


class Larger(NamedTuple):
    """A model at a bound that is one larger, without its classes, so that it can be sent to another process.

    `columns` has the place of each scalar of a state there, and `added` the number that is added to it, int64[leaves];
    `blank` are the scalars of a blank state there; `same`, int64[combinations], is the number of a call here, -1 for
    one that exists only there.
    """

    text: str
    sizes: Sizes
    slots: list[Slot]
    columns: Array
    added: Array
    blank: Array
    same: Array


class Calls(NamedTuple):
    """Calls of actions that are possible: the rows of the states, and the numbers of the calls.

    `fails`, bool[states], says in which states the code fails.
    """

    sources: Array
    calls: Array
    fails: Array


class Judged(NamedTuple):
    """Of some states whether a bound cuts each off, bool[n], and whether that cannot be known, bool[n]."""

    is_cut_off: Array
    is_unknown: Array


def larger(model: Model, bound: str) -> Larger | None:
    """The model with a bound one larger; None if that is not the same system with more room."""
    try:
        other = model.with_bounds({bound: model.bounds[bound] + 1})
    except KafkacheckError:
        return None
    places = {leaf.path: place for place, leaf in enumerate(other.layout.leaves)}
    here = model.layout.leaves
    if any(leaf.path not in places for leaf in here):
        return None
    columns = np.array([places[leaf.path] for leaf in here])
    there = [other.layout.leaves[column] for column in columns]
    added = [
        after.high - before.high if isinstance(before.kind, Allowance) else 0
        for before, after in zip(here, there, strict=True)
    ]
    if any(
        after.low > before.low + more or after.high < before.high + more
        for before, after, more in zip(here, there, added, strict=True)
    ):
        return None
    numbers = {call: number for number, call in enumerate(_all_calls(model))}
    same = np.array([numbers.get(call, -1) for call in _all_calls(other)], np.int64)
    return Larger(
        kernel_text(other, with_steps=True), sizes_of(other), other.layout.slots, columns,
        np.array(added, np.int64), np.array(other.layout.blank_values, np.int64), same,
    )  # fmt: skip


def _all_calls(model: Model) -> Iterator[tuple[str, tuple[int, ...]]]:
    combinations = Combinations(model)
    for action, values in zip(combinations.actions, combinations.parameters, strict=True):
        yield model.actions[action].name, tuple(int(value) for value in values)


def all_larger(model: Model, bounds: Iterable[str]) -> dict[str, Larger | None]:
    """By bound the model with it one larger."""
    return {bound: larger(model, bound) for bound in bounds}


class CutOff:
    """Finds the states that bounds cut off, given a kernel with steps and, by bound, the answer of `larger`."""

    def __init__(
        self,
        sizes: Sizes,
        slots: Sequence[Slot],
        others: Mapping[str, Larger | None],
        entries_of: Callable[[str], dict[str, Entry]],
        text: str,
    ) -> None:
        self._slots, self._others = slots, others
        self._here = StepSpace(sizes, entries_of(text), 1)
        self._there = {
            bound: StepSpace(other.sizes, entries_of(other.text), 1) for bound, other in others.items() if other
        }

    def __call__(self, words: Array) -> dict[str, Judged]:
        """By bound, which of some packed states it cuts off."""
        known, rows = _calls_from(self._here, words), unpacked(words, self._slots)
        found: dict[str, Judged] = {}
        for bound, other in self._others.items():
            if other is None:
                found[bound] = Judged(np.zeros(len(words), bool), np.ones(len(words), bool))
                continue
            there = np.repeat(other.blank[None, :], len(words), axis=0)
            there[:, other.columns] = rows + other.added
            beyond = _calls_from(self._there[bound], packed(there, other.slots))
            found[bound] = Judged(self._gains(known, beyond, other), beyond.fails)
        return found

    def _gains(self, known: Calls, beyond: Calls, other: Larger) -> Array:
        count = self._here.sizes.combinations
        calls = other.same[beyond.calls]
        is_new = (calls < 0) | ~np.isin(beyond.sources * count + calls, known.sources * count + known.calls)
        found = np.zeros(len(beyond.fails), bool)
        found[beyond.sources[is_new]] = True
        return found


def _calls_from(space: StepSpace, words: Array) -> Calls:
    """The calls that are possible in some packed states."""
    space.adopt(np.ascontiguousarray(words))
    fails = np.zeros(len(words), bool)
    sources, calls = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    following = 0
    while following < len(words):
        space.report[:] = -1
        space.report[FAULT] = NO_FAULT
        following, amount = space.expand(following, len(words))
        if space.report[FAULT] != NO_FAULT:
            following = int(space.report[FAULT_AT])
            amount = int(np.searchsorted(space.origins[:amount], following))
            fails[following] = True
            following += 1
        sources.append(space.origins[:amount].astype(np.int64))
        calls.append(space.combinations[:amount].astype(np.int64))
    return Calls(np.concatenate(sources), np.concatenate(calls), fails)
