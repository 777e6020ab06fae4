"""The switches of compaction, each named for the right way.

Part of Kafka modelled: the variants of `LogCleaner` between Kafka 0.10 and today.
Source: the KIPs and issues named at each switch; apache/kafka (commit 1eb7644349).
Left out, and why that is sound: switches for rules that are the same in every known version.
"""

from typing import Annotated, NamedTuple

from kafkacheck.checker.schema import EVERY, Since
from kafkacheck.impl.log.rules import LogRules


class CompactionRules(NamedTuple):
    """The switches, constant during a run; a `bool` that is True is today's rule.

    cleaning_ends_at_high_watermark: the cleaner stops at the last stable offset, which is the high watermark if no
        transaction is open (KAFKA-13194).
    delete_horizon_is_awaited: a tombstone, or the marker of a transaction without data, stays when a pass could first
        remove it; a later pass removes it, `delete.retention.ms` after that (KIP-534, KAFKA-4529).
    markers_have_no_key: data whose key has the same bytes as a marker's key does not supersede the marker
        (KAFKA-14055).
    last_batch_is_kept: each producer's last batch stays when its record is removed, because it tells the sequence.
    last_batch_is_emptied: that batch stays, but its record is removed (KAFKA-5490).
    log: the switches of the log; here there is no coordinator to ask for a verification.
    """

    cleaning_ends_at_high_watermark: Annotated[bool, Since("3.1")] = True
    delete_horizon_is_awaited: Annotated[bool, Since("3.1")] = True
    markers_have_no_key: Annotated[
        bool, Since("3.0.2", begun="0.11.0"), Since("3.1.2", begun="3.1"), Since("3.2.1", begun="3.2")
    ] = True
    last_batch_is_kept: Annotated[bool, Since(EVERY)] = True
    last_batch_is_emptied: Annotated[bool, Since("0.11.0.1", begun="0.11.0")] = True
    log: LogRules = LogRules(verification=False)
