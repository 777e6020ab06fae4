"""The state graph that a run directory has, written by Spark as a data set: the tables of `checker.graphs.dataset`.

Two jobs do it: one writes the states, piece by piece; the other finds the steps, brings each to the part of the states
that its target belongs to, and writes it there with the target's number. The driver sees counts alone.
"""

import contextlib
import itertools
import shutil
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from kafkacheck.checker.catalogue.catalogue import own_name
from kafkacheck.checker.checkpoints.blocks import Level
from kafkacheck.checker.checkpoints.run_directory import Committed, RunDirectory, Summary
from kafkacheck.checker.checkpoints.run_source import source_of
from kafkacheck.checker.compiled import kernel
from kafkacheck.checker.distributed import spark
from kafkacheck.checker.distributed.runs import Cluster, SparkStarter, unchanged_kernel
from kafkacheck.checker.distributed.shard import Trouble
from kafkacheck.checker.exploration.evaluation import Evaluation
from kafkacheck.checker.exploration.exploration import Exploration, Found, Watch
from kafkacheck.checker.exploration.verdict import Limits, Verdict
from kafkacheck.checker.graphs import manifest, run_graph, state_graph
from kafkacheck.checker.graphs.cut_off import all_larger
from kafkacheck.checker.graphs.dataset import appearing, check_new
from kafkacheck.checker.graphs.dataset_tables import Tables
from kafkacheck.checker.graphs.manifest import EDGES, STATES, Explored, Tally, level_folder
from kafkacheck.checker.graphs.run_graph import Failed, Graph, Piece, Written
from kafkacheck.checker.graphs.sealed import Digest
from kafkacheck.checker.model import Model
from kafkacheck.checker.process.background import FailedError, Job
from kafkacheck.checker.process.errors import EvaluationError, NotExhaustedError, SelfCheckError, UsageError

LARGEST_PART = 1 << 24
"""How many states are in memory at a time while the targets of steps are looked up."""
LARGEST_PIECE, SMALLEST_PIECE = 1 << 19, 1 << 14
"""The most states of a task; fewer if there are few, so that all cores have work."""
TASKS_PER_CORE = 4


def write(
    path: Path, folder: Path, cluster: Cluster, reason: str = "", with_cut_off: bool = False, named: str | None = None
) -> dict[str, Any]:
    """Write the state graph of the run at `path` to a folder; the content of `_run.json`.

    The model is found as for `runs.resume`. If the search has not ended, that is all levels found whole, of which
    the last has no steps; `reason` says why, if it is known. `with_cut_off` as for `dataset.write`. The folder
    appears when all is written. UsageError if the run has no level, is of a model that has changed since, or
    anything cannot be written, DamagedRunError naming a file that is damaged, EvaluationError if a measure fails,
    NotExhaustedError if Ctrl-C ends it.
    """
    check_new(folder)
    run = RunDirectory(path)
    source = source_of(path, named)
    model = source.model()
    state_graph.check_judgements(model)
    unchanged_kernel(run, model)
    if cluster.master is not None:
        spark.reach(cluster.master)
    watch = Watch(Limits())
    with watch.interrupts.listening(), run.read_only(), contextlib.ExitStack() as started:
        levels = [run.level(number) for number in run.committed()]
        if not levels or levels[-1].summary is None:
            raise UsageError(
                f"{path} has no level: its search ended before one was wide enough for Spark, so nothing was kept; "
                f"explore the model itself: kafkacheck explore {source.text} --out {folder}"
            )
        try:
            context = SparkStarter(cluster, started).context(watch.interrupts.reason)
            with appearing(folder) as work:
                written = _Writer(model, run, levels, work, context, watch.interrupts.reason, with_cut_off)
                return written.write(source.text, reason or _reason(model, path, levels[-1]))
        except FailedError as error:
            if watch.interrupts.pressed:
                raise NotExhaustedError(f"{error}, and nothing was written to {folder}") from error
            named = "" if own_name(source.text) else f" --model {source.text}"
            raise UsageError(
                f"{folder} was not written: {error}; the search is kept: once that is mended, give `kafkacheck explore "
                f"{path} --out {folder}{named}`"
            ) from error


def _reason(model: Model, path: Path, last: Committed) -> str:
    """Why not all is there."""
    assert last.summary is not None
    found = _outcome(model, last.summary)
    if found.verdict is Verdict.HOLDS:
        return f"the search in {path} has not ended (`kafkacheck resume {path}` goes on)"
    return f"the search in {path} ended with {found.verdict.value} (`explore MODEL --engine spark` goes on past that)"


def _outcome(model: Model, summary: Summary) -> Found:
    """The verdict of a check, without the behaviour."""
    counts = Exploration()
    for number, level, _, _, by_successor in summary.violated:
        counts.violated[number] = [()] * (level + by_successor)
    if summary.deadlock is not None:
        counts.deadlock = [()] * summary.deadlock[0]
    return counts.judge(model) or Found(Verdict.HOLDS)


class _Writer:
    def __init__(
        self,
        model: Model,
        run: RunDirectory,
        levels: Sequence[Committed],
        folder: Path,
        context: Any,
        reason_to_stop: Callable[[], str],
        with_cut_off: bool,
    ) -> None:
        self.model, self.folder = model, folder
        self._run, self._context, self._reason_to_stop = run, context, reason_to_stop
        assert levels[-1].summary is not None
        self._summary = levels[-1].summary
        self._levels = [level for level in levels if level.states]
        self._expanded = len(levels) - 1
        tables = Tables(model)
        others = all_larger(model, tables.limited) if with_cut_off else {}
        counts = np.array([[shard.level.states for shard in level.shards] for level in self._levels], np.int64)
        self._graph = Graph(
            run=str(run.path.resolve()),
            out=str(folder),
            kernel=kernel.kernel_text(model, with_steps=True),
            sizes=kernel.sizes_of(model),
            tables=tables,
            others=others,
            measures=len(model.measures),
            files=tuple(tuple(shard.level for shard in level.shards) for level in self._levels),
            starts=np.cumsum(counts).reshape(counts.shape) - counts,
            parts=counts.shape[1] * max(1, -(-int(counts.sum(axis=0).max()) // LARGEST_PART)),
        )
        self._states = [int(each) for each in counts.sum(axis=1)]
        self._edges = [0] * self._expanded
        self._tally = Tally(model)
        self._files: dict[str, Digest] = {}

    def write(self, locator: str, reason: str) -> dict[str, Any]:
        """Write the data set. FailedError with the reason if that is not possible, EvaluationError for a measure."""
        for kind, count in ((STATES, len(self._levels)), (EDGES, self._expanded)):
            for level in range(1, count + 1):
                (self.folder / level_folder(kind, level)).mkdir(parents=True)
        known = self._context.broadcast(self._graph)
        self._do(partial(self._write_states, known))
        self._do(partial(self._write_steps, known))
        known.destroy()
        self._tidy()
        reason = reason if len(self._levels) > self._expanded else ""
        initial = len(self.model.initial_states())
        outcome = _outcome(self.model, self._summary)
        self._compare(initial + sum(self._edges))
        explored = Explored(
            self._graph.kernel, outcome, reason, initial, self._states, self._edges, list(self._graph.others)
        )
        return manifest.write(self.folder, self.model, self._graph.tables, locator, explored, self._tally, self._files)

    def _tasks(self, levels: int) -> Any:
        """The states of the first levels, as an RDD with a task for each some of them."""
        cores = self._context.defaultParallelism
        most = min(max(sum(self._states) // (TASKS_PER_CORE * cores), SMALLEST_PIECE), LARGEST_PIECE)
        tasks = run_graph.pieces_of(self._graph, levels, most)
        return self._context.parallelize(tasks, max(1, len(tasks)))

    def _write_states(self, known: Any) -> Any:
        def write(tasks: Iterator[Sequence[Piece]]) -> Iterator[Written | Failed | Trouble]:
            return run_graph.write_states(known.value, itertools.chain.from_iterable(tasks))

        return self._tasks(len(self._levels)).mapPartitions(write)

    def _write_steps(self, known: Any) -> Any:
        def find(tasks: Iterator[Sequence[Piece]]) -> Iterator[tuple[run_graph.Key, bytes | Trouble]]:
            return run_graph.find_steps(known.value, itertools.chain.from_iterable(tasks))

        def write(messages: Iterator[tuple[run_graph.Key, bytes | Trouble]]) -> Iterator[Written | Trouble]:
            return run_graph.write_steps(known.value, messages)

        found = self._tasks(self._expanded).mapPartitions(find)
        parts = self._graph.parts
        return found.repartitionAndSortWithinPartitions(parts, lambda key: key[0]).mapPartitions(write)

    def _do(self, job: Callable[[], Any]) -> None:
        """Run a job and count the rows that it wrote."""
        name = "state graph"

        def run() -> list[Any]:
            self._context.setJobGroup(name, name)
            answers: list[Any] = job().collect()
            return answers

        def explain(error: BaseException) -> str:
            return f"Spark failed: {spark.reason(error)}"

        answers = Job(run, lambda: self._context.cancelJobGroup(name), explain).wait(self._reason_to_stop)
        for answer in answers:
            if isinstance(answer, Trouble):
                raise FailedError(answer.reason)
            if isinstance(answer, Failed):
                raise self._failure(answer)
            if answer.digest is not None:
                self._files[f"{level_folder(answer.kind, answer.level)}/{answer.file}"] = answer.digest
            if answer.kind == STATES:
                self._tally.add_states(answer.level, answer.counts)
            else:
                self._edges[answer.level - 1] += answer.rows
                self._tally.add_steps(answer.level, answer.counts, answer.wrongs)

    def _failure(self, failed: Failed) -> EvaluationError | SelfCheckError:
        part = self._run.read(Level, self._graph.files[failed.level - 1][failed.shard])
        values = tuple(int(each) for each in self.model.layout.unpack(part.states[failed.row : failed.row + 1])[0])
        error = state_graph.failure_of_measures(self.model, values)
        return error or Evaluation(self.model).failure_of_step(values)

    def _compare(self, generated: int) -> None:
        """Check that the search and the written files have the same number of generated states."""
        if (generated, self._tally.fired.tolist()) != (self._summary.generated, list(self._summary.fired)):
            raise SelfCheckError(
                f"{self._run.path} says that {self._summary.generated:,} states were generated, and {generated:,} were "
                "found now"
            )

    def _tidy(self) -> None:
        """Remove files that failed attempts left, and folders without a file."""
        for path in self.folder.glob("*/*/.*"):
            path.unlink(missing_ok=True)
        for kind in (STATES, EDGES):
            for folder in self.folder.glob(f"{kind}/*"):
                if not any(folder.iterdir()):
                    folder.rmdir()
        if self._edges and not any(self._edges):
            shutil.rmtree(self.folder / EDGES, ignore_errors=True)
