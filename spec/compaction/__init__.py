"""Guarantees of compaction.

Part of Kafka judged: `LogCleaner`.
Source: KIP-534.
Left out, and why that is sound: the size of segments, because it decides only when cleaning happens.
"""
