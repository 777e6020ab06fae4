"""Kafka and Java say which partition a key has, as `impl/placement` does."""

import json
import random
import subprocess
import sys

import pytest

from kafkacheck.impl.placement.coordinators import DEFAULT_PARTITIONS, partition_of_key
from tests import ROOT

PATIENCE = 300
COUNT = 2000
KAFKA = """
import json, os, sys
from tests.kafka.libs import classes_of
from tests.kafka.systems import jvm
os.environ[jvm.CLASSES] = classes_of(None).path
jvm.started()
utils = jvm.java("org.apache.kafka.common.utils.Utils")
string = jvm.java("java.lang.String")
print(json.dumps([int(utils.abs(string(each).hashCode())) % 50 for each in json.load(sys.stdin)]))
"""


@pytest.mark.slow
def test_keys_have_the_partitions_that_kafka_gives_them(release):
    chance = random.Random(17)
    keys = [
        "",
        "polygenelubricants",
        "group",
        *("".join(map(chr, chance.choices(range(1, 0xD800), k=9))) for _ in range(COUNT)),
    ]
    done = subprocess.run(
        [sys.executable, "-c", KAFKA], cwd=ROOT, input=json.dumps(keys), capture_output=True, text=True,
        timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [partition_of_key(key, DEFAULT_PARTITIONS) for key in keys], release
