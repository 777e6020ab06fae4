"""Common parts of the idempotent producer's models: bundles of actions, and properties that must hold.

Bounds: the application sends `batches` batches of up to `records_in_batch` records to `partitions` partitions, each of
`replicas` replicas whose logs have room for `log_size` batches; `max_in_flight` requests may be under way to each
partition, and `late_requests` requests that the producer has given up. Sequences run from 0 to `max_sequence`, producer
epochs to `max_producer_epoch`, and there are `producer_ids` ids. A broker remembers at most `cached_batches` batches of
each producer id and keeps `snapshots` snapshots of each log, whose start can rise to `max_log_start`. If
`transactional` is 1, the producer sends in a transaction, with up to `max_verification_guard` verifications and a
coordinator of epoch up to `max_coordinator_epoch`. The others are budgets of disturbances
(`model/producer/environment.py`).

There must be more sequences than twice `cached_batches`: with fewer, a broker takes a new batch for an old one. Kafka
has 2**31 sequences, and remembers 5 batches.
"""

from kafkacheck.checker.model import Family
from kafkacheck.impl.producer.rules import ProducerRules
from kafkacheck.model.producer import environment, system
from kafkacheck.model.producer.drawing import PARTITIONS
from kafkacheck.spec.producer import brokers, clients, disturbances, lemmas, properties, steps

RETRIES_OF_BUFFERED = (system.producer_takes_answer, system.producer_sends_again, system.leader_handles_produce)

RETRIES = (system.producer_sends, *RETRIES_OF_BUFFERED)

LATE_RETRIES = (*RETRIES, system.leader_handles_late_request)

EXAMPLES = (properties.acknowledged_batch, properties.retry_of_stored_batch)

PRODUCERS = (
    clients.only_transactional_producers_have_transactions,
    clients.producers_keep_their_id,
    clients.expired_batches_without_gap_call_for_no_epoch,
    clients.rewritten_batches_call_for_no_epoch,
    clients.only_final_errors_fail_batches,
    clients.gaps_for_good_call_for_epoch,
    clients.only_dead_producers_lose_batches,
    clients.outcomes_are_told_once,
    clients.connections_keep_their_broker,
)

BROKERS = (
    brokers.appends_have_a_reason,
    brokers.followers_have_their_leaders_log,
    brokers.high_watermark_awaits_deposed_leaders,
    brokers.logs_begin_before_they_end,
    brokers.truncations_keep_what_is_shared,
    brokers.leaders_answer,
    brokers.requests_wait_for_leaders,
    brokers.refusals_name_no_offset,
    brokers.first_sequences_need_no_producer_state,
)

TRANSACTIONAL = (
    brokers.refused_verifications_are_remembered,
    brokers.old_epochs_are_refused_at_once,
    brokers.verifications_await_the_lowest_sequence,
    brokers.transactions_begin_verified_and_once,
)

FILES = (disturbances.snapshots_are_in_order, disturbances.snapshots_are_kept)

WORLD = (
    disturbances.disturbances_are_real,
    disturbances.connections_end_with_broker,
    brokers.late_requests_are_handled,
)

DEATHS = (clients.one_send_at_a_time, clients.dead_producers_keep_nothing)

STEPS = (*PRODUCERS, *BROKERS, *WORLD)

SAFETY = (
    properties.each_batch_is_stored_once,
    properties.batches_lie_in_order,
    properties.batches_are_read_in_order,
    properties.no_batch_is_passed_over,
    properties.sequences_follow_each_other,
    properties.older_epochs_are_fenced,
    properties.acknowledged_batches_are_stored,
    properties.failed_batches_are_absent,
    steps.acknowledgements_are_true,
    steps.retries_go_in_order,
    *STEPS,
)

LEMMAS = (
    lemmas.requests_carry_data,
    lemmas.senders_have_ids,
    lemmas.well_formed_partition_logs,
    properties.producer_state_matches_log,
)
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
    state=system.State,
    charges=environment.CHARGES,
    initial=environment.start_known,
    bounds=BOUNDS,
    flags=("transactional",),
    rules=ProducerRules(),
    sometimes=EXAMPLES,
    drawing=PARTITIONS,
)
"""An idempotent producer and its partitions, as each model has them unless it says otherwise."""
