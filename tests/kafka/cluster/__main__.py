"""Records a run of a real cluster for `kafkacheck explain`: `python -m tests.kafka.cluster`."""

import sys
import tempfile
from pathlib import Path

import click

from tests.kafka.cluster.process import ran
from tests.kafka.libs import KafkaError, cluster_of
from tests.kafka.recording import RecordingError, excerpt, recorded

HERE = Path(__file__).resolve().parent
CANNOT = 2


@click.command()
@click.option("--kafka", "release", metavar="RELEASE", help="Which release; by default the newest.")
@click.option("--out", default=str(HERE), show_default=True, metavar="DIR", help="Where recorded.* is written.")
def main(release: str | None, out: str) -> None:
    """Run a cluster of Kafka, and write what it logged: recorded.log, and recorded.jsonl for `explain`."""
    folder = Path(out)
    try:
        classes = cluster_of(release)
        with tempfile.TemporaryDirectory() as at:
            log = Path(at) / "log"
            done = ran(HERE / "recorded_run.py", classes, [str(log)])
            if done.returncode:
                raise KafkaError(
                    f"the run of Kafka {classes.release} ended with status {done.returncode}:\n{done.stderr}"
                )
            lines = excerpt(log.read_text(encoding="utf-8").splitlines())
        observations = recorded(lines)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "recorded.log").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        (folder / "recorded.jsonl").write_text("".join(f"{each}\n" for each in observations), encoding="utf-8")
    except (KafkaError, RecordingError) as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(CANNOT) from None
    print(f"Kafka {classes.release}: {len(observations) - 1} observations in {folder / 'recorded.jsonl'}; now run")
    print(f"kafkacheck explain tests/kafka/models/recorded_model.py {folder / 'recorded.jsonl'}")


if __name__ == "__main__":
    main()
