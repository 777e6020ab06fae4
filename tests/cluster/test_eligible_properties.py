"""What KIP-966 promises is seen to be broken: small steps made by hand, one mistake each."""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.broker.log_file import append_to_log
from kafkacheck.impl.enums import Acks
from kafkacheck.impl.ids import NO_LEADER
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.spec.cluster.eligible import (
    appends_need_enough_replicas,
    last_known_leader_is_last_resort,
    last_known_leader_led_last,
    leavers_stay_eligible,
    only_unclean_leaders_recover,
)
from tests.cluster.test_cluster_properties import state_of

RULES = ClusterRules(eligible_leader_replicas=True, min_insync_replicas=2)


def record_of(state):
    return state.controller.history[0]


def test_a_record_appended_with_too_small_an_isr_is_seen():
    before = state_of([], [])
    before.brokers[0].isr = Ids({0})
    after = before.copy()
    append_to_log(after.brokers[0], RULES, 0, 0)
    after.producers.next_record = 1
    assert not appends_need_enough_replicas(before, after, RULES)
    assert appends_need_enough_replicas(before, after, RULES._replace(acks=Acks.LEADER))
    before.brokers[0].isr = Ids({0, 1})
    assert appends_need_enough_replicas(before, after, RULES)


def test_who_leaves_a_small_isr_and_is_forgotten_is_seen():
    before = state_of()
    after = before.copy()
    record_of(after).isr = Ids({0})
    assert not leavers_stay_eligible(before, after, RULES)
    assert leavers_stay_eligible(before, after, RULES._replace(min_insync_replicas=1))
    record_of(after).elr = Ids({1})
    assert leavers_stay_eligible(before, after, RULES)
    later = after.copy()
    record_of(later).elr = Ids()
    assert not leavers_stay_eligible(after, later, RULES), "it was eligible before"
    record_of(later).broker_epochs[1] = 1
    assert leavers_stay_eligible(after, later, RULES), "it starts anew"
    after.brokers[1].is_stopped_cleanly = True
    assert not leavers_stay_eligible(after, later, RULES), "and had stopped cleanly"


def test_a_last_known_leader_that_did_not_lead_last_is_seen():
    before = state_of()
    record_of(before).isr = Ids({0})
    after = before.copy()
    record_of(after).isr, record_of(after).leader = Ids(), NO_LEADER
    assert last_known_leader_led_last(before, after), "nobody is kept"
    after.controller.last_known_leader = 0
    assert last_known_leader_led_last(before, after)
    assert last_known_leader_led_last(after, after), "it stays so"
    after.controller.last_known_leader = 1
    assert not last_known_leader_led_last(before, after)
    after.controller.last_known_leader = 0
    record_of(after).isr = Ids({1})
    assert not last_known_leader_led_last(before, after), "the ISR is not empty any more"


def test_an_unclean_election_where_somebody_is_eligible_is_seen():
    before = state_of()
    record_of(before).isr, record_of(before).elr, record_of(before).leader = Ids(), Ids({1}), NO_LEADER
    after = before.copy()
    record_of(after).isr, record_of(after).elr, record_of(after).leader = Ids({0}), Ids(), 0
    assert not last_known_leader_is_last_resort(before, after, RULES)
    assert last_known_leader_is_last_resort(before, after, RULES._replace(unclean_election=True))
    record_of(after).broker_epochs[1] = 1
    assert last_known_leader_is_last_resort(before, after, RULES), "the eligible one starts anew"
    record_of(after).broker_epochs[1] = 0
    record_of(before).elr = Ids()
    assert last_known_leader_is_last_resort(before, after, RULES)
    record_of(before).elr = Ids({0})
    assert last_known_leader_is_last_resort(before, after, RULES)


def test_an_eligible_leader_that_has_to_recover_is_seen():
    before = state_of()
    record_of(before).isr, record_of(before).elr, record_of(before).leader = Ids(), Ids({1}), NO_LEADER
    after = before.copy()
    record_of(after).leader, record_of(after).is_recovering = 1, True
    assert not only_unclean_leaders_recover(before, after)
    record_of(before).elr = Ids({0})
    assert only_unclean_leaders_recover(before, after)
