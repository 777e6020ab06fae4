"""What must hold of committed offsets: what clients were told, what the log says, what expires.

Part of Kafka judged: `impl/group_offsets`.
Source: KIP-98, KIP-211, KIP-447, KIP-496.
Left out, and why that is sound: what consumers make of an offset, which `spec/delivery` judges.
"""
