"""A whole system to see a producer in: the producer, partitions, and what is under way between them.

Part of Kafka modelled: one producer that writes to some partitions.
Source: apache/kafka (commit 1eb7644349).
Left out, and why that is sound: other producers, of which a partition keeps separate entries; consumers, who read what
the log says.
"""

from typing import Annotated

from kafkacheck.checker.schema import Allowance, Array, ById, ByPosition, Struct
from kafkacheck.impl.producer.client_records import Producer
from kafkacheck.impl.producer.partition_records import Connection, LateRequest, Partition


class Budget(Struct):
    """How many disturbances are left. Only the environment writes here; healing costs nothing.

    disconnections: connections of the producer that break.
    refusals: requests that are refused for the moment.
    invalid_batches: batches with records that the topic does not take.
    oversized_batches: batches that are larger than the topic takes, although their records are not.
    batch_expirations: batches whose time is up while they wait to be sent again.
    in_flight_expirations: batches whose time is up while they are under way.
    producer_deaths: ends of the producer's process.
    blips: topics that are missing from the producer's metadata for a while.
    failovers: changes of a partition's leader.
    crashes: crashes of a broker's process, which keep the page cache.
    power_losses: crashes of a machine, which lose what was never flushed.
    deletions: log starts moved.
    replacements: replicas that begin anew without a log.
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
    budget: what the environment may still do.
    """

    producer: Producer
    partitions: Annotated[Array[Partition], ById("partitions")]
    connections: Annotated[Array[Connection], ById("partitions")]
    late_requests: Annotated[Array[LateRequest], ByPosition("late_requests")]
    budget: Budget
