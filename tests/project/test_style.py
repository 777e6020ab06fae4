"""The repository keeps the project's style rules, and each rule can fail."""

import os
import re
import sys
import tomllib
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import pytest

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.process.names import model_name
from tests import ROOT
from tests.project import rules_together as together
from tests.project import style_rules as rules

GENERATED = re.compile(r"^(?:\..*|__pycache__|build|dist|out|.*\.egg-info)$")
NOT_TEXT = (".svg", ".png", ".pyc", ".zip")


@cache
def texts() -> dict[str, str]:
    """Every text file of the repository by its path, without what tools generate."""
    found = {}
    for folder, folders, files in os.walk(ROOT):
        folders[:] = sorted(name for name in folders if name == ".ci" or not GENERATED.match(name))
        for name in sorted(files):
            path = Path(folder) / name
            if path.suffix not in NOT_TEXT and name != ".git":  # a file in a work tree beside the repository
                found[path.relative_to(ROOT).as_posix()] = path.read_text(encoding="utf-8")
    return found


def model_names() -> list[str]:
    """The names of the catalogue's models, by the text of their files."""
    return [model_name(rules.module_of(path)) for path, text in texts().items() if rules.is_model(path, text)]


def find_model(name: str):
    return catalogue.find_model(name)  # here, so that other rules work while a model is broken


@cache
def names_by_role() -> tuple[set[str], set[str], set[str]]:
    """The names of the functions that models of the catalogue use as actions, as invariants, and as lemmas.

    A function of `impl/` to which an action only delivers counts as an action, too.
    """
    actions: set[str] = set()
    invariants: set[str] = set()
    lemmas: set[str] = set()
    for name in model_names():
        model = find_model(name)
        actions |= {action.name for action in model.actions}
        invariants |= {each.name for each in model.properties}
        lemmas |= {each.name for each in model.lemmas}
    return actions | rules.delivered(texts(), actions), invariants, lemmas


def docstring_of_function(path: str, text: str) -> Iterable[str]:
    return rules.docstring_of_function(path, text, *names_by_role())


def spec_observes(path: str, text: str) -> Iterable[str]:
    return rules.spec_observes(path, text, texts())


RULES_OF_A_PYTHON_FILE: tuple[Callable[[str, str], Iterable[str]], ...] = (
    rules.import_direction,
    spec_observes,
    rules.no_kafka_word,
    rules.file_length,
    rules.exemption_reasons,
    rules.docstring_of_module,
    rules.docstring_of_model,
    rules.docstring_of_struct,
    docstring_of_function,
    rules.docstring_of_checker,
    rules.plain_subset,
    rules.log_seam,
)


def report(problems: Iterable[str]) -> None:
    found = list(problems)
    assert not found, f"{len(found)} problem(s); CONTRIBUTING.md explains the rule:\n" + "\n".join(found)


@pytest.mark.parametrize("rule", RULES_OF_A_PYTHON_FILE, ids=lambda rule: rule.__name__)
def test_python_files(rule):
    report(problem for path, text in texts().items() if path.endswith(".py") for problem in rule(path, text))


def test_text_files():
    report(problem for path, text in texts().items() for problem in rules.forbidden_text(path, text))


@pytest.mark.parametrize(
    "rule",
    [together.circles, together.one_importer, together.one_definition, together.unused_functions],
    ids=lambda rule: rule.__name__,
)
def test_files_together(rule):
    report(rule({path: text for path, text in texts().items() if path.endswith(".py")}))


def test_the_rules_see_the_whole_repository():
    for path in (
        "Makefile",
        ".ci/run",
        "README.md",
        "model/replication/kip320.py",
        "impl/log/records.py",
        "spec/replication/properties.py",
    ):
        assert path in texts(), path
    actions, invariants, lemmas = names_by_role()
    assert len(actions) >= 8
    assert {"weak_isr", "strong_isr"} <= invariants
    assert "log_matching" in lemmas


@pytest.mark.parametrize("name", model_names())
def test_every_model_of_the_catalogue_is_well_formed(name):
    """Defining a model checks the plain subset, names, bounds and kinds of all that it uses."""
    assert find_model(name).name == name


PLAIN = "def f(a: int) -> bool:\n    "
RETURN = PLAIN + "return "
MODULE = '"""A.\n\nPart of Kafka modelled: a.\nSource: b.\nLeft out, and why: c.\n"""'
MODEL = '"""Is it?\n\nBounds: 1.\nExpected: HOLDS.\n"""\nMODEL = 1'
STRUCT = 'class A(Struct):\n    """A.\n\n    x: b.\n    """\n    x: int'
RAISES = 'def f():\n    """F."""\n    raise ModelError("x")'

# Each rule on a text that breaks it: (rule, path, text, what the message must contain).
BROKEN = [
    (rules.import_direction, "impl/a.py", "from kafkacheck.spec.replication import weak_isr", "impl/ may import only"),
    (rules.import_direction, "impl/a.py", "from kafkacheck.checker.model import Model", "kafkacheck.checker.model"),
    (rules.import_direction, "impl/a.py", "from kafkacheck.checker import model", "kafkacheck.checker.model"),
    (rules.import_direction, "impl/a.py", "from impl import log", "write kafkacheck.impl, as it is called"),
    (rules.import_direction, "impl/a.py", "from . import log", "write the whole module name"),
    (rules.import_direction, "impl/a.py", "import numpy", "may import only the project and"),
    (rules.import_direction, "spec/a.py", "import kafkacheck.model.cluster.family", "kafkacheck.model.cluster.family"),
    (rules.import_direction, "model/a.py", "import kafkacheck.checker.search", "kafkacheck.checker.search"),
    (rules.import_direction, "checker/a.py", "def f():\n    from kafkacheck.model import kip320", "model"),
    (rules.import_direction, "checker/a.py", "import kafkacheck.impl.log", "kafkacheck.impl.log"),
    (rules.no_kafka_word, "checker/a.py", "def of(broker_id): pass", "'broker'"),
    (rules.no_kafka_word, "checker/a.py", "class LeaderLane: pass", "'leader'"),
    (rules.no_kafka_word, "checker/a.py", "# all replicas", "'replicas'"),
    (rules.no_kafka_word, "checker/a.py", "ISR = 'x'", "'isr'"),
    (rules.no_kafka_word, "checker/a.py", "partition = 1", "'partition'"),
    (rules.log_seam, "impl/producer/a.py", "def f(a): return a.log.end_offset", "touches a.log.end_offset"),
    (rules.log_seam, "impl/compaction/a.py", "def f(log): log.records[0].id = 1", "touches log.records"),
    (rules.file_length, "checker/a.py", "pass\n" * 501, "501 lines"),
    (rules.forbidden_text, "README.md", "TO" + "DO: write this", "unfinished"),
    (rules.forbidden_text, "checker/a.py", "x = 1  # XX" + "X", "unfinished"),
    (rules.forbidden_text, "Makefile", "PYTHON = /ro" + "ot/bin/python", "one machine"),
    (rules.forbidden_text, "CONTRIBUTING.md", "see /wo" + "rk/main", "one machine"),
    (rules.forbidden_text, "CONTRIBUTING.md", "see sha" + "red/design.md", "outside the repository"),
    (rules.forbidden_text, "pyproject.toml", "https://py" + "pi.org/simple", "registry"),
    (rules.forbidden_text, "README.md", "as the previous ses" + "sion left it", "organised"),
    (rules.forbidden_text, "README.md", "as iss" + "ue 2 asks", "organised"),
    (rules.exemption_reasons, "checker/a.py", "x = 1  # type: ignore[assignment]", "no reason"),
    (rules.exemption_reasons, "tests/a.py", "x = 1  # noqa: F401", "no reason"),
    (rules.docstring_of_module, "checker/a.py", "x = 1", "no docstring"),
    (rules.docstring_of_module, "impl/a.py", MODULE.replace("Part of Kafka modelled: a.", ""), "Part of Kafka"),
    (rules.docstring_of_module, "spec/b/__init__.py", MODULE.replace("Left out", "Gone"), "Left out"),
    (rules.docstring_of_module, "impl/a.py", MODULE.replace("Source: b.", "Source:"), "Source"),
    (rules.docstring_of_model, "model/a.py", MODEL.replace("?", "."), "no question"),
    (rules.docstring_of_model, "model/a.py", MODEL.replace("Bounds: 1.", ""), "Bounds"),
    (rules.docstring_of_model, "model/a.py", MODEL.replace("HOLDS", "fine"), "verdict"),
    (rules.docstring_of_struct, "impl/a.py", STRUCT + "\n    y: int", "'y: ...'"),
    (rules.docstring_of_struct, "impl/a.py", "class A(NamedTuple):\n    x: int", "'x: ...'"),
    (rules.docstring_of_checker, "checker/a.py", "def f(): pass", "no docstring"),
    (rules.docstring_of_checker, "checker/a.py", 'class A:\n    """A."""\n    def f(self): pass', "f is public"),
    (rules.docstring_of_checker, "checker/a.py", RAISES, "raises ModelError"),
    (rules.plain_subset, "impl/a.py", PLAIN + "while a:\n        pass", "While"),
    (rules.plain_subset, "impl/a.py", RETURN + "a in (1, 2)", "Tuple"),
    (rules.plain_subset, "impl/a.py", RETURN + "max(x for x in a)", "GeneratorExp"),
    (rules.plain_subset, "impl/a.py", RETURN + "any([x for x in a])", "ListComp"),
    (rules.plain_subset, "impl/a.py", RETURN + "sum((x for x in a), 1)", "GeneratorExp"),
    (rules.plain_subset, "impl/a.py", RETURN + "any(x == (1, 2) for x in a)", "Tuple"),
    (rules.plain_subset, "impl/a.py", RETURN + "any(x / 2 == 1 for x in a)", "Div"),
    (rules.plain_subset, "impl/a.py", RETURN + "a / 2", "Div"),
    (rules.plain_subset, "impl/a.py", RETURN + "a == 1.5", "1.5"),
    (rules.plain_subset, "impl/a.py", RETURN + "a == 'x'", "'x'"),
    (rules.plain_subset, "impl/a.py", RETURN + "g(a=1)", "by position"),
    (rules.plain_subset, "impl/a.py", RETURN + "g(a, R(a=1))", "by position"),
    (rules.plain_subset, "impl/a.py", "def f(a: int = 1): return 1", "defaults"),
    (rules.plain_subset, "impl/a.py", "def f(a): return 1", "annotation"),
    (rules.plain_subset, "spec/a.py", "@cache\ndef f(): return 1", "decorator"),
    (rules.plain_subset, "spec/a.py", "f = lambda a: True", "plain `def`"),
    (rules.plain_subset, "model/a.py", PLAIN + "def g(): pass", "FunctionDef"),
    (rules.plain_subset, "model/a.py", PLAIN + "a += 1\n    " * 71, "more than 70 lines"),
]  # fmt: skip

# Texts that keep the rules, where a careless rule would complain.
SOUND = [
    (rules.import_direction, "impl/a.py", "import enum, kafkacheck.checker.schema\nfrom kafkacheck.impl import log"),
    (rules.import_direction, "model/a.py", "import kafkacheck.spec.lag\nfrom kafkacheck.checker import drawing"),
    (rules.import_direction, "checker/a.py", "import numpy\nfrom kafkacheck.checker import schema"),
    (rules.import_direction, "tests/a.py", "import kafkacheck.model.kip320, kafkacheck.checker.search"),
    (rules.no_kafka_word, "checker/a.py", "class KafkacheckError: pass\nname = text.partition('=')\nOffset = 1"),
    (rules.no_kafka_word, "impl/a.py", "broker = 1"),
    (rules.file_length, "checker/a.py", "pass\n" * 500),
    (rules.forbidden_text, "README.md", "the fetch session; network/home/x; KAFKA-2334; example.org/root/x"),
    (rules.exemption_reasons, "checker/a.py", "x = 1  # type: ignore[misc]  # no types"),
    (rules.docstring_of_module, "impl/a.py", MODULE),
    (rules.docstring_of_model, "model/a.py", MODEL),
    (rules.docstring_of_model, "model/a.py", '"""What models share."""'),
    (rules.docstring_of_struct, "impl/a.py", STRUCT),
    (rules.docstring_of_checker, "checker/a.py", RAISES.replace("F.", "F; ModelError where not.")),
    (rules.docstring_of_checker, "checker/a.py", "@group.command()\n" + RAISES),
    (rules.docstring_of_checker, "checker/a.py", "def _f(): pass\nclass _A:\n    def f(self): pass"),
    (rules.plain_subset, "impl/a.py", PLAIN + '"""F."""\n    b: int = 1\n    c = -a if b else 2\n    return not c'),
    (rules.plain_subset, "impl/a.py", RETURN + "any(x == i for i, (x, y) in enumerate(zip(a, a)) if y)"),
    (rules.plain_subset, "impl/a.py", PLAIN + "add(a, R(b=1))\n    copy(a, R(b=1))\n    return True"),
    (rules.plain_subset, "impl/a.py", PLAIN + "for i, x in enumerate(a):\n        g(sum(y for y in x))"),
    (rules.plain_subset, "impl/a.py", "class A(Protocol):\n    @property\n    def b(self) -> bool: ..."),
    (rules.plain_subset, "checker/a.py", "f = lambda a: [a]"),
    (rules.plain_subset, "impl/assignors/a.py", "def f(a, b=1):\n    while b: yield lambda: {a: 's'}"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "path", "text", "message"), BROKEN, ids=[rule.__name__ for rule, *_ in BROKEN])
def test_a_broken_rule_is_reported(rule, path, text, message):
    found = list(rule(path, text))
    assert found, "the rule did not complain"
    assert any(message in problem for problem in found), found
    assert all(problem.startswith(f"{path}:") for problem in found), found


@pytest.mark.parametrize(("rule", "path", "text"), SOUND, ids=[rule.__name__ for rule, *_ in SOUND])
def test_a_kept_rule_is_not_reported(rule, path, text):
    assert list(rule(path, text)) == []


def test_stages_of_the_checker_import_each_other_one_way():
    one = {
        "checker/a/x.py": "from kafkacheck.checker.b import y",
        "checker/b/y.py": "",
        "checker/c.py": "import kafkacheck.checker.a.x",
    }
    assert list(together.circles(one)) == []
    (problem,) = together.circles(one | {"checker/b/y.py": "def f():\n    from kafkacheck.checker.c import g"})
    for step in ("checker.a imports checker.b", "checker.b imports checker.c", "checker.c imports checker.a"):
        assert step in problem


def test_spec_may_take_records_but_no_function():
    impl = {"impl/log.py": "MOST = 1\nclass Log: pass\ndef is_full(log): pass", "impl/__init__.py": ""}
    assert list(rules.spec_observes("spec/a.py", "from kafkacheck.impl.log import Log, MOST", impl)) == []
    for text, message in (
        ("from kafkacheck.impl.log import Log, is_full", "the function is_full"),
        ("from kafkacheck.impl import log", "kafkacheck.impl.log whole"),
        ("import kafkacheck.impl.log", "kafkacheck.impl.log whole"),
    ):
        (problem,) = rules.spec_observes("spec/a.py", text, impl)
        assert message in problem


def test_an_engine_is_imported_by_one_file():
    one = {"checker/a.py": "import numba", "checker/b.py": "import numpy", "tests/c.py": "from numba import njit"}
    assert list(together.one_importer(one)) == []
    (problem,) = together.one_importer(one | {"checker/b.py": "def f():\n    from numba.core import types"})
    assert "checker/a.py, checker/b.py" in problem


def test_an_action_an_invariant_and_a_lemma_need_their_parts():
    action = 'def f(a):\n    """F.\n\n    When: x.\n    Effect: x.\n    Source: x.\n    """'
    invariant = 'def g(a):\n    """G.\n\n    Lost if it fails: x.\n    Source: x.\n    """'
    lemma = 'def h(a):\n    """H.\n\n    Why: x.\n    Source: x.\n    """'
    cases = [(action, ({"f"}, set(), set())), (invariant, (set(), {"g"}, set())), (lemma, (set(), set(), {"h"}))]
    empty = action.replace("Source: x.", "Source: x.\n    Left out: nothing.")
    (problem,) = rules.docstring_of_function("impl/a.py", empty, *cases[0][1])
    assert "says nothing" in problem
    for text, roles in cases:
        assert list(rules.docstring_of_function("impl/a.py", text, *roles)) == []
        for line in text.splitlines():
            part = line.strip().partition(":")[0].removesuffix(" if it fails")
            if line.endswith(": x."):
                (problem,) = rules.docstring_of_function("impl/a.py", text.replace(line, ""), *roles)
                assert f"no part '{part}:'" in problem
    outcome = invariant.replace("Lost if it fails", "Lost to users")
    assert list(rules.docstring_of_function("spec/a.py", outcome, set(), {"g"}, set())) == []
    (problem,) = rules.docstring_of_function("spec/a.py", "def f(a): pass", set(), set(), set())
    assert "f has no docstring" in problem


def test_the_rule_that_an_action_delivers_to_has_the_parts():
    action = '"""M."""\ndef a(b):\n    """A."""\n    if not b.c:\n        return False\n    d = b.d[0]\n    {}'
    noted = "if not rule(d):\n        return False\n    note_it(d)\n    return True"
    for delivery in ("return rule(d)", "return files.rule(d)", "rule(d)\n    return True", noted):
        text = action.format(delivery)
        assert rules.delivered({"model/a.py": text}, {"a"}) == {"rule"}
        assert rules.delivered({"model/a.py": text}, {"b"}) == set()
        assert list(rules.docstring_of_function("model/a.py", text, {"a", "rule"}, set(), set())) == []
    for more in ("d.e = 1\n    return rule(d)", "return d == rule(d)"):
        text = action.format(more)
        assert rules.delivered({"model/a.py": text}, {"a"}) == set()
        assert len(list(rules.docstring_of_function("model/a.py", text, {"a"}, set(), set()))) == 3
    rule = 'def rule(d):\n    """R."""\n    return True'
    assert len(list(rules.docstring_of_function("impl/a.py", rule, {"a", "rule"}, set(), set()))) == 3


def test_a_name_that_two_files_of_impl_define_is_reported():
    files = {"impl/a.py": "def f(): pass", "impl/b.py": "def f(): pass\ndef g(): pass", "spec/a.py": "def g(): pass"}
    (problem,) = together.one_definition(files)
    assert "impl/a.py, impl/b.py: all define f" in problem


def test_an_unused_function_is_reported():
    files = {"impl/a.py": "def f(): pass\ndef g(): f()", "model/b.py": "from kafkacheck.impl import a\nACTIONS = [a.g]"}
    assert list(together.unused_functions(files)) == []
    (problem,) = together.unused_functions({"impl/a.py": files["impl/a.py"]})
    assert "uses g" in problem


def test_functions_that_no_model_runs_need_a_test():
    files = {"impl/assignors/a.py": "def f(): return {}"}
    (problem,) = together.unused_functions(files)
    assert "uses f" in problem
    assert list(together.unused_functions(files | {"tests/b.py": "from kafkacheck.impl.assignors.a import f"})) == []


# Dependencies: pinned, each with its reason, locked, and used.

PIN = re.compile(r"[a-z0-9-]+==[0-9][\w.]*")


def declared_pins(pyproject: str) -> list[str]:
    """All dependencies of a pyproject.toml."""
    project = tomllib.loads(pyproject)["project"]
    return project["dependencies"] + [pin for pins in project["optional-dependencies"].values() for pin in pins]


def pin_problems(pyproject: str, lock: str) -> Iterable[str]:
    """What is wrong with the dependencies of a pyproject.toml and with the lock that belongs to it."""
    pins = declared_pins(pyproject)
    locked = dict(re.fullmatch(r"(\S+)(.*)", line).groups() for line in lock.splitlines() if not line.startswith("#"))
    for pin in {*pins, *locked}:
        if not PIN.fullmatch(pin):
            yield f"{pin} is not pinned"
    for pin in pins:
        if pin not in locked:
            yield f"{pin} is not in the lock; run make lock"
        if not re.search(rf'^\s*"{re.escape(pin)}",\s+# \S.{{8,}}', pyproject, re.MULTILINE):
            yield f"{pin} has no reason beside it"
    for pin, reason in locked.items():
        if pin not in pins and "# needed by " not in reason:
            yield f"{pin} is in the lock, and no pin of pyproject.toml asks for it; run make lock"


def test_dependencies_are_pinned_and_locked_with_a_reason():
    report(pin_problems(texts()["pyproject.toml"], texts()["requirements.lock"]))


@pytest.mark.parametrize(
    ("dependency", "lock", "message"),
    [
        ('"numpy>=2",  # fast arrays', "numpy==2.0", "numpy>=2 is not pinned"),
        ('"numpy==2.1",  # fast arrays', "numpy==2.0", "numpy==2.1 is not in the lock"),
        ('"numpy==2.0",', "numpy==2.0", "numpy==2.0 has no reason"),
        ('"numpy==2.0",  # fast arrays', "numpy==2.0\nscipy==1.0", "scipy==1.0 is in the lock"),
        ('"numpy==2.0",  # fast arrays', "numpy==2.0\nscipy>1.0  # needed by numpy", "scipy>1.0 is not pinned"),
    ],
)
def test_a_wrong_pin_is_reported(dependency, lock, message):
    pyproject = f"[project]\ndependencies = [\n    {dependency}\n]\n[project.optional-dependencies]\ndev = []\n"
    assert any(message in problem for problem in pin_problems(pyproject, lock))


def test_the_build_uses_the_locked_setuptools():
    project = tomllib.loads(texts()["pyproject.toml"])
    assert set(project["build-system"]["requires"]) <= set(project["project"]["optional-dependencies"]["dev"])


MODULE_OF = {"pytest-xdist": "xdist", "z3-solver": "z3", "jpype1": "jpype"}
"""The module of a package, where it has another name."""


def undeclared(path: str, text: str, names: Iterable[str]) -> Iterable[str]:
    """What a file imports that is neither Python's, nor ours, nor one of the dependencies `names`."""
    known = {"", "annotationlib", "checker", *sys.stdlib_module_names, *rules.OWN_PACKAGES}
    known |= {MODULE_OF.get(name, name.replace("-", "_")) for name in names}
    if path.startswith("tests/kafka/"):  # `conform` puts the folder of a system on the path
        ours = [Path(each) for each in texts() if each.startswith("tests/kafka/")]
        known |= {name for each in ours for name in (each.stem, each.parent.name)}
    for module in sorted({each.partition(".")[0] for each in rules.modules_imported(text)} - known):
        yield f"{path}: imports {module}, which pyproject.toml does not pin"


def test_every_import_is_declared():
    project = tomllib.loads(texts()["pyproject.toml"])["project"]
    extra = project["optional-dependencies"]
    names = [pin.partition("==")[0] for pin in (*project["dependencies"], *extra["spark"], *extra["cvc5"])]
    names_for_tests = [*names, *(pin.partition("==")[0] for pin in extra["dev"])]
    files = [(path, text) for path, text in texts().items() if path.endswith(".py") and not path.startswith(".")]
    ours = [(path, text, names_for_tests if rules.folder_of(path) == "tests" else names) for path, text in files]
    report(problem for each in ours for problem in undeclared(*each))
    assert (
        len(list(undeclared("checker/a.py", "import numba, llvmlite.binding, os, kafkacheck.impl.log", ["numba"]))) == 1
    )


def is_used(name: str, text: str) -> bool:
    """Whether a text imports the package `name` or runs a program of that name."""
    module = MODULE_OF.get(name, name.replace("-", "_"))
    program = {"pytest-xdist": r"-n \$\(WORKERS\)"}.get(name, rf'[/"]{re.escape(name)}(?:[\s"]|$)')
    return bool(re.search(rf"^\s*(?:import|from) {re.escape(module)}\b|{program}", text, re.MULTILINE))


def test_every_dependency_is_used():
    project = tomllib.loads(texts()["pyproject.toml"])["project"]
    checker = "\n".join(text for path, text in texts().items() if rules.folder_of(path) == "checker")
    tests = "\n".join(text for path, text in texts().items() if rules.folder_of(path) == "tests")
    others = texts()["Makefile"] + texts()["pyproject.toml"].partition("[build-system]")[2].replace("==", '"')
    extra = project["optional-dependencies"]
    names = [pin.partition("==")[0] for pin in (*project["dependencies"], *extra["spark"], *extra["cvc5"])]
    assert [name for name in names if not is_used(name, checker)] == []
    names = [pin.partition("==")[0] for pin in extra["dev"]]
    assert [name for name in names if not is_used(name, tests + others)] == []


def test_make_long_runs_every_file_that_has_long_tests():
    """Otherwise some of them never run."""
    marked = re.compile(r"mark\.long\b|\blong_but\(|getoption\(\"--long\"\)")
    files = [path for path, text in texts().items() if re.match(r"tests/.*test_", path) and marked.search(text)]
    assert len(files) > 10
    _, _, listed = texts()["Makefile"].partition("LONG := $(addprefix tests/,")
    folders = tuple(f"tests/{name}/" for name in listed.partition(")")[0].replace("\\", "").split())
    assert [path for path in files if not path.startswith(folders)] == []


def test_every_exemption_of_a_tool_has_its_reason_beside_it():
    """In the settings of ruff, mypy and pytest, each line that names a rule says why."""
    settings = texts()["pyproject.toml"].partition("[tool.pytest.ini_options]")[2]
    lines = settings.splitlines()
    exemption = re.compile(r'\s*(?:"[A-Z]+\d*",|"[^"]+" = \["|ignore_missing|disallow_)')
    exempting = [number for number, line in enumerate(lines) if exemption.match(line)]
    assert len(exempting) > 10
    for number in exempting:
        assert "#" in lines[number] or lines[number - 1].startswith("#"), lines[number]


def test_the_licence_is_apache_2():
    text = texts()["LICENSE"]
    assert "Apache License\n                           Version 2.0" in text
    assert "END OF TERMS AND CONDITIONS" in text
