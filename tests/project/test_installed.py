"""The wheel in an empty environment: one name is taken, and a project's own `model` and `spec` stay its own."""

import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.support.command import ROOT, TANK, write

PATIENCE = 300
OWN = TANK.replace("def never_full", "from spec.tanks import FULL\n\n\ndef never_full").replace("!= 3", "!= FULL")


def run(*command, folder):
    done = subprocess.run([*map(str, command)], cwd=folder, capture_output=True, text=True, timeout=PATIENCE)
    assert "Traceback" not in done.stderr, done.stderr
    return done


def packages():
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["packages"]


def test_every_folder_with_code_is_installed():
    tops = ("checker", "impl", "spec", "model")
    folders = {path.parent.relative_to(ROOT) for top in tops for path in (ROOT / top).rglob("*.py")}
    assert sorted(packages()) == sorted(".".join(("kafkacheck", *folder.parts)) for folder in folders)
    assert all((ROOT / folder / "__init__.py").is_file() for folder in folders)


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The installed program, in an environment that has nothing else but what the lock names."""
    folder = tmp_path_factory.mktemp("installed")
    sources = folder / "sources"  # so that building leaves nothing in this repository
    for name in ("checker", "impl", "spec", "model", "pyproject.toml", "README.md", "LICENSE"):
        sources.mkdir(exist_ok=True)
        run("cp", "-R", ROOT / name, sources / name, folder=folder)
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check")
    build = run(*pip, "wheel", "--no-deps", "--no-index", "--no-build-isolation", "-w", folder, sources, folder=folder)
    assert build.returncode == 0, build.stderr
    (wheel,) = folder.glob("*.whl")
    assert {name.partition("/")[0] for name in zipfile.ZipFile(wheel).namelist()} == {
        "kafkacheck",
        wheel.name.removesuffix("-py3-none-any.whl") + ".dist-info",
    }
    environment = folder / "environment"
    run(sys.executable, "-m", "venv", "--without-pip", environment, folder=folder)
    python = environment / "bin" / "python"
    run(*pip, "--python", python, "install", "--no-deps", "--no-index", wheel, folder=folder)
    (site,) = environment.glob("lib/python*/site-packages")
    write(site / "dependencies.pth", sysconfig.get_paths()["purelib"])
    return environment / "bin" / "kafkacheck"


@pytest.fixture
def project(tmp_path):
    """A project of somebody else that has a `model` and a `spec`."""
    for name in ("model", "spec"):
        write(tmp_path / name / "__init__.py", "")
    write(tmp_path / "spec" / "tanks.py", "FULL = 3\n")
    write(tmp_path / "model" / "own.py", OWN.replace('name="tank"', 'name="own"'))
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("name", ["model/own.py", "model.own"])
def test_a_model_of_the_project_is_checked(installed, project, name):
    done = run(installed, "check", name, "--set", "valve=OPEN", folder=project)
    assert done.returncode == 12 and "own: VIOLATED never_full" in done.stdout, done.stderr


@pytest.mark.slow
def test_a_model_of_the_catalogue_is_checked(installed, project):
    done = run(installed, "check", "kip320", "--set", "max_leader_epoch=1", folder=project)
    assert done.returncode == 0 and "replication.kip320: HOLDS distinct=39619 " in done.stdout, done.stderr
    assert run(installed, "models", "kip*", folder=project).returncode == 0


@pytest.mark.slow
def test_a_model_of_the_project_is_checked_on_spark(installed, project):
    spark = ("--engine", "spark", "--spark-from", 1, "--shards", 1, "--master", "local[1]")
    done = run(installed, "check", "model/own.py", *spark, folder=project)
    assert done.returncode == 0 and "own: HOLDS" in done.stdout, done.stderr


def test_former_names_give_the_same_modules():
    program = "\n".join(
        [
            "import checker.model, checker.schema, checker.evaluation",
            "import kafkacheck.checker.model, kafkacheck.checker.exploration.evaluation",
            "assert checker.model.Model is kafkacheck.checker.model.Model",
            "assert checker.evaluation is kafkacheck.checker.exploration.evaluation",
            "from checker.model import fairness",
            "print(fairness.__name__)",
        ]
    )
    done = run(sys.executable, "-c", program, folder=ROOT)
    assert done.stdout == "kafkacheck.checker.model.fairness\n", done.stderr


def test_this_repository_is_tested_not_an_installed_one():
    import kafkacheck.checker.model

    assert Path(kafkacheck.checker.model.__file__).is_relative_to(ROOT)
