"""What the consumers of a group deliver to their applications: positions, fetches, and the offsets that they commit.

Part of Kafka modelled: `SubscriptionState`, `FetchCollector` and `OffsetCommitRequestManager` of the clients, and the
part of the group coordinator that consumers see of it.
Source: apache/kafka (commit 1eb7644349).
Left out, and why that is sound: how a group finds out who is to own a partition (`impl/classic_group`,
`impl/consumer_group`): it may choose anybody at any time, and hands the partition over in order. **Not covered**: more
than one partition, and commits inside transactions (`impl/transactions`).
"""
