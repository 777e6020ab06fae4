"""Does an epoch have one leader, and is no committed record lost, when voters restart from their disks?

A vote, and a follower's records, are on the disk before the answer is sent. A leader's last records may not be: it may
lose them at a restart when other voters have them already. So it must neither lead on nor vote again in its epoch.

Bounds: three voters, two of them a majority; one restart. Two epochs, each with possibly several candidates, and room
    for a LeaderChange record and another one. Both older rules of restarts fail within these bounds. It holds with a
    second restart, too (`--set crashes=2 --set max_records=3`: each restart takes an id, so that fewer ids allow fewer
    restarts).
Expected: HOLDS
"""

from kafkacheck.model.metadata_quorum import environment, family
from kafkacheck.model.metadata_quorum.drawing import QUORUM_WITH_RESTARTS
from kafkacheck.spec.metadata_quorum import elections

MODEL = family.METADATA_QUORUM.model(
    bounds={"max_records": 2, "max_leader_epoch": 2, "crashes": 1},
    actions=[*family.ELECTIONS, environment.voter_crashes],
    always=[*family.SAFETY_OF_ELECTIONS, elections.votes_are_kept, elections.roles_change_in_order],
    sometimes=[*family.EXAMPLES_OF_ELECTIONS, elections.leader_lost_record, elections.leader_kept_log],
    drawing=QUORUM_WITH_RESTARTS,
)
