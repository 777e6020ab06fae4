"""Does every transaction end, once its coordinator and the partitions' leaders do what they can?

Bounds: as in `transactions.late.requests`, with transactions that time out.
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.model.transactions import family
from kafkacheck.model.transactions.environment import produce_is_given_up, request_is_repeated
from kafkacheck.spec.transactions.clients import abort_after_error
from kafkacheck.spec.transactions.disturbances import end_comes_too_early
from kafkacheck.spec.transactions.properties import fenced_client, nothing_is_undecided, something_is_undecided

MODEL = family.TRANSACTIONAL.model(
    bounds={"producer_ids": 2, "requests": 2, "produces": 2, "delays": 1},
    actions=[*family.TRANSACTIONS, *family.TIMEOUTS, request_is_repeated, produce_is_given_up],
    always=[*family.SAFETY, *family.UPGRADE],
    lemmas=family.EPOCH_LEMMAS,
    sometimes=[*family.EXAMPLES, fenced_client, abort_after_error, end_comes_too_early],
    leads_to=[(something_is_undecided, nothing_is_undecided)],
    weakly_fair=[each(action) for action in (*family.COORDINATOR, *family.LEADER, *family.TIMEOUTS)],
)
