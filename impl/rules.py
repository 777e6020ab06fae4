"""The switches of the message-level protocol: each names the right form of a rule that some Kafka has in another form.

Part of Kafka modelled: the variants of replication and control between Kafka 0.8 and KRaft.
Source: the KIPs and issues named at each switch; apache/kafka (commit 1eb7644349).
Left out, and why that is sound: switches for rules that are the same in all known versions; a rule without a switch is
as in the commit named.
"""

from typing import Annotated, NamedTuple

from kafkacheck.checker.schema import EVERY, Since
from kafkacheck.impl.enums import Acks, FetchFencing, Propagation, TruncationRule


class ClusterRules(NamedTuple):
    """The switches, constant during a run. A `bool` that is True selects the right rule.

    Each names the first release of Apache Kafka that has the rule, except for choices of the user or the model. The
    defaults are the rules of the newest release; a dated `bool` that is False by default is a right rule that this
    release lacks.

    propagation: a choice: how brokers learn of leaders and ISR.
    truncation: where a follower truncates its log.
    fetch_fencing: which epochs a leader compares before it answers a follower.
    acks: the acknowledgement that producers wait for.
    min_insync_replicas: the initial `min.insync.replicas`.
    unclean_election: `unclean.leader.election.enable` (KIP-106).
    eligible_leader_replicas: a choice since Kafka 3.7: the ISR may become empty, and members that left it below
        `min_insync_replicas` stay electable (KIP-966).
    last_known_leader_is_elected: with eligible leader replicas, if ISR and ELR are empty, the last known leader is
        elected again, uncleanly (KIP-966: `useLastKnownLeaderInBalancedRecovery`).
    last_known_leader_is_active: the last known leader is elected only while it is active (KAFKA-19522).
    min_isr_change_clears_elr: a change of `min.insync.replicas` ends the eligibility of every replica that was eligible
        by the old value (KAFKA-16540).
    cleared_elr_leaves_index: replicas whose eligibility such a change ends leave the controller's index of eligible
        replicas, too (no Kafka: finding F9 of tests/kafka/findings).
    raised_min_isr_changes_version: if `min.insync.replicas` is raised, a leader that has not heard of it can no longer
        change the ISR (no Kafka: finding F2 of tests/kafka/findings).
    eligible_replicas_are_assigned: a broker that loses its replica is no longer eligible (no Kafka: finding F5 of
        tests/kafka/findings).
    unclean_restart_is_noticed: a broker that did not stop cleanly leaves ISR and ELR when it registers (KAFKA-15586).
    epoch_file_is_forced: each version of the leader-epoch file is forced to the disk before it replaces the previous
        version (KAFKA-16541).
    late_write_is_newest: a background write of the leader-epoch file writes its newest content, not that of an earlier
        moment (KAFKA-17142).
    append_awaits_epoch_file: after a truncation no record is appended until the leader-epoch file is on disk (no Kafka,
        and nobody has asked for it: `cluster.stale_epochs`).
    records_carry_epochs: a choice until Kafka 4.0 (`log.message.format.version`): batches have message format 2, which
        carries the leader epoch. From an older format neither a follower nor recovery learns an epoch. The model's
        records keep it, so that properties can read it.
    old_format_has_no_epoch_file: if records carry no epochs, the leader-epoch file stays empty, so that followers
        truncate to the high watermark (KAFKA-7897).
    undefined_epoch_is_not_asked_for: a follower that has no epoch truncates its log without asking the leader
        (KAFKA-6859).
    undefined_epoch_has_no_end: a leader that is asked for the end of `NO_EPOCH` answers none, even if it has no epoch
        itself (KAFKA-6857).
    epoch_begins_in_file: a new leader writes the start of its epoch into the leader-epoch file (KAFKA-7415).
    epoch_file_is_cut_at_end: a truncation to the log's end still truncates the leader-epoch file (KAFKA-10706).
    recovery_keeps_epoch_zero: recovery after a crash restores epoch 0 like every other epoch (KAFKA-10432).
    new_epoch_restarts_fetcher: a follower truncates at every new leader epoch, not only at a new leader (KAFKA-7164).
    expansion_awaits_epoch_start: a replica joins the ISR only when it has reached the start of the leader's epoch
        (KAFKA-7128).
    divergence_comes_first: a follower uses nothing else of an answer that has a diverging epoch (KAFKA-14704).
    skipped_epoch_forgets_followers: a leader that is elected again forgets its followers' end offsets if a leader epoch
        lies in between, although it has heard of both elections in one change (no Kafka: finding F1 of
        tests/kafka/findings).
    known_change_keeps_proposal: a leader that replays a change which it knows from the answer to its request keeps what
        it has proposed since (no Kafka: finding F10 of tests/kafka/findings). Most models have it, so that this finding
        hides no other bug.
    counted_fetch_is_of_epoch: a fetch that the leader read in one leader epoch is not counted in the next one
        (no Kafka: KAFKA-15590 is open).
    session_keeps_leader_epoch: a fetch session stores the follower's leader epoch, so that the leader compares it in
        every fetch and not only in the first (KAFKA-9338).
    diverging_fetch_is_not_counted: the leader does not remember the offset of a diverging fetch (KAFKA-13141).
    stale_answer_is_refused: a follower drops an answer to a request of an earlier epoch or offset (KAFKA-7786,
        KAFKA-13207).
    fetch_answer_is_of_epoch: a follower also drops an answer to a fetch of an earlier leader epoch if leader and offset
        are the same (KAFKA-18991).
    high_watermark_awaits_maximal_isr: the high watermark also waits for members that are proposed but not confirmed yet
        (KIP-497).
    high_watermark_awaits_enough: the high watermark does not rise while the ISR is smaller than `min_insync_replicas`
        (KAFKA-15583).
    shrink_awaits_controller: the high watermark waits for a leaving member until the controller confirms the change
        (KIP-497).
    confirmed_change_raises_high_watermark: a leader looks at its high watermark again when it hears that its change of
        the ISR is made (KAFKA-13091).
    refused_change_raises_high_watermark: it does so, too, when a member of its change is refused, for which the high
        watermark waited (no Kafka: finding F23 of tests/kafka/findings).
    repeated_change_checks_epoch: a controller compares the partition epoch before it answers that a change has been
        made already (KAFKA-14154).
    answer_checks_partition_epoch: a leader drops an answer with a lower partition epoch than its own.
    answer_may_keep_partition_epoch: a leader also accepts an answer with its own partition epoch: the change had been
        made already (KAFKA-12751).
    isr_names_broker_epochs: an ISR change is refused if a member has restarted since it was found in sync (KIP-903).
    one_snapshot_of_follower: the broker epoch in an ISR change is from the fetch that showed the follower caught up
        (KAFKA-15221).
    isr_excludes_inactive: a fenced or stopping broker may not join the ISR (KIP-841).
    recovering_leader_stays_alone: after an unclean election the ISR does not grow before the leader has recovered
        (KIP-704).
    out_of_range_keeps_log: a follower whose fetch offset is out of range drops its log only if the log ends below the
        leader's start (KAFKA-2143).
    unled_fetch_is_refused: a broker that does not lead answers no follower's fetch (KAFKA-2143).
    high_watermark_follows_log_start: the high watermark of a log that restarts is at least the log's start
        (KAFKA-9491).
    checkpoint_covers_all: the checkpoint also keeps the high watermark of a replica that has not been set up
        (KAFKA-1647).
    leader_and_isr_checks_epochs: a broker ignores requests with an old controller epoch or leader epoch (KAFKA-1188).
    request_names_broker_epoch: a restarted broker ignores requests meant for its previous start (KIP-380).
    newer_broker_epoch_is_obeyed: a broker obeys requests with a broker epoch that it does not know yet (KAFKA-9839).
    bounce_is_noticed: if a broker restarts before its failure is noticed, the controller first takes it out (KIP-380).
    new_incarnation_leaves_isr: a broker that registers while its former process is not fenced yet is treated as if that
        process were fenced now, with an election (KAFKA-18106).
    stop_replica_checks_epoch: a broker ignores a StopReplica request with an old leader epoch (KIP-570).
    unled_replica_is_deleted: the controller asks brokers to delete a replica even if the partition has no leader on
        record (KAFKA-6650).
    log_names_topic_id: a log on disk names its topic id, and is not taken for the log of another topic of the same name
        (KIP-516).
    stray_log_is_deleted: a broker that starts with the log of a deleted topic deletes it, even if a topic of the same
        name exists (KAFKA-14616; KRaft).
    fetch_names_topic_id: a broker neither answers a fetch for another topic of the same name nor uses its answer
        (KIP-516, KAFKA-10580).
    isr_change_names_topic_id: an ISR change for one topic is not made in another topic of the same name (KIP-841).
    metadata_names_topic_id: a client accepts metadata of a new topic of the same name even if its leader epoch is lower
        (KAFKA-12257).
    reassignment_awaits_target: a reassignment ends only when the whole target is in sync (KAFKA-15665).
    grown_target_is_awaited: `reassignment_awaits_target` also holds if a reassignment adds at least as many brokers as
        it removes; since Kafka 4.3 such a reassignment ends as soon as the added brokers are in sync (KAFKA-19975).
    leader_is_not_removed_unasked: a reassignment that replaces another one is refused if it would remove at once the
        leader, which the former one has added (KAFKA-14808; ZooKeeper era).
    replaced_reassignment_is_forgotten: nothing is left of a reassignment that another one replaces (no Kafka: findings
        F6 and F7 of tests/kafka/findings).
    assignment_is_told_first: if a reassignment ends in two rounds, the leader learns the new assignment before brokers
        leave the ISR, so that it readmits none of them (KAFKA-1097).
    metadata_has_new_epoch: the metadata for clients has each new leader epoch (KAFKA-9212).
    new_controller_fences_dead: a new controller treats each broker that it does not find as failed (KAFKA-3143).
    controller_write_checks_epoch: a controller's write fails once another controller is active (KAFKA-6082).
    offline_log_is_not_replaced: a broker does not begin a new log in place of one on a failed disk (KAFKA-16234).
    latest_offset_awaits_epoch_start: a new leader does not answer its latest offset until its high watermark has
        reached the start of its epoch (KIP-207).
    consumer_validates_position: a consumer compares its position with each new leader's epochs (KIP-320, KAFKA-7747).
    read_limit_is_taken_once: the leader computes the limit of a read once (KAFKA-9835).
    only_leader_names_read_replica: a follower names no read replica to a consumer (KAFKA-13778).
    read_replica_is_in_sync: a leader names only followers in the ISR as read replicas (KAFKA-14372).
    read_replica_is_leased: a consumer asks its leader again after it has read from a follower for some time
        (IBM/sarama#2464: a client that did not).
    error_ends_read_replica: a consumer returns from a follower to its leader after any error that waiting does not mend
        (KAFKA-14379).
    out_of_range_ends_read_replica: a consumer also returns to its leader if its position is outside the follower's log
        (twmb/franz-go#885: a client that did not).
    elections_follow_assignment: no rule of Kafka: whether the assignment is in the order of the brokers' ids, so that
        an election has one outcome; otherwise any eligible broker can be the first of the assignment.
    commits_are_noted: no rule of Kafka: whether `State.committed` is kept, which only properties read.
    """

    propagation: Propagation = Propagation.METADATA_LOG
    # A fetch can name its last epoch since 2.7, and followers do since 2.8.
    truncation: Annotated[
        TruncationRule,
        Since(EVERY, TruncationRule.HIGH_WATERMARK),
        Since("0.11.0", TruncationRule.KIP_101),
        Since("2.0", TruncationRule.KIP_279),
        Since("2.8"),
    ] = TruncationRule.ON_FETCH
    fetch_fencing: Annotated[FetchFencing, Since(EVERY, FetchFencing.NONE), Since("2.1")] = (
        FetchFencing.CURRENT_LEADER_EPOCH
    )
    acks: Acks = Acks.ALL
    min_insync_replicas: int = 1
    unclean_election: bool = False
    eligible_leader_replicas: bool = False
    last_known_leader_is_elected: Annotated[bool, Since("3.7")] = True
    last_known_leader_is_active: Annotated[bool, Since("4.1", begun="3.7")] = True
    min_isr_change_clears_elr: Annotated[bool, Since("4.0", begun="3.7")] = True
    cleared_elr_leaves_index: Annotated[bool, Since(EVERY)] = False
    raised_min_isr_changes_version: Annotated[bool, Since(EVERY)] = False
    eligible_replicas_are_assigned: Annotated[bool, Since(EVERY)] = False
    unclean_restart_is_noticed: Annotated[bool, Since("3.8", begun="3.7")] = True
    epoch_file_is_forced: Annotated[bool, Since("3.8", begun="3.7")] = True
    late_write_is_newest: Annotated[bool, Since(EVERY)] = True
    append_awaits_epoch_file: Annotated[bool, Since(EVERY)] = False
    records_carry_epochs: bool = True
    old_format_has_no_epoch_file: Annotated[bool, Since("2.1.1", begun="2.0.1")] = True
    undefined_epoch_is_not_asked_for: Annotated[bool, Since("2.1", begun="0.11.0")] = True
    undefined_epoch_has_no_end: Annotated[
        bool, Since("0.11.0.3", begun="0.11.0"), Since("1.0.2", begun="1.0"), Since("1.1.1", begun="1.1")
    ] = True
    epoch_begins_in_file: Annotated[bool, Since("2.0.1", begun="0.11.0")] = True
    epoch_file_is_cut_at_end: Annotated[bool, Since("2.6.1", begun="0.11.0")] = True
    recovery_keeps_epoch_zero: Annotated[bool, Since("2.6.1", begun="2.1.1")] = True
    new_epoch_restarts_fetcher: Annotated[bool, Since("2.0.1", begun="0.8.2")] = True
    expansion_awaits_epoch_start: Annotated[bool, Since("2.0.1")] = True
    divergence_comes_first: Annotated[bool, Since("3.4.1", begun="2.8")] = True
    skipped_epoch_forgets_followers: Annotated[bool, Since(EVERY)] = False
    known_change_keeps_proposal: Annotated[bool, Since(EVERY)] = False
    counted_fetch_is_of_epoch: Annotated[bool, Since(EVERY)] = False
    session_keeps_leader_epoch: Annotated[bool, Since("2.5", begun="2.1")] = True
    diverging_fetch_is_not_counted: Annotated[bool, Since("2.8.1", begun="2.8")] = True
    stale_answer_is_refused: Annotated[bool, Since("2.1.1", begun="0.11.0"), Since("2.8.1", begun="2.8")] = True
    fetch_answer_is_of_epoch: Annotated[bool, Since("3.9.1", begun="2.8"), Since("4.0.1", begun="4.0")] = True
    high_watermark_awaits_maximal_isr: Annotated[bool, Since("2.7")] = True
    high_watermark_awaits_enough: Annotated[bool, Since("3.7")] = True
    shrink_awaits_controller: Annotated[bool, Since("2.7")] = True
    confirmed_change_raises_high_watermark: Annotated[bool, Since("3.0", begun="2.7")] = True
    refused_change_raises_high_watermark: Annotated[bool, Since(EVERY)] = False
    repeated_change_checks_epoch: Annotated[bool, Since("3.3", begun="2.7")] = True
    answer_checks_partition_epoch: Annotated[bool, Since(EVERY)] = True
    answer_may_keep_partition_epoch: Annotated[bool, Since("2.7.2", begun="2.7"), Since("2.8.1", begun="2.8")] = True
    isr_names_broker_epochs: Annotated[bool, Since("3.5")] = True
    one_snapshot_of_follower: Annotated[bool, Since("3.7", begun="3.5")] = True
    isr_excludes_inactive: Annotated[bool, Since("3.3")] = True
    recovering_leader_stays_alone: Annotated[bool, Since("3.2")] = True
    out_of_range_keeps_log: Annotated[bool, Since("0.9.0.1")] = True
    unled_fetch_is_refused: Annotated[bool, Since(EVERY)] = True
    high_watermark_follows_log_start: Annotated[bool, Since("2.4.1")] = True
    checkpoint_covers_all: Annotated[bool, Since("0.8.2")] = True
    leader_and_isr_checks_epochs: Annotated[bool, Since("0.8.2")] = True
    request_names_broker_epoch: Annotated[bool, Since("2.2")] = True
    newer_broker_epoch_is_obeyed: Annotated[bool, Since("2.5.1", begun="2.2")] = True
    bounce_is_noticed: Annotated[bool, Since("2.2")] = True
    new_incarnation_leaves_isr: Annotated[bool, Since("4.0", begun="2.8")] = True
    stop_replica_checks_epoch: Annotated[bool, Since("2.6")] = True
    unled_replica_is_deleted: Annotated[bool, Since("2.0")] = True
    log_names_topic_id: Annotated[bool, Since("2.8")] = True
    stray_log_is_deleted: Annotated[bool, Since("3.7", begun="2.8")] = True
    fetch_names_topic_id: Annotated[bool, Since("3.1")] = True
    isr_change_names_topic_id: Annotated[bool, Since("3.3")] = True
    metadata_names_topic_id: Annotated[bool, Since("2.8.2", begun="2.2")] = True
    reassignment_awaits_target: Annotated[bool, Since("3.8", begun="3.0")] = True
    grown_target_is_awaited: Annotated[bool, Since("4.3")] = False
    leader_is_not_removed_unasked: Annotated[bool, Since("3.5", begun="2.4")] = True
    replaced_reassignment_is_forgotten: Annotated[bool, Since(EVERY)] = False
    assignment_is_told_first: Annotated[bool, Since("0.8.1")] = True
    metadata_has_new_epoch: Annotated[bool, Since("2.4")] = True
    new_controller_fences_dead: Annotated[bool, Since("2.3")] = True
    controller_write_checks_epoch: Annotated[bool, Since("2.1")] = True
    offline_log_is_not_replaced: Annotated[bool, Since("3.7.1", begun="3.7")] = True
    latest_offset_awaits_epoch_start: Annotated[bool, Since("2.2")] = True
    consumer_validates_position: Annotated[bool, Since("2.3")] = True
    read_limit_is_taken_once: Annotated[bool, Since("2.5.1", begun="1.1")] = True
    only_leader_names_read_replica: Annotated[bool, Since("3.3", begun="2.4")] = True
    read_replica_is_in_sync: Annotated[bool, Since("3.3.2", begun="2.4")] = True
    read_replica_is_leased: Annotated[bool, Since(EVERY)] = True
    error_ends_read_replica: Annotated[bool, Since("3.3.2", begun="2.4")] = True
    out_of_range_ends_read_replica: Annotated[bool, Since(EVERY)] = True
    elections_follow_assignment: bool = False
    commits_are_noted: bool = False
