"""`kafkacheck check --engine spark` and `resume`: searches on Spark for `checker.commands.checking`."""

from collections.abc import Sequence
from pathlib import Path

from kafkacheck.checker.catalogue.named import Source
from kafkacheck.checker.commands.checking import Search
from kafkacheck.checker.commands.output import tell
from kafkacheck.checker.commands.progress import ProgressReport
from kafkacheck.checker.distributed import runs
from kafkacheck.checker.distributed.runs import Cluster
from kafkacheck.checker.exploration.verdict import Limits
from kafkacheck.checker.model import Model
from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.result import Result


def cluster_of(master: str | None, conf: Sequence[str], shards: int | None, spark_from: int | None) -> Cluster:
    """Where Spark runs, from the options of the command line. UsageError where a setting is malformed."""
    from kafkacheck.checker.distributed import spark

    widest = runs.SPARK_FROM if spark_from is None else spark_from
    return Cluster(master, spark.parse_settings(conf), shards, widest, tell=lambda line: tell(f"note: {line}"))


def beginning(source: Source, folder: Path | None, cluster: Cluster) -> Search:
    """The search that begins a run. It raises UsageError where the model has liveness properties."""

    def search(model: Model, limits: Limits) -> Result:
        if model.liveness:
            names = ", ".join(each.name for each in (*model.properties, *model.sometimes)) or "type_ok"
            raise UsageError(
                f"{model.name} has liveness properties, which Spark cannot judge; leave out --engine spark, or name "
                f"other properties with --property: {names}"
            )
        with ProgressReport(model.name) as progress:
            return runs.begin(source, folder, cluster, limits, progress, model)

    return search


def continuing(folder: Path, named: str | None, cluster: Cluster) -> tuple[Model, Search]:
    """The model of a run, as it is named or of the catalogue, and the search that continues the run.

    UsageError where there is none.
    """

    def search(model: Model, limits: Limits) -> Result:
        if model.liveness:  # a run to explore the model may have them
            names = ", ".join(each.name for each in model.liveness)
            tell(f"warning: the verdict does not cover {names}; `check` without Spark judges what must come to pass")
        with ProgressReport(model.name) as progress:
            return runs.resume(folder, cluster, limits, progress, model, named)

    return runs.source_of(folder, named).model(), search
