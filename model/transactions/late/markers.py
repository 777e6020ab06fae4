"""Does a marker that arrives late, or twice, leave the next transaction alone?

Bounds: two transactions of one producer in one partition; one marker that is sent again, and one whose answer is lost.
    Coordinators and leaders are fair.
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.model.transactions import family
from kafkacheck.model.transactions.environment import marker_answer_is_lost, marker_is_repeated
from kafkacheck.model.transactions.partitions import leader_writes_late_marker
from kafkacheck.spec.transactions.properties import fenced_client, nothing_is_undecided, something_is_undecided

MODEL = family.TRANSACTIONAL.model(
    bounds={"producer_ids": 2, "delays": 1, "marker_losses": 1},
    actions=[
        *family.TRANSACTIONS,
        *family.TIMEOUTS,
        marker_is_repeated,
        marker_answer_is_lost,
        leader_writes_late_marker,
    ],
    always=family.SAFETY,
    sometimes=[*family.EXAMPLES, fenced_client],
    leads_to=[(something_is_undecided, nothing_is_undecided)],
    weakly_fair=[each(action) for action in (*family.COORDINATOR, *family.LEADER, *family.TIMEOUTS)],
)
