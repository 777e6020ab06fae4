"""Does a transaction end as decided if its coordinator is replaced and the old one does not notice?

Bounds: two transactions of one producer over two partitions; one change of the coordinator, after which the new one may
    or may not find the uncommitted entry. The epochs are not used up; `transactions.coordinator.epochs` covers that.
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.model.transactions import environment, family
from kafkacheck.spec.transactions import disturbances, properties

MODEL = family.TRANSACTIONAL.model(
    bounds={"partitions": 2, "max_coordinator_epoch": 1, "max_producer_epoch": 5, "failovers": 1},
    actions=[
        *family.TRANSACTIONS,
        *family.TIMEOUTS,
        environment.coordinator_is_replaced,
        environment.coordinator_comes_back,
        environment.zombie_coordinator_resigns,
    ],
    always=family.SAFETY,
    lemmas=family.EPOCH_LEMMAS,
    sometimes=[
        *family.EXAMPLES,
        properties.fenced_client,
        disturbances.coordinator_is_replaced_at_rest,
        disturbances.entry_outlives_its_coordinator,
        disturbances.entry_is_lost,
        disturbances.coordinator_is_back_at_rest,
        disturbances.entry_outlives_with_broker,
    ],
    leads_to=[(properties.something_is_undecided, properties.nothing_is_undecided)],
    weakly_fair=[each(action) for action in (*family.COORDINATOR, *family.LEADER, *family.TIMEOUTS)],
)
