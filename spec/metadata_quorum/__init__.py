"""Guarantees of the metadata quorum.

Part of Kafka judged: `KafkaRaftClient`.
Source: KIP-595.
Left out, and why that is sound: the meaning of the records, which `spec/cluster` judges.
"""
