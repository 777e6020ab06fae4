"""Files that appear whole or not at all, alone and together."""

import os
import signal
from pathlib import Path

import pytest

from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.process.files import atomic_write, check_writable, make_folder, make_usable, write_together


def test_a_file_is_written_whole(tmp_path):
    atomic_write(tmp_path / "a.txt", "ä\n")
    atomic_write(tmp_path / "a.txt", b"new")
    assert (tmp_path / "a.txt").read_bytes() == b"new" and len(list(tmp_path.iterdir())) == 1


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    atomic_write(tmp_path / "a.txt", "old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(UsageError, match=r"cannot write .*a\.txt: no space left on device; name a place"):
        atomic_write(tmp_path / "a.txt", "new")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["old"]


def test_a_place_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="not an ordinary file"):
        atomic_write(tmp_path, "x")
    with pytest.raises(UsageError, match="cannot write"):
        atomic_write(tmp_path / "no" / "a.txt", "x")
    with pytest.raises(UsageError, match="a file of that name"):
        make_folder(tmp_path / "file")
    with pytest.raises(UsageError, match="cannot make the folder"):
        make_folder(tmp_path / "file" / "below")


def test_files_are_written_together_or_not_at_all(tmp_path):
    atomic_write(tmp_path / "a.txt", "old")
    with pytest.raises(UsageError, match=r"cannot write .*no.b\.txt"):
        write_together({tmp_path / "a.txt": "new", tmp_path / "no" / "b.txt": "new"})
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a.txt": "old"}
    write_together({tmp_path / "a.txt": None, tmp_path / "b.txt": "new", tmp_path / "c.txt": None})
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"b.txt": "new"}


def test_ctrl_c_while_files_are_prepared_leaves_none(tmp_path, monkeypatch):
    synced = []

    def interrupted(*_):
        synced.append(None)
        if len(synced) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_together({tmp_path / "a.txt": "new", tmp_path / "b.txt": "new"})
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_while_files_take_their_places_waits_until_all_have(tmp_path, monkeypatch):
    replace = os.replace

    def pressed(*paths):
        os.kill(os.getpid(), signal.SIGINT)
        replace(*paths)

    monkeypatch.setattr("os.replace", pressed)
    with pytest.raises(KeyboardInterrupt):
        write_together({tmp_path / "a.txt": "new", tmp_path / "b.txt": "new"})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "b.txt"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("name", ["x" * 300, "a\0b"])
def test_a_name_that_no_file_can_have_is_refused(tmp_path, name):
    with pytest.raises(UsageError, match="cannot write"):
        check_writable(tmp_path / name)
    with pytest.raises(UsageError, match="cannot make the folder"):
        make_folder(tmp_path / name)
    with pytest.raises(UsageError, match="cannot write"):
        atomic_write(tmp_path / name, "x")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no disk that is always full")
def test_a_disk_without_room_for_a_byte_is_found_out(tmp_path, monkeypatch):
    with Path("/dev/full").open("wb") as full:
        monkeypatch.setattr("tempfile.TemporaryFile", lambda **_: full)
        with pytest.raises(UsageError, match="no space left"):
            make_usable(tmp_path / "made" / "anew")
    assert list(tmp_path.iterdir()) == []
