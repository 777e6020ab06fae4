"""Does every transaction end, even in the last epoch that a producer may have?

Bounds: two transactions; the epochs are used up after one of them, and a request to end one may come late.
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.model.transactions import environment, family
from kafkacheck.spec.transactions import clients, properties

MODEL = family.TRANSACTIONAL.model(
    bounds={"producer_ids": 4, "max_producer_epoch": 2, "requests": 2, "delays": 1},
    actions=[*family.TRANSACTIONS, *family.TIMEOUTS, environment.request_is_repeated],
    always=[*family.SAFETY, *family.UPGRADE],
    lemmas=family.EPOCH_LEMMAS,
    sometimes=[*family.EXAMPLES, properties.fenced_client, clients.commit_in_last_epoch],
    leads_to=[(properties.something_is_undecided, properties.nothing_is_undecided)],
    weakly_fair=[each(action) for action in (*family.COORDINATOR, *family.LEADER, *family.TIMEOUTS)],
)
