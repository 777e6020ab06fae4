"""Disturbances of a group's offsets: no process decides them, and each is charged to a budget."""

from kafkacheck.impl.transactions.offset_expiry import expire_offset
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions.system import State


def offset_expires(state: State, rules: TransactionRules) -> bool:
    """The group has not committed an offset for long, and its coordinator forgets the offset.

    Why: `offsets.retention.minutes` have passed.
    When: the group has an offset, and by the new rule none is pending; its coordinator is not loading, and the log has
        room; an expiration is left.
    Effect: the offsets partition has a tombstone, and the group has no offset: the member that gets the input begins
        with the first one (`auto.offset.reset`). By the old rule a pending offset does not count, and is gone, too.
    Source: OffsetMetadataManager.cleanupExpiredOffsets; KAFKA-14505, KAFKA-19163.
    """
    if state.budget.offset_expirations == 0:
        return False
    if not expire_offset(state, rules):
        return False
    state.budget.offset_expirations -= 1
    return True
