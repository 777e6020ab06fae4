"""What must hold of resumption: in which history a consumer reads, and what its committed offset says of it.

Part of Kafka judged: `impl/resumption`.
Source: KIP-320.
Left out, and why that is sound: what becomes of records that are cut, which nobody can give back.
"""
