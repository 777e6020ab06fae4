"""The switches of transactions, each named after the correct behaviour.

Part of Kafka modelled: the variants of transactions between Kafka 0.11 and today, and those of Redpanda.
Source: the KIPs and issues named at each switch; apache/kafka (commit 1eb7644349).
Left out, and why that is sound: switches for rules that no known version changed; a rule without a switch is as in the
commit named.
"""

from typing import Annotated, NamedTuple

from kafkacheck.checker.schema import EVERY, Since
from kafkacheck.impl.log.rules import LogRules
from kafkacheck.impl.transactions.constants import Delivery


class TransactionRules(NamedTuple):
    """The switches, constant during a run. A `bool` that is True is today's rule.

    transaction_version: 2 if each EndTxn raises the epoch and the leader adds a partition to its transaction; 1 if an
        epoch serves many transactions and the client adds partitions (`transaction.version`, KIP-890). In some models
        clients change from 1 to 2, or back.
    cluster_version: the cluster's transaction version in models in which clients have different ones: 2 if the cluster
        has version 2. A coordinator that aborts by itself uses this version.
    upgrade_bumps_epoch: a client that changes to version 2 asks for the next epoch before its next transaction
        (KAFKA-18227).
    open_transaction_is_awaited: a leader accepts no batch of a transaction while an earlier epoch of the producer has
        an open transaction (KAFKA-18575).
    lost_batch_bumps_epoch: a client that has given up a batch asks for the next epoch after it aborts (KIP-360).
    unmapped_id_is_fatal: a client whose transactional id has another producer id, or none, stops; it does not abort its
        transaction first (KIP-1050).
    produce_names_topic_id: a produce request for a deleted topic is not accepted by a topic of the same name
        (KAFKA-10551).
    leader_is_alone: partitions have one in-sync replica, so that an appended batch is replicated at once.
    coordinator_abort_bumps_epoch: a coordinator that aborts by itself raises the epoch (KAFKA-6119).
    failed_fence_is_remembered: an epoch that was raised only in memory is not raised again (KAFKA-9666).
    next_producer_id_is_logged: the transaction log has the next and the previous producer id, so that a new coordinator
        knows them (KAFKA-20310).
    previous_producer_id_is_overwritten: every transition names the present producer id as the previous one, so that a
        client with an older id is fenced once the new id is used. By the old rule, only transitions that gave out an
        epoch or a producer id did so.
    pending_state_is_cleared: a transition ends when its append fails (KAFKA-7519).
    pending_transition_comes_first: while a transition is pending, a coordinator makes the client ask again, and does
        not compare producer id and epoch yet, because they may change; this holds for AddPartitionsToTxn, and for
        EndTxn with transaction version 2 (KAFKA-18464, KAFKA-18660).
    stopped_replica_is_unloaded: a broker that must delete its replica of the transaction log forgets its state as a
        coordinator (KAFKA-9235).
    repeated_end_is_answered: a repeated EndTxn of a completed transaction succeeds (REDPANDA-3616).
    repeated_end_is_of_version_2: an EndTxn of version 2 that has the previous epoch counts as a repeated one only if
        version 2 ended the transaction, too, which raised the epoch (no Kafka: finding F12 of tests/kafka/findings).
    commit_after_abort_is_fenced: a commit of version 2 that has the previous epoch and meets an aborted transaction is
        answered PRODUCER_FENCED, after which an application starts anew. By the rule of each release up to 4.4 it is
        INVALID_TXN_STATE (KAFKA-20785, August 2026).
    transaction_completes_once: if two threads find the last marker written, only one appends that the transaction is
        complete (KAFKA-10080).
    handler_removes_its_own: a handler that learns of a marker in a later term leaves the entry of that term alone
        (KAFKA-16352).
    marker_refreshes_expiry: the age of a producer's state counts from its last batch or marker (KAFKA-9144).
    marker_epoch_is_higher: with transaction version 2 a marker ends a transaction only if its epoch is higher than the
        epoch that the partition has seen (KAFKA-19446, KIP-1228).
    repeated_marker_is_written: a marker of the epoch that the partition knows is written again if no transaction is
        open there (KAFKA-19999).
    deleted_partition_is_dropped: a coordinator awaits no marker of a deleted partition (KAFKA-5202).
    offsets_begin_transaction: the partition of the offsets belongs to the transaction, and gets its marker, also if no
        record was sent before (nisshi 716).
    offset_commit_names_generation: offsets in a transaction carry the generation, and an old generation is refused
        (KIP-447).
    marker_answer_awaits_offsets: a marker in the offsets partition is answered only after the group coordinator has
        applied it (KAFKA-17507).
    offsets_go_by_record: of two commits of an offset, the one that is later in the log counts, even if the other is in
        a transaction that ends later (KAFKA-5247).
    offsets_are_loaded_whole: a new group coordinator knows its offsets after it has read the whole log, and not after
        it has read the first of them (KAFKA-5600).
    loading_ends_at_log_end: a new group coordinator answers only after it has read up to the log's end, also if a read
        ends early (redpanda 17673).
    expiry_awaits_loading: no offset expires while a new group coordinator is still reading (KAFKA-2163).
    pending_offset_keeps_group: no offset expires, and no group is deleted, while an offset is pending in a transaction
        (KAFKA-14505, KAFKA-19163).
    refused_offset_is_not_pending: an offset that the coordinator refuses to store is not pending in its transaction
        (KAFKA-16371).
    empty_end_is_not_sent: a client of version 2 ends a transaction in which nothing was sent without a request, as
        version 1 always did (KAFKA-18401, before 4.0 was released).
    error_forbids_commit: a client in its abortable error cannot commit its transaction (Dekaf 3370).
    abort_rewinds_position: after an abort, an application asks for the committed offset, and does not go on with the
        next input (KAFKA-17582, franz-go 1222).
    offset_fetch_requires_stable: no offset is returned while an open transaction may change it (KIP-447).
    delivery: the order in which an application without transactions processes and commits.
    added_partition_is_written: with transaction version 1 a record goes to the partition that was added for it, and not
        to a partition that the partitioner chooses later (KAFKA-13782).
    init_names_epoch: a client that asks for the next epoch names its current one (KIP-360).
    stable_offset_is_excluded: a read ends before the last stable offset (Redpanda).
    late_read_names_aborted: a read that had to wait also returns the list of aborted transactions (KAFKA-5376).
    high_watermark_is_read_once: one last stable offset is computed from one high watermark (KAFKA-9807).
    index_comes_first: a transaction ends only after the aborted-transaction index has it (KAFKA-7866).
    cleaner_carries_transactions: at a marker, the cleaner knows the records in all earlier segments (KAFKA-8351).
    index_is_kept_whole: the cleaner keeps, and reads, the entries of the aborted-transaction index after the part of a
        segment that it cleans (KAFKA-13727).
    markers_outlive_their_data: a later marker of a producer does not supersede an earlier one (Redpanda).
    fence_bumps_once: a coordinator that aborts by itself raises the epoch once, also with transaction version 2
        (KAFKA-19367).
    fence_rotates_producer_id: if that epoch is the last one, the producer id that follows is allocated (KAFKA-20090).
    log: the switches of the partitions' logs.
    """

    transaction_version: Annotated[int, Since(EVERY), Since("0.11.0", 1), Since("4.0")] = 2
    cluster_version: int = 1
    upgrade_bumps_epoch: Annotated[bool, Since(EVERY)] = True
    open_transaction_is_awaited: Annotated[bool, Since(EVERY)] = True
    lost_batch_bumps_epoch: Annotated[bool, Since("2.5", begun="0.11.0")] = True
    unmapped_id_is_fatal: Annotated[bool, Since("4.0", begun="2.5")] = True
    produce_names_topic_id: Annotated[bool, Since("4.1")] = True
    leader_is_alone: bool = True
    coordinator_abort_bumps_epoch: Annotated[bool, Since("0.11.0.2", begun="0.11.0")] = True
    failed_fence_is_remembered: Annotated[bool, Since("2.6", begun="0.11.0")] = True
    next_producer_id_is_logged: Annotated[bool, Since("4.3", begun="4.0")] = True
    previous_producer_id_is_overwritten: Annotated[bool, Since("4.1", begun="2.5")] = True
    pending_state_is_cleared: Annotated[bool, Since("2.0.1", begun="0.11.0")] = True
    pending_transition_comes_first: Annotated[bool, Since("4.0", begun="0.11.0")] = True
    stopped_replica_is_unloaded: Annotated[bool, Since("2.4.1", begun="0.11.0")] = True
    repeated_end_is_answered: Annotated[bool, Since(EVERY)] = True
    repeated_end_is_of_version_2: Annotated[bool, Since(EVERY)] = False
    commit_after_abort_is_fenced: Annotated[bool, Since(EVERY)] = False
    transaction_completes_once: Annotated[bool, Since(EVERY)] = True
    handler_removes_its_own: Annotated[bool, Since("3.8", begun="2.6")] = True
    marker_refreshes_expiry: Annotated[bool, Since("2.4.1", begun="0.11.0")] = True
    marker_epoch_is_higher: Annotated[bool, Since("4.2", begun="4.0")] = True
    repeated_marker_is_written: Annotated[bool, Since(EVERY)] = True
    deleted_partition_is_dropped: Annotated[bool, Since(EVERY)] = True
    offsets_begin_transaction: Annotated[bool, Since(EVERY)] = True
    offset_commit_names_generation: Annotated[bool, Since("2.5", begun="0.11.0")] = True
    marker_answer_awaits_offsets: Annotated[bool, Since("3.9.1", begun="2.0")] = True
    offsets_go_by_record: Annotated[bool, Since(EVERY)] = True
    offsets_are_loaded_whole: Annotated[bool, Since("0.11.0.1", begun="0.11.0")] = True
    loading_ends_at_log_end: Annotated[bool, Since(EVERY)] = True
    expiry_awaits_loading: Annotated[bool, Since(EVERY)] = True
    pending_offset_keeps_group: Annotated[bool, Since("4.0.1", begun="0.11.0")] = True
    refused_offset_is_not_pending: Annotated[bool, Since("3.8", begun="0.11.0")] = True
    empty_end_is_not_sent: Annotated[bool, Since(EVERY)] = True
    error_forbids_commit: Annotated[bool, Since(EVERY)] = True
    abort_rewinds_position: Annotated[bool, Since(EVERY)] = True
    offset_fetch_requires_stable: Annotated[bool, Since("2.5", begun="0.11.0")] = True
    delivery: Delivery = Delivery.PROCESS_FIRST
    added_partition_is_written: Annotated[bool, Since(EVERY)] = True
    init_names_epoch: Annotated[bool, Since("2.5", begun="0.11.0")] = True
    stable_offset_is_excluded: Annotated[bool, Since(EVERY)] = True
    late_read_names_aborted: Annotated[bool, Since(EVERY)] = True
    high_watermark_is_read_once: Annotated[bool, Since("2.5", begun="0.11.0")] = True
    index_comes_first: Annotated[bool, Since("2.2.1", begun="0.11.0")] = True
    cleaner_carries_transactions: Annotated[bool, Since("2.2.2", begun="0.11.0")] = True
    index_is_kept_whole: Annotated[
        bool, Since("2.8.2", begun="0.11.0"), Since("3.0.2", begun="3.0"), Since("3.1.1", begun="3.1")
    ] = True
    markers_outlive_their_data: Annotated[bool, Since(EVERY)] = True
    fence_bumps_once: Annotated[bool, Since("4.0.1", begun="4.0")] = True
    fence_rotates_producer_id: Annotated[bool, Since("4.3", begun="4.0")] = True
    log: LogRules = LogRules()
