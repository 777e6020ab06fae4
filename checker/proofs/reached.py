"""The states that a search reaches, kept so that they can be asked for."""

from dataclasses import dataclass

import numpy as np

from kafkacheck.checker.compiled import kernel, machine_code
from kafkacheck.checker.compiled.compiled import CompiledSearch
from kafkacheck.checker.exploration.exploration import Exploration, Found, Watch
from kafkacheck.checker.exploration.verdict import Limits, Verdict
from kafkacheck.checker.model import Model
from kafkacheck.checker.schema.objects import Values


@dataclass
class Reached:
    """The distinct states that a search has found, and whether they are all there are.

    `found` ended the search; None if it visited every reachable state.
    """

    model: Model
    found: Found | None
    counts: Exploration
    _search: CompiledSearch

    @property
    def is_complete(self) -> bool:
        """Whether these are all reachable states."""
        return self.found is None

    @property
    def violated(self) -> str | None:
        """The property that is violated, if one is."""
        return self.found.property if self.found is not None and self.found.verdict is Verdict.VIOLATED else None

    def chain(self, values: Values) -> list[Values] | None:
        """The states from an initial one to this one; None if the search did not find it."""
        states = self._search.states
        packed = self.model.layout.pack(np.array([values], np.int64))[0]
        rows = np.flatnonzero((states == packed).all(axis=1))
        return self._search.chain(int(rows[0])) if len(rows) else None

    def chain_to(self, row: int) -> list[Values]:
        """The states from an initial one to the one that was found as number `row`."""
        return self._search.chain(row)

    def rows(self, first: int = 0, last: int | None = None) -> "np.ndarray[tuple[int, int], np.dtype[np.int64]]":
        """The states first .. last-1 flattened, int64[n, leaves]."""
        return self.model.layout.unpack(self._search.states[first:last])


def explore(model: Model, limits: Limits) -> Reached:
    """Search a model by the compiled reading until a property is violated, a limit is reached, or nothing is left."""
    search = CompiledSearch(model, machine_code.entries_soon(kernel.kernel_text(model)), Watch(limits))
    found = search.run()
    return Reached(model, found, search.counts, search)
