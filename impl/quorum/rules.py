"""The switches of the metadata quorum.

Part of Kafka modelled: the rules of `KafkaRaftClient` that were once different.
Source: apache/kafka (commit 1eb7644349), raft.
Left out, and why that is sound: settings that only choose among behaviours that are all explored.
"""

from enum import IntEnum
from typing import Annotated, NamedTuple

from kafkacheck.checker.schema import EVERY, Since


class RestartRule(IntEnum):
    """The state after a restart of a voter that led in its `quorum-state` file's epoch; oldest rule first."""

    LEADER = 0
    """It is still the leader, in the same epoch (before KAFKA-10527)."""

    UNATTACHED = 1
    """It knows neither a leader of that epoch nor a vote (before KAFKA-10661)."""

    RESIGNED = 2
    """It knows that it led, so it votes for nobody else in that epoch and leads no more."""


class QuorumRules(NamedTuple):
    """The switches of the quorum.

    high_watermark_awaits_own_record: the high watermark begins to rise when a majority has the LeaderChange record of
        the leader's own epoch; by the old rule, already when a majority has the records before it (KAFKA-12619).
    leader_restarts_as: the state of a leader after a restart.
    voters_have_directories: a voter is identified by its id and the id of its log directory, so a voter with a replaced
        disk is no voter until it is added again (KIP-853, KAFKA-14077). With `kraft.version` 0 the id identifies it.
    leader_checks_quorum: a leader from which no majority has fetched for the fetch timeout resigns (KAFKA-15489).
    """

    high_watermark_awaits_own_record: Annotated[bool, Since("2.8", begun="2.7")] = True
    leader_restarts_as: Annotated[RestartRule, Since(EVERY), Since("2.7", RestartRule.UNATTACHED), Since("2.8")] = (
        RestartRule.RESIGNED
    )
    voters_have_directories: Annotated[bool, Since("3.9", begun="2.7")] = True
    leader_checks_quorum: Annotated[bool, Since("3.7", begun="2.7")] = True
