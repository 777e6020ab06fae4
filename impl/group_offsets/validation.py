"""Which commits a group accepts.

Part of Kafka modelled: `ClassicGroup.validateOffsetCommit`, `ConsumerGroup.validateOffsetCommit`,
`OffsetMetadataManager` (`validateOffsetCommit`, `validateTransactionalOffsetCommit`).
Source: apache/kafka (commit 1eb7644349, and the classes of 4.3.0 for KIP-1251); KIP-447, KIP-848, KAFKA-18060.
Left out, and why that is sound: static members; a classic group that has a generation and waits for its assignment
(REBALANCE_IN_PROGRESS), which refuses plain commits; members of the classic protocol in a group of the new one.
"""

from kafkacheck.impl.group_offsets.constants import OffsetError, OffsetGroupType
from kafkacheck.impl.group_offsets.records import GroupOffsetsRules, OffsetGroup


def validate_classic_commit(group: OffsetGroup, member_epoch: int, is_transactional: bool) -> OffsetError:
    """Whether a classic group, or one without a protocol, accepts a commit.

    Source: ClassicGroup.validateOffsetCommit.
    """
    if member_epoch < 0:
        if group.has_member and not is_transactional:
            return OffsetError.UNKNOWN_MEMBER_ID
        return OffsetError.NONE
    if not group.has_member:
        return OffsetError.UNKNOWN_MEMBER_ID
    if member_epoch != group.epoch:
        return OffsetError.ILLEGAL_GENERATION
    return OffsetError.NONE


def validate_consumer_commit(
    group: OffsetGroup, rules: GroupOffsetsRules, member_epoch: int, is_transactional: bool
) -> OffsetError:
    """Whether a group of the new protocol accepts a commit.

    Source: ConsumerGroup.validateOffsetCommit, validateMemberEpoch.
    """
    if member_epoch < 0:
        if not group.has_member or (is_transactional and rules.producer_may_be_no_member):
            return OffsetError.NONE
        return OffsetError.UNKNOWN_MEMBER_ID
    if not group.has_member:
        return OffsetError.UNKNOWN_MEMBER_ID
    if member_epoch == group.epoch:
        return OffsetError.NONE
    if rules.commit_may_name_earlier_epoch and group.owned_since <= member_epoch < group.epoch:
        return OffsetError.NONE
    return OffsetError.ILLEGAL_GENERATION if is_transactional else OffsetError.STALE_MEMBER_EPOCH


def validate_commit(
    group: OffsetGroup, rules: GroupOffsetsRules, member_epoch: int, is_transactional: bool
) -> OffsetError:
    """Whether the group accepts a commit; `NO_MEMBER_EPOCH` is of a client that is no member.

    Source: OffsetMetadataManager.validateOffsetCommit, validateTransactionalOffsetCommit.
    """
    if group.type == OffsetGroupType.NONE:
        if member_epoch < 0:
            return OffsetError.NONE
        return OffsetError.ILLEGAL_GENERATION if is_transactional else OffsetError.GROUP_ID_NOT_FOUND
    if group.type == OffsetGroupType.CONSUMER:
        return validate_consumer_commit(group, rules, member_epoch, is_transactional)
    return validate_classic_commit(group, member_epoch, is_transactional)
