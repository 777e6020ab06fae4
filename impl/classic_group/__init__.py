"""The group coordinator of the classic protocol: join, sync, heartbeat and leave; generations and static members.

Part of Kafka modelled: `GroupMetadataManager` and `ClassicGroup`; the consumer's side is
`impl/client/classic_membership.py`.
Source: apache/kafka (commit 1eb7644349); KIP-62, KIP-345, KIP-394, KIP-429.
Left out, and why that is sound: the state DEAD, because a group that is gone is an empty one that forgets its
generation, and no member is left who knows it. **Not covered**: other topics, partitions that are added, the choice of
a protocol, and members of the consumer protocol in the same group.
"""
