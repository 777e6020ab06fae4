"""Starting and ending Spark; this file alone imports pyspark.

In local mode everything stays on the loopback interface. The output of Java and Spark goes to a file that is read
only after a failure. Nothing outlives the process: Java ends with its input, even if the process is killed.
"""

import contextlib
import difflib
import logging
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import psutil
from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError
from pyspark import SparkConf, SparkContext, java_gateway
from pyspark.errors import PySparkException
from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession

from kafkacheck.checker.distributed import java
from kafkacheck.checker.process.errors import UsageError

APPLICATION = "kafkacheck"
SECONDS_TO_REACH = 5
"""How long a master may take to accept a connection."""
SECONDS_TO_START = 60
"""How long a session may take to begin once Java runs."""
SECONDS_TO_END = 15
"""How long Java may take to end before it is killed."""

MOST_FAILURES = 10
"""How often a task may fail on this machine, for example because a worker is killed. Spark itself allows no failure."""
JAVA = "spark.kafkacheck.java"
"""The setting that says which Java was chosen."""

QUIET = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.log.level": "ERROR"}
LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
"""They print every error of a query on stderr, although it is raised, too."""
LIGHT = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Java in local mode: half of the processor time of a short job, and little lost in a long one."""
LOOPBACK = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
SHUFFLES = "spark.sql.shuffle.partitions"
"""As many tasks as processors are enough on one machine; Spark's own number is for clusters."""
ADAPTIVE = "spark.sql.adaptive.enabled"
"""On one machine planning a query anew between its stages costs more than it saves."""

FREE = (
    "spark.executorEnv.", "spark.hadoop.", "spark.kubernetes.", "spark.yarn.", "spark.metrics.conf.", "spark.ssl.",
    "spark.sql.catalog.", "spark.driver.resource.", "spark.executor.resource.", "spark.task.resource.", "spark.hive.",
    "spark.worker.", "spark.deploy.",
)  # fmt: skip
"""Settings that begin so have names which Spark cannot list."""
UNLISTED = (
    "spark.master", "spark.app.name", "spark.local.dir", "spark.port.maxRetries", "spark.home",
    "spark.python.profile", "spark.python.profile.dump", "spark.python.worker.memory",
)  # fmt: skip
"""Settings that Spark reads but does not list."""
DECLARERS = ("internal.config.package$", "internal.config.UI$", "sql.internal.SQLConf$", "sql.internal.StaticSQLConf$")


logging.getLogger().addHandler(logging.NullHandler())  # or else py4j prints tracebacks when Java is gone


@contextlib.contextmanager
def session(master: str | None = None, conf: Mapping[str, str] | None = None) -> Iterator[SparkSession]:
    """A Spark session for queries, as `context`. Beginning one takes Java about twice as long."""
    with context(master, conf) as running:
        active = SparkSession.getActiveSession()
        if active is not None:
            yield active
            return
        started = SparkSession(running)
        try:
            for name, value in (conf or {}).items():
                if name.startswith("spark.sql."):
                    with explained(f"the setting {name}={value} has no possible value"):
                        started.conf.get(name)
            yield started
        finally:
            with contextlib.suppress(Exception), _killed_after(SECONDS_TO_END, running._gateway):
                started.stop()


@contextlib.contextmanager
def context(
    master: str | None = None,
    conf: Mapping[str, str] | None = None,
    python_files: Sequence[str | Path] = (),
    defaults: Mapping[str, str] | None = None,
) -> Iterator[SparkContext]:
    """A Spark context; on leaving it ends, with its Java and its temporary files.

    `master` is by default that of `spark-submit`, or "local[*]". `conf` gives Spark settings by name,
    `python_files` the .py and .zip files that workers must be able to import, `defaults` settings that give way to
    any other. Under `spark-submit`, and if a context runs already in this process, its settings stand, and it
    stays on leaving. UsageError if no Java can be used, if the master cannot be reached or refuses, and
    for settings that do not exist, have no possible value, or contradict the ones that stand.
    """
    for name in LOGGERS:
        PySparkLogger.getLogger(name).disabled = True
    given = dict(conf or {})
    for name in given:
        _check_name(name)
    if master is not None:
        given["spark.master"] = master
    every = {**(defaults or {}), **given}
    running = SparkContext._active_spark_context
    if running is not None:
        _check_listed(running._gateway, given)
        _check_agreement(given, running.getConf())
        for path in python_files:
            running.addPyFile(str(path))
        yield running
        return
    if "PYSPARK_GATEWAY_PORT" in os.environ:
        submitted = _launch(None, None)
        _check_agreement(given, SparkConf(_jvm=submitted.jvm))
        with _started(submitted, every, python_files) as started:
            yield started
        return
    with (
        temporary_folder() as folder,
        _own_gateway(folder, given) as gateway,
        _started(gateway, every, python_files) as started,
    ):
        yield started


def description(running: SparkContext) -> str:
    """Which Spark and which Java run, in one line."""
    told = running.getConf().get(JAVA) or f"Java {_property(running._jvm, 'java.version')}"
    return f"Spark {running.version} on {_as_given(str(running.master))} with {told}"


def parse_settings(texts: Sequence[str]) -> dict[str, str]:
    """Spark settings from texts such as "spark.executor.memory=4g". UsageError if one has another form."""
    settings: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise UsageError(f"--conf {text} is no setting; write NAME=VALUE, for example spark.executor.memory=4g")
        name = name.strip()
        _check_name(name)
        if name in settings:
            raise UsageError(f"--conf {name} is given twice; give it once")
        settings[name] = value.strip()
    return settings


@contextlib.contextmanager
def explained(what: str) -> Iterator[None]:
    """Turn errors of Spark while `what` is done into a UsageError with Spark's reason."""
    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise UsageError(f"{what}: {reason(error)}") from error


def reason(error: BaseException) -> str:
    """Why Spark failed, in one line: the first cause of all."""
    if isinstance(error, Py4JJavaError):
        with contextlib.suppress(Exception):  # the Java that could tell may be gone
            cause = error.java_exception
            while cause.getCause() is not None:
                cause = cause.getCause()
            return _one_line(cause.toString())
        return "Java ended before it could say why"
    if isinstance(error, Py4JNetworkError):
        return "Spark's Java has ended; the system may have killed it for want of memory"
    return _one_line(str(error)) or type(error).__name__


def _one_line(text: str) -> str:
    """The first line of a text; of a worker's traceback the line with the exception."""
    *_, tail = text.rpartition("Traceback (most recent call last):")
    return next((line.strip() for line in tail.splitlines() if line.strip() and not line.startswith(" ")), "")


def _check_name(name: str) -> None:
    if not name.startswith("spark.") or name != name.strip(".") or len(name.split()) != 1:
        raise UsageError(f"{name!r} is no Spark setting; their names begin with 'spark.'")


def _check_agreement(given: Mapping[str, str], standing: SparkConf) -> None:
    """The settings under which Spark runs already cannot be changed."""
    for name, value in given.items():
        stands = _as_given(standing.get(name) or value)
        if stands != _as_given(value):
            raise UsageError(
                f"{name} is {stands!r} where Spark was started, and {value!r} is asked for; give it once, "
                "where Spark is started"
            )


@contextlib.contextmanager
def temporary_folder() -> Iterator[Path]:
    """A temporary folder, removed on leaving. Those of processes that were killed are removed, too.

    UsageError if the system gives no room for one.
    """
    prefix = f"{APPLICATION}-spark-"
    for old in Path(tempfile.gettempdir()).glob(f"{prefix}*-*"):
        number = old.name.removeprefix(prefix).partition("-")[0]
        if number.isdigit() and not psutil.pid_exists(int(number)):
            shutil.rmtree(old, ignore_errors=True)
    try:
        folder = Path(tempfile.mkdtemp(prefix=f"{prefix}{os.getpid()}-"))
    except OSError as error:
        raise UsageError(
            f"Spark needs room for temporary files in {tempfile.gettempdir()}: {error.strerror}; set TMPDIR to a "
            "folder that can be written"
        ) from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _own_gateway(folder: Path, given: dict[str, str]) -> Iterator[Any]:
    """A Java of our own, which knows the settings that must be known when it starts."""
    master = given.setdefault("spark.master", "local[*]")
    reach(master)
    given["spark.master"] = _patient(master)
    chosen = java.find()
    defaults = {**QUIET, "spark.app.name": APPLICATION, JAVA: chosen.text, "spark.local.dir": str(folder)}
    defaults["spark.sql.autoBroadcastJoinThreshold"] = "-1"  # a graph is a hundred times as large as its Parquet files
    defaults["spark.sql.warehouse.dir"] = str(folder / "warehouse")  # or else it is made in the current folder
    environment = {"JAVA_HOME": str(chosen.home(folder))}
    if "spark.pyspark.python" not in given:
        environment["PYSPARK_PYTHON"] = os.environ.get("PYSPARK_PYTHON", sys.executable)
    if _is_local(master):
        defaults |= {**LOOPBACK, SHUFFLES: str(os.cpu_count() or 1), ADAPTIVE: "false"}
        environment["SPARK_LOCAL_IP"] = "127.0.0.1"
        environment["SPARK_LOCAL_DIRS"] = str(folder)
    options = [f"-Djava.io.tmpdir={folder}", LIGHT if _is_local(master) else ""]
    options.append(given.get("spark.driver.extraJavaOptions", ""))
    settings = SparkConf(loadDefaults=False)
    settings.setAll(list({**defaults, **given, "spark.driver.extraJavaOptions": " ".join(options).strip()}.items()))
    log = folder / "java.log"
    with _environment(environment), log.open("wb") as output:
        gateway = _launched(settings, output, log)
        try:
            yield gateway
        finally:
            _end(gateway)


def _launched(settings: SparkConf, output: IO[bytes], log: Path) -> Any:
    before = psutil.Process().children()
    try:
        return _launch(settings, {"stdout": output, "stderr": output})
    except BaseException as error:
        kill_others(before)
        if not isinstance(error, PySparkException | OSError):
            raise
        raise UsageError(f"Spark's Java did not start: {_last_words(log) or reason(error)}") from error


def kill_others(known: Sequence[psutil.Process]) -> None:
    """End all child processes but these, with all below them, and wait for their end: they write to folders that are
    about to be removed.
    """
    processes = [each for each in psutil.Process().children() if each not in known]
    for each in tuple(processes):
        with contextlib.suppress(psutil.Error):
            processes = [*processes, *each.children(recursive=True)]
    for each in processes:
        with contextlib.suppress(psutil.Error):
            each.kill()
    until = time.monotonic() + SECONDS_TO_END
    while any(_is_at_work(each) for each in processes) and time.monotonic() < until:
        time.sleep(0.05)


def _is_at_work(process: psutil.Process) -> bool:
    """Whether a process has not ended. Its exit status stays for its parent, which may wait for it elsewhere."""
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


def _launch(settings: SparkConf | None, streams: dict[str, Any] | None) -> Any:
    return java_gateway.launch_gateway(settings, streams)  # type: ignore[no-untyped-call]  # pyspark has no type of it


def _last_words(log: Path) -> str:
    """The line of a log that most likely explains the failure, or ""."""
    lines = [line.strip() for line in log.read_text(encoding="utf-8", errors="replace").splitlines()]
    lines = [line for line in lines if line and not line.startswith(("WARNING", "at "))]
    return " ".join(lines[:2])


@contextlib.contextmanager
def _started(gateway: Any, given: Mapping[str, str], python_files: Sequence[str | Path]) -> Iterator[SparkContext]:
    """A context on a Java that runs."""
    _check_listed(gateway, given)
    settings = SparkConf(_jvm=gateway.jvm)
    for name, value in {"spark.app.name": APPLICATION, "spark.master": "local[*]", **QUIET, **given}.items():
        settings.setIfMissing(name, value)
    started = _context(gateway, settings, [str(path) for path in python_files])
    try:
        yield started
    finally:
        with contextlib.suppress(Exception), _killed_after(SECONDS_TO_END, gateway):
            started.stop()
        _forget()


def _context(gateway: Any, settings: SparkConf, python_files: list[str]) -> SparkContext:
    """The context, within a bounded time, with the handler of Ctrl-C as it was."""
    master = settings.get("spark.master")
    is_main = threading.current_thread() is threading.main_thread()
    handler = signal.getsignal(signal.SIGINT)
    try:
        with _killed_after(SECONDS_TO_START, gateway) as was_killed:
            return SparkContext(gateway=gateway, conf=settings, pyFiles=python_files)
    except (PySparkException, Py4JError, OSError) as error:
        _forget()
        told = f"it gave no answer within {SECONDS_TO_START} seconds" if was_killed.is_set() else reason(error)
        raise UsageError(
            f"Spark does not start on the master {master}: {told}; check the master's address and the settings"
        ) from error
    finally:
        if is_main:
            signal.signal(signal.SIGINT, handler)


@contextlib.contextmanager
def _killed_after(seconds: float, gateway: Any) -> Iterator[threading.Event]:
    """Kill our own Java if the work takes too long; the event says whether that happened."""
    was_killed = threading.Event()

    def kill() -> None:
        was_killed.set()
        gateway.proc.kill()

    timer = threading.Timer(seconds, kill)
    timer.daemon = True
    if gateway.proc is not None:
        timer.start()
    try:
        yield was_killed
    finally:
        timer.cancel()


def _end(gateway: Any) -> None:
    """End a Java of our own: it ends when its input does."""
    with contextlib.suppress(Exception):
        gateway.shutdown()
    with contextlib.suppress(OSError):
        gateway.proc.stdin.close()
    try:
        gateway.proc.wait(SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        gateway.proc.kill()
        gateway.proc.wait()
    _forget()


def _forget() -> None:
    """Let pyspark start another Java next time."""
    SparkContext._active_spark_context = None
    SparkContext._gateway = None
    SparkContext._jvm = None
    SparkSession._instantiatedSession = None


@contextlib.contextmanager
def _environment(changes: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _is_local(master: str) -> bool:
    """Whether all of Spark runs on this machine, so that loopback is enough."""
    if not master.startswith("spark://"):
        return master.startswith("local")
    return all(host in ("localhost", "::1") or host.startswith("127.") for host, _ in _addresses(master))


_LOCAL = re.compile(r"local(\[(\*|[1-9]\d*)(,\s*[1-9]\d*)?\])?|local-cluster\[\s*[1-9]\d*\s*(,\s*[1-9]\d*\s*){2}\]")
"""The masters on this machine: their number of cores, or of workers, cores and MiB; and of failures of a task."""


def _patient(master: str) -> str:
    """The master, but on this machine, too, a task is tried again, unless the master says itself how often."""
    found = re.fullmatch(r"local(\[([^,\]]*)\])?", master)
    return master if found is None else f"local[{found[2] or 1},{MOST_FAILURES}]"


def _as_given(master: str) -> str:
    """A master, or the value of another setting, without the addition of `_patient`."""
    return master.replace(f",{MOST_FAILURES}]", "]")


def _addresses(master: str) -> list[tuple[str, int]]:
    """The hosts and ports of a standalone master. UsageError if they are malformed."""
    found = []
    for part in master.removeprefix("spark://").split(","):
        host, colon, port = part.rpartition(":")
        if not colon or not host or not port.isdigit() or not 0 < int(port) < 65536:
            raise UsageError(f"the master {master} is malformed; write spark://HOST:PORT")
        found.append((host.strip("[]"), int(port)))
    return found


def reach(master: str) -> None:
    """UsageError if a master has no possible form, or if none of a standalone cluster's masters answers."""
    if master == "yarn" or master.startswith("k8s://") or _LOCAL.fullmatch(master):
        return
    if not master.startswith("spark://"):
        raise UsageError(f"{master!r} is no master; write local[*], spark://HOST:PORT, k8s://URL or yarn")
    refusals = []
    for address in _addresses(master):
        try:
            socket.create_connection(address, SECONDS_TO_REACH).close()
            return
        except OSError as error:
            refusals.append(f"{address[0]}:{address[1]}: {(error.strerror or str(error)).lower()}")
    raise UsageError(f"the master {master} cannot be reached ({'; '.join(refusals)}); start it, or correct the address")


def _check_listed(gateway: Any, given: Mapping[str, str]) -> None:
    """UsageError for a setting in one of Spark's own families that Spark does not have."""
    asked = [name for name in given if name not in UNLISTED and not name.startswith(FREE)]
    if not asked:
        return
    for name in DECLARERS:
        with contextlib.suppress(Py4JError):
            gateway.jvm.java.lang.Class.forName(f"org.apache.spark.{name}")
    entries = getattr(getattr(gateway.jvm, "org.apache.spark.internal.config.ConfigEntry$"), "MODULE$").knownConfigs()
    unlisted = [name for name in asked if not entries.containsKey(name)]
    if not unlisted:
        return
    known = list(gateway.jvm.java.util.ArrayList(entries.keySet()))
    families = {name.split(".")[1] for name in known}
    for name in unlisted:
        parts = name.split(".")
        if len(parts) == 2 or parts[1] in families:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"; did you mean {near[0]}?" if near else "; see Spark's page on configuration"
            raise UsageError(f"Spark has no setting {name}{hint}")


def _property(jvm: Any, name: str) -> str:
    return str(jvm.java.lang.System.getProperty(name))
