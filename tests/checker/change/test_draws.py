"""The edits that `tests.checker.change.draws` makes."""

import ast

from kafkacheck.checker.mutation.mutation import mutants_of
from kafkacheck.impl.broker import isr
from tests.checker.change.draws import edited, path_of


def test_an_edit_changes_one_function_and_no_other():
    mutants = mutants_of(isr.is_eligible, True)
    source = path_of(mutants[0]).read_text(encoding="utf-8")
    known = {each.name: ast.dump(each) for each in ast.parse(source).body if isinstance(each, ast.FunctionDef)}
    for mutant in mutants:
        text = edited(source, mutant)
        now = {each.name: ast.dump(each) for each in ast.parse(text).body if isinstance(each, ast.FunctionDef)}
        assert [name for name in known if now.pop(name) != known[name]] == ["is_eligible"]
        assert not now
        assert "is_removed" not in text
