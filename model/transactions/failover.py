"""Does a transaction end as decided if its coordinator is replaced and the old one does not notice?

Bounds: two transactions of one producer over two partitions; one change of the coordinator, after which the new one may
    or may not find the uncommitted entry. The epochs are not used up; `transactions.coordinator.epochs` covers that.
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.model.transactions.environment import (
    coordinator_comes_back,
    coordinator_is_replaced,
    zombie_coordinator_resigns,
)
from kafkacheck.model.transactions.family import (
    COORDINATOR,
    EPOCH_LEMMAS,
    EXAMPLES,
    LEADER,
    SAFETY,
    TIMEOUTS,
    TRANSACTIONAL,
    TRANSACTIONS,
)
from kafkacheck.spec.transactions.disturbances import (
    coordinator_is_back_at_rest,
    coordinator_is_replaced_at_rest,
    entry_is_lost,
    entry_outlives_its_coordinator,
    entry_outlives_with_broker,
)
from kafkacheck.spec.transactions.properties import fenced_client, nothing_is_undecided, something_is_undecided

MODEL = TRANSACTIONAL.model(
    bounds={"partitions": 2, "max_coordinator_epoch": 1, "max_producer_epoch": 5, "failovers": 1},
    actions=[*TRANSACTIONS, *TIMEOUTS, coordinator_is_replaced, coordinator_comes_back, zombie_coordinator_resigns],
    always=SAFETY,
    lemmas=EPOCH_LEMMAS,
    sometimes=[
        *EXAMPLES,
        fenced_client,
        coordinator_is_replaced_at_rest,
        entry_outlives_its_coordinator,
        entry_is_lost,
        coordinator_is_back_at_rest,
        entry_outlives_with_broker,
    ],
    leads_to=[(something_is_undecided, nothing_is_undecided)],
    weakly_fair=[each(action) for action in (*COORDINATOR, *LEADER, *TIMEOUTS)],
)
