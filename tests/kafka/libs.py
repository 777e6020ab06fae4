"""Kafka's jars and the compiled doors to them: where they are, and how they get there.

Everything is kept in `.kafka/` of the checkout, a folder for each release. The jars of a release come from Maven by
`pom.xml`, or from the `libs` folder of an unpacked release or of one's own build. Those of a whole cluster, which only
what needs one fetches, come by `cluster/pom.xml`.
"""

import contextlib
import fcntl
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
HOME = HERE.parents[1] / ".kafka"
NEEDED = ("kafka-clients", "kafka-metadata", "kafka-raft", "kafka-server", "kafka-server-common", "kafka-storage")
"""Jars without which no adapter can run; each is named by its release."""
OLDEST = (4, 0)


class KafkaError(Exception):
    """Kafka's classes cannot be had; the message says why, and how to mend it."""


@dataclass(frozen=True)
class Classes:
    """The classes of one release: its name, the folder of its jars, and that of the compiled doors."""

    release: str
    jars: Path
    doors: Path

    @property
    def path(self) -> str:
        """The class path: the doors, then every jar."""
        return os.pathsep.join([str(self.doors), *sorted(map(str, self.jars.glob("*.jar")))])


@contextlib.contextmanager
def locked() -> Iterator[None]:
    """Keep other processes from fetching and compiling meanwhile."""
    HOME.mkdir(exist_ok=True)
    with open(HOME / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def newest_release() -> str:
    """The release that `pom.xml` pins."""
    found = re.search(r"<kafka>(.+?)</kafka>", (HERE / "pom.xml").read_text())
    if found is None:
        raise KafkaError(f"{HERE / 'pom.xml'} pins no release; expected a property <kafka>")
    return found.group(1)


def classes_of(release: str | None = None, folder: str | None = None) -> Classes:
    """The classes of a release, fetched and compiled if they are not there yet. `folder`: take the jars from there.

    KafkaError if they cannot be had.
    """
    if folder is not None:
        jars = Path(folder)
        found = _release_in(jars)
        if release is not None and release != found:
            raise KafkaError(
                f"{folder} holds Kafka {found}, and {release} is asked for; leave out KAFKA, or name another folder"
            )
        release = found
    else:
        release = release or newest_release()
        jars = _fetched(release)
        _release_in(jars)
    return Classes(release, jars, _compiled(release, jars))


def cluster_of(release: str | None = None) -> Classes:
    """The classes of a release with those of a whole cluster, fetched and compiled if they are not there yet.

    KafkaError if they cannot be had.
    """
    release = release or newest_release()
    jars = _fetched(release, HERE / "cluster" / "pom.xml", "cluster")
    return Classes(release, jars, _compiled(release, jars, "cluster-doors"))


def _release_in(jars: Path) -> str:
    """The release of the jars in a folder. KafkaError if one is missing, or they are of several releases."""
    if not jars.is_dir():
        raise KafkaError(f"{jars} is no folder; expected the libs folder of an unpacked Kafka, or of your own build")
    found: dict[str, set[str]] = {}
    for jar in jars.glob("kafka*.jar"):
        parts = re.fullmatch(r"(kafka(?:-[a-z]+)*)-(\d+(?:\.\d+)+(?:-SNAPSHOT)?)\.jar", jar.name)
        if parts:
            found.setdefault(parts[1], set()).add(parts[2])
    missing = [each for each in NEEDED if each not in found]
    if missing:
        raise KafkaError(
            f"{jars} has no jar of {', '.join(missing)}; expected the libs folder of an unpacked Kafka, or of your own "
            "build"
        )
    releases = set().union(*(found[each] for each in NEEDED))
    if len(releases) > 1:
        raise KafkaError(f"{jars} has jars of Kafka {' and '.join(sorted(releases))}; expected those of one release")
    release = releases.pop()
    if tuple(int(each) for each in release.partition("-")[0].split(".")[:2]) < OLDEST:
        raise KafkaError(f"{jars} holds Kafka {release}; the doors open 4.0 and later")
    return release


def _fetched(release: str, pom: Path = HERE / "pom.xml", name: str = "libs") -> Path:
    """The folder of a release's jars, fetched by Maven if it is not there. Nothing half-fetched stays."""
    jars = HOME / release / name
    if jars.is_dir():
        return jars
    if not re.fullmatch(r"\d+(\.\d+)+", release):
        raise KafkaError(f"KAFKA={release} is no release; expected one such as {newest_release()}")
    maven = _program("mvn", "Maven (on Debian the package maven), or set KAFKA_LIBS to the libs folder of a Kafka")
    print(f"Fetching Kafka {release} (once)", flush=True)
    part = HOME / release / f"{name}.part"
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    command = [maven, "-q", "-B", "-f", str(pom), f"-Dkafka={release}", f"-DoutputDirectory={part}"]
    try:
        _run([*command, "dependency:copy-dependencies"], f"Maven has no Kafka {release}, or cannot be reached")
        part.rename(jars)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return jars


def _compiled(release: str, jars: Path, name: str = "doors") -> Path:
    """The folder of the doors, compiled against these jars if their sources or the jars have changed."""
    sources = sorted((HERE / "doors").rglob("*.java"))
    mark = "\n".join([str(jars), *(f"{each} {each.stat().st_mtime_ns}" for each in sources)])
    doors = HOME / release / name
    made = doors / "made"
    if made.is_file() and made.read_text() == mark:
        return doors
    javac = _program("javac", "a JDK of Java 17 or newer (on Debian the package openjdk-17-jdk-headless)")
    part = HOME / release / f"{name}.part{os.getpid()}"
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    command = [javac, "-nowarn", "-d", str(part), "-cp", f"{jars}/*", *map(str, sources)]
    try:
        _run(command, f"the doors do not fit Kafka {release}: a class has moved or changed")
        (part / "made").write_text(mark)
        shutil.rmtree(doors, ignore_errors=True)
        part.rename(doors)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return doors


def _program(name: str, remedy: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise KafkaError(f"there is no {name} on the PATH; install {remedy}")
    return found


def _run(command: list[str], failure: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last = "\n".join((done.stdout + done.stderr).strip().splitlines()[:20])
        raise KafkaError(f"{failure}:\n{last}")
