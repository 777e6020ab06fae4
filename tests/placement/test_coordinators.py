"""Which partition has a group: Java's hash code. `tests/kafka/test_placement.py` asks Kafka."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkacheck.impl.placement.coordinators import LOWEST, java_hash_code, partition_of_key

HALF_CHARACTERS = st.characters(categories=["Cs"])


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", 0),
        ("a", 97),
        ("ab", 31 * 97 + 98),
        ("polygenelubricants", LOWEST),
        ("\N{GRINNING FACE}", 0xD83D * 31 + 0xDE00),
    ],
)
def test_hash_codes_are_those_of_java(text, code):
    assert java_hash_code(text) == code


def test_the_lowest_hash_code_has_a_partition():
    assert partition_of_key("polygenelubricants") == 0


@given(st.text(), st.integers(1, 1000))
def test_a_key_has_one_of_the_partitions(key, count):
    assert 0 <= partition_of_key(key, count) < count


@given(st.text(st.one_of(st.characters(), HALF_CHARACTERS)))
def test_hash_codes_are_32_bits(text):
    assert LOWEST <= java_hash_code(text) < -LOWEST
