"""How can the log of a group that was deleted, and has begun anew, no longer be read (F21, another way)?

A record of a member's subscription leaves the owners alone here. But epochs begin anew, so that the owner from before
the deletion has no older one. If its tombstones were removed, the coordinator takes both for owners.

Bounds: those of group_log.deleted.
Expected: VIOLATED groups_can_be_read
"""

from kafkacheck.model.group_log import family, system

MODEL = family.GROUP_LOG.model(
    rules=family.MENDED._replace(owners_are_found_last=False, member_records_leave_owners=True),
    actions=[*family.ACTIONS, system.group_is_deleted],
)
