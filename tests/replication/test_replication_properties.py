"""The invariants of replication and its examples, on states made by hand."""

import pytest

from kafkacheck.checker.schema import Ids
from kafkacheck.spec.replication.properties import (
    committed_record,
    deposed_leader,
    diverging_logs,
    expanded_isr,
    shrunk_isr,
    strong_isr,
    weak_isr,
)
from tests.support.partition import new_partition, put, send

R0, R1 = (0, 0), (1, 1)


def committed_on_leader(member_log, leader_isr=(0, 1), quorum_isr=(0, 1)):
    """Replica 0 leads with both records committed; replica 1 has this log."""
    state = new_partition()
    send(state, 1, 0, quorum_isr)
    put(state, 0, [R0, R1], high_watermark=2, leader_epoch=1, leader=0, isr=leader_isr)
    put(state, 1, member_log, leader_epoch=1, leader=0)
    return state


LOSSES = [[], [R0], [R0, (2, 1)], [R0, (1, 0)], [(2, 0), R1]]


@pytest.mark.parametrize("member_log", LOSSES, ids=str)
def test_a_member_of_the_leaders_isr_without_a_committed_record_breaks_weak_isr(member_log):
    assert not weak_isr(committed_on_leader(member_log))
    assert weak_isr(committed_on_leader(member_log, leader_isr=[0]))


@pytest.mark.parametrize("member_log", LOSSES, ids=str)
def test_a_member_of_the_controllers_isr_without_a_committed_record_breaks_strong_isr(member_log):
    assert not strong_isr(committed_on_leader(member_log))
    assert strong_isr(committed_on_leader(member_log, quorum_isr=[0]))


@pytest.mark.parametrize("invariant", [weak_isr, strong_isr])
def test_members_may_have_more_than_what_is_committed(invariant):
    assert invariant(committed_on_leader([R0, R1, (2, 1)]))


@pytest.mark.parametrize("invariant", [weak_isr, strong_isr])
def test_the_invariants_speak_of_every_replica_that_believes_it_leads(invariant):
    state = committed_on_leader([])
    state.replicas[0].leader = 1
    assert invariant(state)


@pytest.mark.parametrize("invariant", [weak_isr, strong_isr])
def test_nothing_is_committed_beyond_the_end_of_the_leaders_own_log(invariant):
    state = committed_on_leader([R0, R1])
    state.replicas[0].high_watermark = 3
    assert not invariant(state)


def test_strong_isr_asks_the_leader_too():
    state = committed_on_leader([R0, R1], quorum_isr=[1])
    assert strong_isr(state)
    state.replicas[0].log.end_offset = 1
    assert not strong_isr(state)


def test_examples():
    state = new_partition()
    assert not any(each(state) for each in (committed_record, shrunk_isr, expanded_isr, deposed_leader, diverging_logs))
    send(state, 0, 0, [0, 1])
    assert not shrunk_isr(state)
    assert not expanded_isr(state)
    state.quorum.isr = Ids({0})
    assert shrunk_isr(state)
    assert not expanded_isr(state)
    state.quorum.isr = Ids({0, 1, 2})
    assert expanded_isr(state)
    assert not shrunk_isr(state)
    put(state, 0, [R0], leader=0, leader_epoch=0)
    put(state, 1, [R0], high_watermark=1, leader=0, leader_epoch=0)
    assert not committed_record(state)
    state.replicas[0].high_watermark = 1
    assert committed_record(state)
    assert not deposed_leader(state)
    put(state, 2, [R1], leader=2, leader_epoch=1)
    assert deposed_leader(state)
    assert diverging_logs(state)
    state.replicas[2].log.end_offset = 0
    assert not diverging_logs(state)
