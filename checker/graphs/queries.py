"""The queries of `kafkacheck analyze` and `compare`: Spark SQL over the views `states` and `edges`.

Each query is text; the names in it come from the data set's `_run.json`. Levels count from 1, states from 0.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class Query(NamedTuple):
    """A table of the analysis: its title, the meaning of its rows, its SQL, and its plot.

    The last is "line", "bar" (upright), "across" or "" for not at all. The first column, or the first two where there
    is a `series`, identify a row; `value` is drawn.
    """

    title: str
    meaning: str
    sql: str
    chart: str = ""
    value: str = ""
    series: str = ""


STEP_COUNTS = """
SELECT level, action, violates, count(*) AS steps, count_if(target IS NULL) AS outside
FROM edges GROUP BY level, action, violates
"""

STATE_COUNTS = "SELECT {columns}, count(*) AS states FROM states GROUP BY {columns}"

SOURCE_COUNTS = """
SELECT level, coalesce(degree, 0) AS degree, enabled, count(*) AS states, min(state) AS first_state
FROM states LEFT JOIN (
    SELECT source, count(*) AS degree, array({masks}) AS enabled
    FROM edges JOIN (VALUES {names}) AS known(place, name) ON action = name GROUP BY source
) ON state = source
WHERE level <= {expanded} GROUP BY level, degree, enabled
"""

MASK_BITS = 62
"""How many actions fit the bits of one number."""
MASK = "bit_or(if(place DIV {bits} = {number}, shiftleft(1L, place % {bits}), 0L))"
IS_ENABLED = "shiftright(enabled[place DIV {bits}], place % {bits}) % 2 = 1"

LEVELS = """
WITH found AS (SELECT level, sum(states) AS states FROM state_counts GROUP BY level),
     taken AS (SELECT level, sum(steps) AS steps, sum(outside) AS outside FROM step_counts GROUP BY level),
     joined AS (
         SELECT level, states, if(level <= {expanded}, coalesce(steps, 0), NULL) AS steps,
                if(level <= {expanded}, coalesce(outside, 0), NULL) AS outside FROM found LEFT JOIN taken USING (level)
     )
SELECT level, states, round(states / lag(states) OVER (ORDER BY level), 3) AS growth,
       steps, round(steps / states, 3) AS steps_per_state, outside AS steps_outside
FROM joined ORDER BY level
"""

ACTIONS = """
WITH known AS (SELECT * FROM (VALUES {names}) AS named(place, name)),
     taken AS (SELECT action, sum(steps) AS times, min(level) AS first_level FROM step_counts GROUP BY action),
     able AS (SELECT place, sum(states) AS states FROM known JOIN source_counts ON {is_enabled} GROUP BY place)
SELECT name AS action, coalesce(times, 0) AS times,
       round(100 * try_divide(coalesce(times, 0), sum(times) OVER ()), 3) AS percent,
       first_level, coalesce(states, 0) AS states_enabled
FROM known LEFT JOIN taken ON action = name LEFT JOIN able USING (place) ORDER BY {order}
"""

OUT_DEGREE = "SELECT degree, sum(states) AS states FROM source_counts GROUP BY degree ORDER BY degree"

DEADLOCKS = """
SELECT level, sum(states) AS states, min(first_state) AS first_state
FROM source_counts WHERE degree = 0 GROUP BY level ORDER BY level
"""

BOUND = """
SELECT '{name}' AS bound, {value} AS value, coalesce(sum(states) FILTER (WHERE at_bound.`{name}`), 0) AS states,
       round(100 * coalesce(sum(states) FILTER (WHERE at_bound.`{name}`), 0) / sum(states), 3) AS percent,
       min(level) FILTER (WHERE at_bound.`{name}`) AS first_level{cut_off}
FROM state_counts
"""
CUT_OFF = """,
       if(count_if(cut_off.`{name}` IS NULL) = 0, sum(if(cut_off.`{name}`, states, 0)), NULL) AS states_cut_off,
       min(level) FILTER (WHERE cut_off.`{name}`) AS first_cut_off"""

MEASURE = (
    "SELECT '{name}' AS measure, measures.`{name}` AS value, sum(states) AS states FROM state_counts GROUP BY value"
)

WRONG_STATES = """
SELECT '{name}' AS property, level, sum(states) AS states, 0 AS steps
FROM state_counts WHERE NOT properties.`{name}` GROUP BY level
"""

WRONG_STEPS = """
SELECT property, level, 0 AS states, sum(steps) AS steps
FROM step_counts LATERAL VIEW explode(violates) AS property GROUP BY property, level
"""

VIOLATIONS = """
SELECT property, level, sum(states) AS states, sum(steps) AS steps FROM ({parts})
GROUP BY property, level ORDER BY property, level
"""


def summaries(manifest: Mapping[str, Any]) -> dict[str, str]:
    """The counts, each made once, by view: these views are small and have all that `tables` needs."""
    columns = ["level"] + ["properties"] * bool(manifest["invariants"]) + ["measures"] * bool(manifest["measures"])
    columns += ["at_bound"] * bool(manifest["limited"]) + ["cut_off"] * bool(manifest["cut_off"])
    numbers = range(1 + len(manifest["actions"]) // MASK_BITS)
    masks = ", ".join(MASK.format(bits=MASK_BITS, number=number) for number in numbers)
    return {
        "step_counts": STEP_COUNTS,
        "state_counts": STATE_COUNTS.format(columns=", ".join(columns)),
        "source_counts": SOURCE_COUNTS.format(
            masks=masks, names=_action_names(manifest), expanded=manifest["expanded"]
        ),
    }


def tables(manifest: Mapping[str, Any]) -> dict[str, Query]:
    """The queries of the analysis by name, for the data set that `_run.json` describes."""
    names, is_enabled = _action_names(manifest), IS_ENABLED.format(bits=MASK_BITS)
    found = {
        "levels": Query(
            "States per level",
            "The states of a level have shortest behaviours of that length; growth is against the level before, steps "
            "are those from its states, and steps_outside those of them that leave the constraint.",
            LEVELS.format(expanded=manifest["expanded"]), "line", "states",
        ),
        "actions": Query(
            "Actions",
            "How often each action fired, with which share of all steps, at which level first, and in how many states.",
            ACTIONS.format(names=names, is_enabled=is_enabled, order="place"), "across", "times",
        ),
        "rarest_actions": Query(
            "The rarest actions",
            "An action that never fired, or nearly never, tests nothing.",
            ACTIONS.format(names=names, is_enabled=is_enabled, order="times, place LIMIT 5"),
        ),
        "out_degree": Query(
            "Out-degree",
            "How many states have each number of steps, including those that leave the constraint.",
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
        meaning = "How many states have each value of the measures that the model declares."
        found["measures"] = Query("Measures", meaning, sql, "bar", "states", "measure")
    if manifest["limited"]:
        bounds = manifest["bounds"]
        more = CUT_OFF if manifest["cut_off"] else ""
        parts = [
            BOUND.format(name=name, value=bounds[name], cut_off=more.format(name=name)) for name in manifest["limited"]
        ]
        sql = f"SELECT * FROM ({' UNION ALL '.join(parts)}) ORDER BY bound"
        meaning = (
            "In how many states an offset, epoch or count has the largest value that the bound allows, or an allowance "
            "is used up. "
        )
        meaning += (
            "The bound cuts a state off if some call of an action is not possible there, and would be possible if the "
            "bound were one larger; later steps are not tried."
            if manifest["cut_off"]
            else "There the bound may have cut a step off; `explore --cut-off` tells whether it did."
        )
        found["bounds"] = Query("States at a bound", meaning, sql, "across", "states")
    return found


def _action_names(manifest: Mapping[str, Any]) -> str:
    return ", ".join(f"({place}, '{name}')" for place, name in enumerate(manifest["actions"]))


def _violations(manifest: Mapping[str, Any]) -> list[str]:
    return [WRONG_STATES.format(name=name) for name in manifest["invariants"]] + [WRONG_STEPS]


NEAREST = "SELECT count(*) AS states, min(struct(level, state)) AS first FROM satisfying"
"""How many states satisfy a predicate, and the first of the nearest."""

GOAL = "SELECT state FROM satisfying"
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
