"""The work of one broker for its replica of the partition: as leader, as follower, when it starts and when it stops.

Part of Kafka modelled: `Partition`, `ReplicaFetcherThread`, `UnifiedLog` and `LogManager`, message by message.
Source: apache/kafka (commit 1eb7644349).
Left out, and why that is sound: other partitions, because they share no protocol state with this one.
"""
