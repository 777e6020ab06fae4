"""A broker's life with a KRaft controller: what heartbeats bring about, and how offsets of a growing log are told."""

import random

import pytest

from kafkacheck.checker.schema.layout import Layout
from kafkacheck.impl.broker.lifecycle import end_process
from kafkacheck.impl.controller.broker_lifecycle import LifecycleRules, set_registration_offset, set_shutdown_offset
from kafkacheck.impl.controller.registrations import append_metadata
from kafkacheck.impl.enums import BrokerControlState, BrokerState
from kafkacheck.impl.ids import NO_LEADER, NO_OFFSET
from kafkacheck.model.broker_lifecycle.environment import (
    controller_fails_over,
    live_broker_is_fenced,
    metadata_log_grows,
)
from kafkacheck.model.broker_lifecycle.system import (
    State,
    broker_begins_shutdown,
    broker_receives_answer,
    broker_registers,
    broker_replays_record,
    broker_sends_heartbeat,
    controller_fences_stale_broker,
    controller_handles_heartbeat,
)

RULES = LifecycleRules()
OLD_UNFENCING = RULES._replace(unfencing_awaits_registration=False)
OLD_SHUTDOWN = RULES._replace(shutdown_offset_stays=False)


class Cluster:
    """Brokers and their controller under some rules."""

    def __init__(self, rules=RULES, brokers=2):
        self.rules = rules
        self.state = Layout(State, {"brokers": brokers, "restarts": 1, "failovers": 1, "amendments": 0}).blank()

    def broker(self, broker_id):
        return self.state.brokers[broker_id]

    def registration(self, broker_id):
        return self.state.controller.registrations[broker_id]

    def replays_all(self, broker_id):
        while broker_replays_record(self.state, broker_id):
            pass

    def heartbeat(self, broker_id):
        """A heartbeat with its answer, as long as nothing comes in between."""
        assert broker_sends_heartbeat(self.state, broker_id)
        self.is_answered(broker_id)

    def is_answered(self, broker_id):
        assert controller_handles_heartbeat(self.state, self.rules, broker_id)
        assert broker_receives_answer(self.state, broker_id)

    def starts(self, broker_id):
        assert broker_registers(self.state, broker_id)
        self.replays_all(broker_id)
        self.heartbeat(broker_id)
        self.heartbeat(broker_id)
        assert self.broker(broker_id).state == BrokerState.RUNNING

    def asks_to_stop(self, broker_id):
        assert broker_begins_shutdown(self.state, broker_id)
        self.heartbeat(broker_id)


def test_a_broker_is_fenced_until_it_has_replayed_its_registration_and_asks_to_be_unfenced():
    cluster = Cluster()
    assert broker_registers(cluster.state, 0)
    cluster.heartbeat(0)
    assert cluster.broker(0).state == BrokerState.STARTING, "it has not replayed it"
    cluster.replays_all(0)
    cluster.heartbeat(0)
    assert cluster.broker(0).state == BrokerState.RECOVERY
    assert cluster.registration(0).state == BrokerControlState.FENCED, "it has not asked"
    cluster.heartbeat(0)
    assert cluster.broker(0).state == BrokerState.RUNNING
    assert cluster.registration(0).state == BrokerControlState.UNFENCED
    assert cluster.state.controller.leader == 0


@pytest.mark.parametrize(("rules", "expected"), [(RULES, BrokerState.RUNNING), (OLD_UNFENCING, BrokerState.STARTING)])
def test_a_busy_log_keeps_nobody_fenced_who_has_replayed_his_registration(rules, expected):
    """KAFKA-13959: between a broker's last record and its heartbeat there is always another one."""
    cluster = Cluster(rules)
    assert broker_registers(cluster.state, 0)
    for _ in range(5):
        cluster.replays_all(0)
        metadata_log_grows(cluster.state)
        cluster.heartbeat(0)
    assert cluster.broker(0).state == expected


@pytest.mark.parametrize(
    ("rules", "expected"), [(RULES, BrokerState.NOT_RUNNING), (OLD_SHUTDOWN, BrokerState.PENDING_CONTROLLED_SHUTDOWN)]
)
def test_a_busy_log_does_not_put_off_the_end_of_a_controlled_shutdown(rules, expected):
    """KAFKA-14292: who waits asks anew between what the other one has replayed and the heartbeat that says so."""
    cluster = Cluster(rules)
    cluster.starts(0)
    cluster.starts(1)
    cluster.asks_to_stop(0)
    assert cluster.state.controller.leader == 1
    for _ in range(5):
        cluster.replays_all(1)
        assert broker_sends_heartbeat(cluster.state, 1)
        metadata_log_grows(cluster.state)
        if cluster.broker(0).state != BrokerState.NOT_RUNNING:
            cluster.heartbeat(0)
        cluster.is_answered(1)
    assert cluster.broker(0).state == expected


def test_a_broker_in_controlled_shutdown_waits_until_active_brokers_have_said_that_they_know():
    cluster = Cluster(brokers=3)
    for broker_id in range(3):
        cluster.starts(broker_id)
    cluster.asks_to_stop(0)
    assert cluster.registration(0).state == BrokerControlState.CONTROLLED_SHUTDOWN
    cluster.replays_all(1)
    cluster.heartbeat(1)
    cluster.replays_all(2)
    cluster.heartbeat(0)
    assert cluster.broker(0).state == BrokerState.PENDING_CONTROLLED_SHUTDOWN, "broker 2 has not said so"
    cluster.heartbeat(2)
    cluster.heartbeat(0)
    assert cluster.broker(0).state == BrokerState.NOT_RUNNING
    assert cluster.registration(0).state == BrokerControlState.FENCED


def test_a_dead_broker_is_waited_for_until_it_is_fenced():
    cluster = Cluster()
    cluster.starts(0)
    cluster.starts(1)
    cluster.asks_to_stop(0)
    end_process(cluster.broker(1))
    cluster.heartbeat(0)
    assert cluster.broker(0).state == BrokerState.PENDING_CONTROLLED_SHUTDOWN
    assert controller_fences_stale_broker(cluster.state, RULES, 1)
    assert cluster.state.controller.leader == NO_LEADER
    cluster.heartbeat(0)
    assert cluster.broker(0).state == BrokerState.NOT_RUNNING


def test_who_leads_nothing_or_is_fenced_stops_at_once():
    cluster = Cluster()
    cluster.starts(0)
    cluster.starts(1)
    cluster.asks_to_stop(1)
    assert cluster.broker(1).state == BrokerState.NOT_RUNNING
    assert live_broker_is_fenced(cluster.state, 0)
    cluster.asks_to_stop(0)
    assert cluster.broker(0).state == BrokerState.NOT_RUNNING


def test_a_heartbeat_of_a_process_that_was_replaced_is_refused():
    cluster = Cluster()
    cluster.starts(0)
    assert broker_begins_shutdown(cluster.state, 0) and broker_sends_heartbeat(cluster.state, 0)
    end_process(cluster.broker(0))
    assert not broker_registers(cluster.state, 0), "the session has not ended"
    assert controller_fences_stale_broker(cluster.state, RULES, 0)
    assert broker_registers(cluster.state, 0)
    assert controller_handles_heartbeat(cluster.state, RULES, 0)
    assert not broker_receives_answer(cluster.state, 0)
    assert cluster.broker(0).state == BrokerState.STARTING


@pytest.mark.parametrize(("in_turn", "leader"), [(True, 2), (False, 1)])
def test_nobody_leads_who_is_fenced_in_the_same_event(in_turn, leader):
    """KAFKA-13173: two brokers are stale at once, and the first that is active as the event begins is one of them."""
    rules = RULES._replace(stale_brokers_are_fenced_in_turn=in_turn)
    cluster = Cluster(rules, brokers=3)
    for broker_id in range(3):
        cluster.starts(broker_id)
    end_process(cluster.broker(0))
    end_process(cluster.broker(1))
    assert controller_fences_stale_broker(cluster.state, rules, 0)
    assert controller_fences_stale_broker(cluster.state, rules, 1) == in_turn
    assert cluster.state.controller.leader == leader
    assert cluster.registration(1).state == BrokerControlState.FENCED


@pytest.mark.parametrize(("expects", "is_fenced"), [(True, True), (False, False)])
def test_a_new_controller_fences_whom_it_never_hears_of(expects, is_fenced):
    """KAFKA-18138."""
    rules = RULES._replace(new_controller_expects_heartbeats=expects)
    cluster = Cluster(rules)
    cluster.starts(0)
    end_process(cluster.broker(0))
    assert controller_fails_over(cluster.state, rules)
    assert controller_fences_stale_broker(cluster.state, rules, 0) == is_fenced


@pytest.mark.parametrize(
    ("resumes", "expected"), [(False, BrokerState.NOT_RUNNING), (True, BrokerState.PENDING_CONTROLLED_SHUTDOWN)]
)
def test_a_new_controller_does_not_know_who_waits_to_stop(resumes, expected):
    rules = RULES._replace(new_controller_resumes_shutdowns=resumes)
    cluster = Cluster(rules)
    cluster.starts(0)
    cluster.starts(1)
    cluster.asks_to_stop(0)
    assert controller_fails_over(cluster.state, rules)
    cluster.heartbeat(0)
    assert cluster.broker(0).state == expected


class Truth:
    """Beside a state: how many records there are, and where each offset truly lies among them."""

    def __init__(self, brokers):
        self.state = Layout(State, {"brokers": brokers, "restarts": 1, "failovers": 1, "amendments": 0}).blank()
        self.end, self.replayed, self.needed = 0, [0] * brokers, {}
        for broker in self.state.brokers:
            broker.metadata_offset = 0

    def appends(self):
        self.end += 1
        append_metadata(self.state.controller, self.state.brokers)

    def replays(self, broker_id):
        """Up to the next record that is counted, or to the end."""
        if broker_replays_record(self.state, broker_id):
            lacking = [offset for offset in self.needed.values() if offset > self.replayed[broker_id]]
            self.replayed[broker_id] = min([*lacking, self.end])

    def needs(self, name, is_needed):
        """Let the end be what brokers are to have replayed, or nothing any more."""
        set_offset = set_registration_offset if name[0] == "registration" else set_shutdown_offset
        self.needed.pop(name, None)
        if is_needed:
            self.needed[name] = self.end
        set_offset(self.state.controller, self.state.brokers, name[1], 0 if is_needed else NO_OFFSET)

    def agrees(self):
        for broker_id, replayed in enumerate(self.replayed):
            told = self.state.brokers[broker_id].metadata_offset
            assert (told == 0) == (replayed == self.end)
            for (kind, other_id), offset in self.needed.items():
                registration = self.state.controller.registrations[other_id]
                other = getattr(registration, f"{kind}_offset")
                assert (told <= other) == (replayed >= offset)


@pytest.mark.parametrize("brokers", [1, 2, 3])
def test_every_comparison_comes_out_as_with_all_records_counted(brokers):
    chance = random.Random(brokers)
    furthest = 0
    for _ in range(200):
        truth = Truth(brokers)
        for _ in range(60):
            broker_id = chance.randrange(brokers)
            step = chance.randrange(4)
            if step == 0:
                truth.appends()
            elif step == 1:
                truth.replays(broker_id)
            else:  # a broker is in controlled shutdown only once it has been unfenced
                kinds = ("registration", "controlled_shutdown")
                truth.needs((kinds[step - 2], broker_id), chance.random() < 0.7)
                truth.needs((kinds[3 - step], broker_id), False)
            truth.agrees()
            furthest = max(furthest, *(broker.metadata_offset for broker in truth.state.brokers), 0)
    assert furthest == brokers + 1, "and the bound is reached"
