"""Scripts that run a real cluster have a process of their own, because a process can start one JVM only."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.kafka.libs import Classes, KafkaError
from tests.kafka.systems.jvm import CLASSES

HERE = Path(__file__).resolve().parent
SECONDS = 180


def ran(script: Path, classes: Classes, arguments: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    """Run a script beside the classes of a release; what it printed, and its status. KafkaError if it does not end."""
    folders = [
        str(script.parent),
        str(HERE),
        str(HERE.parent / "systems"),
        *filter(None, [os.environ.get("PYTHONPATH")]),
    ]
    try:
        return subprocess.run(
            [sys.executable, str(script), *arguments],
            env={**os.environ, CLASSES: classes.path, "PYTHONPATH": os.pathsep.join(folders)},
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        message = f"{script.name} did not end within {SECONDS} s; run it again when the machine is idle"
        raise KafkaError(message) from None
