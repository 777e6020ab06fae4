"""The cache cannot lie: what was copied, changed or put there by others counts as not there, whatever it is."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kafkacheck.checker.compiled import kernel, machine_code, native
from kafkacheck.checker.process import cache
from kafkacheck.checker.process.cache import Lines
from kafkacheck.checker.proofs.proof_cache import ProofCache
from tests.support.command import ROOT, TANK, Command, in_process, write
from tests.toys import behaviours


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of an empty cache, which nothing was told of."""
    monkeypatch.setenv("KAFKACHECK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv(cache.TOLD, "")
    return tmp_path / "cache"


def whole(kind, key, content):
    """Keep content; the file that keeps it."""
    cache.keep(kind, key, content)
    assert cache.kept(kind, key) == content
    return cache.path_of(kind, key)


def test_what_is_kept_is_found_by_its_kind_and_whole_key(folder):
    whole("code", "key", b"content")
    assert cache.kept("code", "another") is None and cache.kept("other", "key") is None
    whole("code", "key", b"other content")
    whole("code", "", b"")
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {each.stat().st_mode & 0o777 for each in folder.iterdir()} == {0o600}


def test_a_copy_under_another_key_or_kind_is_not_believed(folder):
    path = whole("code", "one", b"content")
    for kind, key in (("code", "two"), ("proofs", "one")):
        shutil.copy(path, cache.path_of(kind, key))
        assert cache.kept(kind, key) is None
    path.rename(cache.path_of("code", "three"))
    assert cache.kept("code", "three") is None and cache.kept("code", "one") is None


def test_no_bit_of_a_file_can_be_turned(folder):
    path = whole("code", "key", b"content")
    content = path.read_bytes()
    for place in range(8 * len(content)):
        path.write_bytes(bytes(byte ^ (1 << place % 8) * (place // 8 == at) for at, byte in enumerate(content)))
        assert cache.kept("code", "key") is None
    for length in range(len(content)):
        path.write_bytes(content[:length])
        assert cache.kept("code", "key") is None
    path.write_bytes(content + b"\n")
    assert cache.kept("code", "key") is None
    path.write_bytes(content)
    assert cache.kept("code", "key") == b"content"


def test_a_file_from_another_cache_is_not_believed(folder, tmp_path, monkeypatch):
    content = whole("code", "key", b"content").read_bytes()
    monkeypatch.setenv("KAFKACHECK_CACHE", str(tmp_path / "other"))
    path = whole("code", "key", b"content")
    path.write_bytes(content)
    assert cache.kept("code", "key") is None


@pytest.mark.parametrize(
    "damage", [lambda path: path.write_bytes(b"short"), lambda path: path.chmod(0o644), Path.unlink]
)
def test_without_its_secret_nothing_is_believed_and_all_is_made_anew(damage, folder):
    whole("code", "key", b"content")
    damage(folder / cache.SECRET)
    assert cache.kept("code", "key") is None
    whole("code", "key", b"content")
    assert (folder / cache.SECRET).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_can_write_is_not_believed(mode, folder):
    whole("code", "key", b"content").chmod(mode)
    assert cache.kept("code", "key") is None
    whole("code", "key", b"content")


def test_a_link_a_pipe_and_a_folder_are_not_believed(folder, tmp_path):
    path = whole("code", "key", b"content")
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert cache.kept("code", "key") is None
    whole("code", "key", b"content")
    path.unlink()
    os.mkfifo(path)
    assert cache.kept("code", "key") is None
    path.unlink()
    path.mkdir()
    assert cache.kept("code", "key") is None
    cache.keep("code", "key", b"content")
    assert path.is_dir()


# -- the folder ------------------------------------------------------------------------------------------------------


def refused(folder, capsys):
    """What is told, once, of a folder that is not used."""
    before = sorted(folder.iterdir())
    cache.keep("code", "key", b"content")
    assert cache.kept("code", "key") is None
    lines = Lines("guards", "key")
    lines.add("line")
    with cache.one_at_a_time("name"):
        pass
    assert not list(Lines("guards", "key")) and sorted(folder.iterdir()) == before
    [told] = capsys.readouterr().err.splitlines()
    assert told.startswith(f"warning: nothing is kept in the cache {folder}, and nothing there is used: ")
    return told


@pytest.mark.parametrize("mode", [0o770, 0o702, 0o777, 0o1777])
def test_a_folder_that_others_can_write_into_is_not_used(mode, folder, capsys):
    whole("code", "key", b"content")
    folder.chmod(mode)
    assert f"others can write into {folder}; give `chmod go-w {folder}`, or choose another" in refused(folder, capsys)
    folder.chmod(0o700)
    assert cache.kept("code", "key") == b"content"


def test_no_folder_above_can_be_written_by_others_unless_only_owners_remove_there(folder, capsys):
    whole("code", "key", b"content")
    folder.parent.chmod(0o1777)
    assert cache.kept("code", "key") == b"content"
    folder.parent.chmod(0o777)
    assert f"others can write into {folder.parent}; give `chmod go-w" in refused(folder, capsys)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("above", [False, True])
def test_a_folder_of_another_user_is_not_used(above, folder, capsys):
    whole("code", "key", b"content")
    given = folder.parent if above else folder
    os.chown(given, 4321, -1)
    told = f"{given} belongs to another user (number 4321); choose another folder with KAFKACHECK_CACHE"
    assert told in refused(folder, capsys)


def test_a_link_is_followed_only_along_folders_that_others_cannot_write(folder, capsys):
    place = folder.parent / "far" / "real"
    place.mkdir(parents=True, mode=0o700)
    (folder.parent / "near").mkdir()
    (folder.parent / "near" / "link").symlink_to("../far/real")
    folder.symlink_to("near/link")
    whole("code", "key", b"content")
    (folder.parent / "near").chmod(0o777)
    assert f"others can write into {folder.parent / 'near'};" in refused(folder, capsys)


def test_links_in_a_ring_do_no_harm(folder):
    folder.symlink_to("ring")
    (folder.parent / "ring").symlink_to("cache")
    cache.keep("code", "key", b"content")
    assert cache.kept("code", "key") is None


def test_a_refused_folder_is_told_once_also_by_the_processes_that_are_started(folder, tmp_path):
    folder.mkdir()
    folder.chmod(0o777)
    tank = write(tmp_path / "tank.py", TANK)
    ended = in_process("check", tank, "--engine", "compiled", **{cache.TOLD: ""})
    assert ended.status == 0 and "HOLDS" in ended.last_line
    assert ended.err.count("warning: nothing is kept") == 1 and list(folder.iterdir()) == []


# -- how much is kept ------------------------------------------------------------------------------------------------


def test_what_was_longest_unused_goes_first(folder, monkeypatch):
    monkeypatch.setattr(cache, "KEPT", 3)
    for age, key in enumerate(["one", "two", "three"]):
        os.utime(whole("code", key, key.encode()), (1000 + age, 1000 + age))
    assert cache.kept("code", "one") == b"one"
    for key in ("four", "five"):
        whole("code", key, b"")
    (folder / "notes.txt").write_text("not ours")
    whole("other", "six", b"")
    assert {path.name for path in folder.iterdir()} == {
        "notes.txt", cache.SECRET, cache.path_of("other", "six").name,
        *(cache.path_of("code", key).name for key in ("one", "four", "five")),
    }  # fmt: skip


def test_a_disk_that_is_full_leaves_nothing_behind(folder, monkeypatch):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    whole("code", "key", b"content")
    monkeypatch.setattr(os, "replace", full)
    cache.keep("code", "other", b"content")
    assert len(list(folder.iterdir())) == 2


def test_what_killed_processes_left_and_what_has_no_seal_is_removed(folder):
    folder.mkdir(mode=0o700)
    (folder / "guards").mkdir()
    old = [folder / ".new-killed", folder / f"{'0' * 32}.o", folder / "proofs", folder / "guards" / f"{'0' * 32}.jsonl"]
    for path in (*old, folder / ".new-now", folder / "o.o"):
        path.write_text("left")
    os.utime(old[0], (1000, 1000))
    whole("code", "key", b"content")
    assert not any(path.exists() for path in old) and (folder / ".new-now").exists() and (folder / "o.o").exists()


# -- lines -----------------------------------------------------------------------------------------------------------


def test_lines_are_kept_and_each_is_believed_by_itself(folder):
    lines = Lines("guards", "key")
    for text in ("one", "two words", "three"):
        lines.add(text)
    assert lines.has("one") and list(Lines("guards", "key")) == ["one", "two words", "three"]
    assert not list(Lines("guards", "other")) and not Lines("guards", "key").has("four")
    path = cache.path_of("guards", "key")
    path.write_bytes(path.read_bytes().replace(b"two", b"six"))
    assert list(Lines("guards", "key")) == ["one", "three"]
    shutil.copy(path, cache.path_of("guards", "other"))
    assert not list(Lines("guards", "other"))
    path.write_bytes(path.read_bytes()[:-20])  # as a process that was killed leaves it
    Lines("guards", "key").add("more")
    assert list(Lines("guards", "key")) == ["one", "more"]


def test_a_line_is_not_added_to_a_file_that_is_not_believed(folder, tmp_path):
    Lines("guards", "key").add("one")
    path = cache.path_of("guards", "key")
    path.unlink()
    path.symlink_to(write(tmp_path / "precious", "mine"))
    Lines("guards", "key").add("two")
    assert (tmp_path / "precious").read_text() == "mine" and list(Lines("guards", "key")) == ["two"]
    path.chmod(0o666)
    assert not list(Lines("guards", "key"))
    Lines("guards", "key").add("three")
    assert list(Lines("guards", "key")) == ["three"]


def test_the_older_half_of_many_lines_is_forgotten(folder, monkeypatch):
    monkeypatch.setattr(cache, "MOST_BYTES", 1000)
    lines = Lines("proofs", "key")
    for number in range(100):
        lines.add(str(number))
    kept = list(Lines("proofs", "key"))
    assert 3 < len(kept) < 20 and kept == [str(number) for number in range(100 - len(kept), 100)]


def test_several_processes_keep_lines_at_once(folder):
    program = """
import sys
from kafkacheck.checker.process.cache import Lines
for n in range(200):
    Lines("k", "key").add(f"{sys.argv[1]} {n}")
"""
    processes = [subprocess.Popen([sys.executable, "-c", program, str(number)], cwd=ROOT) for number in range(3)]
    assert [process.wait() for process in processes] == [0] * 3
    assert set(Lines("k", "key")) == {f"{number} {n}" for number in range(3) for n in range(200)}


# -- what is kept there ----------------------------------------------------------------------------------------------


def test_machine_code_of_another_model_changes_no_answer(folder, tmp_path, capsys):
    """Code of a model that holds, under the name of one that does not, once made that one hold."""
    kafkacheck = Command(capsys)
    good, bad = (
        write(tmp_path / "good.py", TANK),
        write(tmp_path / "bad.py", TANK.replace("Valve.SHUT, d", "Valve.OPEN, d")),
    )
    wanted = {model: kafkacheck("check", model, "--engine", "compiled") for model in (good, bad)}
    assert [wanted[good].status, wanted[bad].status] == [0, 12]
    codes = sorted(folder.glob("*.code"))
    assert len(codes) == 2
    contents = [path.read_bytes() for path in codes]
    for path, content in zip(codes, contents[::-1], strict=True):
        path.write_bytes(content)
    for model in (good, bad):
        ended = kafkacheck("check", model, "--engine", "compiled")
        assert ended.status == wanted[model].status and not ended.err.count("error")
    assert {path.read_bytes() for path in codes} == set(contents), "they were made anew"


def test_quick_code_is_not_taken_for_better_code(folder):
    text = kernel.kernel_text(behaviours.GRID)
    machine_code.entries(text, quick=True)
    names = {quick: cache.path_of(machine_code.KIND, native.fingerprint(text, quick)) for quick in (True, False)}
    shutil.copy(names[True], names[False])
    assert machine_code.cached(text) is None and machine_code.cached(text, quick=True) is not None


def test_a_proof_that_nobody_made_is_not_believed(folder):
    made, forged = "a" * 64, "b" * 64
    ProofCache().add(made)
    [path] = folder.glob("*.proofs")
    path.write_bytes(path.read_bytes().replace(b"a" * 64, b"b" * 64) + f"\n{forged}\n".encode())
    assert not ProofCache().has(forged) and not ProofCache().has(made)
    assert not ProofCache(enabled=False).has(made)


def test_an_outcome_in_which_a_word_has_changed_is_found_again(folder, tmp_path, capsys, monkeypatch):
    from tests.checker.mutation.test_guards import CISTERN

    monkeypatch.setattr("kafkacheck.checker.mutation.guards.SMALL", 1)
    kafkacheck, cistern = Command(capsys), write(tmp_path / "cistern.py", CISTERN)
    first = kafkacheck("guards", cistern, "--workers", 1)
    [path] = folder.glob("*.guards")
    whole_file = path.read_text()
    number, outcome = json.loads(whole_file.split("\n")[1].rpartition(" ")[0])
    for told in (
        whole_file.replace('"caught"', '"redundant"'),
        whole_file.replace('"outcome"', '"outcomes"'),
        whole_file.replace(f"[{number}, ", "[99, "),
        "\n".join(line.rpartition(" ")[0] for line in whole_file.split("\n")),
        json.dumps([number, {**outcome, "outcome": "redundant"}]),
    ):
        assert told != whole_file
        path.write_text(told)
        ended = kafkacheck("guards", cistern, "--workers", 1)
        assert (ended.status, ended.out) == (first.status, first.out)
