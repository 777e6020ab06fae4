"""Does every transaction end, even in the last epoch that a producer may have?

Bounds: two transactions; the epochs are used up after one of them, and a request to end one may come late.
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.model.transactions import family
from kafkacheck.model.transactions.environment import request_is_repeated
from kafkacheck.spec.transactions.clients import commit_in_last_epoch
from kafkacheck.spec.transactions.properties import fenced_client, nothing_is_undecided, something_is_undecided

MODEL = family.TRANSACTIONAL.model(
    bounds={"producer_ids": 4, "max_producer_epoch": 2, "requests": 2, "delays": 1},
    actions=[*family.TRANSACTIONS, *family.TIMEOUTS, request_is_repeated],
    always=[*family.SAFETY, *family.UPGRADE],
    lemmas=family.EPOCH_LEMMAS,
    sometimes=[*family.EXAMPLES, fenced_client, commit_in_last_epoch],
    leads_to=[(something_is_undecided, nothing_is_undecided)],
    weakly_fair=[each(action) for action in (*family.COORDINATOR, *family.LEADER, *family.TIMEOUTS)],
)
