"""The searching readings compared on random programs: plain Python, machine code, and Spark."""

import contextlib
import functools
import random
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

from kafkacheck.checker.catalogue.model_source import Source
from kafkacheck.checker.compiled import compiled, kernel, lookup, native
from kafkacheck.checker.compiled.compiled import CompiledSearch
from kafkacheck.checker.compiled.native import Entry
from kafkacheck.checker.compiled.packing import Packing
from kafkacheck.checker.distributed import runs
from kafkacheck.checker.distributed.distributed import DistributedSearch
from kafkacheck.checker.distributed.runs import Cluster
from kafkacheck.checker.exploration.exploration import Watch
from kafkacheck.checker.exploration.interpreted import InterpretedSearch
from kafkacheck.checker.exploration.verdict import Limits, Verdict
from kafkacheck.checker.model import Model
from kafkacheck.checker.process import collector
from tests.fuzz.programs import PROGRAMS, DifferenceError, imported, models
from tests.programs.random_programs import module_text, with_model
from tests.support import readings
from tests.support.readings import Outcome

LIMITS = Limits(max_states=200)
SPARK_LIMITS = Limits(max_states=2000)

Totals = Counter[str]
"""How many programs were compared and refused, how many states they have, and how often each verdict was given."""


@functools.lru_cache(maxsize=8)
def _lookup(words: int) -> dict[str, Entry]:
    """The part of a kernel that does not depend on the program: the visited set for states of so many words."""
    module = native.llvm.Module(name="lookup")
    layout = mock.Mock(leaves=(), word_count=words)
    lookup.write(module, Packing(module, layout), False)
    return native.load_object(native.compile_object(str(module), True), ["absorb", "fill", "spread"])


@contextlib.contextmanager
def machine_code(model: Model) -> Iterator[dict[str, Entry]]:
    """A model's machine code, without an optimiser and outside the cache; it is gone on leaving."""
    known = _lookup(model.layout.word_count)
    with mock.patch.object(lookup, "write"):
        text = kernel.kernel_text(model)
    own = native.load_object(native.compile_object(text, True), ["expand", "check", "fingerprint"])
    engine = native._engines.pop()
    yield known | own
    engine.close()


@contextlib.contextmanager
def sizes(seed: int) -> Iterator[None]:
    """Small arrays, and copies of code for loops and parameters, or none, as the seed has it."""
    chance = random.Random(f"sizes {seed}")
    with (
        mock.patch.object(compiled, "BUFFER", chance.choice([16, 64, 512])),
        mock.patch.object(compiled, "SMALLEST_TABLE", chance.choice([16, 1024])),
        mock.patch.object(kernel, "MOST_COPIES", chance.choice([0, 0, 4, 32])),
        mock.patch.object(native, "MOST_COPIES", chance.choice([0, 4, 16])),
    ):
        yield


def difference_of(plain: Outcome, other: Outcome) -> str:
    """How another reading's outcome differs from that of plain Python."""
    if "error in kafkacheck" in plain.reason + other.reason:
        return f"{plain.reason or other.reason}"
    names = [name for name, one, two in zip(plain._fields, plain, other, strict=True) if one != two]
    return ", ".join(f"{name}: {getattr(plain, name)!r} and {getattr(other, name)!r}" for name in names)


def compare_compiled(model: Model) -> tuple[Outcome, str]:
    """What plain Python finds, and how machine code differs from it, down to each state in its order."""
    search = InterpretedSearch(model, Watch(LIMITS))
    plain = readings.outcome(search, search.run())
    with machine_code(model) as entries:
        native_search = CompiledSearch(model, entries, Watch(LIMITS))
        different = difference_of(plain, readings.outcome(native_search, native_search.run()))
        if different or plain.verdict is Verdict.EVALUATION_FAILED:
            return plain, different
        rows = model.layout.unpack(native_search._space.store[: plain.distinct])
        if [tuple(map(int, row)) for row in rows] != [tuple(map(int, each)) for each in search.snapshot().states]:
            return plain, "the states differ"
    return plain, ""


def compiled_programs(seed: int, folder: Path) -> Totals:
    """Compare the programs of a seed in the interpreted and the compiled reading. DifferenceError where they differ."""

    def compare(number: int, model: Model) -> Outcome:
        outcome, different = compare_compiled(model)
        if different:
            raise DifferenceError(seed, number, f"interpreted and compiled: {different}")
        return outcome

    with sizes(seed):
        return of_all(seed, folder, range(PROGRAMS), compare)


def of_all(seed: int, folder: Path, numbers: range, compare: Callable[[int, Model], Outcome | None]) -> Totals:
    """Compare the programs of a seed, without those for which `compare` gives None; any exception is a difference."""
    totals: Totals = Counter()
    with collector.paused(), imported(folder, f"random_{seed}", module_text(seed, numbers)) as module:
        for number, model in models(module, seed, numbers):
            if model is None:
                totals["refused"] += 1
                continue
            try:
                outcome = compare(number, model)
            except DifferenceError:
                raise
            except Exception as error:
                raise DifferenceError(seed, number, f"comparing it fails: {error!r}") from error
            if outcome is None:
                totals["left out"] += 1
                continue
            totals["programs"] += 1
            totals["states"] += outcome.distinct
            totals["steps"] += outcome.generated
            totals[outcome.verdict.name] += 1
    return totals


def spark_programs(seed: int, folder: Path) -> Totals:
    """Compare two programs of a seed, searched by Spark from the first level on. A Spark must run in this process.

    Those that end before that, or have too many states, are left out.
    """

    def compare(number: int, model: Model) -> Outcome | None:
        plain = readings.interpreted(model, SPARK_LIMITS)
        if plain.verdict is Verdict.NOT_EXHAUSTED:
            return None
        path = folder / f"spark_{seed}_{number}.py"
        path.write_text(with_model(module_text(seed, [number]), number), encoding="utf-8")
        told: list[str] = []
        cluster = Cluster("local[2]", shards=1 + seed % 3, spark_from=1, tell=told.append)
        result = runs.begin(Source(str(path)), folder / f"run_{seed}_{number}", cluster, Limits())
        counts = result.states_distinct, result.states_generated, result.depth, tuple(result.actions.values())
        found = [result.verdict, result.property, *counts]
        wanted = [plain.verdict, plain.property, plain.distinct, plain.generated, plain.depth, plain.fired]
        if found != wanted:
            raise DifferenceError(seed, number, f"interpreted and Spark: {wanted} and {found}, {told}")
        return plain if result.engine == DistributedSearch.engine else None

    return of_all(seed, folder, range(2), compare)
