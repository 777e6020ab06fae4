"""Does an epoch have one leader, and is no committed record lost, when voters restart from their disks?

A vote, and a follower's records, are on the disk before the answer is sent. A leader's last records may not be: it may
lose them at a restart when other voters have them already. So it must neither lead on nor vote again in its epoch.

Bounds: three voters, two of them a majority; one restart. Two epochs, each with possibly several candidates, and room
    for a LeaderChange record and another one. Both older rules of restarts fail within these bounds. It holds with a
    second restart, too (`--set crashes=2 --set max_records=3`: each restart takes an id, so that fewer ids allow fewer
    restarts).
Expected: HOLDS
"""

from kafkacheck.checker.model import Model
from kafkacheck.impl.controller.quorum import Quorum, QuorumRules, voter_fetches, voter_receives_record
from kafkacheck.impl.controller.quorum_elections import (
    candidate_becomes_leader,
    quorum_leader_flushes,
    quorum_leader_writes,
    voter_receives_vote_request,
    voter_stands_for_election,
)
from kafkacheck.model.metadata_quorum.drawing import QUORUM_WITH_RESTARTS
from kafkacheck.model.metadata_quorum.environment import voter_crashes
from kafkacheck.spec.metadata_quorum.elections import (
    leader_kept_log,
    leader_lost_record,
    quorum_leaders_have_own_record,
    quorum_logs_are_whole,
    quorum_records_are_unique,
    refused_candidate,
    restarts_take_next_id,
    roles_change_in_order,
    votes_are_given_in_their_epoch,
    votes_are_kept,
)
from kafkacheck.spec.metadata_quorum.properties import (
    all_voters_commit,
    committed_metadata_stays,
    leaders_have_committed_metadata,
    one_leader_in_quorum_epoch,
    outvoted_record,
    quorum_high_watermark_follows,
    quorum_logs_match,
    replaced_quorum_leader,
)

ELECTIONS = (
    voter_stands_for_election,
    voter_receives_vote_request,
    candidate_becomes_leader,
    quorum_leader_writes,
    quorum_leader_flushes,
    voter_fetches,
    voter_receives_record,
)
SAFETY = (
    quorum_records_are_unique,
    votes_are_given_in_their_epoch,
    quorum_leaders_have_own_record,
    quorum_logs_are_whole,
    one_leader_in_quorum_epoch,
    leaders_have_committed_metadata,
    committed_metadata_stays,
    quorum_logs_match,
    quorum_high_watermark_follows,
    restarts_take_next_id,
)
EXAMPLES = (all_voters_commit, replaced_quorum_leader, outvoted_record, refused_candidate)

MODEL = Model(
    state=Quorum,
    bounds={
        "voters": 3,
        "log_size": 2,
        "max_records": 2,
        "max_leader_epoch": 2,
        "crashes": 1,
        "disk_losses": 0,
        "cuts": 0,
    },
    rules=QuorumRules(),
    actions=[*ELECTIONS, voter_crashes],
    always=[*SAFETY, votes_are_kept, roles_change_in_order],
    sometimes=[*EXAMPLES, leader_lost_record, leader_kept_log],
    drawing=QUORUM_WITH_RESTARTS,
)
