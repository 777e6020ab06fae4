"""The metadata quorum: the voters that replicate the log of the KRaft controller by a majority.

Part of Kafka modelled: `KafkaRaftClient` with `QuorumState`, `LeaderState` and the metadata log.
Source: apache/kafka (commit 1eb7644349), raft; KIP-595, KIP-853.
Left out, and why that is sound: requests and answers under way: a step in which a voter asks another one takes the
records of both. A late request is one that is sent later; each file says what that means for its requests.
"""
