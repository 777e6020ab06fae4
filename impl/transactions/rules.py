"""The switches of transactions, each named for the right way.

Part of Kafka modelled: the variants of transactions between Kafka 0.11 and today, and those of Redpanda.
Source: the KIPs and issues named at each switch; apache/kafka (commit 1eb7644349).
Left out, and why that is sound: switches for what no known version did otherwise; a rule without a switch is as in the
commit named. Of the switches of producers there are only those that storing a batch reads.
"""

from typing import NamedTuple

from kafkacheck.impl.transactions.constants import Delivery


class TransactionRules(NamedTuple):
    """The switches, constant during a run. A `bool` that is True is the rule as it is today.

    transaction_version: 2 where each EndTxn raises the epoch and the leader adds a partition to its transaction; 1
        where an epoch serves many transactions and the client adds partitions (`transaction.version`, KIP-890). Some
        models have clients that go over from 1 to 2, or back.
    upgrade_bumps_epoch: a client that goes over to version 2 asks for the next epoch before its next transaction
        (KAFKA-18227).
    open_transaction_is_awaited: a leader takes no batch of a transaction while one of the producer's earlier epoch is
        open (KAFKA-18575).
    lost_batch_bumps_epoch: a client that has given a batch up asks for the next epoch after aborting (KIP-360).
    produce_names_topic_id: a produce request for a topic that was deleted is not taken by one of the same name
        (KAFKA-10551).
    leader_is_alone: partitions have one replica in sync, so that what is appended is replicated at once.
    coordinator_abort_bumps_epoch: a coordinator that aborts by itself raises the epoch (KAFKA-6119).
    failed_fence_is_remembered: an epoch that was raised in memory only is not raised again (KAFKA-9666).
    pending_state_is_cleared: a transition ends when its append fails (KAFKA-7519).
    stopped_replica_is_unloaded: a broker that must give up its replica of the transaction log forgets what it has as a
        coordinator (KAFKA-9235).
    repeated_end_is_answered: an EndTxn that was done already is answered so (REDPANDA-3616).
    transaction_completes_once: of two threads that find the last marker written only one appends that the transaction
        is complete (KAFKA-10080).
    handler_removes_its_own: who hears of a marker in a later term leaves the entry of that term alone (KAFKA-16352).
    marker_refreshes_expiry: the age of a producer's state counts from its last marker, too (KAFKA-9144).
    marker_epoch_is_higher: with transaction version 2 a marker ends a transaction only if its epoch is higher than what
        the partition has seen (KAFKA-19446, KIP-1228).
    repeated_marker_is_written: one of the epoch that the partition knows is written again if no transaction is open
        there (KAFKA-19999).
    deleted_partition_is_dropped: a coordinator awaits no marker of a partition that is deleted (KAFKA-5202).
    offset_commit_names_generation: offsets in a transaction carry the generation, and an old one is refused (KIP-447).
    marker_answer_awaits_offsets: a marker in the partition of the offsets is answered when the group's coordinator has
        followed it, and not before (KAFKA-17507).
    offsets_go_by_record: of two commits of an offset that one counts which is later in the log, also where the other is
        in a transaction that ends later (KAFKA-5247).
    offsets_are_loaded_whole: a new coordinator of a group knows its offsets when it has read the whole log, and not
        when it has read the first of them (KAFKA-5600).
    pending_offset_keeps_group: no offset expires, and no group is deleted, while an offset is pending in a transaction
        (KAFKA-14505, KAFKA-19163).
    offset_fetch_requires_stable: no offset is told while a transaction that may change it is open (KIP-447).
    delivery: in which order an application without transactions processes and commits.
    added_partition_is_written: with transaction version 1 a record goes to the partition that was added for it, and not
        to another one that the partitioner would choose by then (KAFKA-13782).
    init_names_epoch: a client that asks for the next epoch says which one it has (KIP-360).
    stable_offset_is_excluded: a read ends before the last stable offset (Redpanda).
    late_read_names_aborted: a read that had to wait is told which transactions are aborted, too (KAFKA-5376).
    high_watermark_is_read_once: one last stable offset is computed from one high watermark (KAFKA-9807).
    index_comes_first: a transaction has ended only when the aborted-transaction index has it (KAFKA-7866).
    cleaner_carries_transactions: the cleaner knows at a marker of the records in all segments before (KAFKA-8351).
    index_is_kept_whole: the cleaner keeps the entries of the aborted-transaction index behind the part of a segment
        that it cleans, and looks at them, too (KAFKA-13727).
    markers_outlive_their_data: a later marker of a producer does not supersede an earlier one (Redpanda).
    fence_bumps_once: a coordinator that aborts by itself raises the epoch once, with transaction version 2, too
        (KAFKA-19367).
    fence_rotates_producer_id: where that uses the epoch up, a producer id is allocated that follows (KAFKA-20090).
    batches_to_retain: of how many batches a broker remembers the sequences, at most the bound `cached_batches`; 5 in
        Kafka, as many as may be in flight (`ProducerStateEntry.NUM_BATCHES_TO_RETAIN`, KAFKA-5494).
    sequence_wraps: the highest sequence is followed by 0 (KAFKA-7692, KAFKA-7693).
    unknown_producer_may_go_on: a broker that remembers nothing of a producer takes any sequence; otherwise only 0, and
        answers UNKNOWN_PRODUCER_ID (before KIP-360).
    empty_log_awaits_first_sequence: a partition that has never had a batch takes only sequence 0 from a producer of
        which it knows nothing (KAFKA-15591).
    replication_is_trusted: a follower takes what its leader has, whatever the sequence (KAFKA-6003).
    verification: a first transactional batch is appended only if the coordinator confirms its transaction (KIP-890).
    offset_commit_is_verified: a transaction's first offset is verified as its first batch is (KAFKA-15449).
    guard_is_unique: a verification is told from every other one of the partition, and not only from none (KAFKA-14884).
    lowest_sequence_is_awaited: while a transaction is being verified no batch above the lowest sequence that came is
        appended (KAFKA-14920).
    """

    transaction_version: int = 2
    upgrade_bumps_epoch: bool = True
    open_transaction_is_awaited: bool = True
    lost_batch_bumps_epoch: bool = True
    produce_names_topic_id: bool = True
    leader_is_alone: bool = True
    coordinator_abort_bumps_epoch: bool = True
    failed_fence_is_remembered: bool = True
    pending_state_is_cleared: bool = True
    stopped_replica_is_unloaded: bool = True
    repeated_end_is_answered: bool = True
    transaction_completes_once: bool = True
    handler_removes_its_own: bool = True
    marker_refreshes_expiry: bool = True
    marker_epoch_is_higher: bool = True
    repeated_marker_is_written: bool = True
    deleted_partition_is_dropped: bool = True
    offset_commit_names_generation: bool = True
    marker_answer_awaits_offsets: bool = True
    offsets_go_by_record: bool = True
    offsets_are_loaded_whole: bool = True
    pending_offset_keeps_group: bool = True
    offset_fetch_requires_stable: bool = True
    delivery: Delivery = Delivery.PROCESS_FIRST
    added_partition_is_written: bool = True
    init_names_epoch: bool = True
    stable_offset_is_excluded: bool = True
    late_read_names_aborted: bool = True
    high_watermark_is_read_once: bool = True
    index_comes_first: bool = True
    cleaner_carries_transactions: bool = True
    index_is_kept_whole: bool = True
    markers_outlive_their_data: bool = True
    fence_bumps_once: bool = True
    fence_rotates_producer_id: bool = True
    batches_to_retain: int = 5
    sequence_wraps: bool = True
    unknown_producer_may_go_on: bool = True
    empty_log_awaits_first_sequence: bool = True
    replication_is_trusted: bool = True
    verification: bool = True
    offset_commit_is_verified: bool = True
    guard_is_unique: bool = True
    lowest_sequence_is_awaited: bool = True
