"""A state graph as a data set: a folder of Parquet files that any SQL engine reads, and a file that describes it.

    _run.json               the model, its bounds and rules, counts, verdicts
    states/level=<level>/   files with the states of a level
    edges/level=<level>/    files with the steps from the states of a level

`level` is a column, too, as readers of such folders know. `checker/graphs/README.md` names the other columns. This
module writes a graph that is explored in this process; `checker.graphs.run_dataset` writes one that Spark explored.
"""

import contextlib
import itertools
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from kafkacheck.checker.compiled.kernel import sizes_of
from kafkacheck.checker.compiled.machine_code import entries_soon
from kafkacheck.checker.exploration.exploration import Watch
from kafkacheck.checker.exploration.verdict import Limits, ProgressListener
from kafkacheck.checker.graphs import manifest, state_graph
from kafkacheck.checker.graphs.cut_off import CutOff, all_larger
from kafkacheck.checker.graphs.dataset_tables import Tables
from kafkacheck.checker.graphs.manifest import EDGES, STATES, Explored, Tally, bit_counts, level_folder
from kafkacheck.checker.graphs.sealed import Digest, SealedFile
from kafkacheck.checker.graphs.state_graph import NO_STATE, StateGraph, Steps
from kafkacheck.checker.model import Model
from kafkacheck.checker.process.errors import NotExhaustedError, UsageError
from kafkacheck.checker.process.files import make_folder, make_usable


def write(
    model: Model,
    locator: str,
    folder: Path,
    progress: ProgressListener | None = None,
    limits: Limits | None = None,
    with_cut_off: bool = False,
) -> dict[str, Any]:
    """Explore a model, past violations, and write its state graph to `folder`; the content of `_run.json`.

    `locator` tells how to find the model again. `with_cut_off`: each state is written with the bounds that cut it off.
    The folder appears when all is written. If a limit, Ctrl-C or the memory ends it, that is all levels found whole, of
    which the last has no steps, and `_run.json` says so. UsageError if the folder is there already, cannot be written,
    or would hold no state, EvaluationError if the model's code fails, NotExhaustedError if it ends before anything is
    explored.
    """
    check_new(folder)
    watch = Watch(limits or Limits(), progress)
    _check_start(model, watch.limits.max_states)
    with watch.interrupts.listening(), appearing(folder) as work:
        written = _Writer(state_graph.explored(model, watch), work, with_cut_off).write(locator)
    return written


def check_new(folder: Path) -> None:
    """UsageError if a folder is there already, unless it is empty, or cannot be made."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is there already and not an empty folder; name another one, or remove it")
    make_usable(Path(os.path.abspath(folder)).parent)


def _check_start(model: Model, most: int | None) -> None:
    """UsageError if a limit on the states does not let in the first level."""
    if most is not None and sum(1 for _ in itertools.islice(model.initial_states(), most + 1)) > most:
        raise UsageError(f"{model.name} has more than {most} initial states; give more to --max-states")


@contextlib.contextmanager
def appearing(folder: Path) -> Iterator[Path]:
    """A folder to write into, which takes the place of `folder` at the end; removed after an error.

    UsageError if it cannot be written.
    """
    folder = Path(os.path.abspath(folder))
    make_folder(folder.parent)
    work = folder.parent / f".{folder.name}.{os.getpid()}.tmp"
    try:
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        yield work
        if folder.exists():
            shutil.rmtree(folder)
        work.rename(folder)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UsageError(f"cannot write {folder}: {reason}; name a place that can be written") from error
    finally:
        shutil.rmtree(work, ignore_errors=True)


class _Writer:
    def __init__(self, graph: StateGraph, folder: Path, with_cut_off: bool) -> None:
        self.graph, self.folder = graph, folder
        self.model = graph.model
        self.tables = Tables(self.model)
        self.tally = Tally(self.model)
        others = all_larger(self.model, self.tables.limited) if with_cut_off else {}
        cutting = (sizes_of(self.model), self.tables.slots, others, entries_soon, graph.text)
        self.cut_off = CutOff(*cutting) if others else None
        self.bounds = list(others)
        self.judgements = len(self.model.properties) + len(self.model.sometimes)
        self.edges: list[int] = []
        self.files: dict[str, Digest] = {}

    def write(self, locator: str) -> dict[str, Any]:
        """Write the data set: every level, or those found until something ends it."""
        reason = ""
        try:
            for level, steps in self.graph.steps_by_level():
                self._write_states(level)
                self._write_edges(level, steps)
        except NotExhaustedError as error:
            reason = str(error)
            for level in range(len(self.edges) + 1, len(self.graph.levels) + 1):
                if not (self.folder / level_folder(STATES, level)).is_dir():
                    self._write_states(level)
        if not self.graph.levels:
            raise UsageError(f"{self.model.name} has no state to write: no initial state lies within its constraint")
        states = [last - first for first, last in self.graph.levels]
        explored = Explored(
            self.graph.text, self.graph.outcome, reason, self.graph.initial, states, self.edges, self.bounds
        )
        return manifest.write(self.folder, self.model, self.tables, locator, explored, self.tally, self.files)

    @contextlib.contextmanager
    def _writing(self, kind: str, level: int) -> Iterator[SealedFile]:
        """The file of a level. Its folder is removed if the file is not begun or does not become whole."""
        name = f"{level_folder(kind, level)}/{kind}.parquet"
        path = self.folder / name
        path.parent.mkdir(parents=True)
        file = SealedFile(path)
        try:
            try:
                yield file
            finally:
                file.close()
        except BaseException:
            shutil.rmtree(path.parent)
            raise
        if path.exists():
            self.files[name] = file.digest
        else:
            path.parent.rmdir()

    def _write_states(self, level: int) -> None:
        first, last = self.graph.levels[level - 1]
        with self._writing(STATES, level) as file:
            for states in self.graph.states(first, last):
                file.write(self.tables.states(states, self.cut_off(states.words) if self.cut_off else {}))
                self.tally.add_states(level, bit_counts(states.verdicts, self.judgements))

    def _write_edges(self, level: int, parts: Iterable[Steps]) -> None:
        """Write the steps of a level; none of them if something ends it before."""
        combinations = np.zeros(len(self.tables.steps), np.int64)
        wrongs, count = np.zeros(len(self.model.properties), np.int64), 0
        with self._writing(EDGES, level) as file:
            for part in parts:
                if len(part.sources):
                    table = self.tables.edges(part, part.targets == NO_STATE)
                    file.write(table)
                    count += len(table)
                    combinations += np.bincount(part.combinations, minlength=len(combinations))
                    wrongs += bit_counts(part.wrongs, len(wrongs))
        self.edges.append(count)
        self.tally.add_steps(level, combinations, wrongs)
