"""Why replication keeps its promise: invariants that hold in every reachable state and together prove `strong_isr`.

Every action preserves each of them from every well-typed state in which all of them hold, even an unreachable one;
`kafkacheck prove` shows that for given bounds, and names the lemma that an edit breaks. They also hold in every
reachable state, which the search confirms (`check --lemmas`). The last ones are about steps.

Part of Kafka judged: the replication of one partition with the rules of KIP-320, by its records only.
Source: this project's, after the arguments of KIP-101, KIP-279, KIP-320 and KAFKA-7128 and the log matching of Raft.
Left out, and why that is sound: nothing; a lemma that says too little cannot make another one true.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.ids import NO_EPOCH, NO_LEADER, NO_RECORD
from kafkacheck.impl.log import Log
from kafkacheck.model.replication.system import State
from kafkacheck.spec.replication.properties import holds_committed_records

# -- how the records agree -------------------------------------------------------------------------------------


def is_well_formed(log: Log, leader_epoch: int) -> bool:
    """Whether a log has real records below its end offset, none newer than `leader_epoch`, and blanks above."""
    for offset, record in enumerate(log.records):
        if offset < log.end_offset:
            if record.id == NO_RECORD or record.epoch == NO_EPOCH or record.epoch > leader_epoch:
                return False
        elif record.id != NO_RECORD or record.epoch != NO_EPOCH:
            return False
    return True


def well_formed_logs(state: State) -> bool:
    """A log has records exactly below its end offset, none newer than the leader epoch, and spans the high watermark.

    Why: a leader appends in its own epoch, and a follower fetches only from a leader of the epoch it is in.
    Source: UnifiedLog; KIP-320 for the epoch.
    """
    return all(
        replica.high_watermark <= replica.log.end_offset and is_well_formed(replica.log, replica.leader_epoch)
        for replica in state.replicas
    )


def newest_request(state: State) -> bool:
    """The controller's leader epoch and leader are those of the newest request, and nothing newer was sent.

    Why: the controller sends a request with every change of leader or epoch; before the first, all are in sync.
    Source: PartitionStateMachine writes the partition's state first and then sends LeaderAndIsr.
    """
    quorum = state.quorum
    if quorum.leader_epoch == NO_EPOCH:
        if quorum.leader != NO_LEADER or quorum.isr != Ids(range(len(state.replicas))):
            return False
    elif quorum.leader != state.leader_and_isr_requests[quorum.leader_epoch].leader:
        return False
    return all(
        request.leader == NO_LEADER and request.isr == Ids()
        for leader_epoch, request in enumerate(state.leader_and_isr_requests)
        if leader_epoch > quorum.leader_epoch
    )


def fresh_replicas(state: State) -> bool:
    """A replica that has obeyed no request yet follows no leader and has no record.

    Why: a broker learns of its role by a LeaderAndIsr request, and writes or fetches only in a role.
    Source: ReplicaManager.becomeLeaderOrFollower.
    """
    return all(
        replica.leader == NO_LEADER and replica.isr == Ids() and replica.log.end_offset == 0
        for replica in state.replicas
        if replica.leader_epoch == NO_EPOCH
    )


def obeyed_requests(state: State) -> bool:
    """A replica believes in the leader that the request of its leader epoch names.

    Why: a replica takes over epoch and leader together from a request, which never changes once it is sent.
    Source: Partition.makeLeader and makeFollower.
    """
    for replica in state.replicas:
        if replica.leader_epoch > state.quorum.leader_epoch:
            return False
        if replica.leader_epoch != NO_EPOCH:
            if replica.leader == NO_LEADER:
                return False
            if replica.leader != state.leader_and_isr_requests[replica.leader_epoch].leader:
                return False
    return True


def one_leader_per_epoch(state: State) -> bool:
    """No two replicas believe that they lead in the same leader epoch.

    Why: every request has an epoch of its own and names one leader.
    Source: the leader epoch of KIP-101; election safety in Raft.
    """
    return all(
        replica.leader_epoch != state.replicas[other_id].leader_epoch
        for leader_id, replica in enumerate(state.replicas)
        for other_id in range(leader_id)
        if replica.leader == leader_id and state.replicas[other_id].leader == other_id
    )


def leader_enters_first(state: State) -> bool:
    """No replica is in a leader epoch that its leader has not entered.

    Why: a follower asks the leader where to truncate, and only a broker that is in the epoch answers.
    Source: KIP-320, the leader epoch in OffsetsForLeaderEpoch.
    """
    return all(
        state.replicas[replica.leader].leader_epoch >= replica.leader_epoch
        for replica in state.replicas
        if replica.leader_epoch != NO_EPOCH and replica.leader != NO_LEADER
    )


# -- the ISR ---------------------------------------------------------------------------------------------------


def leader_in_isr(state: State) -> bool:
    """A leader is in all its ISRs: the request's, the controller's, and its own copy.

    Why: leaders are elected from the ISR, and a leader is always caught up with itself.
    Source: PartitionLeaderElectionAlgorithms; Partition.maybeShrinkIsr never takes the leader out.
    """
    for request in state.leader_and_isr_requests:
        if request.leader != NO_LEADER and request.leader not in request.isr:
            return False
    for replica_id, replica in enumerate(state.replicas):
        if replica.leader == replica_id and replica_id not in replica.isr:
            return False
    quorum = state.quorum
    return quorum.leader == NO_LEADER or quorum.leader in quorum.isr


def last_known_isr(state: State, leader_epoch: int) -> Ids:
    """The last known ISR of an epoch.

    It is the leader's copy while the leader is in the epoch, and the next request's ISR once the leader has left it.
    Before the leader enters the epoch, or if there is no leader, it is the request's ISR.
    """
    request = state.leader_and_isr_requests[leader_epoch]
    if request.leader == NO_LEADER:
        return request.isr
    leader = state.replicas[request.leader]
    if leader.leader_epoch == leader_epoch:
        return leader.isr
    if leader.leader_epoch > leader_epoch and leader_epoch < state.quorum.leader_epoch:
        return state.leader_and_isr_requests[leader_epoch + 1].isr
    return request.isr


def current_isr(state: State) -> bool:
    """The controller's ISR is its leader's copy once the leader has entered the epoch, and the request's until then.

    Why: only the leader of the newest epoch changes the ISR, in both places at once.
    Source: Partition.maybeShrinkIsr and maybeExpandIsr; AlterPartition is refused in any other epoch.
    """
    quorum = state.quorum
    if quorum.leader_epoch == NO_EPOCH:
        return True
    return quorum.isr == last_known_isr(state, quorum.leader_epoch)


def next_isr(state: State) -> bool:
    """The ISR of a request is a subset of the previous epoch's last ISR.

    Why: the controller removes replicas and adds none; a clean election keeps the ISR.
    Source: PartitionStateMachine and ReplicaStateMachine, clean election only.
    """
    return all(
        state.leader_and_isr_requests[leader_epoch].isr <= last_known_isr(state, leader_epoch - 1)
        for leader_epoch in range(1, len(state.leader_and_isr_requests))
        if leader_epoch <= state.quorum.leader_epoch
    )


def joined_isr_in_epoch(state: State) -> bool:
    """A replica that joined the ISR during an epoch has entered that epoch.

    Why: a leader lets a replica in after a fetch, and answers only fetches of its own epoch.
    Source: KIP-320, the current leader epoch in fetch requests; Partition.maybeExpandIsr.
    """
    return all(
        state.replicas[replica_id].leader_epoch >= leader_epoch
        for leader_epoch in range(len(state.leader_and_isr_requests))
        for replica_id in last_known_isr(state, leader_epoch) - state.leader_and_isr_requests[leader_epoch].isr
    )


# -- the logs --------------------------------------------------------------------------------------------------


def sorted_epochs(state: State) -> bool:
    """Along a log, leader epochs never fall.

    Why: a leader appends in its own epoch, and has no record of a newer one.
    Source: LeaderEpochFileCache refuses an epoch that falls.
    """
    for replica_id in range(len(state.replicas)):
        log = state.replicas[replica_id].log
        for offset in range(1, len(log.records)):
            if offset < log.end_offset and log.records[offset - 1].epoch > log.records[offset].epoch:
                return False
    return True


def is_prefix(log: Log, other: Log, end_offset: int) -> bool:
    """Whether both logs have the same records below `end_offset`."""
    return all(
        record.id == other.records[offset].id and record.epoch == other.records[offset].epoch
        for offset, record in enumerate(log.records)
        if offset < end_offset
    )


def log_matching(state: State) -> bool:
    """If two logs have a record of the same leader epoch at one offset, they are the same up to there.

    Why: an epoch has one leader, whose log only grows while it leads, and its followers have prefixes of it.
    Source: KIP-279; the log matching of Raft.
    """
    for replica_id in range(len(state.replicas)):
        log = state.replicas[replica_id].log
        for other_id in range(replica_id):
            other = state.replicas[other_id].log
            for offset in range(len(log.records)):
                if offset < min(log.end_offset, other.end_offset):
                    if log.records[offset].epoch == other.records[offset].epoch:
                        if not is_prefix(log, other, offset + 1):
                            return False
    return True


def is_at_one_place(log: Log, other: Log, next_record_id: int) -> bool:
    """Whether a record in both logs has the same offset and epoch in both, and no record has an unused id."""
    for offset, record in enumerate(log.records):
        if record.id >= next_record_id:
            return False
        for other_offset in range(len(other.records)):
            if record.id != NO_RECORD and record.id == other.records[other_offset].id:
                if offset != other_offset or record.epoch != other.records[other_offset].epoch:
                    return False
    return True


def unique_records(state: State) -> bool:
    """A record has the same offset and the same epoch in every log that has it.

    Why: a leader appends a record once, and followers copy it to the same offset.
    Source: the replicated log itself; offsets are given by the leader.
    """
    return all(
        is_at_one_place(replica.log, state.replicas[other_id].log, state.next_record_id)
        for replica in state.replicas
        for other_id in range(len(state.replicas))
    )


def written_by_leader(state: State) -> bool:
    """A record's epoch had a leader, which has the record while it stays in that epoch.

    Why: only the leader of an epoch writes in it, and it never truncates while it leads.
    Source: the leader epoch of KIP-101; leader append-only in Raft.
    """
    for replica_id in range(len(state.replicas)):
        log = state.replicas[replica_id].log
        for offset in range(len(log.records)):
            epoch = log.records[offset].epoch
            if epoch != NO_EPOCH:
                leader_id = state.leader_and_isr_requests[epoch].leader
                if leader_id == NO_LEADER or state.replicas[leader_id].leader_epoch < epoch:
                    return False
                if state.replicas[leader_id].leader_epoch == epoch:
                    if not is_prefix(log, state.replicas[leader_id].log, offset + 1):
                        return False
    return True


def follower_prefix(state: State) -> bool:
    """While a follower and its leader are in the same epoch, the follower's log is a prefix of the leader's.

    Why: when the follower entered the epoch, it cut its log after the last shared record; since then it only fetches.
    Source: KIP-279 for the truncation, KIP-320 for the epoch.
    """
    for follower in state.replicas:
        if follower.leader != NO_LEADER:
            leader = state.replicas[follower.leader]
            if leader.leader_epoch == follower.leader_epoch:
                if follower.log.end_offset > leader.log.end_offset:
                    return False
                if not is_prefix(follower.log, leader.log, follower.log.end_offset):
                    return False
    return True


# -- committed records -----------------------------------------------------------------------------------------


def established_high_watermark(state: State) -> bool:
    """A high watermark that has passed a record of its replica's epoch is not above the epoch leader's high watermark.

    Why: the replica took over such a high watermark from the leader of this epoch, which only raises it.
    Source: KAFKA-7128, the leader's high watermark must reach its epoch before it lets replicas into the ISR.
    """
    return all(
        replica.high_watermark <= state.replicas[replica.leader].high_watermark
        for replica in state.replicas
        if replica.leader != NO_LEADER and replica.high_watermark > 0
        if state.replicas[replica.leader].leader_epoch == replica.leader_epoch
        and replica.log.records[replica.high_watermark - 1].epoch == replica.leader_epoch
    )


def committed_records_on_isr(state: State) -> bool:
    """Every member of the controller's ISR has each record that any replica counts as committed.

    Why: this is the purpose of the ISR; `strong_isr` says it only of replicas that believe they lead.
    Source: StrongIsr of KafkaReplication, strengthened.
    """
    return all(
        holds_committed_records(state, replica_id, member_id)
        for replica_id in range(len(state.replicas))
        for member_id in state.quorum.isr
    )


def can_have_committed(state: State, leader_epoch: int) -> bool:
    """Whether a record can have been committed in an epoch: its leader and its whole ISR have entered it."""
    request = state.leader_and_isr_requests[leader_epoch]
    if request.leader == NO_LEADER or state.replicas[request.leader].leader_epoch < leader_epoch:
        return False
    isr = last_known_isr(state, leader_epoch)
    return all(state.replicas[member_id].leader_epoch >= leader_epoch for member_id in isr)


def isr_holds_committed_records(state: State, replica_id: int, isr: Ids) -> bool:
    """Whether every member of an ISR has each record that the replica counts as committed."""
    return all(holds_committed_records(state, replica_id, member_id) for member_id in isr)


def committed_records_on_requested_isr(state: State) -> bool:
    """A request's ISR has a replica's committed records if nothing can have been committed between their epochs.

    A request that is newer than the replica always meets this condition.

    Why: a late request then still leads to a leader that has everything, so it is safe to obey requests out of order.
    Source: KIP-320, fencing of fetches and of OffsetsForLeaderEpoch by the leader epoch.
    """
    for replica_id in range(len(state.replicas)):
        nothing_since = True
        last_epoch = len(state.leader_and_isr_requests) - 1
        for back in range(len(state.leader_and_isr_requests)):
            leader_epoch = last_epoch - back
            if leader_epoch <= state.replicas[replica_id].leader_epoch:
                nothing_since = nothing_since and not can_have_committed(state, leader_epoch)
            if nothing_since and leader_epoch <= state.quorum.leader_epoch:
                isr = state.leader_and_isr_requests[leader_epoch].isr
                if not isr_holds_committed_records(state, replica_id, isr):
                    return False
    return True


# -- steps -----------------------------------------------------------------------------------------------------


def epochs_never_fall(before: State, after: State) -> bool:
    """Neither the controller's leader epoch nor a replica's ever falls.

    Why: the controller counts up, and a replica obeys only requests that are newer than all it has obeyed.
    Source: fencing by the leader epoch in Partition.makeLeader and makeFollower.
    """
    if after.quorum.leader_epoch < before.quorum.leader_epoch:
        return False
    return all(
        replica.leader_epoch >= old_replica.leader_epoch
        for old_replica, replica in zip(before.replicas, after.replicas)
    )


def leader_appends_only(before: State, after: State) -> bool:
    """While a replica leads in one epoch, it keeps its records, and its high watermark never falls.

    Why: only a replica that turns to another leader truncates.
    Source: leader append-only in Raft; Partition.maybeIncrementLeaderHW.
    """
    for replica_id, old in enumerate(before.replicas):
        new = after.replicas[replica_id]
        if old.leader == replica_id and new.leader_epoch == old.leader_epoch:
            if new.high_watermark < old.high_watermark or new.log.end_offset < old.log.end_offset:
                return False
            if not is_prefix(old.log, new.log, old.log.end_offset):
                return False
    return True


def only_newest_leader_changes_isr(before: State, after: State) -> bool:
    """Within a leader epoch the ISR changes only while its leader is in that epoch.

    Why: the controller refuses an ISR change from any other leader.
    Source: AlterPartition, which carries the leader epoch.
    """
    if after.quorum.leader_epoch != before.quorum.leader_epoch or after.quorum.isr == before.quorum.isr:
        return True
    leader = before.quorum.leader
    return leader != NO_LEADER and before.replicas[leader].leader_epoch == before.quorum.leader_epoch
