"""The guarantees of an idempotent producer.

Part of Kafka judged: `ProducerStateManager` and the producer's `Sender`.
Source: KIP-98, KIP-360.
Left out, and why that is sound: transactions, which `spec/transactions` judges.
"""
