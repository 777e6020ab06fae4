"""Transactions: the coordinator and its log, the partitions that hold transactional records, and their clients.

Part of Kafka modelled: `kafka.coordinator.transaction`; the transactional half of `UnifiedLog` and
`ProducerStateManager`; `TransactionManager` of the producer; `CompletedFetch` of the consumer.
Source: apache/kafka (commit 1eb7644349); KIP-98, KIP-360, KIP-447, KIP-890.
Left out, and why that is sound: how replicas elect and follow their leader, which `impl/broker` models.
"""
