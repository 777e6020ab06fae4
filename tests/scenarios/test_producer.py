"""What the documents on Kafka say of producers, sentence by sentence, played on the reference.

Each test is a schedule that a document describes: who does what, in which order, and what is stored in the end.
"""

import pytest

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.schema.bounds import Bounds
from kafkacheck.impl.log.append import append_error
from kafkacheck.impl.log.constants import Origin, ProduceError
from kafkacheck.impl.log.rules import LogRules
from kafkacheck.impl.log.verification import NO_GUARD
from kafkacheck.impl.producer.constants import BatchStatus, Sending
from kafkacheck.impl.producer.rules import ProducerRules
from kafkacheck.model.producer.environment import (
    connection_breaks,
    leadership_moves,
    producer_dies,
    request_is_left_behind,
)
from kafkacheck.model.producer.family import BOUNDS
from kafkacheck.model.producer.system import (
    application_hands_over,
    follower_fetches,
    leader_handles_late_request,
    leader_handles_produce,
    producer_bumps_epoch,
    producer_drains,
    producer_gets_id,
    producer_sends,
    producer_sends_again,
    producer_takes_answer,
)

RULES = ProducerRules()
LIMITS = Bounds({**BOUNDS, "producer_ids": 2}).as_tuple()


def beginning(name, **bounds):
    """An initial state of a model of the catalogue, at other bounds."""
    return next(iter(catalogue.find_model(name).with_bounds(bounds).initial_states()))


def stored(state, replica_id=0, partition_id=0):
    """The batches in a replica's log, in order."""
    log = state.partitions[partition_id].replicas[replica_id].log
    return [log.records[offset].id for offset in range(log.start_offset, log.end_offset)]


def play(*steps):
    """Each step is a call that has to be possible."""
    for step, *arguments in steps:
        assert step(*arguments), step.__name__


def send_and_store(state):
    play((producer_sends, state, RULES, LIMITS, 0, 1), (leader_handles_produce, state, RULES, 0))


@pytest.mark.parametrize(
    ("sequence", "error"),
    [(2, ProduceError.NONE), (3, ProduceError.OUT_OF_ORDER_SEQUENCE_NUMBER)],
    ids=["the next one is accepted", "a higher one says that something between is missing"],
)
def test_a_broker_accepts_the_sequence_behind_its_own(sequence, error):
    state = beginning("producer.retries")
    send_and_store(state)
    log = state.partitions[0].replicas[0].log
    request = state.connections[0].requests[0].batch.copy()
    request.base_sequence = sequence
    assert append_error(log, RULES.log, request, NO_GUARD, Origin.CLIENT) == error


def test_a_sequence_that_is_not_higher_than_the_brokers_is_already_saved():
    state = beginning("producer.retries")
    send_and_store(state)
    assert stored(state) == [0, 1]
    play(
        (connection_breaks, state, RULES, 0),
        (producer_sends_again, state, LIMITS, 0),
        (leader_handles_produce, state, RULES, 0),
        (producer_takes_answer, state, RULES, LIMITS, 0),
    )
    assert stored(state) == [0, 1]
    assert (state.producer.batches[1].status, state.producer.batches[1].offset) == (BatchStatus.ACKNOWLEDGED, 1)


def test_each_partition_has_sequences_of_its_own():
    state = beginning("producer.two_partitions")
    play((producer_sends, state, RULES, LIMITS, 0, 1), (producer_sends, state, RULES, LIMITS, 1, 1))
    assert [state.producer.batches[batch].base_sequence for batch in (2, 3)] == [1, 1]


def test_a_leader_that_fails_between_replication_and_answer_leaves_no_duplicate():
    """With acks=all alone the batch that is sent again would be stored twice; with idempotence it is not."""
    state = beginning("producer.failover")
    send_and_store(state)
    play(
        (follower_fetches, state, RULES, 0, 1),
        (leadership_moves, state, 0, 1),
        (connection_breaks, state, RULES, 0),
        (producer_sends_again, state, LIMITS, 0),
        (leader_handles_produce, state, RULES, 0),
        (follower_fetches, state, RULES, 0, 0),
        (producer_takes_answer, state, RULES, LIMITS, 0),
    )
    assert stored(state, 0) == stored(state, 1) == [0, 1]
    assert state.producer.batches[1].offset == 1


def test_what_a_failed_leader_alone_had_is_sent_again():
    state = beginning("producer.failover")
    send_and_store(state)
    play((leadership_moves, state, 0, 1), (follower_fetches, state, RULES, 0, 0))
    assert stored(state, 0) == [0], "the follower cuts off what its leader does not have"
    play(
        (producer_takes_answer, state, RULES, LIMITS, 0),
        (producer_sends_again, state, LIMITS, 0),
        (leader_handles_produce, state, RULES, 0),
        (follower_fetches, state, RULES, 0, 0),
        (producer_takes_answer, state, RULES, LIMITS, 0),
    )
    assert stored(state, 0) == stored(state, 1) == [0, 1]


def test_the_first_of_two_batches_is_recognised_as_well():
    """KAFKA-5494: a broker that remembered only the last batch stores both twice."""
    for retained, expected in ((2, [0, 1, 2]), (1, [0, 1, 2, 1])):
        rules = RULES._replace(log=LogRules(batches_to_retain=retained))
        state = beginning("producer.retries")
        play(
            (producer_sends, state, rules, LIMITS, 0, 1),
            (producer_sends, state, rules, LIMITS, 0, 1),
            (leader_handles_produce, state, rules, 0),
            (leader_handles_produce, state, rules, 0),
            (connection_breaks, state, RULES, 0),
            (producer_sends_again, state, LIMITS, 0),
            (leader_handles_produce, state, rules, 0),
            (producer_takes_answer, state, rules, LIMITS, 0),
        )
        if retained == 1:
            play(
                (producer_bumps_epoch, state, rules, LIMITS),
                (producer_sends_again, state, LIMITS, 0),
                (leader_handles_produce, state, rules, 0),
            )
        assert stored(state) == expected


def test_a_late_request_of_an_older_epoch_is_fenced_and_one_of_the_present_epoch_is_a_duplicate():
    state = beginning("producer.retries")
    play(
        (producer_sends, state, RULES, LIMITS, 0, 1),
        (request_is_left_behind, state, RULES, 0),
        (producer_sends_again, state, LIMITS, 0),
        (leader_handles_produce, state, RULES, 0),
    )
    fenced = state.copy()
    fenced.partitions[0].replicas[0].log.producers[0].producer_epoch = 1
    for each in (state, fenced):
        play((leader_handles_late_request, each, RULES, 0))
        assert stored(each) == [0, 1]


def test_a_producer_that_buffers_loses_what_it_has_not_sent():
    """The application takes for sent what is only in the buffer of the producer."""
    rules = RULES._replace(sending=Sending.BUFFERED)
    state = beginning("producer.buffered")
    play(
        (producer_gets_id, state, LIMITS),
        (application_hands_over, state, rules, 0, 1),
        (application_hands_over, state, rules, 0, 1),
        (producer_drains, state, rules, LIMITS, 0),
        (leader_handles_produce, state, rules, 0),
        (producer_dies, state, RULES),
    )
    assert stored(state) == [0]
    assert state.producer.batches[1].status == BatchStatus.LOST


def test_a_producer_that_sends_synchronously_hands_nothing_over_before_the_last_is_acknowledged():
    rules = RULES._replace(sending=Sending.SYNCHRONOUS)
    state = beginning("producer.synchronous")
    play((producer_gets_id, state, LIMITS), (application_hands_over, state, rules, 0, 1))
    steps = (
        (producer_drains, state, rules, LIMITS, 0),
        (leader_handles_produce, state, rules, 0),
        (producer_takes_answer, state, rules, LIMITS, 0),
    )
    for step in steps:
        assert not application_hands_over(state, rules, 0, 1)
        play(step)
    play((application_hands_over, state, rules, 0, 1))


def test_a_producer_that_begins_again_has_another_id_and_its_first_batch_is_no_duplicate():
    """Idempotence lasts for one process of a producer: what it sends anew after a restart is stored anew."""
    state = beginning("producer.synchronous")
    play((producer_gets_id, state, LIMITS))
    send_and_store(state)
    play((producer_dies, state, RULES), (producer_gets_id, state, LIMITS))
    send_and_store(state)
    assert stored(state) == [0, 1]
    assert state.producer.producer_id == 1
