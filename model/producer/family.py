"""Common parts of the idempotent producer's models: bundles of actions, and properties that must hold.

Bounds: the application sends `batches` batches of up to `records_in_batch` records to `partitions` partitions, each of
`replicas` replicas whose logs have room for `log_size` batches; `max_in_flight` requests may be under way to each
partition, and `late_requests` that it gave up. Sequences run from 0 to `max_sequence`, producer epochs to
`max_producer_epoch`, and there are `producer_ids` ids. A broker remembers at most `cached_batches` batches of each
producer id and keeps `snapshots` snapshots of each log, whose start can rise to `max_log_start`. If `transactional` is
1, the producer sends in a transaction, with up to `max_verification_guard` verifications and a coordinator of epoch up
to `max_coordinator_epoch`. The others are budgets of disturbances (`model/producer/environment.py`).

There must be more sequences than twice `cached_batches`: with fewer, a broker takes a new batch for an old one. Kafka
has 2**31 sequences, and remembers 5 batches.
"""

from kafkacheck.checker.model import Family
from kafkacheck.impl.producer.rules import ProducerRules
from kafkacheck.model.producer.drawing import PARTITIONS
from kafkacheck.model.producer.environment import CHARGES, start_known
from kafkacheck.model.producer.system import (
    State,
    leader_handles_late_request,
    leader_handles_produce,
    producer_sends,
    producer_sends_again,
    producer_takes_answer,
)
from kafkacheck.spec.producer.brokers import (
    appends_have_a_reason,
    first_sequences_need_no_producer_state,
    followers_have_their_leaders_log,
    high_watermark_awaits_deposed_leaders,
    late_requests_are_handled,
    leaders_answer,
    logs_begin_before_they_end,
    refusals_name_no_offset,
    refused_verifications_are_remembered,
    requests_wait_for_leaders,
    transactions_begin_verified_and_once,
    truncations_keep_what_is_shared,
    verifications_await_the_lowest_sequence,
)
from kafkacheck.spec.producer.clients import (
    connections_keep_their_broker,
    dead_producers_keep_nothing,
    expired_batches_without_gap_call_for_no_epoch,
    one_send_at_a_time,
    only_dead_producers_lose_batches,
    only_final_errors_fail_batches,
    only_transactional_producers_have_transactions,
    outcomes_are_told_once,
    producers_keep_their_id,
    rewritten_batches_call_for_no_epoch,
)
from kafkacheck.spec.producer.disturbances import (
    connections_end_with_broker,
    disturbances_are_real,
    snapshots_are_in_order,
    snapshots_are_kept,
)
from kafkacheck.spec.producer.lemmas import requests_carry_data, senders_have_ids, well_formed_partition_logs
from kafkacheck.spec.producer.properties import (
    acknowledged_batch,
    acknowledged_batches_are_stored,
    batches_lie_in_order,
    each_batch_is_stored_once,
    failed_batches_are_absent,
    no_batch_is_passed_over,
    older_epochs_are_fenced,
    producer_state_matches_log,
    retry_of_stored_batch,
    sequences_follow_each_other,
)
from kafkacheck.spec.producer.steps import acknowledgements_are_true, retries_go_in_order

RETRIES_OF_BUFFERED = (producer_takes_answer, producer_sends_again, leader_handles_produce)

RETRIES = (producer_sends, *RETRIES_OF_BUFFERED)

LATE_RETRIES = (*RETRIES, leader_handles_late_request)

EXAMPLES = (acknowledged_batch, retry_of_stored_batch)

PRODUCERS = (
    only_transactional_producers_have_transactions,
    producers_keep_their_id,
    expired_batches_without_gap_call_for_no_epoch,
    rewritten_batches_call_for_no_epoch,
    only_final_errors_fail_batches,
    only_dead_producers_lose_batches,
    outcomes_are_told_once,
    connections_keep_their_broker,
)

BROKERS = (
    appends_have_a_reason,
    followers_have_their_leaders_log,
    high_watermark_awaits_deposed_leaders,
    logs_begin_before_they_end,
    truncations_keep_what_is_shared,
    leaders_answer,
    requests_wait_for_leaders,
    refusals_name_no_offset,
    first_sequences_need_no_producer_state,
)

TRANSACTIONAL = (
    refused_verifications_are_remembered,
    verifications_await_the_lowest_sequence,
    transactions_begin_verified_and_once,
)

FILES = (snapshots_are_in_order, snapshots_are_kept)

WORLD = (disturbances_are_real, connections_end_with_broker, late_requests_are_handled)

DEATHS = (one_send_at_a_time, dead_producers_keep_nothing)

STEPS = (*PRODUCERS, *BROKERS, *WORLD)

SAFETY = (
    each_batch_is_stored_once,
    batches_lie_in_order,
    no_batch_is_passed_over,
    sequences_follow_each_other,
    older_epochs_are_fenced,
    acknowledged_batches_are_stored,
    failed_batches_are_absent,
    acknowledgements_are_true,
    retries_go_in_order,
    *STEPS,
)

LEMMAS = (requests_carry_data, senders_have_ids, well_formed_partition_logs, producer_state_matches_log)
"""Why `sequences_follow_each_other` and `older_epochs_are_fenced` hold; `spec/PROOFS.md` says what is proved."""

BOUNDS = {
    "batches": 3,
    "records_in_batch": 1,
    "partitions": 1,
    "replicas": 1,
    "log_size": 4,
    "max_log_start": 0,
    "snapshots": 1,
    "max_in_flight": 2,
    "late_requests": 1,
    "producer_ids": 1,
    "max_producer_epoch": 1,
    "max_sequence": 4,
    "cached_batches": 2,
    "transactional": 0,
    "max_verification_guard": 0,
    "max_coordinator_epoch": 0,
    "disconnections": 0,
    "refusals": 0,
    "invalid_batches": 0,
    "oversized_batches": 0,
    "batch_expirations": 0,
    "in_flight_expirations": 0,
    "producer_deaths": 0,
    "blips": 0,
    "failovers": 0,
    "crashes": 0,
    "power_losses": 0,
    "deletions": 0,
    "replacements": 0,
    "state_expirations": 0,
    "aborts": 0,
}
"""Bounds to start from; each model says what it changes."""

PRODUCER = Family(
    state=State,
    charges=CHARGES,
    initial=start_known,
    bounds=BOUNDS,
    rules=ProducerRules(),
    sometimes=EXAMPLES,
    drawing=PARTITIONS,
)
"""An idempotent producer and its partitions, as each model has them unless it says otherwise."""
