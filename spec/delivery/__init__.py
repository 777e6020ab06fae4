"""What must hold of delivery: which records applications process, and which offsets are committed.

Part of Kafka judged: `impl/delivery`.
Source: Kafka's documentation ("Message Delivery Semantics").
Left out, and why that is sound: exactly once, by transactions, which `spec/transactions` judges.
"""
