"""What must hold of consumer groups by the classic protocol.

Part of Kafka judged: `impl/classic_group` and `impl/client/classic_membership.py`.
Source: KIP-62, KIP-345, KIP-394, KIP-429.
Left out, and why that is sound: offsets, of which no rule of membership speaks.
"""
