"""Guarantees of the assignors of consumer groups.

Part of Kafka judged: the assignors of consumers and of the group coordinator.
Source: KIP-54, KIP-429, KIP-848.
Left out, and why that is sound: the protocol that carries an assignment to the members; it takes what an assignor says.
"""
