"""The whole system of the abstract replication models: the replicas and the controller of one partition."""

from typing import Annotated

from kafkacheck.checker.schema import Array, ById, ByPosition, Struct
from kafkacheck.impl.replication.records import LeaderAndIsrRequest, NextRecordId, Quorum, Replica


class State(Struct):
    """The whole system.

    replicas: the brokers' copies, by replica id.
    quorum: the controller's record.
    leader_and_isr_requests: the request of each leader epoch; blank after `quorum.leader_epoch`. Requests stay, because
        a replica may observe one at any later time.
    next_record_id: the id of the next record of a producer; no two records have the same.
    """

    replicas: Annotated[Array[Replica], ById("replicas")]
    quorum: Quorum
    leader_and_isr_requests: Annotated[Array[LeaderAndIsrRequest], ByPosition("max_leader_epoch + 1")]
    next_record_id: NextRecordId
