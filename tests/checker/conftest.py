"""What several folders of tests of the checker need."""

import pytest

from tests.support.no_spark import Lists


@pytest.fixture
def here(monkeypatch):
    """No Spark: what it would do is done in this process."""
    context = "kafkacheck.checker.distributed.runs.SparkStarter.context"
    monkeypatch.setattr(context, lambda self, reason_to_stop: Lists())
