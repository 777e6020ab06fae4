"""How a group coordinator expires offsets that were not committed for a long time.

Part of Kafka modelled: `OffsetMetadataManager` (`cleanupExpiredOffsets`, `hasPendingTransactionalOffsets`, the replay
of tombstones); `GroupMetadata.removeExpiredOffsets` before.
Source: apache/kafka (commit 1eb7644349); KIP-211, KAFKA-14505, KAFKA-19163.
Left out, and why that is sound: `offsets.retention.minutes`, which may be over at any time; the group's members: Kafka
keeps offsets for longer if there are members, which is expiry at another time.
"""

from kafkacheck.impl.log import is_full
from kafkacheck.impl.transactions.constants import NO_INPUT
from kafkacheck.impl.transactions.group import has_pending_offset, is_loading, note_offset
from kafkacheck.impl.transactions.partition import maybe_replicate
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions.system import State


def expire_offset(state: State, rules: TransactionRules) -> bool:
    """Expire the group's offset: append a tombstone, and forget all offsets; return whether this was possible.

    This includes a pending offset, because only its transaction's marker comes after the tombstone. So nothing may
    expire while an offset is pending.
    """
    group = state.group
    partition = state.partitions[state.offsets_partition]
    if is_loading(group) or is_full(partition.log):
        return False
    if has_pending_offset(group):
        if rules.pending_offset_keeps_group:
            return False
    elif group.committed == 0:
        return False
    note_offset(group, partition.log.end_offset, 0)
    partition.log.end_offset += 1
    maybe_replicate(partition, rules)
    group.committed = 0
    for producer_id in range(len(group.pending)):
        group.pending[producer_id] = NO_INPUT
    return True
