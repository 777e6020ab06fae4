"""Coordinators: of transactions, and of the offsets of a group, over the runtime that both share.

Part of Kafka modelled: `kafka.coordinator.transaction`, `CoordinatorRuntime`, and the group coordinator's offsets.
Source: apache/kafka (commit 1eb7644349); KIP-98, KIP-360, KIP-447, KIP-848, KIP-890.
Left out, and why that is sound: how the replicas of a coordinator's log elect and follow their leader, which
`impl/broker` models.
"""
