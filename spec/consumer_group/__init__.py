"""What must hold of consumer groups by the consumer protocol.

Part of Kafka judged: `impl/consumer_group` and `impl/client/consumer_membership.py`.
Source: KIP-848.
Left out, and why that is sound: offsets, of which no rule of membership speaks.
"""
