"""Can a replaced coordinator, or its marker, end a transaction when partitions have forgotten producers?

Bounds: two transactions of one producer in one partition, one change of the coordinator, one lost answer to a marker,
    and one producer forgotten.
Expected: HOLDS
"""

from kafkacheck.model.transactions import environment, family
from kafkacheck.spec.transactions import clients, disturbances

MODEL = family.TRANSACTIONAL.model(
    bounds={"max_coordinator_epoch": 1, "failovers": 1, "expirations": 1, "marker_losses": 1},
    actions=[
        *family.TRANSACTIONS,
        environment.coordinator_is_replaced,
        environment.zombie_coordinator_resigns,
        environment.producer_state_expires,
        environment.marker_answer_is_lost,
    ],
    always=family.SAFETY,
    lemmas=family.LEMMAS,
    sometimes=[
        *family.EXAMPLES,
        disturbances.coordinator_is_replaced_at_rest,
        disturbances.entry_outlives_its_coordinator,
        disturbances.entry_is_lost,
        disturbances.producer_is_forgotten_behind_failover,
        clients.refused_commit,
    ],
)
