"""Finding models: by catalogue name, by file, by dotted module; and what the catalogue expects of them."""

import sys

import pytest

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.exploration.verdict import Verdict
from kafkacheck.checker.process.errors import ModelError, UsageError
from tests.support.command import ROOT, TANK, in_process, write

VERDICTS = ("HOLDS", "VIOLATED", "DEADLOCK", "NOT_EXHAUSTED", "EVALUATION_FAILED")


@pytest.fixture(autouse=True)
def _path_is_restored(monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))


def test_the_catalogue_has_the_variants_of_the_replication_protocol():
    variants = {"truncate_to_high_watermark", "kip101", "kip279", "kip320_first_try", "kip320"}
    assert {f"replication.{name}" for name in variants} <= set(catalogue.catalogue_names())


@pytest.mark.parametrize("name", catalogue.catalogue_names())
def test_a_catalogue_model_is_named_as_its_module_and_something_is_expected_of_it(name):
    model = catalogue.find_model(name)
    assert model.name == name
    expected = catalogue.expectations()[name]
    assert expected.property in {None, *(each.name for each in (*model.properties, *model.liveness))}


def test_nothing_is_expected_of_models_that_are_not_there():
    assert set(catalogue.expectations()) <= set(catalogue.catalogue_names())


def test_listing_reads_and_imports_nothing(tmp_path):
    write(tmp_path / "model" / "__init__.py", "")
    write(tmp_path / "model" / "broken.py", "import nothing_of_that_name\nMODEL = nothing_of_that_name.MODEL\n")
    write(tmp_path / "model" / "helpers.py", "from kafkacheck.model.broken import MODEL\n")
    program = "from kafkacheck.checker.catalogue import catalogue; print(catalogue.catalogue_names())"
    ended = in_process(folder=tmp_path, program=program)
    assert ended.out == "['broken']\n", ended.err


def test_by_file_by_dotted_module_and_by_catalogue_name_it_is_the_same_model():
    by_name = catalogue.find_model("kip101")
    assert catalogue.find_model("kafkacheck.model.replication.kip101") is by_name
    assert catalogue.find_model(str(ROOT / "model" / "replication" / "kip101.py")) is by_name


def test_a_file_may_import_the_files_beside_it(tmp_path):
    write(tmp_path / "beside_the_tank.py", "CAPACITY = 5\n")
    text = TANK.replace('"capacity": 3', '"capacity": CAPACITY').replace(
        "from kafkacheck.checker.model", "from beside_the_tank import CAPACITY\nfrom kafkacheck.checker.model"
    )
    assert catalogue.find_model(str(write(tmp_path / "tank.py", text))).bounds == {"capacity": 5}


def test_a_file_in_a_package_may_import_relatively(tmp_path):
    write(tmp_path / "waterworks" / "__init__.py", "")
    write(tmp_path / "waterworks" / "sizes.py", "CAPACITY = 6\n")
    text = TANK.replace('"capacity": 3', '"capacity": CAPACITY').replace(
        "from kafkacheck.checker.model", "from .sizes import CAPACITY\nfrom kafkacheck.checker.model"
    )
    path = write(tmp_path / "waterworks" / "tank.py", text)
    assert catalogue.find_model(str(path)).bounds == {"capacity": 6}
    assert catalogue.find_model("waterworks.tank").bounds == {"capacity": 6}


def test_a_dotted_module_is_found_from_the_current_folder(tmp_path, monkeypatch):
    write(tmp_path / "reservoirs" / "big" / "tank.py", TANK)
    monkeypatch.chdir(tmp_path)
    assert catalogue.find_model("reservoirs.big.tank").name == "tank"
    assert catalogue.find_model("reservoirs/big/tank.py").name == "tank"


@pytest.mark.parametrize("name", ["queue.py", "checker.py", "my model.v2.py", "json.py"])
def test_a_file_may_have_the_name_of_another_module(tmp_path, name):
    assert catalogue.find_model(str(write(tmp_path / name, TANK))).name == "tank"


def test_two_files_of_one_name_are_two_models(tmp_path):
    one = write(tmp_path / "one" / "tank.py", TANK)
    two = write(tmp_path / "two" / "tank.py", TANK.replace('"capacity": 3', '"capacity": 8'))
    assert catalogue.find_model(str(one)).bounds == {"capacity": 3}
    assert catalogue.find_model(str(two)).bounds == {"capacity": 8}


def test_a_catalogue_name_comes_before_a_folder_of_that_name(tmp_path, monkeypatch):
    (tmp_path / "kip320").mkdir()
    monkeypatch.chdir(tmp_path)
    assert catalogue.find_model("kip320").name == "replication.kip320"


def test_an_unknown_name_is_told_the_nearest_one_and_where_the_list_is():
    with pytest.raises(UsageError, match=r"no model 'kip102'.*`kafkacheck models`.*did you mean kip101\?"):
        catalogue.find_model("kip102")


@pytest.mark.parametrize(
    ("mistyped", "meant"),
    [
        ("harbour_pump", "harbour.locks.pumps"),  # once called harbour_pumps
        ("Harbour.Locks.Uper", "harbour.locks.upper"),
        ("canal_pump", "canal.pumps"),
        ("lacks", "locks"),
        ("canals", r"one of 'canal\.\*'"),
    ],
)
def test_a_mistyped_name_is_told_by_the_name_of_today(waterways, mistyped, meant):
    with pytest.raises(UsageError, match=rf"; did you mean {meant}\?;"):
        catalogue.find_model(mistyped)


MODULES = {
    "harbour/base.py": "harbour",
    "harbour/locks/base.py": "harbour.locks",
    "harbour/locks/upper.py": "harbour.locks.upper",
    "harbour/locks/pumps.py": "harbour.locks.pumps",
    "harbour/upper.py": "harbour.upper",
    "harbour/return_.py": "harbour.return",
    "canal/pumps.py": "canal.pumps",
    "lake.py": "lake",
}


@pytest.fixture
def waterways(tmp_path, monkeypatch):
    """A catalogue with folders."""
    for path in MODULES:
        write(tmp_path / path, "MODEL = 1\n")
        write((tmp_path / path).parent / "__init__.py", "")
    write(tmp_path / "notes" / "no_package.py", "MODEL = 1\n")
    monkeypatch.setattr(catalogue, "folders", lambda: [tmp_path])


def test_a_model_is_named_by_its_path_and_a_base_by_its_folder(waterways):
    assert catalogue.catalogue_names() == sorted(MODULES.values())


@pytest.mark.parametrize(
    ("short", "name"),
    [
        ("harbour", "harbour"),
        ("harbour.locks.upper", "harbour.locks.upper"),
        ("locks.upper", "harbour.locks.upper"),
        ("harbour_locks_upper", "harbour.locks.upper"),
        ("harbour_upper", "harbour.upper"),
        ("harbour_pumps", "harbour.locks.pumps"),
        ("locks", "harbour.locks"),
        ("return", "harbour.return"),
        ("canal_pumps", "canal.pumps"),
        ("lake", "lake"),
        ("harbour_lake", None),
        ("upper.locks", None),
    ],
)
def test_a_short_name_that_is_clear_suffices(waterways, short, name):
    assert catalogue.full_name(short) == name


@pytest.mark.parametrize(
    ("short", "names"), [("upper", "harbour.locks.upper, harbour.upper"), ("pumps", "canal.pumps, harbour.locks.pumps")]
)
def test_a_short_name_of_several_models_is_refused_with_all_of_them(waterways, short, names):
    with pytest.raises(UsageError, match=rf"several models are called '{short}'; name one of: {names}$"):
        catalogue.find_model(short)


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("harbour.*", ["harbour", "harbour.locks", "harbour.locks.pumps", "harbour.locks.upper", "harbour.return",
                       "harbour.upper"]),
        ("harbour.locks.*", ["harbour.locks", "harbour.locks.pumps", "harbour.locks.upper"]),
        ("harbour_*", ["harbour.locks", "harbour.locks.pumps", "harbour.locks.upper", "harbour.return",
                       "harbour.upper"]),
        ("*.pumps", ["canal.pumps", "harbour.locks.pumps"]),
        ("la*", ["lake"]),
        ("harbour", ["harbour"]),
    ],
)  # fmt: skip
def test_a_star_crosses_dots(waterways, pattern, names):
    assert catalogue.names_matching([pattern]) == names


def test_a_folder_stands_for_its_models_where_that_is_wanted(waterways):
    assert catalogue.names_matching(["canal"], with_folders=True) == ["canal.pumps"]
    assert len(catalogue.names_matching(["harbour"], with_folders=True)) == 6
    for find in (lambda: catalogue.names_matching(["canal"]), lambda: catalogue.find_model("canal")):
        with pytest.raises(
            UsageError, match=r"^'canal' is a folder .* check, models and guards take all .* 'canal\.\*'"
        ):
            find()


def test_where_one_model_is_wanted_a_pattern_is_none(waterways):
    with pytest.raises(UsageError, match=r"^'canal\.\*' is a pattern; name one model: check,"):
        catalogue.find_model("canal.*")


def test_a_module_called_model_hides_no_catalogue(tmp_path):
    write(tmp_path / "model.py", "")
    write(tmp_path / "tank.py", TANK)
    ended = in_process("check", "tank.py", "--engine", "interpreted", folder=tmp_path)
    assert ended.status == 0, ended.err
    ended = in_process("models", "replication", folder=tmp_path)
    assert ended.status == 0 and "replication.kip320" in ended.out


@pytest.mark.parametrize("verdict", VERDICTS)
def test_an_expectation_is_a_verdict_and_a_property(tmp_path, monkeypatch, verdict):
    write(tmp_path / "expected.toml", f'[tank]\nverdict = "{verdict}"\nstates_distinct = 3\n')
    monkeypatch.setattr(catalogue, "folders", lambda: [tmp_path])
    assert catalogue.expectations() == {"tank": catalogue.Expectation(Verdict[verdict])}
    assert catalogue.Expectation(Verdict.VIOLATED, "never_full").text() == "VIOLATED never_full"


@pytest.mark.parametrize(
    "text",
    ["[tank", "tank = 3", "[tank]\n", '[tank]\nverdict = "GOOD"\n', "[tank]\nverdict = 3\n", "[tank]\nverdict = []"],
)
def test_an_expectation_that_is_none_is_an_error_that_names_the_file(tmp_path, monkeypatch, text):
    path = write(tmp_path / "expected.toml", text)
    monkeypatch.setattr(catalogue, "folders", lambda: [tmp_path])
    with pytest.raises(ModelError, match=str(path)):
        catalogue.expectations()
