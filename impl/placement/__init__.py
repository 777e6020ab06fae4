"""Where things are: which partition of an internal topic, and so which broker, has a group or a transactional id.

Part of Kafka modelled: `GroupCoordinatorService.partitionFor`, `TransactionStateManager.partitionFor`.
Source: apache/kafka (commit 1eb7644349).
Left out, and why that is sound: who leads the partition, which `impl/controller` decides. **Not covered**: replicas of
new topics.
"""
