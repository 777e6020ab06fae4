"""Kafka's ids, epochs and offsets, each with its range in terms of a model's bounds, and the reserved values of them.

Part of Kafka modelled: how replicas, partitions, topics, records, epochs and offsets are numbered. Kafka writes -1 for
each reserved value (`NO_LEADER` of `LeaderAndIsr`, `NO_PARTITION_LEADER_EPOCH` of `RecordBatch`,
`UNDEFINED_EPOCH_OFFSET` of `OffsetsForLeaderEpochResponse`), and so does this file.
Source: apache/kafka, core and clients.
Left out, and why that is sound: every number and sentinel that no rule of this reference reads, because a value that is
never compared cannot change a behaviour.
"""

from typing import Annotated

from kafkacheck.checker.schema import Count, Epoch, Id, Ids, IdSet, Offset

NO_LEADER = -1
"""The partition has no leader, or the replica does not know one."""

NO_EPOCH = -1
"""No leader epoch yet: older than every epoch."""

NO_RECORD = -1
"""This slot of a log is empty."""

NO_OFFSET = -1
"""There is no such offset, or it is not known."""

ReplicaId = Annotated[int, Id("replicas")]
OptionalReplicaId = Annotated[int, Id("replicas", none=NO_LEADER)]
ReplicaSet = Annotated[Ids, IdSet("replicas")]
PartitionId = Annotated[int, Id("partitions")]
PartitionSet = Annotated[Ids, IdSet("partitions")]
TopicId = Annotated[int, Count("deletions")]
RecordId = Annotated[int, Id("max_records")]
OptionalRecordId = Annotated[int, Id("max_records", none=NO_RECORD)]
NextRecordId = Annotated[int, Count("max_records")]

LeaderEpoch = Annotated[int, Epoch("max_leader_epoch")]
OptionalLeaderEpoch = Annotated[int, Epoch("max_leader_epoch", none=NO_EPOCH)]
BrokerEpoch = Annotated[int, Epoch("max_broker_epoch")]
OptionalBrokerEpoch = Annotated[int, Epoch("max_broker_epoch", none=NO_EPOCH)]
ControllerEpoch = Annotated[int, Epoch("max_controller_epoch")]

LogOffset = Annotated[int, Offset("log_size")]
OptionalOffset = Annotated[int, Count("log_size", lowest=NO_OFFSET)]
OffsetSet = Annotated[Ids, IdSet("log_size")]
LogStartOffset = Annotated[int, Offset("max_log_start")]
MetadataOffset = Annotated[int, Offset("max_metadata_offset")]
OptionalMetadataOffset = Annotated[int, Epoch("max_metadata_offset", none=NO_OFFSET)]
