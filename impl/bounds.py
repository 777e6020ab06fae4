"""The bounds of a model that functions read; the others only say how large the records are.

Part of Kafka modelled: limits of what a cluster can give out, and parts that only some models have.
Source: apache/kafka (commit 1eb7644349).
Left out, and why that is sound: nothing; a bound ends behaviours, and a rule of Kafka reads only bounds that Kafka has,
too.
"""

from typing import NamedTuple


class Bounds(NamedTuple):
    """The bounds that functions read. A model needs only those that its own functions read.

    claims: 1 if members of a classic group may say that they own partitions; 0 otherwise.
    classic_consumers: how many of a consumer group's consumers, the first ones, use the classic protocol.
    consumers: how many consumers a group has.
    creations: how many partitions of a consumer group's topics are created later.
    deferrals: how often the assignor of a consumer group may wait.
    deletions: how many records retention deletes in a delivery model.
    deposed_coordinators: 1 if a deposed coordinator of offsets may still answer; 0 otherwise.
    elr_index: 1 if the controller's index of eligible leader replicas is modelled; 0 otherwise.
    failovers: how often the coordinator of a consumer group can change.
    fetch_sessions: 1 if followers have fetch sessions; 0 otherwise.
    group_failovers: how often the coordinator of a group can change.
    instances: how many instance ids static members of a consumer group have; 0 if there are none.
    late_registrations: 1 if a broker learns its broker epoch after it has registered; 0 if at once.
    log_size: how many records the partition of a delivery model can have.
    log_writes: how many writes the log of committed offsets can have.
    max_generation: the highest generation of a group.
    max_group_epoch: the highest epoch of a consumer group.
    max_member_epoch: the highest epoch of a member in a model of committed offsets.
    max_messages: how many messages a producer sends.
    max_producer_epoch: the highest producer epoch, 32767 in Kafka.
    max_time: the last tick of the clock.
    members: how many consumers a consumer group has.
    member_ids: how many member ids the coordinator of a classic group can give out.
    noted_owners: 1 if models keep the last owner of each partition of a group, for properties; 0 otherwise.
    noted_targets: 1 if models keep the target that an operator has asked for last, for properties; 0 otherwise.
    offsets_partition: the partition that holds the offsets of a group that commits in transactions; -1 if none does.
    partitions: how many partitions there are.
    pipelines: 1 if applications process records in threads of their own; 0 otherwise.
    producer_ids: how many producer ids the cluster can give out.
    reassignment_rounds: 1 if a reassignment ends in two rounds; 0 if at once.
    segment_size: how many offsets a segment of a log covers.
    slow_polls: how often the poll interval of a consumer may end.
    static_members: 1 if members of a classic group may be static; 0 otherwise.
    topics: how many topics there are.
    transactional: 1 if the producer sends in transactions; 0 otherwise.
    unknown_topics: how many topics, the last ones, the metadata of consumers does not have at first.
    """

    claims: int
    classic_consumers: int
    consumers: int
    creations: int
    deferrals: int
    deletions: int
    deposed_coordinators: int
    elr_index: int
    failovers: int
    fetch_sessions: int
    group_failovers: int
    instances: int
    late_registrations: int
    log_size: int
    log_writes: int
    max_generation: int
    max_group_epoch: int
    max_member_epoch: int
    max_messages: int
    max_producer_epoch: int
    max_time: int
    members: int
    member_ids: int
    noted_owners: int
    noted_targets: int
    offsets_partition: int
    partitions: int
    pipelines: int
    producer_ids: int
    reassignment_rounds: int
    segment_size: int
    slow_polls: int
    static_members: int
    topics: int
    transactional: int
    unknown_topics: int
