"""Replication of one partition: controller, leader and followers.

Part of Kafka modelled: leader election from the ISR, LeaderAndIsr requests, writes, the high watermark, ISR changes by
leader and controller, and truncation and fetching by followers. The five generations of the protocol differ only in
`ReplicationRules`.
Source: hachikuji/kafka-specification (commit d68782b), written by engineers of Kafka; apache/kafka for the names.
Left out, and why that is sound: time, crashes and the network have no state of their own. A request may be observed at
any time after it was sent, by any replica, in any order or never, so that a slow, a partitioned, a stopped and a
restarted broker are all among the behaviours; a check over all of them covers the real ones. Losses of a restarted
broker (records never flushed, an old high watermark checkpoint) are not covered.
"""
