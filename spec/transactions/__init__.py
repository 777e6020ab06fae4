"""The guarantees of transactions.

Part of Kafka judged: coordinators, partitions, producers and consumers of transactions.
Source: KIP-98, KIP-360, KIP-447, KIP-890.
Left out, and why that is sound: how replicas elect and follow their leader, which `spec/cluster` judges.
"""
