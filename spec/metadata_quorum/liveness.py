"""Liveness of the metadata quorum: a leader without a majority stops leading, and a majority gets a leader.

Part of Kafka judged: `impl/quorum/check_quorum.py`, by its records only.
Source: KIP-595 (leader progress timeout); KAFKA-15489.
Left out, and why that is sound: how long that takes; fairness says only that it is not put off for ever.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.model.metadata_quorum.system import State


def heard_by_majority(state: State, leader_id: int) -> bool:
    """Whether a majority is on this leader's side of the network, and in no newer epoch."""
    heard = 0
    for voter_id in range(len(state.voters)):
        is_near = (voter_id in state.cut_off) == (leader_id in state.cut_off)
        if is_near and state.voters[voter_id].epoch <= state.voters[leader_id].epoch:
            heard += 1
    return 2 * heard > len(state.voters)


def leader_without_majority(state: State) -> bool:
    """A voter leads although no majority fetches from it; some time, it must stop leading."""
    return any(
        state.voters[leader_id].is_leader and not heard_by_majority(state, leader_id)
        for leader_id in range(len(state.voters))
    )


def every_leader_has_majority(state: State) -> bool:
    """A majority fetches from every leader.

    Lost if it fails: while the network is cut there are two controllers. The one without a majority goes on answering
    the brokers that reach it: their requests time out, and none of them looks for the other controller.
    Source: KAFKA-15489.
    """
    return not leader_without_majority(state)


def quorum_works(state: State) -> bool:
    """A leader from which a majority fetches has committed its whole log; or no majority is connected.

    A cut may halve an even number of voters; then no voter can lead.
    Lost to users: the cluster has no controller, although a majority of its voters reach each other.
    Source: KIP-595.
    """
    if 2 * len(state.cut_off) == len(state.voters):
        return True
    return any(
        leader.is_leader and heard_by_majority(state, leader_id) and leader.high_watermark == leader.log.end_offset
        for leader_id, leader in enumerate(state.voters)
    )


def quorum_is_stuck(state: State) -> bool:
    """A majority is connected, but has no leader that commits its whole log; some time, it must have one."""
    return not quorum_works(state)


def heard_leader_is_kept(before: State, after: State) -> bool:
    """A leader from which a majority fetches does not resign, and no other voter is elected meanwhile.

    Lost if it fails: the controller is replaced without need, and its successor must load everything again.
    Source: KIP-996; `LeaderState.timeUntilCheckQuorumExpires`.
    """
    for leader_id in range(len(before.voters)):
        if before.voters[leader_id].is_leader and heard_by_majority(before, leader_id):
            for voter_id in range(len(after.voters)):
                if after.voters[voter_id].is_leader and not before.voters[voter_id].is_leader:
                    return False
            if not after.voters[leader_id].is_leader:
                return False
    return True


def nothing_crosses_cut(before: State, after: State) -> bool:
    """A leader hears only from its own side, and a log changes only if its side has a leader in the voter's epoch.

    Lost if it fails: nothing of Kafka's; a network that is cut would carry requests or answers.
    Source: `model/metadata_quorum/environment.py`.
    """
    for voter_id, new in enumerate(after.voters):
        old = before.voters[voter_id]
        is_led = False
        for other_id, other in enumerate(after.voters):
            is_near = (voter_id in after.cut_off) == (other_id in after.cut_off)
            is_led = is_led or (is_near and other.is_leader and other.epoch == new.epoch)
            if not is_near and new.end_offsets[other_id] > old.end_offsets[other_id]:
                return False
        if new.log.end_offset != old.log.end_offset and not is_led:
            return False
    return True


def cuts_are_real(before: State, after: State) -> bool:
    """A cut that is charged splits a network that was whole, and cuts off some voters, but no majority.

    Lost if it fails: nothing of Kafka's; disturbances would be spent without effect.
    Source: `model/metadata_quorum/environment.py`.
    """
    if after.budget.cuts == before.budget.cuts:
        return True
    return before.cut_off == Ids() and after.cut_off != Ids() and 2 * len(after.cut_off) <= len(after.voters)


def elections_have_room(state: State) -> bool:
    """The bounds leave room for one more election: one more epoch, which begins with one more record in a log.

    If it fails, raise `log_size` and `max_leader_epoch` together until it holds; more voters and cuts mean more
    elections. If `max_leader_epoch` is less than `log_size`, this property does not notice that epochs run out.
    Lost if it fails: nothing of Kafka's; a behaviour would end at a bound before it reaches its goal, so that liveness
    would depend on the bounds.
    Source: `voter_is_elected`.
    """
    return all(voter.epoch != len(state.committed) for voter in state.voters)


def two_quorum_leaders(state: State) -> bool:
    """Two voters lead at the same time. Without an example no leader is replaced before it resigns."""
    return any(
        state.voters[leader_id].is_leader and state.voters[other_id].is_leader
        for leader_id in range(len(state.voters))
        for other_id in range(leader_id)
    )


def resigned_quorum_leader(state: State) -> bool:
    """A voter has resigned, and no voter leads. Without an example check-quorum never comes before an election."""
    is_resigned = False
    for voter_id in range(len(state.voters)):
        is_resigned = is_resigned or state.voters[voter_id].has_resigned
        if state.voters[voter_id].is_leader:
            return False
    return is_resigned
