"""The state graph of a model: every state and every step between two, level by level, by the compiled reading.

It keeps only the packed states, their parents and the table that finds them; steps are yielded as they are found.
"""

import functools
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from kafkacheck.checker.compiled import machine_code
from kafkacheck.checker.compiled.compiled import CompiledSearch, Workspace
from kafkacheck.checker.compiled.context import NO_STATE, Context, Sizes
from kafkacheck.checker.compiled.kernel import kernel_text
from kafkacheck.checker.compiled.native import FAULT, FAULT_AT, NO_FAULT, Entry
from kafkacheck.checker.exploration.exploration import NO_MEMORY, SECONDS_BETWEEN_LOOKS, Found, Watch, failure
from kafkacheck.checker.exploration.verdict import Limits, ProgressListener, Verdict
from kafkacheck.checker.model import Model
from kafkacheck.checker.process.errors import EvaluationError, NotExhaustedError, UsageError
from kafkacheck.checker.process.locations import guarded
from kafkacheck.checker.schema.objects import Values

MOST_JUDGEMENTS = 64
"""How many properties and examples a state can be judged by: each is one bit."""

Array = np.ndarray[Any, Any]

__all__ = ["NO_STATE", "Combinations", "StateGraph", "States", "StepSpace", "Steps"]


class Steps(NamedTuple):
    """The steps from some states of one level, as arrays of equal length, in order of their sources.

    `sources` uint32 and `targets` uint32 number the states in order of discovery, from 0 on; the target is `NO_STATE`
    if it lies outside the constraint. `combinations` uint32 numbers (action, parameters), see `Combinations`.
    `wrongs` uint64: bit k says that the step violates property k, or its target outside the constraint does. The
    arrays are views that the next steps overwrite.
    """

    level: int
    sources: Array
    combinations: Array
    targets: Array
    wrongs: Array


class States(NamedTuple):
    """Some states in order of discovery, as arrays of equal length; `first` is the number of the first one.

    `words` uint64[n, words] are the packed states, `fingerprints` uint64. `parents` int64: the state it was found
    from, -1 for an initial state. `verdicts` uint64: bit k says that property k is violated; the bits after those of
    the properties say which `sometimes` properties it is an example of. `measures` int64[n, measures].
    """

    first: int
    words: Array
    fingerprints: Array
    parents: Array
    verdicts: Array
    measures: Array


class Combinations:
    """All (action, parameters) of a model, numbered in the order in which they are tried."""

    def __init__(self, model: Model) -> None:
        counts = [action.combination_count() for action in model.actions]
        self.actions = np.repeat(np.arange(len(counts)), counts)
        self.parameters = [values for action in model.actions for values in action.combinations()]

    def __len__(self) -> int:
        return len(self.parameters)


def explored(model: Model, watch: Watch) -> "StateGraph":
    """The graph of a model, which `steps` explores. NotExhaustedError if a limit ends the wait for machine code."""
    text = kernel_text(model, with_steps=True)
    with machine_code.compiling_soon(text) as compiler:
        while not compiler.is_ready():
            if watch.interrupts.reason():
                raise NotExhaustedError(watch.interrupts.reason())
            time.sleep(SECONDS_BETWEEN_LOOKS)
        return StateGraph(model, watch=watch, compiled=(text, compiler.entries()))


def _compiled(model: Model) -> tuple[str, dict[str, Entry]]:
    text = kernel_text(model, with_steps=True)
    return text, machine_code.entries_soon(text)


def check_judgements(model: Model) -> None:
    """UsageError if a model has more properties than a state can be judged by."""
    count = len(model.properties) + len(model.sometimes)
    if count > MOST_JUDGEMENTS:
        raise UsageError(
            f"{model.name} has {count} properties; of a state graph at most {MOST_JUDGEMENTS} are told, so name some "
            "of them with --property"
        )


def failure_of_measures(model: Model, values: Values) -> EvaluationError | None:
    """The error of a measure of a state, if one fails."""
    state = model.layout.restore(values)
    try:
        for measure in model.measures:
            guarded(measure.name, functools.partial(measure.value, state))
    except EvaluationError as error:
        return error
    return None


class StepSpace(Workspace):
    """The arrays of a search, and those in which a kernel tells steps and verdicts."""

    def __init__(self, sizes: Sizes, entries: dict[str, Entry], capacity: int, room: int | None = None) -> None:
        super().__init__(sizes, entries, capacity, room)
        self.combinations = np.empty(self.room, np.uint32)
        self.wrongs = np.empty(self.room, np.uint64)
        self.targets = np.empty(self.room, np.uint32)
        self.verdicts = np.empty(self.room, np.uint64)
        self.measures = np.empty(0, np.int64)
        arrays: dict[Context, Array] = {
            Context.COMBINATIONS: self.combinations, Context.WRONGS: self.wrongs, Context.TARGETS: self.targets,
            Context.VERDICTS: self.verdicts,
        }  # fmt: skip
        for slot, array in arrays.items():
            self._context[slot] = array.ctypes.data

    def use_measures(self, count: int) -> None:
        """Allocate the arrays for this many measures of a state."""
        self.measures = np.empty((self.room, count), np.int64)
        self._context[Context.MEASURES] = self.measures.ctypes.data

    def check(self, first: int, last: int) -> None:
        """Evaluate the invariants of the states first .. last-1; the arrays tell of the last ones of them."""
        for start in range(first, last, self.room):
            super().check(start, min(start + self.room, last))


class StateGraph(CompiledSearch):
    """Explores a model to the end, past violations, and yields every step.

    `watch` says when to stop, in place of `limits` and `progress`; `compiled` is the kernel, its text and its entries,
    if it is there. UsageError if the model has more properties than can be told. `levels` and `states` may be
    used while `steps` is iterated; `outcome` is the verdict of a check, and is whole when that is done.
    """

    space_class = StepSpace

    def __init__(
        self,
        model: Model,
        limits: Limits | None = None,
        progress: ProgressListener | None = None,
        watch: Watch | None = None,
        compiled: tuple[str, dict[str, Entry]] | None = None,
    ) -> None:
        check_judgements(model)
        self.initial = 0
        """How many initial states were generated."""
        self.text, entries = compiled or _compiled(model)
        super().__init__(model, entries, watch or Watch(limits or Limits(), progress))
        self._space.use_measures(len(model.measures))

    _space: StepSpace

    @property
    def levels(self) -> list[tuple[int, int]]:
        """The numbers of the first state of each level found, and of the first state after it."""
        ends = self.counts.level_ends
        return [level for level in zip([0, *ends], ends, strict=False) if level[0] < level[1]]

    def steps(self) -> Iterator[Steps]:
        """Explore the model: the steps from the states of level 1, then those of level 2, and so on.

        EvaluationError if the model's code fails; NotExhaustedError, with only the reason, if a limit,
        Ctrl-C or the memory ends it.
        """
        for _, steps in self.steps_by_level():
            yield from steps

    def steps_by_level(self) -> Iterator[tuple[int, Iterator[Steps]]]:
        """The same, as each level with its steps, all of which must be taken before the next level."""
        try:
            found = self._start()
        except MemoryError:
            raise NotExhaustedError(NO_MEMORY) from None
        self.initial = self.counts.generated
        self._go_on(self._failed() if self._space.report[FAULT] != NO_FAULT else found)
        level = 0
        while self._next < self.counts.distinct:
            level, end = level + 1, self.counts.level_ends[-1]
            yield level, self._steps_of(level, end)
            self._note_successors()
            if self.counts.distinct > end:
                self.counts.level_ends.append(self.counts.distinct)
        self.counts.fired = [int(count) for count in self._space.fired]

    def _steps_of(self, level: int, end: int) -> Iterator[Steps]:
        try:
            while self._next < end:
                yield self._steps(level, end)
        except MemoryError:
            raise NotExhaustedError(NO_MEMORY) from None

    def states(self, first: int, last: int) -> Iterator[States]:
        """The states first .. last-1, some at a time. The arrays are views that the next ones overwrite."""
        space = self._space
        for start in range(first, last, space.room):
            end = min(start + space.room, last)
            space.check(start, end)
            parents = space.parents[start:end].astype(np.int64)
            parents[: max(0, self.counts.level_ends[0] - start)] = -1
            count = end - start
            fingerprints, words = space.fingerprints(start, end), space.store[start:end]
            yield States(start, words, fingerprints, parents, space.verdicts[:count], space.measures[:count])

    def values_of(self, states: Sequence[int]) -> list[Values]:
        """States by their numbers, flattened."""
        rows = self.model.layout.unpack(self._space.store[np.asarray(states, np.int64)])
        return [tuple(int(value) for value in each) for each in rows]

    @property
    def outcome(self) -> Found:
        """The verdict of a check, with the property that is violated."""
        return self.counts.judge(self.model) or Found(Verdict.HOLDS)

    def _steps(self, level: int, end: int) -> Steps:
        space, generated = self._space, self.counts.generated
        reason = self._block(end)
        self._go_on(self._failed() if space.report[FAULT] != NO_FAULT else None)
        if reason:
            raise NotExhaustedError(reason)
        count = self.counts.generated - generated
        arrays = (space.origins, space.combinations, space.targets, space.wrongs)
        return Steps(level, *(array[:count] for array in arrays))

    def _failed(self) -> Found:
        """The error at the state at work, in a measure or elsewhere, in words."""
        behaviour = self.chain(int(self._space.report[FAULT_AT]))
        error = failure_of_measures(self.model, behaviour[-1])
        if error is not None:
            return failure(error, behaviour)
        return super()._failed()

    def _go_on(self, found: Found | None) -> None:
        """Go on past a violation; EvaluationError if the model's code failed."""
        if found is not None and found.verdict in (Verdict.EVALUATION_FAILED, Verdict.SELF_CHECK_FAILED):
            raise found.error or EvaluationError(found.reason)
