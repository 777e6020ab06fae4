"""The switches that appending a batch reads, as every family of models has them.

Part of Kafka modelled: the variants of `ProducerAppendInfo` between Kafka 0.11 and today.
Source: the KIPs and issues named in `impl/producer/rules.py`; apache/kafka (commit 1eb7644349).
Left out, and why that is sound: nothing; each family's own rules say which switches it has besides.
"""

from typing import Protocol


class AppendRules(Protocol):
    """The switches that appending a batch reads, both in models of producers and of transactions."""

    @property
    def batches_to_retain(self) -> int:
        """See `ProducerRules`."""

    @property
    def sequence_wraps(self) -> bool:
        """See `ProducerRules`."""

    @property
    def unknown_producer_may_go_on(self) -> bool:
        """See `ProducerRules`."""

    @property
    def empty_log_awaits_first_sequence(self) -> bool:
        """See `ProducerRules`."""

    @property
    def replication_is_trusted(self) -> bool:
        """See `ProducerRules`."""

    @property
    def verification(self) -> bool:
        """See `ProducerRules`."""

    @property
    def offset_commit_is_verified(self) -> bool:
        """See `ProducerRules`."""

    @property
    def guard_is_unique(self) -> bool:
        """See `ProducerRules`."""

    @property
    def lowest_sequence_is_awaited(self) -> bool:
        """See `ProducerRules`."""
