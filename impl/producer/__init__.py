"""The idempotent producer: the client that numbers its batches, and the broker that remembers stored batches.

Part of Kafka modelled: `TransactionManager` and `Sender` of the client; `ProducerStateManager` and the validation of
appends in `UnifiedLog`, on which transactions build, too.
Source: apache/kafka (commit 1eb7644349); KIP-98, KIP-360, KIP-890.
Left out, and why that is sound: how replicas elect and follow their leader, which `impl/broker` has.
"""
