"""`kafkacheck replay --pytest`: a test that fails until the code is mended, on models in a folder of one's own."""

import runpy

import pytest

from kafkacheck.checker.process.errors import UsageError
from tests.support.command import TANK, Command, write

MENDS = {
    "a step is refused": ("> 2 + rules.valve", "> 2"),
    "the property holds": ("return tank.level != 3", "return tank.level != 4"),
}


@pytest.fixture
def kept(tmp_path, capsys):
    """The test of a tank that runs full; the command that wrote it."""
    command = Command(capsys)
    write(tmp_path / "one" / "tank.py", TANK)
    model = tmp_path / "one" / "tank.py"
    assert command("check", model, "--set", "valve=OPEN", "--out", tmp_path / "out").status == 12
    trace = next((tmp_path / "out").glob("*-never_full.json"))
    test = tmp_path / "one" / "test_kept.py"
    assert command("replay", model, trace, "--pytest", test).status == 0
    return test


def run(test):
    (found,) = (each for name, each in runpy.run_path(str(test)).items() if name.startswith("test_"))
    found()


def test_the_test_fails_as_long_as_the_code_does(kept):
    with pytest.raises(AssertionError, match="never_full is violated in state 4"):
        run(kept)


@pytest.mark.parametrize("way", MENDS)
def test_the_test_passes_once_the_code_is_mended(kept, tmp_path, way):
    old, new = MENDS[way]
    assert old in TANK
    folder = tmp_path / way.replace(" ", "_")
    write(folder / "tank.py", TANK.replace(old, new))
    write(folder / "test_kept.py", kept.read_text(encoding="utf-8"))
    run(folder / "test_kept.py")


def test_a_test_of_an_action_that_is_gone_does_not_pass(kept, tmp_path):
    write(tmp_path / "two" / "tank.py", TANK.replace("fill", "pour_in"))
    write(tmp_path / "two" / "test_kept.py", kept.read_text(encoding="utf-8"))
    with pytest.raises(UsageError, match="fill"):
        run(tmp_path / "two" / "test_kept.py")


def test_what_is_mended_already_is_not_kept(kept, tmp_path, capsys):
    trace = next((tmp_path / "out").glob("*-never_full.json"))
    model, test = tmp_path / "one" / "tank.py", tmp_path / "late.py"
    ended = Command(capsys)("replay", model, trace, "--set", "valve=SHUT", "--pytest", test)
    assert "write the test before you mend the code" in ended.error
    assert not test.exists()
