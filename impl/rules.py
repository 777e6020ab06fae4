"""The switches of the message-level protocol: each names the right form of a rule that Kafka once had otherwise.

Part of Kafka modelled: the variants of replication and control between Kafka 0.8 and KRaft.
Source: the KIPs and issues named at each switch; apache/kafka (commit 1eb7644349).
Left out, and why that is sound: switches for rules that are the same in all known versions; a rule without a switch is
as in the commit named.
"""

from typing import NamedTuple

from kafkacheck.impl.enums import Acks, FetchFencing, Propagation, TruncationRule


class ClusterRules(NamedTuple):
    """The switches, constant during a run. A `bool` that is True selects today's rule.

    propagation: how brokers learn of leaders and ISR.
    truncation: where a follower truncates its log.
    fetch_fencing: which epochs a leader compares before it answers a follower.
    acks: the acknowledgement that producers wait for.
    min_insync_replicas: the initial `min.insync.replicas`.
    unclean_election: `unclean.leader.election.enable` (KIP-106).
    eligible_leader_replicas: the ISR may become empty, and members that left it below `min_insync_replicas` stay
        electable (KIP-966).
    last_known_leader_is_elected: if ISR and ELR are empty, the last known leader is elected again, uncleanly (KIP-966:
        `useLastKnownLeaderInBalancedRecovery`).
    last_known_leader_is_active: the last known leader is elected only while it is active (KAFKA-19522).
    min_isr_change_clears_elr: a change of `min.insync.replicas` ends the eligibility of every replica that was eligible
        by the old value (KAFKA-16540).
    raised_min_isr_changes_version: if `min.insync.replicas` is raised, a leader that has not heard of it can no longer
        change the ISR (no Kafka: finding F2 of tests/kafka/findings).
    unclean_restart_is_noticed: a broker that did not stop cleanly leaves ISR and ELR when it registers (KAFKA-15586).
    epoch_file_is_forced: each version of the leader-epoch file is forced to the disk before it replaces the previous
        version (KAFKA-16541).
    late_write_is_newest: a background write of the leader-epoch file writes the content of that moment (KAFKA-17142).
    append_awaits_epoch_file: after a truncation no record is appended until the leader-epoch file is on disk (nobody
        has asked for this rule: Kafka appends).
    records_carry_epochs: batches have message format 2, which carries the leader epoch. From an older format neither a
        follower nor recovery learns an epoch (`log.message.format.version`). The model's records keep it, so that
        properties can read it.
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
    counted_fetch_is_of_epoch: a fetch that the leader read in one leader epoch is not counted in the next one
        (KAFKA-15590, which is open: Kafka counts it).
    session_keeps_leader_epoch: a fetch session stores the follower's leader epoch, so that the leader compares it in
        every fetch and not only in the first (KAFKA-9338).
    diverging_fetch_is_not_counted: the leader does not remember the offset of a diverging fetch (KAFKA-13141).
    stale_answer_is_refused: a follower drops an answer to a request of an earlier epoch or offset (KAFKA-7786,
        KAFKA-13207).
    high_watermark_awaits_maximal_isr: the high watermark also waits for members that are proposed but not confirmed yet
        (KIP-497).
    high_watermark_awaits_enough: the high watermark does not rise while the ISR is smaller than `min_insync_replicas`
        (KAFKA-15583).
    shrink_awaits_controller: the high watermark waits for a leaving member until the controller confirms the change
        (KIP-497).
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
    bounce_is_noticed: the controller takes out a broker that restarts at once before it may come back (KIP-380).
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
    grown_target_awaits_added: a reassignment that adds at least as many brokers as it removes ends as soon as the added
        ones are in sync (KAFKA-19975: Kafka 4.3 and later; off by default, because records lose copies by it).
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
    truncation: TruncationRule = TruncationRule.ON_FETCH
    fetch_fencing: FetchFencing = FetchFencing.CURRENT_LEADER_EPOCH
    acks: Acks = Acks.ALL
    min_insync_replicas: int = 1
    unclean_election: bool = False
    eligible_leader_replicas: bool = False
    last_known_leader_is_elected: bool = False
    last_known_leader_is_active: bool = True
    min_isr_change_clears_elr: bool = True
    raised_min_isr_changes_version: bool = False
    unclean_restart_is_noticed: bool = True
    epoch_file_is_forced: bool = True
    late_write_is_newest: bool = True
    append_awaits_epoch_file: bool = True
    records_carry_epochs: bool = True
    old_format_has_no_epoch_file: bool = True
    undefined_epoch_is_not_asked_for: bool = True
    undefined_epoch_has_no_end: bool = True
    epoch_begins_in_file: bool = True
    epoch_file_is_cut_at_end: bool = True
    recovery_keeps_epoch_zero: bool = True
    new_epoch_restarts_fetcher: bool = True
    expansion_awaits_epoch_start: bool = True
    divergence_comes_first: bool = True
    skipped_epoch_forgets_followers: bool = False
    counted_fetch_is_of_epoch: bool = True
    session_keeps_leader_epoch: bool = True
    diverging_fetch_is_not_counted: bool = True
    stale_answer_is_refused: bool = True
    high_watermark_awaits_maximal_isr: bool = True
    high_watermark_awaits_enough: bool = True
    shrink_awaits_controller: bool = True
    repeated_change_checks_epoch: bool = True
    answer_checks_partition_epoch: bool = True
    answer_may_keep_partition_epoch: bool = True
    isr_names_broker_epochs: bool = True
    one_snapshot_of_follower: bool = True
    isr_excludes_inactive: bool = True
    recovering_leader_stays_alone: bool = True
    out_of_range_keeps_log: bool = True
    unled_fetch_is_refused: bool = True
    high_watermark_follows_log_start: bool = True
    checkpoint_covers_all: bool = True
    leader_and_isr_checks_epochs: bool = True
    request_names_broker_epoch: bool = True
    newer_broker_epoch_is_obeyed: bool = True
    bounce_is_noticed: bool = True
    stop_replica_checks_epoch: bool = True
    unled_replica_is_deleted: bool = True
    log_names_topic_id: bool = True
    stray_log_is_deleted: bool = True
    fetch_names_topic_id: bool = True
    isr_change_names_topic_id: bool = True
    metadata_names_topic_id: bool = True
    reassignment_awaits_target: bool = True
    grown_target_awaits_added: bool = False
    assignment_is_told_first: bool = True
    metadata_has_new_epoch: bool = True
    new_controller_fences_dead: bool = True
    controller_write_checks_epoch: bool = True
    offline_log_is_not_replaced: bool = True
    latest_offset_awaits_epoch_start: bool = True
    consumer_validates_position: bool = True
    read_limit_is_taken_once: bool = True
    only_leader_names_read_replica: bool = True
    read_replica_is_in_sync: bool = True
    read_replica_is_leased: bool = True
    error_ends_read_replica: bool = True
    out_of_range_ends_read_replica: bool = True
    elections_follow_assignment: bool = False
    commits_are_noted: bool = False
