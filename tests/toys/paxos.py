"""Do acceptors that may hear any message at any time ever choose two values (single-decree Paxos)?

Messages are a set that only grows. An acceptor answers a ballot at most once in each phase and a ballot proposes at
most one value, so the set is kept in place: ballots begun, and for each ballot the proposal, the promises, the votes.
"""

from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import (
    Array,
    ById,
    ByPosition,
    Epoch,
    Flag,
    Id,
    IdSet,
    Struct,
    cardinality,
    contains,
    including,
)

NONE = -1

AcceptorId = Annotated[int, Id("acceptors")]
Acceptors = Annotated[int, IdSet("acceptors")]
BallotNumber = Annotated[int, Epoch("max_ballot")]
MaybeBallot = Annotated[int, Epoch("max_ballot", none=NONE)]
ValueId = Annotated[int, Id("values")]
MaybeValue = Annotated[int, Id("values", none=NONE)]


class Promise(Struct):
    """An acceptor's answer to a ballot: whether it was sent, and the acceptor's last vote at that time."""

    sent: Annotated[bool, Flag()]
    vote_ballot: MaybeBallot
    vote_value: MaybeValue


class Ballot(Struct):
    """What was sent in a ballot: its announcement, promises, the proposed value, and who voted for it."""

    begun: Annotated[bool, Flag()]
    promises: Annotated[Array[Promise], ById("acceptors")]
    proposal: MaybeValue
    voters: Acceptors


class Acceptor(Struct):
    """The highest ballot an acceptor took part in, and its last vote."""

    highest: MaybeBallot
    vote_ballot: MaybeBallot
    vote_value: MaybeValue


class Election(Struct):
    """Acceptors, and messages by ballot."""

    acceptors: Annotated[Array[Acceptor], ById("acceptors")]
    ballots: Annotated[Array[Ballot], ByPosition("max_ballot + 1")]


def begin_ballot(election: Election, ballot: BallotNumber) -> bool:
    """A leader asks for promises."""
    if election.ballots[ballot].begun:
        return False
    election.ballots[ballot].begun = True
    return True


def promise(election: Election, acceptor_id: AcceptorId, ballot: BallotNumber) -> bool:
    """An acceptor promises to ignore lower ballots, and tells its last vote."""
    acceptor = election.acceptors[acceptor_id]
    answer = election.ballots[ballot].promises[acceptor_id]
    if not election.ballots[ballot].begun:
        return False
    if ballot <= acceptor.highest:
        return False
    acceptor.highest = ballot
    answer.sent = True
    answer.vote_ballot = acceptor.vote_ballot
    answer.vote_value = acceptor.vote_value
    return True


def is_majority(election: Election, ids: int) -> bool:
    """Whether a set of acceptors is a quorum."""
    return 2 * cardinality(ids) > len(election.acceptors)


def is_safe_by(election: Election, ballot: int, value: int, quorum: int) -> bool:
    """Whether a quorum's promises allow a value: none of them voted, or the last vote among them was for it."""
    last = NONE
    last_value = NONE
    for acceptor_id in range(len(election.acceptors)):
        answer = election.ballots[ballot].promises[acceptor_id]
        if contains(quorum, acceptor_id):
            if not answer.sent:
                return False
            if answer.vote_ballot > last:
                last = answer.vote_ballot
                last_value = answer.vote_value
    return last == NONE or last_value == value


def is_safe(election: Election, ballot: int, value: int) -> bool:
    """Whether some quorum's promises allow a value."""
    for quorum in range(1 << len(election.acceptors)):
        if is_majority(election, quorum) and is_safe_by(election, ballot, value, quorum):
            return True
    return False


def propose(election: Election, ballot: BallotNumber, value: ValueId) -> bool:
    """A leader with a quorum of promises proposes a value they allow."""
    if election.ballots[ballot].proposal != NONE:
        return False
    if not is_safe(election, ballot, value):
        return False
    election.ballots[ballot].proposal = value
    return True


def vote(election: Election, acceptor_id: AcceptorId, ballot: BallotNumber) -> bool:
    """An acceptor votes for a proposal, unless it promised not to."""
    acceptor = election.acceptors[acceptor_id]
    if election.ballots[ballot].proposal == NONE:
        return False
    if ballot < acceptor.highest:
        return False
    if contains(election.ballots[ballot].voters, acceptor_id):
        return False
    acceptor.highest = ballot
    acceptor.vote_ballot = ballot
    acceptor.vote_value = election.ballots[ballot].proposal
    election.ballots[ballot].voters = including(election.ballots[ballot].voters, acceptor_id)
    return True


def is_chosen(election: Election, ballot: int) -> bool:
    """Whether a ballot's proposal has the votes of a quorum."""
    return is_majority(election, election.ballots[ballot].voters)


def one_value_chosen(election: Election) -> bool:
    """No two ballots choose different values."""
    for one in range(len(election.ballots)):
        for other in range(one):
            both = is_chosen(election, one) and is_chosen(election, other)
            if both and election.ballots[one].proposal != election.ballots[other].proposal:
                return False
    return True


def second_ballot_chooses(election: Election) -> bool:
    """A later ballot can choose too."""
    return is_chosen(election, 0) and is_chosen(election, 1)


MODEL = Model(
    name="paxos",
    state=Election,
    bounds={"acceptors": 3, "max_ballot": 1, "values": 2},
    actions=[begin_ballot, promise, propose, vote],
    always=[one_value_chosen],
    sometimes=[second_ballot_chooses],
)
