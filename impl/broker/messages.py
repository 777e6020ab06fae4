"""The slots for requests in flight, and how they become free.

Part of Kafka modelled: the connection of a fetcher to its leader, and of a leader to the controller.
Source: apache/kafka `BrokerBlockingSender`, `NodeToControllerChannelManager` (commit 1eb7644349).
Left out, and why that is sound: see `impl.broker.records`.
"""

from kafkacheck.checker.schema import clear
from kafkacheck.impl.messages.fetch import Fetch, OldFetch


def leave_request(fetch: Fetch, old_fetch: OldFetch) -> None:
    """Move a follower's request into the slot for a fetch whose connection is broken, which frees its own slot."""
    old_fetch.stage = fetch.stage
    old_fetch.topic_id = fetch.topic_id
    old_fetch.leader = fetch.leader
    old_fetch.leader_epoch = fetch.leader_epoch
    old_fetch.broker_epoch = fetch.broker_epoch
    old_fetch.offset = fetch.offset
    old_fetch.asked_epoch = fetch.asked_epoch
    clear(fetch)
