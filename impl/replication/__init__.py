"""Replication of one partition: controller, leader and followers.

Part of Kafka modelled: leader election from the ISR, LeaderAndIsr requests, writes, the high watermark, ISR changes by
leader and controller, truncation and fetching by followers, in five generations of the protocol that differ only in
`ReplicationRules`.
Source: hachikuji/kafka-specification (commit d68782b), written by engineers of Kafka; apache/kafka for the names.
Left out, and why that is sound: time, crashes and the network have no state of their own. A request may be observed at
any time after it was sent, by any replica, in any order or never, so that a slow, a partitioned, a stopped and a
restarted broker are all among the behaviours; a check over all of them covers the real ones. What a restarted broker
could lose (records never flushed, an old high watermark checkpoint) is not covered.
"""
