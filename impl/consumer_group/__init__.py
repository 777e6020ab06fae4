"""The group coordinator of the consumer protocol: members, target assignment and reconciliation.

Part of Kafka modelled: `GroupMetadataManager` and `ConsumerGroup`; the consumer's side is
`impl/client/consumer_membership.py`.
Source: KIP-848; apache/kafka (commit 1eb7644349).
Left out, and why that is sound: **Not covered**: members of the classic protocol
(`impl/classic_group`) in the same group; `patterns.py` has patterns.
"""
