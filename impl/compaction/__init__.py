"""Compaction: a partition that keeps the last record of each key, and the records that its cleaner must leave.

Part of Kafka modelled: `LogCleaner`, on the replicas of one partition, with producers that write to it and a consumer.
Source: apache/kafka (commit 1eb7644349); KIP-534.
Left out, and why that is sound: the cleaner's order of segments and the aborted-transaction index, which
`impl/transactions/cleaner.py` models.
"""
