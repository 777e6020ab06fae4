"""The transitions of a transactional id: how they change the entry of the transaction log.

Part of Kafka modelled: `TransactionMetadata` (`prepareNewProducerId`, `prepareIncrementProducerEpoch`,
`prepareAddPartitions`, `prepareAbortOrCommit`, `prepareComplete`, `completeTransitionTo`).
Source: apache/kafka (commit 1eb7644349); KIP-98, KIP-360, KIP-890.
Left out, and why that is sound: timestamps; `isValidTransition`, which Kafka checks before each transition. Instead,
`spec/transactions/steps.py` says for every step which state may follow which.
"""

from kafkacheck.checker.schema import Ids, copy
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.coordinator.records import TransactionMetadata
from kafkacheck.impl.log.constants import NO_PRODUCER_ID, Marker
from kafkacheck.impl.transactions.constants import TransactionState
from kafkacheck.impl.transactions.rules import TransactionRules


def has_version_2(rules: TransactionRules, is_upgraded: int) -> bool:
    """Whether a request, or the state that a request left here, has transaction version 2."""
    return rules.transaction_version == 2 or is_upgraded == 1


def cluster_upgrade(rules: TransactionRules) -> int:
    """1 if the cluster has transaction version 2 although some clients have version 1."""
    return 1 if rules.cluster_version == 2 else 0


def is_preparing(metadata: TransactionMetadata) -> bool:
    """Whether the transaction is decided, and its markers are being written."""
    return metadata.state == TransactionState.PREPARE_COMMIT or metadata.state == TransactionState.PREPARE_ABORT


def is_idle(metadata: TransactionMetadata) -> bool:
    """Whether the id is known and has no transaction under way."""
    if metadata.state == TransactionState.EMPTY:
        return True
    return metadata.state == TransactionState.COMPLETE_COMMIT or metadata.state == TransactionState.COMPLETE_ABORT


def decision_of(metadata: TransactionMetadata) -> Marker:
    """The decision on the current or last transaction; `NONE` without one."""
    if metadata.state == TransactionState.PREPARE_COMMIT or metadata.state == TransactionState.COMPLETE_COMMIT:
        return Marker.COMMIT
    if metadata.state == TransactionState.PREPARE_ABORT or metadata.state == TransactionState.COMPLETE_ABORT:
        return Marker.ABORT
    return Marker.NONE


def is_epoch_exhausted(bounds: Bounds, producer_epoch: int) -> bool:
    """Whether the epoch is the last that a client may have: the next one is reserved for fencing the client."""
    return producer_epoch >= bounds.max_producer_epoch - 1


def prepare_new_producer_id(target: TransactionMetadata, producer_id: int, last_epoch: int) -> None:
    """Give the transactional id a new producer id, which begins with epoch 0."""
    target.producer_id = producer_id
    target.producer_epoch = 0
    target.last_producer_epoch = last_epoch
    target.state = TransactionState.EMPTY
    target.partitions = Ids()
    target.is_upgraded = 0


def prepare_increment_producer_epoch(target: TransactionMetadata, last_epoch: int) -> None:
    """Give the transactional id the next epoch."""
    target.producer_epoch += 1
    target.last_producer_epoch = last_epoch
    target.state = TransactionState.EMPTY
    target.partitions = Ids()
    target.is_upgraded = 0


def prepare_repeated_epoch(target: TransactionMetadata) -> None:
    """Give out the newest epoch again, to the client that has not heard of it."""
    target.state = TransactionState.EMPTY
    target.partitions = Ids()
    target.is_upgraded = 0


def prepare_add_partitions(target: TransactionMetadata, partitions: Ids, is_upgraded: int) -> None:
    """Add these partitions to the transaction, which may begin with them."""
    target.partitions |= partitions
    target.is_upgraded = is_upgraded
    target.state = TransactionState.ONGOING


def prepare_abort_or_commit(
    target: TransactionMetadata, marker: Marker, is_upgraded: int, raises_epoch: bool, next_producer_id: int
) -> None:
    """Decide the transaction; with transaction version 2 this raises the epoch, which must not be the highest."""
    target.is_upgraded = is_upgraded
    target.next_producer_id = next_producer_id
    if raises_epoch:
        target.last_producer_epoch = target.producer_epoch
        target.producer_epoch += 1
    if marker == Marker.COMMIT:
        target.state = TransactionState.PREPARE_COMMIT
    else:
        target.state = TransactionState.PREPARE_ABORT


def prepare_complete(target: TransactionMetadata) -> None:
    """Complete the transaction, whose markers are written. The next producer id replaces one that is used up."""
    if target.state == TransactionState.PREPARE_COMMIT:
        target.state = TransactionState.COMPLETE_COMMIT
    else:
        target.state = TransactionState.COMPLETE_ABORT
    target.partitions = Ids()
    if target.next_producer_id != NO_PRODUCER_ID:
        target.producer_id = target.next_producer_id
        target.next_producer_id = NO_PRODUCER_ID
        target.producer_epoch = 0


def gives_out(rules: TransactionRules, transition: TransactionMetadata) -> bool:
    """Whether the transition gives out an epoch, or may give out a producer id, as a completion of version 2 may."""
    if transition.state == TransactionState.EMPTY:
        return True
    return is_idle(transition) and has_version_2(rules, transition.is_upgraded)


def complete_transition(
    metadata: TransactionMetadata, rules: TransactionRules, transition: TransactionMetadata
) -> None:
    """Make the transition, which the log has, the state in memory."""
    previous_producer_id = metadata.previous_producer_id
    copy(metadata, transition)
    if not rules.previous_producer_id_is_overwritten and not gives_out(rules, transition):
        metadata.previous_producer_id = previous_producer_id
