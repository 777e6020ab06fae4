"""The parts that the models of transactions share: bundles of actions and of properties.

Bounds: `clients` producers with `transactional_ids` transactional ids, `producer_ids` producer ids and epochs from 0 to
`max_producer_epoch` run `batches` transactions over `partitions` partitions with room for `log_size` batches; sequences
run from 0 to `max_sequence`, the coordinator's epochs from 0 to `max_coordinator_epoch`. `requests` and `produces`
count the slots for requests: slots beyond `clients` hold strays. `late_markers` counts the slots for markers that are
under way twice. `upgrades` is 1 if clients have different transaction versions. The others are budgets of disturbances
(`model/transactions/environment.py`). All bounds only end behaviours.
"""

from kafkacheck.checker.model import Family
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions.clients import (
    application_processes,
    application_takes_input,
    consumer_commits_offset,
    consumer_fetches_offset,
    producer_aborts,
    producer_begins_transaction,
    producer_commits,
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
from kafkacheck.model.transactions.environment import client_dies, group_is_rebalanced
from kafkacheck.model.transactions.partitions import (
    leader_appends_verified,
    leader_receives_produce,
    leader_writes_marker,
)
from kafkacheck.model.transactions.starts import start_transactions
from kafkacheck.model.transactions.system import State
from kafkacheck.spec.transactions.clients import (
    commits_await_acknowledgements,
    new_epochs_complete_the_upgrade,
    only_begun_transactions_are_ended,
    positions_need_a_generation,
    rebalances_wait_for_transactions,
    records_are_sent_in_transactions,
    requests_carry_their_version,
    versions_stay,
)
from kafkacheck.spec.transactions.coordinators import (
    answers_follow_appends,
    appended_entries_follow_requests,
    clients_go_on_as_they_were_told,
    completions_bring_the_next_id,
    coordinators_answer_by_their_state,
    marking_coordinators_await_completion,
    only_marking_coordinators_count_markers,
    transactions_grow_by_request,
    verifications_are_true,
)
from kafkacheck.spec.transactions.disturbances import disturbances_are_real
from kafkacheck.spec.transactions.lemmas import (
    aborted_index_matches_log,
    deliveries_lie_below_position,
    high_watermark_is_stored,
    markers_are_decisions,
    memory_matches_transaction_log,
    newest_coordinator_serves,
    newest_epochs_are_remembered,
    nobody_goes_over,
    one_request_at_a_time,
    open_transactions_match_log,
    pending_states_may_follow,
    produce_requests_are_transactional,
    producer_ids_are_new,
    producers_have_ids,
    requests_fit_their_clients,
    transactions_have_inputs,
    unreplicated_transactions_match_log,
    well_formed_metadata,
    well_formed_transactional_logs,
)
from kafkacheck.spec.transactions.partitions import (
    aborted_index_names_transactions,
    followed_markers_are_answered,
    markers_are_written_unless_fenced,
    markers_go_where_they_are_awaited,
    only_verified_batches_are_stored,
    only_what_does_not_fit_is_refused,
    pending_offsets_follow_their_marker,
    remembered_batches_have_sequences,
    strays_keep_their_topic,
    verifications_are_joined,
    verified_batches_have_a_guard,
)
from kafkacheck.spec.transactions.properties import (
    aborted_transaction,
    applications_are_told_the_truth,
    committed_inputs_take_effect,
    committed_records_are_delivered,
    committed_transaction,
    committed_transactions_are_whole,
    coordinator_epochs_do_not_fall,
    delivered_records_are_committed,
    inputs_take_effect_once,
    only_what_was_to_be_committed_is,
    only_what_was_to_be_committed_is_delivered,
    producer_epochs_do_not_fall,
    readers_stop_at_undecided,
    reads_end_at_stable_offset,
    records_are_stored_once,
    transactions_are_atomic,
)
from kafkacheck.spec.transactions.steps import (
    clients_skip_no_epoch,
    committed_offset_does_not_fall,
    coordinator_transitions_are_valid,
    older_producers_append_nothing,
    stable_offset_does_not_fall,
    stopped_clients_do_nothing,
    transactional_ids_do_not_go_back,
    transitions_are_valid,
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
    group_is_rebalanced,
)

PLAIN_CONSUMERS = (
    consumer_fetches_offset,
    application_processes,
    consumer_commits_offset,
    group_is_rebalanced,
    client_dies,
)

TIMEOUTS = (coordinator_aborts_timed_out,)

EXAMPLES = (committed_transaction, aborted_transaction)

CLIENTS = (
    commits_await_acknowledgements,
    only_begun_transactions_are_ended,
    requests_carry_their_version,
    records_are_sent_in_transactions,
    positions_need_a_generation,
)

COORDINATORS = (
    coordinators_answer_by_their_state,
    appended_entries_follow_requests,
    verifications_are_true,
    transactions_grow_by_request,
    answers_follow_appends,
    completions_bring_the_next_id,
    marking_coordinators_await_completion,
    only_marking_coordinators_count_markers,
)

PARTITIONS = (
    verified_batches_have_a_guard,
    verifications_are_joined,
    only_what_does_not_fit_is_refused,
    only_verified_batches_are_stored,
    strays_keep_their_topic,
    markers_are_written_unless_fenced,
    markers_go_where_they_are_awaited,
    aborted_index_names_transactions,
    remembered_batches_have_sequences,
)

STEPS = (*CLIENTS, *COORDINATORS, *PARTITIONS, disturbances_are_real)
"""Properties of the steps of clients, coordinators and leaders."""

UPGRADE = (new_epochs_complete_the_upgrade, versions_stay, clients_go_on_as_they_were_told)

GROUP = (rebalances_wait_for_transactions, pending_offsets_follow_their_marker, followed_markers_are_answered)

PROMISES = (
    transactions_are_atomic,
    only_what_was_to_be_committed_is,
    applications_are_told_the_truth,
    committed_transactions_are_whole,
    records_are_stored_once,
    coordinator_epochs_do_not_fall,
    producer_epochs_do_not_fall,
    coordinator_transitions_are_valid,
    transactional_ids_do_not_go_back,
    clients_skip_no_epoch,
    stopped_clients_do_nothing,
    *STEPS,
)

TRANSITIONS = (
    transitions_are_valid,
    coordinator_transitions_are_valid,
    transactional_ids_do_not_go_back,
    older_producers_append_nothing,
    *STEPS,
)

SAFETY = (*PROMISES, transitions_are_valid, older_producers_append_nothing)

GROUP_SAFETY = (inputs_take_effect_once, committed_inputs_take_effect, committed_offset_does_not_fall, *GROUP)

READER_SAFETY = (
    delivered_records_are_committed,
    only_what_was_to_be_committed_is_delivered,
    committed_records_are_delivered,
    readers_stop_at_undecided,
    reads_end_at_stable_offset,
    stable_offset_does_not_fall,
)

LEMMAS = (
    nobody_goes_over,
    producers_have_ids,
    transactions_have_inputs,
    requests_fit_their_clients,
    one_request_at_a_time,
    produce_requests_are_transactional,
    well_formed_metadata,
    newest_coordinator_serves,
    pending_states_may_follow,
    memory_matches_transaction_log,
    producer_ids_are_new,
    markers_are_decisions,
    well_formed_transactional_logs,
    high_watermark_is_stored,
)

EPOCH_LEMMAS = (*LEMMAS, newest_epochs_are_remembered)

READER_LEMMAS = (
    *LEMMAS,
    open_transactions_match_log,
    unreplicated_transactions_match_log,
    aborted_index_matches_log,
    deliveries_lie_below_position,
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
    "segment_size": 1,
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
"""Default bounds for consumers that do not write."""

TRANSACTIONAL = Family(
    state=State,
    initial=start_transactions,
    bounds=BOUNDS,
    rules=TransactionRules(),
    sometimes=EXAMPLES,
    drawing=TRANSACTION_LANES,
)
"""The defaults of each model of transactions."""
