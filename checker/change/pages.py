"""What `change` found, for others to read: a summary in Markdown for a pull request, and JUnit XML for its checks."""

from collections.abc import Sequence
from xml.etree import ElementTree

from kafkacheck.checker.change import telling
from kafkacheck.checker.change.judging import Change, Judged
from kafkacheck.checker.change.run import Report


def markdown(report: Report, shown: Sequence[str]) -> str:
    """A summary in Markdown: the text of the command with what fails first, then the lines of a counterexample."""
    head = [f"## kafkacheck change: {telling.verdict_of(report)}", "", *(f"- {line.strip()}" for line in _told(report))]
    return "\n".join([*head, *shown, ""])


def counterexample(told: str, trace: str, picture: str, command: str) -> list[str]:
    """Lines of Markdown that show a counterexample: its picture if there is one, its text, how it becomes a test."""
    return [
        *(["", f"![{told}]({picture})"] if picture else []),
        "",
        f"<details><summary>a shortest counterexample: {told}</summary>",
        "",
        "```",
        trace,
        "```",
        "",
        "</details>",
        "",
        f"Keep it as a test: `{command}`",
    ]


def _told(report: Report) -> list[str]:
    return [line.replace("<", "&lt;") for line in (*telling.failing_lines(report), *telling.lines(report))]


def junit(report: Report) -> str:
    """JUnit XML: a test for each model, and for each other setting that told something.

    It fails if something fails in the model that did not before the edit, and is skipped if it was not finished.
    """
    suite = ElementTree.Element("testsuite", name="kafkacheck change", time=f"{report.taken:.3f}")
    for each in (*report.judged, *report.tried):
        case = _case(suite, telling.named(each), each.seconds)
        if each.change is Change.FAILS:
            _add(case, "failure", each.failures[0].told, "\n".join(failure.told for failure in each.failures))
        elif each.change is Change.UNFINISHED:
            _add(case, "skipped", each.reason)
        else:
            ElementTree.SubElement(case, "system-out").text = _steps(each)
    for name in report.unfinished:
        _add(_case(suite, name), "skipped", "there was no time for it")
    for name in report.new:
        _add(_case(suite, name), "skipped", "it is new, so that there is nothing to compare")
    for name, error in report.errors.items():
        _add(_case(suite, name), "error", error)
    if telling.verdict_of(report) == "UNREACHED":
        _add(_case(suite, "reach"), "failure", "no model comes to what was edited")
    if telling.verdict_of(report) == "NOT_EXHAUSTED":
        _add(
            _case(suite, "time"),
            "error",
            "some models were not searched to their end, so that nothing is known of them",
        )
    for tag, count in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(tag, str(len(suite.findall(f"testcase/{count}"))))
    suite.set("tests", str(len(suite)))
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def _steps(each: Judged) -> str:
    return f"{each.change.value}: {each.former.states} states before, {each.now.states} now"


def _case(suite: ElementTree.Element, name: str, seconds: float = 0.0) -> ElementTree.Element:
    return ElementTree.SubElement(suite, "testcase", classname="kafkacheck.change", name=name, time=f"{seconds:.3f}")


def _add(case: ElementTree.Element, tag: str, message: str, text: str = "") -> None:
    found = ElementTree.SubElement(case, tag, message=message)
    found.text = text or None
