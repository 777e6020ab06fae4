"""What both protocols of consumer groups promise in the same words.

Part of Kafka judged: `impl/classic_group`, `impl/consumer_group` and their consumers in `impl/client`.
Source: KIP-62, KIP-848.
Left out, and why that is sound: offsets, of which no rule of membership speaks.
"""
