"""What the controller does, as the documents tell it: shutdown, preferred leader, an old controller, reassignment."""

from kafkacheck.checker.schema import Ids
from kafkacheck.model.cluster.brokers import broker_obeys_leader_and_isr, broker_obeys_stop_replica, broker_stops
from kafkacheck.model.cluster.environment import (
    controller_is_replaced,
    leadership_is_moved,
    reassignment_is_asked,
    shutdown_is_asked,
)
from kafkacheck.spec.cluster.properties import acknowledged_records_survive
from tests.scenarios.eras import KAFKA_0_11
from tests.scenarios.script import Script
from tests.scenarios.steps import (
    append,
    ask_epoch_end,
    catch_up,
    confirm,
    crash,
    learn,
    notice_death,
    propose_with,
    restart,
)


def ask_shutdown(run, broker, new_leader):
    run.do(shutdown_is_asked, broker_id=broker, new_leader=new_leader)


def stop(run, broker):
    run.do(broker_stops, broker_id=broker)


def elect_preferred(run, broker):
    run.do(leadership_is_moved, new_leader=broker)


def replace_controller(run):
    run.do(controller_is_replaced)


def obey(run, broker, change):
    run.do(broker_obeys_leader_and_isr, broker_id=broker, offset=change)


def reassign(run, brokers):
    run.do(reassignment_is_asked, target=Ids(brokers))


def delete_replica(run, broker):
    run.do(broker_obeys_stop_replica, broker_id=broker, offset=run.state.controller.offset)


def with_one_record(brokers=2, rules=KAFKA_0_11):
    run = Script(brokers=brokers, rules=rules)
    run.act(append, leader=0, message="a")
    for follower in range(1, brokers):
        run.act(catch_up, follower=follower)
    for follower in range(1, brokers):
        run.act(catch_up, follower=follower)
    run.expect(isr=set(range(brokers)), leader=0, acknowledged="a")
    return run


def test_a_controlled_shutdown_moves_the_leadership_before_the_broker_stops():
    """The log is flushed and needs no recovery, and there is a leader all the time."""
    run = with_one_record()
    run.refuse(stop, broker=0)
    run.act(ask_shutdown, broker=0, new_leader=1)
    run.expect(isr={1}, leader=1)
    run.act(learn, broker=1)
    run.act(append, leader=1, message="b")
    run.act(stop, broker=0)
    run.expect(
        """
        0 is down: a
        1 leads e1: a b@1 |
        """,
        acknowledged="a b",
    )
    assert run.state.brokers[0].flushed_offset == 1
    assert run.state.brokers[0].high_watermark_checkpoint == 1


def test_a_broker_that_comes_back_follows_until_the_preferred_leader_is_elected():
    """The first replica of the assignment is preferred, once it is in sync again."""
    run = with_one_record()
    run.act(crash, broker=0)
    run.act(notice_death, broker=0, new_leader=1)
    run.act(learn, broker=1)
    run.act(restart, broker=0)
    run.act(learn, broker=0)
    run.refuse(elect_preferred, broker=0)
    run.act(ask_epoch_end, follower=0)
    run.act(catch_up, follower=0)
    run.act(propose_with, leader=1, follower=0)
    run.act(confirm, leader=1)
    run.act(elect_preferred, broker=0)
    run.expect(isr={0, 1}, leader=0)
    run.act(learn, broker=0)
    run.act(learn, broker=1)
    run.expect(
        """
        0 leads e2: a |
        1 follows e2: a |
        """
    )
    assert run.holds(acknowledged_records_survive)


def late_request(rules):
    """Broker 1 obeys a new controller; a request of the old one, with an older leader epoch, comes after that."""
    run = with_one_record(rules=rules)
    run.act(elect_preferred, broker=1)  # change 1, by the old controller
    run.act(replace_controller)
    run.act(elect_preferred, broker=0)  # change 2, by the new one
    run.act(obey, broker=1, change=2)
    run.expect(
        """
        0 leads e0: a |
        1 follows e2: a |
        """,
        leader=0,
    )
    return run


def test_a_request_of_an_old_controller_is_invalid():
    run = late_request(KAFKA_0_11)
    run.refuse(obey, broker=1, change=1)


def test_without_controller_epoch_and_leader_epoch_it_makes_a_second_leader():
    run = late_request(KAFKA_0_11._replace(leader_and_isr_checks_epochs=False))
    run.act(obey, broker=1, change=1)
    run.expect(
        """
        0 leads e0: a |
        1 leads e1: a |
        """,
        leader=0,
    )


def test_a_reassignment_takes_the_replica_from_a_broker_and_elects_another_leader():
    run = with_one_record(brokers=3)
    run.act(reassign, brokers={1, 2})
    run.expect(isr={1, 2}, leader=1)
    run.act(learn, broker=1)
    run.act(delete_replica, broker=0)
    run.expect(
        """
        0 waits: |
        1 leads e1: a |
        2 follows e0: a |
        """
    )
    assert run.holds(acknowledged_records_survive)
