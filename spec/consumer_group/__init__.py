"""The guarantees of consumer groups of the new protocol.

Part of Kafka judged: the group coordinator, and the membership of consumers.
Source: KIP-848.
Left out, and why that is sound: offsets and transactions, which `spec/transactions` judges.
"""
