"""The queries of `checker.graphs.queries`, run by Spark over data sets; the answers are small Arrow tables."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from kafkacheck.checker.distributed import spark
from kafkacheck.checker.graphs import queries
from kafkacheck.checker.graphs.manifest import EDGES, STATES
from kafkacheck.checker.graphs.sealed import VERIFYING
from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.process.names import unknown

NO_EDGES = (
    "SELECT 0L AS source, '' AS action, CAST(NULL AS BIGINT) AS target, array('') AS violates, 0 AS level WHERE false"
)


@dataclass(frozen=True)
class Found:
    """How many states satisfy a predicate, and the level and number of the nearest one; None if there is none."""

    states: int
    level: int | None = None
    state: int | None = None


@dataclass(frozen=True)
class Convergence:
    """From how many states of all a goal can be reached: `goal` of them satisfy it, `reaching` can reach it.

    `stuck` are the others, and `table` (level, state) names them.
    """

    goal: int
    reaching: int
    stuck: Found
    table: pa.Table


@dataclass(frozen=True)
class Difference:
    """The differences of two data sets: by level, and the first state and step of each that the other lacks.

    `first_state` and `first_step` are rows by side, "a" and "b"; a side that has nothing of its own has no entry.
    """

    levels: pa.Table
    first_state: dict[str, dict[str, Any]] = field(default_factory=dict)
    first_step: dict[str, dict[str, Any]] = field(default_factory=dict)


class Analysis:
    """Data sets as views of a Spark session. `open_views` comes first."""

    def __init__(self, session: Any) -> None:
        self._session = session

    def open_views(self, folder: Path, manifest: dict[str, Any], suffix: str = "") -> None:
        """Let `states` and `edges`, with a suffix, be those of a data set. UsageError if Spark cannot read them."""
        with spark.explained(f"{folder} cannot be read"):
            self._read(folder / STATES).createOrReplaceTempView(f"states{suffix}")
            edges = self._read(folder / EDGES) if manifest["edges"] else self._session.sql(NO_EDGES)
            edges.createOrReplaceTempView(f"edges{suffix}")

    def tables(self, manifest: dict[str, Any]) -> dict[str, pa.Table]:
        """Every table of the analysis, by name."""
        with spark.explained("the analysis failed"):
            counted = {view: self._session.sql(sql).cache() for view, sql in queries.summaries(manifest).items()}
            for view, found in counted.items():
                found.createOrReplaceTempView(view)
            tables = {name: self._rows(query.sql) for name, query in queries.tables(manifest).items()}
            for found in counted.values():
                found.unpersist()
        return tables

    def where(self, predicate: str) -> Found:
        """The states that satisfy a predicate in SQL over their columns. UsageError if Spark does not accept it."""
        with spark.explained(f"--where {predicate!r}"):
            self._satisfying(predicate)
            (row,) = self._rows(queries.NEAREST).to_pylist()
        first = row["first"] or {}
        return Found(row["states"], first.get("level"), first.get("state"))

    def converge(self, predicate: str, actions: Sequence[str], manifest: dict[str, Any]) -> Convergence:
        """From which states steps by `actions`, or by any if none is named, can lead to one of the predicate.

        UsageError if Spark does not accept the predicate, or there is no such action.
        """
        for name in actions:
            if name not in manifest["actions"]:
                raise UsageError(unknown("action", name, manifest["actions"], manifest["model"]))
        with tempfile.TemporaryDirectory(prefix="kafkacheck-converge-") as work:
            with spark.explained(f"--converge {predicate!r}"):
                self._satisfying(predicate)
                goal = self._keep(queries.GOAL, Path(work) / "reached" / "round=0", "front")
            with spark.explained("the search for states that cannot converge failed"):
                self._keep(queries.steps_by(actions or list(manifest["actions"])), Path(work) / "steps", "steps")
                reaching, new, turn = goal, goal, 0
                while new:
                    turn += 1
                    self._view(Path(work) / "reached", "reached", "state BIGINT, round INT")
                    new = self._keep(queries.BACKWARD, Path(work) / "reached" / f"round={turn}", "front")
                    reaching += new
                self._view(Path(work) / "reached", "reached", "state BIGINT, round INT")
                table = self._rows(f"{queries.STUCK} ORDER BY level, state")
        first = table.slice(0, 1).to_pylist()
        return Convergence(goal, reaching, Found(len(table), *(first[0].values() if first else ())), table)

    def difference(self, columns: dict[str, list[str]], has_parameters: dict[str, bool]) -> Difference:
        """The differences of the views with suffix `_a` and `_b`. `columns`: those of the fields, in the same order."""
        fields = {side: f"struct({', '.join(f'`{name}`' for name in names)})" for side, names in columns.items()}
        with (
            tempfile.TemporaryDirectory(prefix="kafkacheck-compare-") as work,
            spark.explained("the comparison failed"),
        ):
            self._keep(queries.SAME.format(**fields), Path(work) / "same", "same")
            for side in "ab":
                self._keep(queries.ONLY_STATES.format(side=side), Path(work) / f"s{side}", f"only_states_{side}")
                self._keep(queries.only_steps(side, has_parameters), Path(work) / f"e{side}", f"only_steps_{side}")
            found = Difference(self._rows(queries.COMPARED))
            for side in "ab":
                for kind, first in (("states", found.first_state), ("steps", found.first_step)):
                    rows = self._rows(f"SELECT * FROM only_{kind}_{side} ORDER BY ALL LIMIT 1").to_pylist()
                    if rows:
                        first[side] = rows[0]
        return found

    def _read(self, path: Path) -> Any:
        return self._session.read.option(VERIFYING, "true").parquet(str(path.absolute()))

    def _view(self, path: Path, name: str, schema: Any) -> None:
        """Let a view be the files in a folder, whose columns are known."""
        self._session.read.schema(schema).parquet(str(path.absolute())).createOrReplaceTempView(name)

    def _satisfying(self, predicate: str) -> None:
        """Let `satisfying` be the states of a predicate, which Spark parses alone: its errors refer to that text."""
        self._session.table("states").where(predicate).createOrReplaceTempView("satisfying")

    def _rows(self, sql: str) -> pa.Table:
        return self._session.sql(sql).toArrow()

    def _keep(self, sql: str, path: Path, view: str) -> int:
        """Write the rows of a query to a file and make that a view, so that no plan grows; the number of rows."""
        found = self._session.sql(sql)
        found.write.parquet(str(path))
        self._view(path, view, found.schema)
        return sum(pq.read_metadata(part).num_rows for part in path.glob("*.parquet"))
