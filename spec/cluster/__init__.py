"""The properties of a cluster at the level of messages.

Part of Kafka judged: one partition: controller, brokers, a producer and a consumer.
Source: apache/kafka (commit 1eb7644349).
Left out, and why that is sound: other partitions, because they share no protocol state with this one.
"""
