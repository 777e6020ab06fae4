"""Guarantees of the rule for lagging followers.

Part of Kafka judged: `Replica` and `Partition.maybeShrinkIsr`.
Source: KIP-16.
Left out, and why that is sound: the contents of logs, which `spec/cluster` judges.
"""
