"""What `kafkacheck analyze` and `compare` ask of state graphs: Spark SQL over the views `states` and `edges`.

Each query is text; the names in it come from the data set's `_run.json`. Levels count from 1, states from 0.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class Query(NamedTuple):
    """A table of the analysis: its title, what its rows mean, its SQL, and how it is drawn ("line", "bar" or "").

    The first column, or the first two where there is a `series`, say what a row is about; `value` is what is drawn.
    """

    title: str
    meaning: str
    sql: str
    chart: str = ""
    value: str = ""
    series: str = ""


LEVELS = """
WITH found AS (SELECT level, count(*) AS states FROM states GROUP BY level),
     taken AS (SELECT level, count(*) AS steps FROM edges GROUP BY level)
SELECT level, states, round(states / lag(states) OVER (ORDER BY level), 3) AS growth,
       coalesce(steps, 0) AS steps, round(coalesce(steps, 0) / states, 3) AS steps_per_state
FROM found LEFT JOIN taken USING (level) ORDER BY level
"""

ACTIONS = """
SELECT name AS action, count(source) AS times,
       round(100 * try_divide(count(source), sum(count(source)) OVER ()), 3) AS percent,
       min(level) AS first_level, count(DISTINCT source) AS states_enabled
FROM (VALUES {names}) AS known(place, name) LEFT JOIN edges ON action = name
GROUP BY place, name ORDER BY {order}
"""

OUT_DEGREE = """
SELECT degree, count(*) AS states
FROM (SELECT state, count(source) AS degree FROM states LEFT JOIN edges ON state = source GROUP BY state)
GROUP BY degree ORDER BY degree
"""

DEADLOCKS = """
SELECT level, count(*) AS states, min(state) AS first_state
FROM states LEFT ANTI JOIN edges ON state = source GROUP BY level ORDER BY level
"""

BOUND = """
SELECT '{name}' AS bound, {value} AS value, count_if(at_bound.`{name}`) AS states,
       round(100 * count_if(at_bound.`{name}`) / count(*), 3) AS percent,
       min(level) FILTER (WHERE at_bound.`{name}`) AS first_level
FROM states
"""

MEASURE = "SELECT '{name}' AS measure, measures.`{name}` AS value, count(*) AS states FROM states GROUP BY value"

WRONG_STATES = """
SELECT '{name}' AS property, level, count(*) AS states, 0 AS steps
FROM states WHERE NOT properties.`{name}` GROUP BY level
"""

WRONG_STEPS = """
SELECT property, level, 0 AS states, count(*) AS steps
FROM edges LATERAL VIEW explode(violates) AS property GROUP BY property, level
"""

VIOLATIONS = """
SELECT property, level, sum(states) AS states, sum(steps) AS steps FROM ({parts})
GROUP BY property, level ORDER BY property, level
"""


def tables(manifest: Mapping[str, Any]) -> dict[str, Query]:
    """The queries of the analysis by name, for the data set that `_run.json` describes."""
    names = ", ".join(f"({place}, '{name}')" for place, name in enumerate(manifest["actions"]))
    found = {
        "levels": Query(
            "States per level",
            "A level holds the states that so many states before them are needed to reach; growth is against the level "
            "before, steps are those from its states.",
            LEVELS, "line", "states",
        ),
        "actions": Query(
            "Actions",
            "How often each action fired, with which share of all steps, at which level first, and in how many states.",
            ACTIONS.format(names=names, order="place"), "bar", "times",
        ),
        "rarest_actions": Query(
            "The rarest actions",
            "An action that never fired, or nearly never, tests nothing.",
            ACTIONS.format(names=names, order="times, place LIMIT 5"),
        ),
        "out_degree": Query(
            "Out-degree",
            "How many states have so many steps, those that leave the constraint included.",
            OUT_DEGREE, "bar", "states",
        ),
        "deadlocks": Query(
            "Deadlocks", "States without any step, and the first of each level.", DEADLOCKS, "bar", "states"
        ),
        "violations": Query(
            "Violations by level",
            "States that violate an invariant; steps that violate a property of steps, or lead out of the constraint "
            "to a state that violates an invariant.",
            VIOLATIONS.format(parts=" UNION ALL ".join(_violations(manifest))), "bar", "states", "property",
        ),
    }  # fmt: skip
    if manifest["measures"]:
        parts = [MEASURE.format(name=name) for name in manifest["measures"]]
        sql = f"SELECT * FROM ({' UNION ALL '.join(parts)}) ORDER BY measure, value"
        meaning = "How many states have which value of each measure that the model declares."
        found["measures"] = Query("Measures", meaning, sql, "bar", "states", "measure")
    if manifest["limited"]:
        bounds = manifest["bounds"]
        parts = [BOUND.format(name=name, value=bounds[name]) for name in manifest["limited"]]
        sql = f"SELECT * FROM ({' UNION ALL '.join(parts)}) ORDER BY bound"
        meaning = (
            "In how many states some offset, epoch or count stands at the end that the bound sets. In these, and in no "
            "others, the bound may have cut a step off; whether it did, `compare` with a larger bound tells."
        )
        found["bounds"] = Query("States at a bound", meaning, sql, "bar", "states")
    return found


def _violations(manifest: Mapping[str, Any]) -> list[str]:
    return [WRONG_STATES.format(name=name) for name in manifest["invariants"]] + [WRONG_STEPS]


WHERE = "SELECT count(*) AS states, min(struct(level, state)) AS first FROM states AS states WHERE ({predicate})"
"""How many states satisfy a predicate, and the first of the nearest. Without AS, Spark can take WHERE for a name."""

GOAL = "SELECT state FROM states AS states WHERE ({predicate})"
"""The states that satisfy a predicate."""
BACKWARD = """
SELECT DISTINCT source AS state FROM steps
LEFT SEMI JOIN front ON target = front.state
LEFT ANTI JOIN reached ON source = reached.state
"""
"""The states from which one step leads to `front`, and that were not reached before."""
STUCK = "SELECT level, state FROM states LEFT ANTI JOIN reached USING (state)"
"""The states from which the goal cannot be reached."""


def steps_by(actions: Sequence[str]) -> str:
    """The steps by some actions, without those that leave the constraint."""
    names = ", ".join(f"'{name}'" for name in actions)
    return f"SELECT DISTINCT source, target FROM edges WHERE target IS NOT NULL AND action IN ({names})"


SAME = "SELECT a.state AS a, b.state AS b FROM (SELECT state, {a} AS fields FROM states_a) AS a "
SAME += "JOIN (SELECT state, {b} AS fields FROM states_b) AS b ON a.fields <=> b.fields"
"""The states of `states_a` and `states_b` that are equal, field by field."""

ONLY_STATES = "SELECT level, state FROM states_{side} LEFT ANTI JOIN same ON state = {side}"

KNOWN_STEPS = """
SELECT source.{here} AS source, action, {parameters} AS parameters,
       CASE WHEN edges.target IS NULL THEN -1 ELSE coalesce(target.{here}, -2) END AS target
FROM edges_{there} AS edges JOIN same AS source ON edges.source = source.{there}
LEFT JOIN same AS target ON edges.target = target.{there}
"""
"""The steps of one side by the numbers of the other: -1 leaves the constraint, -2 leads to no state of the other."""

ONLY_STEPS = """
SELECT level, source, action, given, target FROM
(SELECT level, source, action, {parameters} AS given, target, coalesce(target, -1) AS goal FROM edges_{side}) AS own
LEFT ANTI JOIN ({known}) AS known
ON own.source = known.source AND own.action = known.action AND own.given = known.parameters AND own.goal = known.target
"""


def only_steps(side: str, has_parameters: Mapping[str, bool]) -> str:
    """The steps of side "a" or "b" that the other side does not have."""
    other = "b" if side == "a" else "a"
    text = {each: "to_json(parameters)" if has_parameters[each] else "'{}'" for each in "ab"}
    known = KNOWN_STEPS.format(here=side, there=other, parameters=text[other])
    return ONLY_STEPS.format(side=side, parameters=text[side], known=known)


COMPARED = """
SELECT level, coalesce(sum(states_a), 0) AS states_a, coalesce(sum(states_b), 0) AS states_b,
       coalesce(sum(lost), 0) AS states_lost, coalesce(sum(gained), 0) AS states_gained,
       coalesce(sum(steps_lost), 0) AS steps_lost, coalesce(sum(steps_gained), 0) AS steps_gained
FROM (
SELECT level, 1 AS states_a, 0 AS states_b, 0 AS lost, 0 AS gained, 0 AS steps_lost, 0 AS steps_gained FROM states_a
UNION ALL SELECT level, 0, 1, 0, 0, 0, 0 FROM states_b
UNION ALL SELECT level, 0, 0, 1, 0, 0, 0 FROM only_states_a
UNION ALL SELECT level, 0, 0, 0, 1, 0, 0 FROM only_states_b
UNION ALL SELECT level, 0, 0, 0, 0, 1, 0 FROM only_steps_a
UNION ALL SELECT level, 0, 0, 0, 0, 0, 1 FROM only_steps_b
) GROUP BY level ORDER BY level
"""
