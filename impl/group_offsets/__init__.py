"""The committed offsets of groups at the coordinator that they share: one partition of the offsets topic.

Part of Kafka modelled: `OffsetMetadataManager`, and what it asks of a group (`Group`); `CoordinatorRuntime`.
Source: apache/kafka (commit 1eb7644349); KIP-98, KIP-211, KIP-496, KIP-848, KIP-1251.
Left out, and why that is sound: how members come to have their epochs, which `impl/classic_group` and
`impl/consumer_group` have; here a group has one member.
"""
