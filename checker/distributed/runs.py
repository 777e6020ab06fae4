"""Beginning a distributed search, and continuing one from its run directory."""

import atexit
import contextlib
import io
import shlex
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import psutil

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.catalogue.model_source import Source
from kafkacheck.checker.checkpoints.run_directory import RunDirectory, kernel_name
from kafkacheck.checker.checkpoints.run_source import source_of
from kafkacheck.checker.compiled import kernel, machine_code
from kafkacheck.checker.compiled.compiled import CompiledSearch
from kafkacheck.checker.compiled.self_check import Examples, examples_of
from kafkacheck.checker.distributed import spark
from kafkacheck.checker.distributed.distributed import DistributedSearch, HereWorkers, SparkWorkers
from kafkacheck.checker.distributed.shard import Work
from kafkacheck.checker.distributed.sharding import write_shards
from kafkacheck.checker.exploration.exploration import Found, Watch
from kafkacheck.checker.exploration.interpreted import InterpretedSearch, wait
from kafkacheck.checker.exploration.verdict import Limits, ProgressListener, Verdict
from kafkacheck.checker.model import Model
from kafkacheck.checker.model.identity import differences, identity_of
from kafkacheck.checker.process.background import FailedError, Job
from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.process.files import atomic_write, reason_of
from kafkacheck.checker.process.sources import CHECKER, SOURCES
from kafkacheck.checker.result import Result, result_of, self_checked

SPARK_FROM = 200_000
"""A level with at least this many states is a Spark job by default; for fewer, a job costs more than it saves."""
UNCOMPRESSED = {"spark.shuffle.compress": "false", "spark.shuffle.spill.compress": "false"}
"""Packed states are nearly random: compressing them costs time and saves little."""


@dataclass(frozen=True)
class Cluster:
    """Where Spark runs and how: the master, settings by name, the number of shards (None: one for each core).

    The search is handed over to shards at the first level with `shard_from` states (None: `spark_from`); a level
    with `spark_from` states is a Spark job. `tell` gets a line of text when Spark has started.
    """

    master: str | None = None
    conf: dict[str, str] = field(default_factory=dict)
    shards: int | None = None
    spark_from: int = SPARK_FROM
    shard_from: int | None = None
    tell: Callable[[str], None] = lambda line: None

    def resuming(self, path: Path, model: str = "") -> str:
        """The command that continues a run of a model, named so, as it was begun.

        Settings may be secrets: they are for the user to give.
        """
        words = ["kafkacheck", "resume", str(path)]
        if model and catalogue.own_name(model) is None:
            words += ["--model", model]
        if self.master is not None:
            words += ["--master", self.master]
        if self.spark_from != SPARK_FROM:
            words += ["--spark-from", str(self.spark_from)]
        return shlex.join(words)


def begin(
    source: Source,
    path: Path | None,
    cluster: Cluster,
    limits: Limits,
    progress: ProgressListener | None = None,
    model: Model | None = None,
    goes_past: bool = False,
) -> Result:
    """Search a model, on Spark once it is wide enough, keeping every level in a new run directory at `path`.

    `model` is the model of `source`, if it is there already. Without a path the directory is a temporary one, which
    stays only if the search did not end. A search that `goes_past` violations and deadlocks reports them when it
    ends, also if it is resumed. UsageError if the directory or Spark cannot be used; otherwise as
    `checker.search.check`.
    """
    model = model or source.model()
    text = kernel.kernel_text(model)
    if cluster.master is not None:
        spark.reach(cluster.master)
    run = RunDirectory(path or Path(tempfile.mkdtemp(prefix="kafkacheck-run-")))
    about = {
        "model": model.name,
        "source": source.as_json(),
        "shards": cluster.shards,
        "goes_past": goes_past,
        "identity": identity_of(model, text),
    }
    try:
        run.create(about, text)
        return _continued(model, run, about, text, cluster, limits, progress, is_temporary=path is None)
    except BaseException:
        if path is None:
            shutil.rmtree(run.path, ignore_errors=True)
        raise


def resume(
    path: Path,
    cluster: Cluster,
    limits: Limits,
    progress: ProgressListener | None = None,
    model: Model | None = None,
    named: str | None = None,
) -> Result:
    """Continue the run at `path` from its last whole level, after comparing all files with their checksums.

    `model` is the model of the run (see `source_of`), if it is there already. UsageError with the changes if the model
    has changed since; DamagedRunError names a damaged file.
    """
    run = RunDirectory(path)
    about = run.about()
    run.check_writable()
    source = source_of(path, named)
    about["source"][0] = source.text
    model = model or source.model()
    text = unchanged_kernel(run, model)
    if cluster.shards not in (None, about["shards"]) and run.committed():
        raise UsageError(f"{path} has {about['shards']} shards, which cannot become {cluster.shards}")
    if cluster.master is not None:
        spark.reach(cluster.master)
    run.write_kernel(text)
    return _continued(model, run, about, text, cluster, limits, progress, is_temporary=False)


def unchanged_kernel(run: RunDirectory, model: Model) -> str:
    """The text of the model's kernel. UsageError if a run was begun with another one, naming the differences."""
    about, text = run.about(), kernel.kernel_text(model)
    changed = differences(about["identity"], identity_of(model, text))
    if changed:
        raise UsageError(
            f"{run.path} was begun with another {model.name}: {'; '.join(changed[:5])}; undo that, or begin a new run"
        )
    return text


def _continued(
    model: Model,
    run: RunDirectory,
    about: dict[str, Any],
    text: str,
    cluster: Cluster,
    limits: Limits,
    progress: ProgressListener | None,
    is_temporary: bool,
) -> Result:
    watch = Watch(limits, progress)
    with watch.interrupts.listening(), run.locked(), contextlib.ExitStack() as started:
        sessions = SparkStarter(cluster, started)
        levels = [run.level(number) for number in run.committed()]
        if not levels or levels[-1].summary is None:
            run.forget()
            result = _from_the_start(model, run, about, text, cluster, watch, sessions)
            if not isinstance(result, Examples):
                return _left(result, run, about, is_temporary, cluster)
            examples = result
        else:
            examples = Examples()
            run.verify(levels)
        sizes = kernel.sizes_of(model)
        work = Work(str(run.path.resolve()), kernel_name(text), sizes, about["shards"], 0)
        workers = (HereWorkers(), SparkWorkers(sessions.context))
        search = DistributedSearch(model, run, work, watch, workers, cluster.spark_from, about["goes_past"], examples)
        return _left(_answer(search, search.run(), watch), run, about, is_temporary, cluster)


def _answer(search: CompiledSearch | DistributedSearch, found: Found | None, watch: Watch) -> Result:
    """The answer of a search that stopped, checked once more if it holds."""
    found, checked = self_checked(search, found, watch.seconds)
    result = result_of(search, found, watch)
    result.checked = checked
    return result


def _from_the_start(
    model: Model,
    run: RunDirectory,
    about: dict[str, Any],
    text: str,
    cluster: Cluster,
    watch: Watch,
    sessions: "SparkStarter",
) -> Result | Examples:
    """Search in this process until a level is wide enough and hand over with examples; the result if none is.

    UsageError if a file cannot be written.
    """
    with machine_code.compiling(text) as compiler:
        waiting = InterpretedSearch(model, watch)
        stopped = wait(waiting, compiler.is_ready)
        if stopped is not None:
            return result_of(waiting, stopped, watch)
        search = CompiledSearch(model, compiler.entries(), watch)
        if about["goes_past"]:
            search.counts.tolerate_all(model)
        found = search.run(cluster.spark_from if cluster.shard_from is None else cluster.shard_from)
        if found is not None or not search.frontier:
            return _answer(search, found, watch)
        try:
            if about["shards"] is None:
                expanded = search.counts.distinct - search.frontier
                reason_to_stop = partial(watch.reason_to_stop, search.engine, search.counts, expanded)
                about["shards"] = sessions.context(reason_to_stop).defaultParallelism
            run.describe(about)
            examples = examples_of(search)
            write_shards(search, run, about["shards"])
        except FailedError as error:
            return result_of(search, search.counts.stopped(model, str(error)), watch)
        except OSError as error:
            raise UsageError(
                f"cannot write {error.filename or run.shards}: {reason_of(error)}; make room there, and go on with "
                f"`kafkacheck resume {run.path}`, or begin again with another --run-dir"
            ) from error
    return examples


class SparkStarter:
    """The Spark context, started when it is first asked for; it ends with `until`."""

    def __init__(self, cluster: Cluster, until: contextlib.ExitStack) -> None:
        self._cluster, self._until = cluster, until
        self._context: Any = None
        self._is_given_up = False
        self._before: list[psutil.Process] = []

    def context(self, reason_to_stop: Callable[[], str]) -> Any:
        """The Spark context. UsageError if Spark cannot be started, FailedError if there is a reason to stop."""
        if self._context is None:
            self._before = psutil.Process().children()
            started, ending = Job(self._start, self._give_up, str).wait(reason_to_stop)
            self._until.push(ending)
            self._context = started
            self._cluster.tell(spark.description(started))
        return self._context

    def _start(self) -> tuple[Any, contextlib.ExitStack]:
        """The context, and the function that ends it; ended at once if it was given up meanwhile."""
        with contextlib.ExitStack() as ending:
            master, conf = self._cluster.master, self._cluster.conf
            started = ending.enter_context(spark.context(master, conf, [_package()], UNCOMPRESSED))
            return started, contextlib.ExitStack() if self._is_given_up else ending.pop_all()

    def _give_up(self) -> None:
        self._is_given_up = True
        spark.kill_others(self._before)  # its start may take long


@lru_cache(maxsize=1)
def _package() -> Path:
    """The package `checker` as a file that stays until the process ends, for Spark to bring to its workers."""
    kept = contextlib.ExitStack()
    atexit.register(kept.close)
    path = kept.enter_context(spark.temporary_folder()) / "kafkacheck.zip"
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for module in sorted(CHECKER.rglob("*.py")):
            archive.write(module, Path("kafkacheck") / module.relative_to(SOURCES))
    atomic_write(path, content.getvalue())
    return path


def _left(result: Result, run: RunDirectory, about: dict[str, Any], is_temporary: bool, cluster: Cluster) -> Result:
    """Remove a temporary run directory that is not needed; say how to go on if the search did not end."""
    if result.verdict is Verdict.NOT_EXHAUSTED and run.committed():
        result.reason += f"; continue with: {cluster.resuming(run.path, about['source'][0])}"
        return result
    if result.verdict is Verdict.NOT_EXHAUSTED:
        result.reason += "; it had no level wide enough for Spark yet, and such levels are not kept"
    if is_temporary:
        shutil.rmtree(run.path, ignore_errors=True)
    return result
