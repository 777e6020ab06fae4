"""The whole system of the transaction models: clients, coordinators, partitions, and the messages between them."""

from typing import Annotated

from kafkacheck.checker.schema import Allowance, Array, AtMost, Bag, ById, ByPosition, Count, If, Offset, Struct
from kafkacheck.impl.client.transactional_records import Client, Reader, Transaction
from kafkacheck.impl.coordinator.records import Coordinator, Group, ProducerIdManager, SecondCompletion, TransactionLog
from kafkacheck.impl.messages.transaction_requests import Request
from kafkacheck.impl.messages.transactional_produce import Produce
from kafkacheck.impl.messages.write_txn_markers import LateMarker
from kafkacheck.impl.transactions.records import Partition


class Budget(Struct):
    """The number of disturbances that are left. Only the environment changes it.

    delays: requests that a client or coordinator gives up and that arrive later or never.
    crashes: clients that die.
    failovers: changes of the coordinator.
    append_failures: appends to the transaction log that fail, or whose outcome stays unknown.
    marker_losses: answers about markers that never reach the coordinator.
    expirations: producers that a partition forgets, or transactional ids that a coordinator forgets.
    moves: changes of a partition's leader.
    deletions: partitions that are deleted.
    rebalances: rebalances of the group.
    group_delays: markers that the group's coordinator applies later.
    group_failovers: changes of the group's coordinator.
    offset_expirations: offsets that were not committed for a long time.
    recreations: topics that are created under the name of a deleted one.
    io_errors: entries of an aborted-transaction index that cannot be written.
    empty_commits: transactions that their application commits although it has sent nothing.
    second_completions: threads of a coordinator that find the last marker written while another thread finds it, too.
    """

    delays: Annotated[int, Allowance("delays")]
    crashes: Annotated[int, Allowance("crashes")]
    failovers: Annotated[int, Allowance("failovers")]
    append_failures: Annotated[int, Allowance("append_failures")]
    marker_losses: Annotated[int, Allowance("marker_losses")]
    expirations: Annotated[int, Allowance("expirations")]
    moves: Annotated[int, Allowance("moves")]
    deletions: Annotated[int, Allowance("deletions")]
    rebalances: Annotated[int, Allowance("rebalances")]
    group_delays: Annotated[int, Allowance("group_delays")]
    group_failovers: Annotated[int, Allowance("group_failovers")]
    offset_expirations: Annotated[int, Allowance("offset_expirations")]
    recreations: Annotated[int, Allowance("recreations")]
    io_errors: Annotated[int, Allowance("io_errors")]
    empty_commits: Annotated[int, Allowance("empty_commits")]
    second_completions: Annotated[int, Allowance("second_completions")]


class TransactionalId(Struct):
    """A transactional id: its log, and the brokers that are or were its coordinator.

    log: its part of the transaction log.
    coordinators: by term, the coordinator.
    """

    log: TransactionLog
    coordinators: Annotated[Array[Coordinator], ById("max_coordinator_epoch + 1")]


class State(Struct):
    """The whole system.

    transactional_ids: the transactional ids with their coordinators.
    producer_ids: the producer ids that coordinators can still give out.
    partitions: the partitions.
    clients: the producers.
    requests: requests to coordinators.
    produces: produce requests.
    late_markers: markers under way that no coordinator awaits, and that arrive in any order.
    second_completion: the completion that a second thread of a coordinator will append.
    next_transaction: the number of the next transaction.
    transactions: the applications' transactions.
    readers: by partition, a read_committed consumer.
    group: the consumer group of the clients.
    processed: by input, how often an application without transactions has processed it. Only `spec/` reads it.
    offsets_partition: the partition that holds the group's offsets: constant; `NO_PARTITION` if no group commits in
        transactions.
    budget: the disturbances that the environment may still cause.
    """

    transactional_ids: Annotated[Array[TransactionalId], ById("transactional_ids")]
    producer_ids: ProducerIdManager
    partitions: Annotated[Array[Partition], ById("partitions")]
    clients: Annotated[Array[Client], ById("clients")]
    requests: Annotated[Array[Request], ById("requests")]
    produces: Annotated[Array[Produce], ById("produces")]
    late_markers: Annotated[Bag[LateMarker], AtMost("late_markers")]
    second_completion: Annotated[SecondCompletion, If("second_completions")]
    next_transaction: Annotated[int, Offset("batches")]
    transactions: Annotated[Array[Transaction], ById("batches")]
    readers: Annotated[Array[Reader], ById("partitions")]
    group: Group
    processed: Annotated[Array[Annotated[int, Count("max_processed")]], ByPosition("inputs + 1")]
    offsets_partition: Annotated[int, Count("offsets_partition", lowest="offsets_partition")]
    budget: Budget
