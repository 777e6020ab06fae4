"""`kafkacheck check` of several models: each is searched, and a table or one JSON document closes the list."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kafkacheck.checker.catalogue import catalogue, selection
from kafkacheck.checker.catalogue.catalogue import Expectation
from kafkacheck.checker.catalogue.model_source import Source
from kafkacheck.checker.commands.check import by_engine, exit_status, interrupted, warn_of_vacuity, write_counterexample
from kafkacheck.checker.console import report
from kafkacheck.checker.console.output import json_text, say, tell
from kafkacheck.checker.exploration.verdict import Limits, Verdict
from kafkacheck.checker.model import TYPE_OK, Model, settings
from kafkacheck.checker.process.errors import KafkacheckError, UsageError
from kafkacheck.checker.process.files import make_usable, remove_empty
from kafkacheck.checker.process.names import did_you_mean, shortened
from kafkacheck.checker.process.statuses import EVALUATION_FAILED, INTERNAL_ERROR, NOT_EXHAUSTED, UNEXPECTED, VACUOUS


@dataclass(frozen=True)
class Asked:
    """What models are asked: settings (`--set`) and properties, each as far as it fits a model; and their lemmas."""

    changes: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    lemmas: bool = False

    def of(self, model: Model) -> "Asked":
        """What of this fits a model."""
        changes = tuple(text for text in self.changes if settings.fits(model, text))
        return replace(self, changes=changes, properties=tuple(set(self.properties) & _properties_of(model)))

    @property
    def is_default(self) -> bool:
        """Whether a model is checked as it is defined, so that its expected verdict is to be found."""
        return not (self.changes or self.properties or self.lemmas)


def check_several(
    texts: Sequence[str],
    asked: Asked,
    engine: str,
    limits: Limits,
    folder: Path,
    as_json: bool,
    strict: bool,
    keep_going: bool,
) -> int:
    """Search models, one after the other, and close with a table or one JSON document.

    The exit status is 0 if each verdict is the expected one, none vacuous; otherwise the highest one of a model. A
    model of which nothing is expected has the status that it has alone. UsageError if no model has a setting or a
    property that was asked for.
    """
    if asked.changes or asked.properties:
        texts = _fitting(texts, asked, limits)
    expectations = catalogue.expectations()
    made = make_usable(folder)
    rows: list[report.Checked] = []
    names: list[str] = []
    for text in texts:
        with selection.forgetting_modules():
            row = _searched(text, asked, expectations, engine, limits, keep_going)
            if row.result is not None:
                warn_of_vacuity(row.result)
                if not as_json:
                    say("\n".join(_lines(row)))
                names.append(row.result.model.name)
                times = names.count(names[-1])
                row = _written(row, folder if times == 1 else folder / f"{names[-1]}.{times}")
        rows.append(row)
        if row.error:
            remove_empty(made)
            tell(f"error: {text}: {row.error}")
        if row.error_status == NOT_EXHAUSTED:
            break
    rows += [report.Checked(text, expectations.get(text), None, is_begun=False) for text in texts[len(rows) :]]
    if as_json:
        say(json_text(report.catalogue_document(rows)))
    else:
        say(report.closing_table(rows, sys.stdout))
    return max((_row_status(row, strict) for row in rows), default=0)


def _fitting(texts: Sequence[str], asked: Asked, limits: Limits) -> list[str]:
    """The models that have a property that was asked for, if one was. A model that cannot be loaded is kept."""
    for change in asked.changes:
        settings.require_pair(change, "nodes=3")
    kept: list[str] = []
    left_out: list[str] = []
    missing_changes, missing_properties = list(asked.changes), list(asked.properties)
    known_settings: set[str] = set()
    known_properties: set[str] = set()
    for text in texts:
        try:
            with selection.forgetting_modules():
                model = catalogue.find_model(text, limits.max_seconds)
        except KafkacheckError:
            kept.append(text)
            continue
        fits = asked.of(model)
        missing_changes = [each for each in missing_changes if each not in fits.changes]
        missing_properties = [each for each in missing_properties if each not in fits.properties]
        known_settings |= {*model.bounds, *settings.rules_of(model)}
        known_properties |= _properties_of(model)
        (left_out if asked.properties and not fits.properties else kept).append(text)
    for change in missing_changes:
        name = change.partition("=")[0].strip()
        raise UsageError(
            f"--set {shortened(change)}: none of the models has a bound or rule {shortened(name)!r}"
            f"{did_you_mean(name, known_settings)}; `kafkacheck models --long` lists those of the catalogue"
        )
    for name in missing_properties:
        raise UsageError(
            f"--property {shortened(name)}: none of the models has such a property"
            f"{did_you_mean(name, known_properties)}; `kafkacheck properties` lists those of the catalogue"
        )
    if left_out:
        tell(f"note: not checked, as they have no such property: {', '.join(left_out)}")
    return kept


def _properties_of(model: Model) -> set[str]:
    judged = (*model.properties, *model.sometimes)
    return {each.name for each in judged} | {each.name for each in model.liveness} | {TYPE_OK}


def _searched(
    text: str, asked: Asked, expectations: dict[str, Expectation], engine: str, limits: Limits, keep_going: bool
) -> report.Checked:
    """Search a model; an error is part of the answer."""
    is_listed = text in catalogue.modules()
    row = report.Checked(text, expectations.get(text) if is_listed else None, None, is_judged=is_listed)
    try:
        model = catalogue.find_model(text, limits.max_seconds)
        fits = asked.of(model)
        left_out = [each for each in asked.changes if each not in fits.changes]
        if not is_listed:
            expected = selection.expected_of(text, model)
            row = replace(row, expectation=expected, is_judged=expected is not None)
        if not fits.is_default:
            row = replace(row, expectation=None, is_judged=False)
        row = replace(row, changes=fits.changes, left_out=tuple(left_out))
        source = Source(text, fits.changes, fits.properties, fits.lemmas)
        result = by_engine(engine, source, None, keep_going)(source.of(model), limits)
    except KafkacheckError as error:
        return replace(row, error=str(error), error_status=error.exit_status)
    except KeyboardInterrupt:
        return replace(row, error=interrupted(), error_status=NOT_EXHAUSTED)
    row = replace(row, result=result)
    if result.verdict is Verdict.EVALUATION_FAILED:
        return replace(row, error=result.reason, error_status=EVALUATION_FAILED)
    if result.verdict is Verdict.SELF_CHECK_FAILED:
        return replace(row, error=result.reason, error_status=INTERNAL_ERROR)
    return replace(row, error=interrupted(), error_status=NOT_EXHAUSTED) if result.interrupted else row


def _lines(row: report.Checked) -> list[str]:
    """What is printed of a model as soon as it is searched. Of one of the catalogue at its defaults no notes."""
    assert row.result is not None
    within = report.constraint_text(row.result)
    is_plain = row.name in catalogue.modules() and not row.changes
    told = [] if is_plain else [f"note: {note}" for note in report.notes(row.result, row.changes)]
    left_out = [
        f"note: {row.name} has nothing that --set {text} could set; checked without it" for text in row.left_out
    ]
    listed = report.violation_lines(row.result)
    return [*listed, *([within] if within else []), *left_out, *told, report.closing_line(row.result)]


def _written(row: report.Checked, folder: Path) -> report.Checked:
    """Write the counterexample of a search; the files, or another error, are part of the answer."""
    if row.result is None:
        return row
    try:
        return replace(row, files=write_counterexample(row.result, folder))
    except KafkacheckError as error:
        told = f"{row.error}; {error}" if row.error else str(error)
        return replace(row, error=told, error_status=max(row.error_status, error.exit_status))
    except KeyboardInterrupt:
        return replace(row, error=interrupted(), error_status=NOT_EXHAUSTED)


def _row_status(row: report.Checked, strict: bool) -> int:
    if row.error:
        return row.error_status
    if not row.is_finished or row.result is None:
        return NOT_EXHAUSTED
    if strict and row.result.is_vacuous:
        return VACUOUS
    if not row.is_judged:
        return exit_status(row.result.model, row.result.verdict, row.result.property)
    return 0 if row.is_expected else UNEXPECTED
