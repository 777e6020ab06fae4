"""Kafka's jars that are missing or do not fit end with an error that says how to mend it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kafka import libs

ROOT = Path(__file__).resolve().parents[2]


def jars(folder: Path, release: str, without: str = "") -> Path:
    """A folder with empty jars of one release."""
    folder.mkdir(exist_ok=True)
    for name in libs.NEEDED:
        if name != without:
            (folder / f"{name}-{release}.jar").touch()
    return folder


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda at: at / "nothing", "is no folder"),
        (lambda at: at, "has no jar of kafka-clients, kafka-metadata"),
        (lambda at: jars(at, "4.1.0", without="kafka-raft"), "has no jar of kafka-raft;"),
        (lambda at: jars(jars(at, "4.1.0", without="kafka-raft"), "4.2.0", "kafka-storage"), "4.1.0 and 4.2.0"),
        (lambda at: jars(at, "3.9.1"), "holds Kafka 3.9.1; the doors open 4.0 and later"),
    ],
)
def test_a_folder_without_the_jars_of_one_release(tmp_path, make, told):
    with pytest.raises(libs.KafkaError, match=told):
        libs.classes_of(folder=str(make(tmp_path)))


def test_a_folder_of_another_release_than_the_one_asked_for(tmp_path):
    with pytest.raises(libs.KafkaError, match=r"holds Kafka 4\.1\.0, and 4\.2\.0 is asked for"):
        libs.classes_of("4.2.0", str(jars(tmp_path, "4.1.0")))


@pytest.mark.parametrize("release", ["newest", "4", "4.x", "../4.1.0", ""])
def test_a_name_that_is_no_release(monkeypatch, tmp_path, release):
    monkeypatch.setattr(libs, "HOME", tmp_path)
    monkeypatch.setattr(libs, "_run", lambda *_: pytest.fail("Maven was asked"))
    if not release:
        release = " "
    with pytest.raises(libs.KafkaError, match="is no release; expected one such as"):
        libs.classes_of(release)


@pytest.mark.parametrize("program", ["mvn", "javac"])
def test_a_missing_program_is_named_with_its_package(monkeypatch, tmp_path, program):
    monkeypatch.setattr(libs, "HOME", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    folder = None if program == "mvn" else str(jars(tmp_path / "libs", "4.4.0"))
    with pytest.raises(libs.KafkaError, match=f"there is no {program} on the PATH; install .*on Debian the package"):
        libs.classes_of(folder=folder)


def test_nothing_half_fetched_stays(monkeypatch, tmp_path):
    monkeypatch.setattr(libs, "HOME", tmp_path)
    fake = tmp_path / "bin" / "mvn"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\necho 'no such release' >&2; exit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}{os.pathsep}/usr/bin{os.pathsep}/bin")
    with pytest.raises(libs.KafkaError, match=r"(?s)Maven has no Kafka 9\.9\.9, or cannot be reached:.no such release"):
        libs.classes_of("9.9.9")
    assert not list((tmp_path / "9.9.9").iterdir())


def test_the_command_says_so_without_a_traceback(tmp_path):
    command = [sys.executable, "-m", "tests.kafka", "--libs", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert "has no jar of" in done.stderr
    assert "Traceback" not in done.stderr
