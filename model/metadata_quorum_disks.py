"""Is committed metadata safe from a voter whose disk fails, and that comes back with an empty one?

It has neither the records that it had, nor its votes. By its id alone it would be taken for the voter that it was: it
would help to elect somebody who lacks what is committed, or a second leader in an epoch in which it has voted.

Bounds: three voters, of which two are a majority; one disk is lost. Two epochs, in each of which several may stand, and
    room for a LeaderChange record and another one. The older rule fails within them.
Expected: HOLDS
"""

from checker.model import Model
from impl.controller.quorum import Quorum, QuorumRules, voter_fetches, voter_receives_record
from impl.controller.quorum_elections import (
    candidate_becomes_leader,
    quorum_leader_flushes,
    quorum_leader_writes,
    voter_receives_vote_request,
    voter_stands_for_election,
)
from model.quorum_environment import voter_disk_is_replaced
from spec.metadata_quorum import (
    all_voters_commit,
    committed_metadata_stays,
    leaders_have_committed_metadata,
    one_leader_in_quorum_epoch,
    outvoted_record,
    quorum_high_watermark_follows,
    quorum_logs_match,
    replaced_quorum_leader,
)
from spec.quorum_elections import (
    quorum_leaders_have_own_record,
    quorum_logs_are_whole,
    quorum_records_are_unique,
    refused_candidate,
    votes_are_given_in_their_epoch,
)

MODEL = Model(
    name="metadata_quorum_disks",
    state=Quorum,
    bounds={
        "voters": 3,
        "log_size": 2,
        "max_records": 2,
        "max_leader_epoch": 2,
        "crashes": 0,
        "disk_losses": 1,
        "cuts": 0,
    },
    rules=QuorumRules(),
    actions=[
        voter_stands_for_election,
        voter_receives_vote_request,
        candidate_becomes_leader,
        quorum_leader_writes,
        quorum_leader_flushes,
        voter_fetches,
        voter_receives_record,
        voter_disk_is_replaced,
    ],
    always=[
        quorum_records_are_unique,
        votes_are_given_in_their_epoch,
        quorum_leaders_have_own_record,
        quorum_logs_are_whole,
        one_leader_in_quorum_epoch,
        leaders_have_committed_metadata,
        committed_metadata_stays,
        quorum_logs_match,
        quorum_high_watermark_follows,
    ],
    sometimes=[
        all_voters_commit,
        replaced_quorum_leader,
        outvoted_record,
        refused_candidate,
    ],
)
