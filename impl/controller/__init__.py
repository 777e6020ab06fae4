"""The controller: it decides which brokers are alive, elects leaders, and decides on every ISR change.

Part of Kafka modelled: `KafkaController` of the ZooKeeper era and `QuorumController` of KRaft, for one partition.
Source: apache/kafka (commit 1eb7644349).
Left out, and why that is sound: the consensus below the controller's record (ZooKeeper, or the Raft quorum, which
`impl/quorum/` models as a system of its own): a change is made for good in one step, and a deposed controller can make
none.
"""
