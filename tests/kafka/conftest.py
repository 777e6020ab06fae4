"""What the tests beside Kafka's own classes share."""

import pytest

from tests.kafka import libs


@pytest.fixture(scope="module")
def release():
    """The newest release, fetched once for all workers."""
    with libs.locked():
        try:
            return libs.classes_of().release
        except libs.KafkaError as error:
            pytest.skip(f"Kafka's own classes were not run: {error}")
