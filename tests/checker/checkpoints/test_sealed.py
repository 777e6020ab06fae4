"""Damage is found: no bit of a state graph or of a run can turn without an error that names the file."""

import json
import random
import re
import shutil

import pyarrow.parquet as pq
import pytest

from kafkacheck.checker.catalogue.model_source import Source
from kafkacheck.checker.distributed import runs
from kafkacheck.checker.distributed.runs import Cluster
from kafkacheck.checker.exploration.verdict import Limits
from kafkacheck.checker.graphs import data_trace, dataset, manifest, run_dataset, sealed
from kafkacheck.checker.process.errors import KafkacheckError, UsageError
from tests.expected import model_of
from tests.support.command import Command
from tests.toys import behaviours

BOUNDS = {"replicas": 2, "max_records": 1, "max_leader_epoch": 1}
SMALL = tuple(f"{name}={value}" for name, value in BOUNDS.items())
HERE = Cluster(shards=2, shard_from=1)


def files_in(folder):
    """The files, each with as many bits as it has."""
    return {path: 8 * path.stat().st_size for path in sorted(folder.rglob("*")) if path.is_file()}


def flip(path, place):
    """Turn one bit."""
    content = bytearray(path.read_bytes())
    content[place // 8] ^= 1 << place % 8
    path.write_bytes(content)


def flip_in_page(path):
    """Turn a bit of the last page of the first column."""
    column = pq.read_metadata(path).row_group(0).column(0)
    first = column.dictionary_page_offset if column.has_dictionary_page else column.data_page_offset
    flip(path, 8 * (first + column.total_compressed_size - 1))


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    folder = tmp_path_factory.mktemp("graph") / "graph"
    dataset.write(model_of("kip101").with_bounds(BOUNDS), "kip101", folder)
    return folder


@pytest.fixture
def by_spark(tmp_path, here):  # because a fixture is taken by its name
    """A state graph written as Spark's workers do it."""
    runs.begin(Source("kip101", SMALL), tmp_path / "run", HERE, Limits(), goes_past=True)
    run_dataset.write(tmp_path / "run", tmp_path / "by_spark", HERE)
    return tmp_path / "by_spark"


def assert_found(folder, flips, choose):
    files = files_in(folder)
    for number in range(flips):
        path = choose.choices(list(files), list(files.values()))[0] if number % 4 else folder / manifest.MANIFEST
        whole, place = path.read_bytes(), choose.randrange(files[path])
        flip(path, place)
        try:
            with pytest.raises(UsageError, match=rf"^{re.escape(str(path))} .*explore the model again, into another"):
                manifest.read(folder)
        finally:
            path.write_bytes(whole)
    assert manifest.read(folder)["states"] > 100


def test_no_bit_of_a_state_graph_can_turn(graph):
    assert_found(graph, 200, random.Random(1))


def test_no_bit_of_a_state_graph_that_spark_wrote_can_turn(by_spark):
    assert_found(by_spark, 60, random.Random(2))


def test_every_file_has_its_digest_and_every_page_a_checksum(graph, by_spark):
    for folder in (graph, by_spark):
        said = json.loads((folder / manifest.MANIFEST).read_text())["files"]
        paths = [path for path in files_in(folder) if path.suffix == ".parquet"]
        assert sorted(said) == sorted(path.relative_to(folder).as_posix() for path in paths)
        assert {length for length, _ in said.values()} == {path.stat().st_size for path in paths}
        for path in paths:
            flip_in_page(path)
            with pytest.raises(OSError, match=r"(?i)crc checksum"):
                pq.read_table(path, partitioning=None, page_checksum_verification=True)
            flip_in_page(path)


def test_every_command_refuses_a_damaged_graph(graph, tmp_path, capsys):
    folder, kafkacheck = shutil.copytree(graph, tmp_path / "graph"), Command(capsys)
    path = folder / manifest.level_folder("states", 3) / "states.parquet"
    flip(path, 4000)
    questions = [["analyze", folder], ["analyze", folder, "--where", "state = 1"], ["compare", folder, graph]]
    questions += [["analyze", folder, "--converge", "state = 1"], ["compare", graph, folder]]
    for question in questions:
        ended = kafkacheck(*question)
        assert ended.status == 2 and ended.out == "" and f"{path} is damaged: its SHA-256 is " in ended.error


def test_files_that_are_not_of_the_graph_are_refused_where_they_would_be_read(graph, tmp_path):
    folder = shutil.copytree(graph, tmp_path / "graph")
    states = folder / manifest.level_folder("states", 3)
    for name in ("more.parquet", "level=9", "_part=1"):
        shutil.copy(states / "states.parquet", states / name)
        with pytest.raises(UsageError, match=f"{name} is no file of this data set; remove it, or explore"):
            manifest.read(folder)
        (states / name).unlink()
    for ignored in (states / ".hidden", states / "_SUCCESS", folder / "notes.txt"):
        ignored.write_text("not read")
    assert manifest.read(folder)["depth"] > 3


@pytest.mark.parametrize("version", [3, 5])
def test_a_graph_of_another_version_is_refused_with_the_reason(version, graph, tmp_path):
    folder = shutil.copytree(graph, tmp_path / "graph")
    data = json.loads((folder / manifest.MANIFEST).read_text())
    (folder / manifest.MANIFEST).write_text(json.dumps({**data, "version": version}))
    with pytest.raises(UsageError, match=f"has version {version}; this program reads version 4, which has a digest of"):
        manifest.read(folder)


def test_a_page_that_was_damaged_after_it_was_compared_is_found(graph, tmp_path):
    folder = shutil.copytree(graph, tmp_path / "graph")
    run = manifest.read(folder)
    path = folder / manifest.level_folder("states", 3) / "states.parquet"
    flip_in_page(path)
    state = run["levels"][0]["states"] + run["levels"][1]["states"]
    with pytest.raises(UsageError, match=r"states/level=3 is damaged: .*checksum"):
        data_trace.trace_to(folder, run, 3, state, "kip101")


@pytest.mark.slow
def test_spark_compares_pages_with_their_checksums(graph, tmp_path, spark_session):
    from kafkacheck.checker.graphs.analysis import Analysis

    folder = shutil.copytree(graph, tmp_path / "graph")
    run, analysis = manifest.read(folder), Analysis(spark_session)
    analysis.open_views(folder, run)
    assert analysis.where("state >= 0").states == run["states"]
    path = folder / manifest.level_folder("states", 3) / "states.parquet"
    flip_in_page(path)
    analysis.open_views(folder, run)
    with pytest.raises(UsageError, match=r"(?i)checksum|crc"):
        analysis.where("state >= 0")


def test_what_a_disk_does_to_a_file_while_it_is_written_is_found(tmp_path, monkeypatch):
    """The digest is of the bytes that were to be written."""
    write = sealed.io.FileIO.write

    class Faulty(sealed._Hashed):
        def write(self, content):
            self._hash.update(content)
            self._length += len(content)
            return write(self, bytes(byte ^ 1 for byte in content))

    monkeypatch.setattr(sealed, "_Hashed", Faulty)
    dataset.write(behaviours.STARTS, "starts", tmp_path / "graph")
    with pytest.raises(UsageError, match="is damaged: its SHA-256"):
        manifest.read(tmp_path / "graph")


@pytest.mark.slow
def test_no_bit_of_a_run_can_turn(tmp_path):
    """What a bit could change is written anew, or is refused and named, or it changes no answer."""
    runs.begin(Source("kip101", SMALL), tmp_path / "run", HERE, Limits(max_states=60))
    shutil.copytree(tmp_path / "run", tmp_path / "whole")
    wanted = runs.resume(tmp_path / "whole", HERE, Limits())
    choose, refused = random.Random(3), 0
    files = {path.relative_to(tmp_path / "run"): bits for path, bits in files_in(tmp_path / "run").items() if bits}
    for number in range(12):
        folder = shutil.copytree(tmp_path / "run", tmp_path / str(number))
        path = choose.choice(list(files))
        flip(folder / path, choose.randrange(files[path]))
        found = error = None
        try:
            found = runs.resume(folder, HERE, Limits())
        except KafkacheckError as why:
            error = str(why)
        if found is None:
            refused += 1
            assert path.name in error
        else:
            counts = [
                (each.verdict, each.states_distinct, each.states_generated, each.depth) for each in (found, wanted)
            ]
            assert counts[0] == counts[1], path
    assert refused > 6
