"""What must hold of a group whose log a coordinator reads.

Part of Kafka judged: `impl/consumer_group/loading.py`, by its records only.
Source: KAFKA-17306, KAFKA-19862, KAFKA-21117.
Left out, and why that is sound: offsets, whose records have keys of their own.
"""
