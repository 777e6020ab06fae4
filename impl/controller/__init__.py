"""What the controller does: it tells which brokers live, elects leaders, and decides on every change of the ISR.

Part of Kafka modelled: `KafkaController` of the ZooKeeper era and `QuorumController` of KRaft, for one partition.
Source: apache/kafka (commit 1eb7644349).
Left out, and why that is sound: the consensus below the controller's record (ZooKeeper, or the Raft quorum, which
`quorum.py`, `quorum_elections.py` and `check_quorum.py` have in a system of its own): a change is made once and for all
in one step, and a controller that has lost its office can make none.
"""
