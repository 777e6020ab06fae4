"""Common parts of the models of the metadata quorum.

Bounds: three `voters`; a log has room for `log_size` records; elections begin epochs up to `max_leader_epoch`; records
have `max_records` ids, of which each restart takes one. The others are budgets (`environment.py`).
"""

from kafkacheck.checker.model import Family
from kafkacheck.impl.quorum.rules import QuorumRules
from kafkacheck.model.metadata_quorum import system
from kafkacheck.model.metadata_quorum.drawing import QUORUM
from kafkacheck.model.metadata_quorum.environment import CHARGES
from kafkacheck.spec.metadata_quorum import elections, properties

ELECTIONS = (
    system.voter_stands_for_election,
    system.voter_receives_vote_request,
    system.candidate_becomes_leader,
    system.quorum_leader_writes,
    system.quorum_leader_flushes,
    system.voter_fetches,
    system.voter_receives_record,
)
"""Elections in steps, and leaders that flush late."""

SAFETY = (
    properties.one_leader_in_quorum_epoch,
    properties.leaders_have_committed_metadata,
    properties.committed_metadata_stays,
    properties.quorum_logs_match,
    properties.quorum_high_watermark_follows,
)

SAFETY_OF_ELECTIONS = (
    elections.quorum_records_are_unique,
    elections.votes_are_given_in_their_epoch,
    elections.quorum_leaders_have_own_record,
    elections.quorum_logs_are_whole,
    *SAFETY,
    elections.restarts_take_next_id,
)

EXAMPLES = (properties.all_voters_commit, properties.replaced_quorum_leader, properties.outvoted_record)

EXAMPLES_OF_ELECTIONS = (*EXAMPLES, elections.refused_candidate)

BOUNDS = {
    "voters": 3,
    "log_size": 2,
    "max_records": 1,
    "max_leader_epoch": 4,
    "crashes": 0,
    "disk_losses": 0,
    "cuts": 0,
}
"""Bounds to start from; each model says what it changes."""

METADATA_QUORUM = Family(state=system.State, charges=CHARGES, bounds=BOUNDS, rules=QuorumRules(), drawing=QUORUM)
"""The metadata quorum, as each model has it unless it says otherwise."""
