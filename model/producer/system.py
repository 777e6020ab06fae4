"""A producer's whole system: the producer, the partitions, and the requests under way between them.

Part of Kafka modelled: one producer that writes to some partitions.
Source: apache/kafka (commit 1eb7644349).
Left out, and why that is sound: other producers, because a partition keeps a separate entry for each; consumers, which
only read the log.
"""

from typing import Annotated

from kafkacheck.checker.schema import Allowance, Array, ById, ByPosition, Struct
from kafkacheck.impl.producer.client_records import Producer
from kafkacheck.impl.producer.partition_records import Connection, LateRequest, Partition


class Budget(Struct):
    """How many disturbances are left. Only the environment writes here; healing costs nothing.

    disconnections: connections of the producer that break.
    refusals: requests that are refused with a retriable error.
    invalid_batches: batches with records that the topic refuses.
    oversized_batches: batches that are too large for the topic, although their records are not.
    batch_expirations: batches that expire while they wait for a retry.
    in_flight_expirations: batches that expire in flight.
    producer_deaths: ends of the producer's process.
    blips: topics that are missing from the producer's metadata for a while.
    failovers: changes of a partition's leader.
    crashes: crashes of a broker's process, which keep the page cache.
    power_losses: crashes of a machine, which lose unflushed data.
    deletions: log starts moved.
    replacements: replicas that start again without a log.
    state_expirations: idle producers that a broker forgets.
    aborts: transactions that their coordinator aborts.
    """

    disconnections: Annotated[int, Allowance("disconnections")]
    refusals: Annotated[int, Allowance("refusals")]
    invalid_batches: Annotated[int, Allowance("invalid_batches")]
    oversized_batches: Annotated[int, Allowance("oversized_batches")]
    batch_expirations: Annotated[int, Allowance("batch_expirations")]
    in_flight_expirations: Annotated[int, Allowance("in_flight_expirations")]
    producer_deaths: Annotated[int, Allowance("producer_deaths")]
    blips: Annotated[int, Allowance("blips")]
    failovers: Annotated[int, Allowance("failovers")]
    crashes: Annotated[int, Allowance("crashes")]
    power_losses: Annotated[int, Allowance("power_losses")]
    deletions: Annotated[int, Allowance("deletions")]
    replacements: Annotated[int, Allowance("replacements")]
    state_expirations: Annotated[int, Allowance("state_expirations")]
    aborts: Annotated[int, Allowance("aborts")]


class State(Struct):
    """The whole system.

    producer: the producer.
    partitions: by partition.
    connections: by partition, the producer's requests to it.
    late_requests: requests that the producer has given up.
    budget: the disturbances that are left.
    """

    producer: Producer
    partitions: Annotated[Array[Partition], ById("partitions")]
    connections: Annotated[Array[Connection], ById("partitions")]
    late_requests: Annotated[Array[LateRequest], ByPosition("late_requests")]
    budget: Budget
