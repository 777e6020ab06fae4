"""A run of a real cluster is explained by the model; a copy that tells one thing otherwise is not."""

import json
from pathlib import Path

import pytest

from kafkacheck.checker.conform.explanation import Explanation
from kafkacheck.checker.conform.recording import read
from kafkacheck.checker.exploration.exploration import Watch
from kafkacheck.checker.exploration.verdict import Limits
from tests.kafka.models.recorded_model import MODEL
from tests.kafka.recording import RecordingError, excerpt, recorded

CLUSTER = Path(__file__).parent / "cluster"
OBSERVATIONS = [json.loads(line) for line in (CLUSTER / "recorded.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def explain(tmp_path_factory):
    """Asks the model about observations: the numbers of the lines that it does not explain."""
    path = tmp_path_factory.mktemp("recording") / "log"
    asked = Explanation(MODEL, read(CLUSTER / "recorded.jsonl", MODEL), Watch(Limits()))

    def answer(observations):
        path.write_text("".join(f"{json.dumps(each)}\n" for each in observations))
        # The state graph stays the same: only the lines are others.
        asked._lines = list(read(path, MODEL).lines.values())
        asked._calls, asked.fitting = {}, {}
        return [] if asked.search() else [each.line.number for each in asked.closest()]

    return answer


def told_otherwise(process, path, value, other):
    """The observations with another value in the last line of a process that tells this one, and its number."""
    changed = json.loads(json.dumps(OBSERVATIONS))
    found = [
        number
        for number, each in enumerate(changed)
        if each.get("process") == process and each["fields"].get(path) == value
    ]
    changed[found[-1]]["fields"][path] = other
    return changed, found[-1] + 1


@pytest.mark.slow
def test_the_recorded_run_is_explained(explain):
    assert explain(OBSERVATIONS) == []


TAMPERED = (
    ("broker 0", "brokers[0].high_watermark", 0, 1),
    ("broker 0", "brokers[0].leader_epoch", 1, 2),
    ("broker 1", "brokers[1].leader_epoch", 2, 3),
    ("controller", "controller.history[controller.offset].leader_epoch", 1, 2),
    ("broker 1", "brokers[1].log.end_offset", 1, 0),
    ("broker 0", "brokers[0].isr", [0], [0, 1]),
    ("producer", "producers.acknowledged[0]", -1, 0),
)


@pytest.mark.slow
@pytest.mark.parametrize(("process", "path", "value", "other"), TAMPERED)
def test_a_copy_that_tells_one_thing_otherwise_fails_there(explain, process, path, value, other):
    changed, number = told_otherwise(process, path, value, other)
    assert number in explain(changed)


def test_the_log_says_what_is_recorded():
    lines = (CLUSTER / "recorded.log").read_text().splitlines()
    assert recorded(lines) == (CLUSTER / "recorded.jsonl").read_text().splitlines()
    assert excerpt([*lines, "INFO recorder the recording ends"]) == lines


def test_a_recording_that_does_not_end():
    with pytest.raises(RecordingError, match="the recording begins'; expected a whole recording"):
        excerpt(["INFO something else"])
    with pytest.raises(RecordingError, match="the recording ends'; expected a whole recording"):
        excerpt(["INFO recorder the recording begins: leader 0, ISR [0, 1]"])


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            "[UnifiedLog partition=t-0, dir=/tmp/k/broker_0_data0] Appended message set with last offset: 1, "
            "first offset: 0, next offset: 2, and messages",
            "broker 0 appends offsets 0 to 2 at once; expected one record: ",
        ),
        (
            "Replaying log record BrokerRegistrationChangeRecord(brokerId=1, brokerEpoch=5, fenced=0, "
            "inControlledShutdown=1, logDirs=[]) with offset 9",
            "broker 1 stops; expected that its session ends: ",
        ),
        ("partition change for t-0 with topic ID x: partitionEpoch: 1 -> 2", "expected a new leader or another ISR: "),
        (
            "partition change for t-0 with topic ID x: isr: [0, 1] -> [1], leader: 0 -> 1, leaderEpoch: 0 -> 1",
            "the last election has no reason in the log",
        ),
    ],
)
def test_what_the_model_does_not_have_is_an_error(line, told):
    with pytest.raises(RecordingError, match=told):
        recorded(["recorder the recording begins: leader 0, ISR [0, 1]", line])
