"""Guarantees of a broker's life with a KRaft controller.

Part of Kafka judged: `ReplicationControlManager`, `BrokerHeartbeatManager`.
Source: KIP-631, KIP-841.
Left out, and why that is sound: the contents of partitions, which `spec/cluster` judges.
"""
