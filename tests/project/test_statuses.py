"""The exit statuses are told in one place, and everything else agrees with it."""

import ast
from pathlib import Path

from kafkacheck.checker.console.options import EXIT_STATUSES
from kafkacheck.checker.process import errors, statuses
from kafkacheck.checker.process.sources import CHECKER

DEFINED = {name: value for name, value in vars(statuses).items() if name.isupper() and isinstance(value, int)}


def test_every_status_is_in_the_table_once():
    told = [status for each, _ in statuses.TABLE for status in each]
    assert len(told) == len(set(told))
    assert set(DEFINED.values()) - {statuses.BY_SIGNAL} <= set(told)
    assert all(status in DEFINED.values() or status > statuses.BY_SIGNAL for status in told)


def test_the_readme_of_the_checker_and_the_help_have_the_table():
    assert statuses.markdown() in (CHECKER / "README.md").read_text(encoding="utf-8")
    assert statuses.help_text() == EXIT_STATUSES
    assert all(len(line) <= 120 for line in EXIT_STATUSES.splitlines())


def test_every_error_carries_one_by_its_name():
    tree = ast.parse(Path(errors.__file__).read_text(encoding="utf-8"))
    given = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "exit_status"
    ]
    assert given and all(isinstance(each, ast.Attribute) and each.attr in DEFINED for each in given)


def numbers_given(text):
    """The numbers by which a text ends a process, or says how it ends."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("sys.exit", "os._exit", "exit", "SystemExit"):
            yield from (each for each in node.args if isinstance(each, ast.Constant) and each.value not in (None, 1))
        if isinstance(node, ast.Assign) and any("status" in ast.unparse(each).lower() for each in node.targets):
            yield from (
                [node.value] if isinstance(node.value, ast.Constant) and isinstance(node.value.value, int) else []
            )


def test_no_other_file_defines_a_status():
    assert list(numbers_given("import sys\nsys.exit(20)")) and list(numbers_given("exit_status = 12"))
    for path in CHECKER.rglob("*.py"):
        if path != Path(statuses.__file__):
            assert not list(numbers_given(path.read_text(encoding="utf-8"))), path
