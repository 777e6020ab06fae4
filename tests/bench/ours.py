"""Explorations by this checker's compiled reading, in a process of their own.

`python -m tests.bench.ours MODEL [BOUNDS]`, with bounds such as 3/2/2/2 instead of the model's own, prints one JSON
object. The kernel is compiled first, or found in the cache, so what is measured is the search alone.
"""

import json
import sys
import time

from kafkacheck.checker.catalogue.catalogue import find_model
from kafkacheck.checker.compiled import kernel, machine_code
from kafkacheck.checker.compiled.compiled import CompiledSearch
from kafkacheck.checker.exploration.exploration import Watch
from kafkacheck.checker.exploration.verdict import Limits
from tests.bench.measure import BenchmarkError, Bounds, Search, run


def explore(model_name: str, bounds: Bounds | None = None) -> Search:
    """One exploration in this process, at these bounds or at the model's own."""
    model = find_model(model_name).with_bounds({} if bounds is None else bounds._asdict())
    entries = machine_code.entries(kernel.kernel_text(model))
    cpu, wall = time.process_time(), time.perf_counter()
    search = CompiledSearch(model, entries, Watch(Limits(), None))
    found = search.run()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    if found is not None:
        raise BenchmarkError(f"{model_name} at {bounds or 'its own bounds'} was not explored to its end: {found}")
    counts = search.counts
    memory = search.bytes_per_state * counts.distinct
    return Search(counts.distinct, cpu, wall, memory, counts.generated, counts.depth)


def explored(model_name: str, bounds: Bounds | None = None) -> Search:
    """One exploration in a new process."""
    command = [sys.executable, "-m", "tests.bench.ours", model_name, *([] if bounds is None else [str(bounds)])]
    return Search(**json.loads(run(command).output))


if __name__ == "__main__":
    given = [Bounds(*map(int, text.split("/"))) for text in sys.argv[2:]]
    print(json.dumps(vars(explore(sys.argv[1], *given))))
