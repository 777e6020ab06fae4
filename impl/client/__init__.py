"""The actions and the state of producers and consumers.

Part of Kafka modelled: `KafkaProducer` as far as acknowledgements go, and `KafkaConsumer` with one partition assigned.
Source: apache/kafka (commit 1eb7644349).
Left out, and why that is sound: retries of a producer, because a retried record would be a new one to replication;
consumer groups and committed offsets, because a position is the same to the partition wherever it comes from.
"""
