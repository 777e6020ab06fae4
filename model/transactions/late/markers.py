"""Does a marker that arrives late, or twice, leave the next transaction alone?

Bounds: two transactions of one producer in one partition; one marker that is sent again, and one whose answer is lost.
    Coordinators and leaders are fair.
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.model.transactions import environment, family, partitions
from kafkacheck.spec.transactions import properties

MODEL = family.TRANSACTIONAL.model(
    bounds={"producer_ids": 2, "delays": 1, "marker_losses": 1},
    actions=[
        *family.TRANSACTIONS,
        *family.TIMEOUTS,
        environment.marker_is_repeated,
        environment.marker_answer_is_lost,
        partitions.leader_writes_late_marker,
    ],
    always=family.SAFETY,
    sometimes=[*family.EXAMPLES, properties.fenced_client],
    leads_to=[(properties.something_is_undecided, properties.nothing_is_undecided)],
    weakly_fair=[each(action) for action in (*family.COORDINATOR, *family.LEADER, *family.TIMEOUTS)],
)
