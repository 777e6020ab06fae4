"""Can a replaced coordinator, or its marker, end a transaction when partitions have forgotten producers?

Bounds: two transactions of one producer in one partition, one change of the coordinator, and one producer forgotten.
Expected: HOLDS
"""

from kafkacheck.model.transactions.environment import (
    coordinator_is_replaced,
    marker_answer_is_lost,
    producer_state_expires,
    zombie_coordinator_resigns,
)
from kafkacheck.model.transactions.family import EXAMPLES, LEMMAS, SAFETY, TRANSACTIONAL, TRANSACTIONS
from kafkacheck.spec.transactions.clients import refused_commit
from kafkacheck.spec.transactions.disturbances import (
    coordinator_is_replaced_at_rest,
    entry_is_lost,
    entry_outlives_its_coordinator,
    producer_is_forgotten_behind_failover,
)

MODEL = TRANSACTIONAL.model(
    bounds={"max_coordinator_epoch": 1, "failovers": 1, "expirations": 1, "marker_losses": 1},
    actions=[
        *TRANSACTIONS,
        coordinator_is_replaced,
        zombie_coordinator_resigns,
        producer_state_expires,
        marker_answer_is_lost,
    ],
    always=SAFETY,
    lemmas=LEMMAS,
    sometimes=[
        *EXAMPLES,
        coordinator_is_replaced_at_rest,
        entry_outlives_its_coordinator,
        entry_is_lost,
        producer_is_forgotten_behind_failover,
        refused_commit,
    ],
)
