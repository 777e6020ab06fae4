"""The parts that the models of transactions share: bundles of actions and of properties.

Bounds: `clients` producers with `transactional_ids` transactional ids, `producer_ids` producer ids and epochs from 0 to
`max_producer_epoch` run `batches` transactions over `partitions` partitions with room for `log_size` batches; sequences
run from 0 to `max_sequence`, the coordinator's epochs from 0 to `max_coordinator_epoch`. `requests` and `produces`
count the slots for requests: slots beyond `clients` hold strays. At most `late_markers` markers are under way twice.
The flag `upgrades` is 1 if clients have different transaction versions. The others are budgets of disturbances
(`model/transactions/environment.py`). A smaller bound only ends behaviours earlier.
"""

from kafkacheck.checker.model import Family
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions import environment, starts
from kafkacheck.model.transactions.clients import (
    application_processes,
    application_takes_input,
    consumer_commits_offset,
    consumer_fetches_offset,
    producer_aborts,
    producer_begins_transaction,
    producer_commits,
    producer_commits_nothing,
    producer_initializes,
    producer_sends,
    producer_sends_offsets,
)
from kafkacheck.model.transactions.coordinators import (
    coordinator_aborts_timed_out,
    coordinator_completes_transaction,
    coordinator_handles_request,
    coordinator_sends_marker,
    coordinator_verifies_partition,
    transaction_log_commits,
)
from kafkacheck.model.transactions.drawing import TRANSACTION_LANES
from kafkacheck.model.transactions.partitions import (
    leader_appends_verified,
    leader_receives_produce,
    leader_writes_marker,
)
from kafkacheck.model.transactions.system import State
from kafkacheck.spec.transactions import (
    clients,
    coordinators,
    disturbances,
    lemmas,
    partitions,
    properties,
    refusals,
    steps,
)

CLIENT = (producer_initializes, producer_begins_transaction, producer_sends, producer_commits, producer_aborts)

COORDINATOR = (
    coordinator_handles_request,
    transaction_log_commits,
    coordinator_sends_marker,
    leader_writes_marker,
    coordinator_completes_transaction,
)

LEADER = (leader_receives_produce, coordinator_verifies_partition, leader_appends_verified)

TRANSACTIONS = (*CLIENT, *COORDINATOR, *LEADER)

CONSUME_PRODUCE = (
    producer_initializes,
    consumer_fetches_offset,
    application_takes_input,
    producer_sends,
    producer_sends_offsets,
    producer_commits,
    producer_aborts,
    *COORDINATOR,
    *LEADER,
    environment.group_is_rebalanced,
)

PLAIN_CONSUMERS = (
    consumer_fetches_offset,
    application_processes,
    consumer_commits_offset,
    environment.group_is_rebalanced,
    environment.client_dies,
)

TIMEOUTS = (coordinator_aborts_timed_out,)

EXAMPLES = (properties.committed_transaction, properties.aborted_transaction)

CLIENTS = (
    clients.commits_await_acknowledgements,
    clients.only_begun_transactions_are_ended,
    clients.requests_carry_their_version,
    clients.records_are_sent_in_transactions,
    clients.positions_need_a_generation,
    clients.undisturbed_clients_are_not_refused,
)

COORDINATORS = (
    coordinators.coordinators_answer_by_their_state,
    coordinators.appended_entries_follow_requests,
    coordinators.verifications_are_true,
    coordinators.transactions_grow_by_request,
    coordinators.answers_follow_appends,
    coordinators.completions_bring_the_next_id,
    coordinators.marking_coordinators_await_completion,
    coordinators.only_marking_coordinators_count_markers,
    coordinators.failed_fences_raised_the_epoch,
)

PARTITIONS = (
    partitions.verified_batches_have_a_guard,
    partitions.verifications_are_joined,
    partitions.verifications_are_of_the_newest_epoch,
    partitions.markers_leave_the_next_verification,
    partitions.only_what_does_not_fit_is_refused,
    partitions.only_verified_batches_are_stored,
    partitions.strays_keep_their_topic,
    partitions.markers_are_written_unless_fenced,
    partitions.markers_go_where_they_are_awaited,
    partitions.aborted_index_names_transactions,
    partitions.remembered_batches_have_sequences,
)

REFUSALS = (
    refusals.only_fenced_and_unknown_clients_stop,
    refusals.only_lost_records_leave_a_gap,
    refusals.coordinators_remember_the_previous_id,
)

STEPS = (*CLIENTS, *COORDINATORS, *PARTITIONS, *REFUSALS, disturbances.disturbances_are_real)
"""Properties of the steps of clients, coordinators and leaders."""

UPGRADE = (clients.new_epochs_complete_the_upgrade, clients.versions_stay, coordinators.clients_go_on_as_they_were_told)

GROUP = (
    clients.rebalances_wait_for_transactions,
    partitions.pending_offsets_follow_their_marker,
    partitions.followed_markers_are_answered,
)

PROMISES = (
    properties.transactions_are_atomic,
    properties.only_what_was_to_be_committed_is,
    properties.applications_are_told_the_truth,
    properties.committed_transactions_are_whole,
    properties.records_are_stored_once,
    properties.coordinator_epochs_do_not_fall,
    properties.producer_epochs_do_not_fall,
    steps.coordinator_transitions_are_valid,
    steps.transactional_ids_do_not_go_back,
    steps.clients_skip_no_epoch,
    steps.stopped_clients_do_nothing,
    *STEPS,
)

TRANSITIONS = (
    steps.transitions_are_valid,
    steps.coordinator_transitions_are_valid,
    steps.transactional_ids_do_not_go_back,
    steps.older_producers_append_nothing,
    *STEPS,
)

SAFETY = (*PROMISES, steps.transitions_are_valid, steps.older_producers_append_nothing)

GROUP_SAFETY = (
    properties.inputs_take_effect_once,
    properties.committed_inputs_take_effect,
    steps.committed_offset_does_not_fall,
    *GROUP,
)

READER_SAFETY = (
    properties.delivered_records_are_committed,
    properties.only_what_was_to_be_committed_is_delivered,
    properties.committed_records_are_delivered,
    properties.readers_stop_at_undecided,
    properties.reads_end_at_stable_offset,
    steps.stable_offset_does_not_fall,
)

LEMMAS = (
    lemmas.nobody_goes_over,
    lemmas.producers_have_ids,
    lemmas.transactions_have_inputs,
    lemmas.requests_fit_their_clients,
    lemmas.one_request_at_a_time,
    lemmas.produce_requests_are_transactional,
    lemmas.well_formed_metadata,
    lemmas.newest_coordinator_serves,
    lemmas.pending_states_may_follow,
    lemmas.memory_matches_transaction_log,
    lemmas.producer_ids_are_new,
    lemmas.markers_are_decisions,
    lemmas.well_formed_transactional_logs,
    lemmas.high_watermark_is_stored,
)

EPOCH_LEMMAS = (*LEMMAS, lemmas.newest_epochs_are_remembered)

READER_LEMMAS = (
    *LEMMAS,
    lemmas.open_transactions_match_log,
    lemmas.unreplicated_transactions_match_log,
    lemmas.aborted_index_matches_log,
    lemmas.deliveries_lie_below_position,
)

BOUNDS = {
    "clients": 1,
    "transactional_ids": 1,
    "transactional": 1,
    "producer_ids": 1,
    "max_producer_epoch": 3,
    "partitions": 1,
    "batches": 2,
    "log_size": 6,
    "max_log_start": 0,
    "max_sequence": 2,
    "records_in_batch": 1,
    "cached_batches": 1,
    "max_verification_guard": 6,
    "max_coordinator_epoch": 0,
    "requests": 1,
    "produces": 1,
    "late_markers": 1,
    "delays": 0,
    "crashes": 0,
    "failovers": 0,
    "append_failures": 0,
    "marker_losses": 0,
    "expirations": 0,
    "moves": 0,
    "deletions": 0,
    "io_errors": 0,
    "second_completions": 0,
    "empty_commits": 0,
    "rebalances": 0,
    "group_delays": 0,
    "group_failovers": 0,
    "offset_expirations": 0,
    "recreations": 0,
    "upgrades": 0,
    "inputs": 0,
    "max_generation": 0,
    "max_processed": 0,
    "offsets_partition": -1,
}
"""Default bounds; each model says which ones it changes."""

PLAIN_CONSUMERS_BOUNDS = {
    **BOUNDS,
    "clients": 2,
    "requests": 2,
    "produces": 2,
    "inputs": 2,
    "max_processed": 3,
    "max_generation": 2,
    "rebalances": 2,
    "crashes": 1,
}
"""Default bounds for applications without transactions."""

TRANSACTIONAL = Family(
    state=State,
    charges={**environment.CHARGES, producer_commits_nothing: "empty_commits"},
    initial=starts.start_transactions,
    bounds=BOUNDS,
    flags=("transactional", "upgrades"),
    rules=TransactionRules(),
    sometimes=EXAMPLES,
    drawing=TRANSACTION_LANES,
)
"""The defaults of each model of transactions."""
