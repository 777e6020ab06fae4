"""Guarantees of replication, from one generation of the protocol to the next.

Part of Kafka judged: replication of one partition.
Source: KIP-101, KIP-279, KIP-320.
Left out, and why that is sound: messages under way, which `spec/cluster` judges.
"""
