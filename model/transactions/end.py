"""Does every transaction end, once its coordinator and the partitions' leaders do what they can?

Bounds: two transactions of one producer in one partition; one request to the coordinator that is repeated, or one
    produce request that is given up; transactions time out.
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.model.transactions import environment, family
from kafkacheck.spec.transactions import clients, properties

MODEL = family.TRANSACTIONAL.model(
    bounds={"producer_ids": 2, "requests": 2, "produces": 2, "delays": 1},
    actions=[*family.TRANSACTIONS, *family.TIMEOUTS, environment.request_is_repeated, environment.produce_is_given_up],
    always=[*family.SAFETY, *family.UPGRADE],
    lemmas=family.EPOCH_LEMMAS,
    sometimes=[*family.EXAMPLES, properties.fenced_client, clients.abort_after_error],
    leads_to=[(properties.something_is_undecided, properties.nothing_is_undecided)],
    weakly_fair=[each(action) for action in (*family.COORDINATOR, *family.LEADER, *family.TIMEOUTS)],
)
