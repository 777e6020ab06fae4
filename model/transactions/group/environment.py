"""What the world does to a group's offsets: it is no one's rule, and each act is charged to a budget."""

from kafkacheck.impl.transactions.offset_expiry import expire_offset
from kafkacheck.impl.transactions.records import State
from kafkacheck.impl.transactions.rules import TransactionRules


def offset_expires(state: State, rules: TransactionRules) -> bool:
    """Nobody has committed an offset of the group for long, and its coordinator forgets it.

    Why: `offsets.retention.minutes` is over.
    When: there is an offset, and none is pending; an expiration is left.
    Effect: a tombstone is in the partition of the offsets, and the group has no offset: whoever is given the input
        begins with the first (`auto.offset.reset`). By the old rule a pending offset does not count, and is gone, too.
    Source: OffsetMetadataManager.cleanupExpiredOffsets; KAFKA-14505, KAFKA-19163.
    """
    if state.budget.offset_expirations == 0:
        return False
    if not expire_offset(state, rules):
        return False
    state.budget.offset_expirations -= 1
    return True
