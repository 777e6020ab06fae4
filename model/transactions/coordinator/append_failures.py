"""Does a transaction end as decided if appends to the transaction log fail or have an unknown outcome?

After an append of unknown outcome the coordinator goes on with the state in its memory, which the log need not have; so
the transitions of the log are not always valid. No decision is carried out for that reason, and none is lost.

Bounds: two transactions of one producer; three failures, so that they could use up the epochs; one lost answer.
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.model.transactions import family
from kafkacheck.model.transactions.environment import append_fails, marker_answer_is_lost
from kafkacheck.spec.transactions.disturbances import append_of_unknown_outcome, entry_is_lost
from kafkacheck.spec.transactions.properties import fenced_client, nothing_is_undecided, something_is_undecided

MODEL = family.TRANSACTIONAL.model(
    bounds={"producer_ids": 6, "append_failures": 3, "marker_losses": 1},
    actions=[*family.TRANSACTIONS, *family.TIMEOUTS, append_fails, marker_answer_is_lost],
    always=family.PROMISES,
    sometimes=[*family.EXAMPLES, fenced_client, entry_is_lost, append_of_unknown_outcome],
    leads_to=[(something_is_undecided, nothing_is_undecided)],
    weakly_fair=[each(action) for action in (*family.COORDINATOR, *family.LEADER, *family.TIMEOUTS)],
)
