"""What must hold of a group whose members subscribe by patterns, while topics come and go.

Part of Kafka judged: `impl/consumer_group/patterns.py`, `resolution.py` and `impl/client/pattern_subscription.py`.
Source: KIP-848.
Left out, and why that is sound: offsets, of which no rule of membership speaks.
"""
