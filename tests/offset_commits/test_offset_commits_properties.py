"""The properties of committed offsets fail where they must: on small states made by hand, one mistake each."""

import pytest

from kafkacheck.checker.schema import Ids, add
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.impl.group_offsets.constants import OffsetError, OffsetGroupType
from kafkacheck.impl.log.constants import Marker
from kafkacheck.model.offset_commits.expiry import MODEL
from kafkacheck.model.offset_commits.system import State
from kafkacheck.spec.offset_commits import properties, steps

LAYOUT = Layout(State, {**MODEL.bounds, "groups": 2, "fetches": 1, "refusals": 1})


def write(state, offset, **fields):
    """Append a write of the group's partition."""
    state.draft.offsets[0] = offset
    for name, each in fields.items():
        setattr(state.draft, name, each)
    add(state.partition.log, state.draft)
    state.draft.offsets[0] = -1
    state.draft.producer_id, state.draft.marker = -1, Marker.NONE


def committed():
    """An offset is committed, and a client was told; another one is pending in a transaction."""
    state = LAYOUT.blank()
    write(state, 1)
    write(state, 1, producer_id=0)
    cached = state.coordinator.written.groups[0]
    cached.group.type = OffsetGroupType.SIMPLE
    cached.offsets[0].offset, cached.offsets[0].position = 1, 0
    cached.pending[0].is_open = True
    cached.pending[0].offsets[0].offset, cached.pending[0].offsets[0].position = 1, 1
    known = state.coordinator.committed.groups[0]
    known.group.type = OffsetGroupType.SIMPLE
    known.offsets[0].offset, known.offsets[0].position = 1, 0
    state.coordinator.committed_to = 1
    state.told[0][0].offset, state.told[0][0].position = 1, 0
    return state


def has_lost_an_offset(state):
    state.coordinator.written.groups[0].offsets[0].offset = 0


def knows_an_old_offset(state):
    state.coordinator.committed.groups[0].offsets[0].offset = 0


def has_lost_a_pending_offset(state):
    state.coordinator.written.groups[0].pending[0].is_open = False
    state.coordinator.written.groups[0].pending[0].offsets[0].offset = 0


def has_told_another_offset(state):
    state.told[0][0].offset = 0


def has_told_what_the_log_lacks(state):
    state.told[0][0].position = 2


def tells_an_old_offset(state):
    state.last.is_fetch = True
    state.last.position = 1


def waits_for_nothing(state):
    write(state, -1, producer_id=0, marker=Marker.ABORT)
    state.coordinator.written.groups[0].pending[0].offsets[0].offset = 0


def has_lost_the_group(state):
    state.coordinator.written.groups[0].group.type = OffsetGroupType.NONE


MISTAKES = {
    has_lost_an_offset: properties.offsets_match_log,
    knows_an_old_offset: properties.offsets_match_log,
    has_lost_a_pending_offset: properties.pending_offsets_match_log,
    has_told_another_offset: properties.told_offsets_survive,
    has_told_what_the_log_lacks: properties.told_offsets_survive,
    tells_an_old_offset: properties.fetches_tell_the_log,
    waits_for_nothing: properties.waiting_offsets_are_pending,
    has_lost_the_group: properties.offsets_have_a_group,
}
ALWAYS = (
    properties.offsets_match_log,
    properties.pending_offsets_match_log,
    properties.told_offsets_survive,
    properties.fetches_tell_the_log,
    properties.waiting_offsets_are_pending,
    properties.offsets_have_a_group,
)


def violated(state):
    return [each for each in ALWAYS if not each(state)]


@pytest.mark.parametrize("mistake", MISTAKES)
def test_each_mistake_violates_one_property(mistake):
    state = committed()
    assert violated(state) == []
    mistake(state)
    assert violated(state) == [MISTAKES[mistake]]


def test_a_tombstone_ends_what_is_pending():
    state = committed()
    write(state, 0)
    write(state, -1, producer_id=0, marker=Marker.COMMIT)
    assert properties.offset_in_log(state.partition, 4, 0, 0) == 0
    assert properties.pending_in_log(state.partition, 0, 0, 0) == 0


def test_a_plain_commit_counts_before_a_transaction_that_ends_later():
    state = committed()
    write(state, 1)
    write(state, -1, producer_id=0, marker=Marker.COMMIT)
    assert properties.counts_in_log(state.partition, 1, 4, 0, 0)
    assert properties.offset_in_log(state.partition, 4, 0, 0) == 1


def has_told_an_old_offset(after):
    after.last.is_fetch = True


def notes_what_is_refused(after):
    after.last.refused = Ids({0})
    after.coordinator.written.groups[0].being_written = Ids({0})


def writes_what_is_refused(after):
    after.last.error = OffsetError.UNKNOWN_MEMBER_ID
    after.last.commit = 1
    write(after, 1)


def accepts_a_stranger(after):
    after.last.is_commit = 1
    after.last.commit = 1


def refuses_a_client(after):
    after.last.error = OffsetError.UNKNOWN_MEMBER_ID


def expires_a_recent_offset(after):
    after.last.expired = Ids({0})


def tells_a_pending_offset(after):
    after.fetch.is_held = True


def writes_nothing(after):
    write(after, -1)


def writes_a_needless_tombstone(after):
    write(after, 0, group_id=1)


def deletes_a_group_twice(after):
    write(after, -1, group_id=1, has_group=True)


STEPS = {
    has_told_an_old_offset: [steps.fetches_know_what_was_told],
    notes_what_is_refused: [steps.refused_partitions_are_as_before],
    writes_what_is_refused: [steps.refused_requests_write_nothing],
    accepts_a_stranger: [steps.commits_are_of_members],
    refuses_a_client: [steps.members_can_commit],
    expires_a_recent_offset: [steps.expiry_spares_recent_commits, steps.expiry_spares_pending_offsets],
    tells_a_pending_offset: [steps.stable_fetches_tell_nothing_pending],
    writes_nothing: [steps.tombstones_are_of_offsets],
    writes_a_needless_tombstone: [steps.tombstones_are_of_offsets],
    deletes_a_group_twice: [steps.deleted_groups_have_no_member],
}
OF_STEPS = (
    steps.fetches_know_what_was_told,
    steps.refused_partitions_are_as_before,
    steps.refused_requests_write_nothing,
    steps.commits_are_of_members,
    steps.members_can_commit,
    steps.expiry_spares_members,
    steps.expiry_spares_recent_commits,
    steps.expiry_spares_groups_that_were_alive,
    steps.stable_fetches_tell_nothing_pending,
    steps.expiry_spares_pending_offsets,
    steps.expiry_ends_groups,
    steps.deleted_groups_have_no_member,
    steps.tombstones_are_of_offsets,
    steps.groups_keep_their_kind,
)


def violated_by(before, after):
    return [each for each in OF_STEPS if not each(before, after)]


@pytest.mark.parametrize("mistake", STEPS)
def test_each_wrong_step_violates_one_property(mistake):
    before, after = committed(), committed()
    before.told[0][0].position = 0
    assert violated_by(before, after) == []
    after.last.commit = -1
    mistake(after)
    assert violated_by(before, after) == STEPS[mistake]


def expired():
    """An old offset has expired."""
    before, after = committed(), committed()
    before.now = 2
    for state in (before, after):
        state.coordinator.written.groups[0].pending[0].offsets[0].offset = 0
    after.last.expired = Ids({0})
    return before, after


def test_no_offset_expires_that_a_member_uses():
    before, after = expired()
    assert violated_by(before, after) == []
    before.members[0].group.has_member = True
    before.members[0].group.wanted = Ids({0})
    assert violated_by(before, after) == [steps.expiry_spares_members]


def test_no_offset_expires_just_after_the_last_member_left():
    before, after = expired()
    before.members[0].left_at = 2
    assert violated_by(before, after) == [steps.expiry_spares_groups_that_were_alive]
    before.coordinator.written.groups[0].group.has_member = True
    assert violated_by(before, after) == []


def test_a_group_goes_with_its_last_offset():
    before, after = expired()
    write(after, 0)
    after.coordinator.written.groups[0].offsets[0].offset = 0
    assert violated_by(before, after) == [steps.expiry_ends_groups]
    after.coordinator.written.groups[0].group.type = OffsetGroupType.NONE
    assert violated_by(before, after) == []


def test_a_group_with_a_protocol_keeps_it():
    before, after = committed(), committed()
    before.coordinator.written.groups[0].group.type = OffsetGroupType.CONSUMER
    assert violated_by(before, after) == [steps.groups_keep_their_kind]


def test_the_epochs_since_a_member_has_its_partitions_can_commit():
    before, after = committed(), committed()
    group = before.coordinator.written.groups[0].group
    group.type, group.has_member, group.epoch, group.owned_since = OffsetGroupType.CONSUMER, True, 2, 1
    after.coordinator.written.groups[0].group.type = OffsetGroupType.CONSUMER
    after.last.is_commit, after.last.commit = 1, 1
    assert violated_by(before, after) == []
    after.last.is_commit, after.last.error = 0, OffsetError.STALE_MEMBER_EPOCH
    assert violated_by(before, after) == [steps.members_can_commit]
    group.owned_since = 2
    assert violated_by(before, after) == []
