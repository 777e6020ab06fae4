"""What must hold of a group while its consumers go from the classic protocol to the new one, or back.

Part of Kafka judged: `impl/consumer_group/migration.py`, `classic_members.py`, and the consumers of both protocols.
Source: KIP-848.
Left out, and why that is sound: offsets, of which no rule of membership speaks.
"""
