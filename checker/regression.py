"""A schedule that broke a property, kept as a test: it fails as long as the schedule still does, and passes afterwards.

Only the calls are kept, with the settings that are not the model's own, so that the test outlives changes of records
and new rules. It is mended once a call of it is refused, or the property holds all along. It fails if the model no
longer has one of the actions or the property, because then it shows nothing.
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.exploration.evaluation import Evaluation
from kafkacheck.checker.model import Model
from kafkacheck.checker.model.settings import rules_of, with_settings
from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.traces.lasso import judge
from kafkacheck.checker.traces.trace import Step, Trace, first_step, property_named

Call = tuple[str, dict[str, int]]
"""The name of an action, and its parameters."""

_PAGE = '''\
"""A schedule by which {model}
{told}; `kafkacheck replay --pytest` wrote it.

The test fails as long as it does, and passes once a step of it is refused or nothing is violated any more.
"""

from kafkacheck.checker.regression import Schedule

SCHEDULE = Schedule(
    model={model!r},
    settings={settings!r},
    violates={violates!r},
    start={start!r},
    loop={loop!r},
    calls=[
{calls}
    ],
)


def test_{name}() -> None:
    SCHEDULE.assert_mended(__file__)
'''


@dataclass(frozen=True)
class Schedule:
    """A schedule of a model with `settings`, in the texts of `--set`, from its initial state number `start` on.

    `model` is a name of the catalogue, or the path of a file, seen from the folder of the test. `violates` is the
    property that it broke, None if it ended in a deadlock. `loop`: see `Trace`.
    """

    model: str
    settings: list[str]
    violates: str | None
    start: int
    loop: int | None
    calls: list[Call]

    def assert_mended(self, file: str | Path) -> None:
        """AssertionError if the schedule still breaks the property; `file` is that of the test.

        UsageError if the model has no longer what the schedule names, EvaluationError if its code fails.
        """
        told = self.failure(Path(file).resolve().parent)
        if told:
            raise AssertionError(told)

    def failure(self, folder: Path) -> str:
        """The schedule as text if it still breaks the property, "" if it is mended. Errors as of `assert_mended`."""
        own = folder / self.model
        text = str(own) if own.is_file() else self.model
        trace = self._followed(with_settings(catalogue.find_model(text), self.settings).with_lemmas())
        if trace is None:
            return ""
        from kafkacheck.checker.pictures.render import trace_text

        return trace_text(trace)

    def _followed(self, model: Model) -> Trace | None:
        """The schedule up to where it breaks the property; None if it does not."""
        is_safety = self.violates is not None and self.loop is None
        checked = property_named(model, self.violates) if is_safety and self.violates is not None else None
        evaluate, layout = Evaluation(model), model.layout
        calls = [(model.action(name), given) for name, given in self.calls]
        starts = model.initial_states()
        if self.start >= len(starts):
            return None
        steps = [first_step(model, starts[self.start])]
        before = layout.flatten(starts[self.start])
        if checked is not None and not checked.is_step and not evaluate.holds(checked, before):
            return Trace(model, self.violates, tuple(steps))
        for action, given in calls:
            names = [each.name for each in action.parameters]
            if set(names) != set(given):
                raise UsageError(
                    f"{action.name} has the parameters ({', '.join(names)}), not ({', '.join(given)}); "
                    "check the model again, and save the test anew"
                )
            after = evaluate.apply(action, tuple(given[name] for name in names), before)
            if after is None:
                return None
            steps.append(Step(action.name, given, layout.restore(after)))
            if checked is not None and not evaluate.holds(checked, *((before, after) if checked.is_step else (after,))):
                return Trace(model, self.violates, tuple(steps))
            before = after
        if self.loop is not None:
            lasso = Trace(model, self.violates, tuple(steps), loop=self.loop)
            return None if judge(lasso).objection else lasso
        if self.violates is None and not any(True for _ in evaluate.successors(before)):
            return Trace(model, None, tuple(steps), is_deadlock=True)
        return None


def schedule_of(trace: Trace, source: str, folder: Path) -> Schedule:
    """The schedule of a trace whose model was named `source`, for a test in a folder."""
    model = trace.model
    own = catalogue.find_model(source)
    now = {**model.bounds, **rules_of(model)}
    usual = {**own.bounds, **rules_of(own)}
    changed = [f"{name}={value}" for name, value in now.items() if usual.get(name) != value]
    named = catalogue.own_name(source) or source
    if Path(source).is_file() and not catalogue.own_name(source):
        named = Path(os.path.relpath(Path(source).resolve(), folder.resolve())).as_posix()
    start = next((number for number, each in enumerate(model.initial_states()) if each == trace.steps[0].state), 0)
    calls = [(step.action or "", {name: int(each) for name, each in step.parameters.items()}) for step in trace.steps]
    return Schedule(named, changed, trace.property, start, trace.loop, calls[1:])


def page(schedule: Schedule, trace: Trace) -> str:
    """The text of a file with the test."""
    broken = schedule.violates or "deadlock"
    told = f"violates {schedule.violates}" if schedule.violates else "ends in a deadlock"
    return _PAGE.format(
        model=schedule.model, told=told, settings=schedule.settings, violates=schedule.violates, start=schedule.start,
        loop=schedule.loop, calls="\n".join(f"        {call!r}," for call in schedule.calls),
        name=re.sub(r"\W+", "_", f"{trace.model.name}_{broken}").strip("_").lower(),
    )  # fmt: skip
