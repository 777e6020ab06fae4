"""Does each transaction end if two threads of its coordinator find at once that its markers are written?

Bounds: two transactions of one producer in one partition, one such pair of threads, and one reassignment, after which
    only the transaction log counts.
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.model.transactions import coordinators, environment, family
from kafkacheck.spec.transactions import properties

MODEL = family.TRANSACTIONAL.model(
    bounds={"max_coordinator_epoch": 1, "max_producer_epoch": 5, "failovers": 1, "second_completions": 1},
    actions=[
        *family.TRANSACTIONS,
        *family.TIMEOUTS,
        environment.coordinator_is_reassigned,
        environment.completion_is_found_twice,
        coordinators.second_thread_completes_transaction,
    ],
    always=family.SAFETY,
    leads_to=[(properties.something_is_undecided, properties.nothing_is_undecided)],
    weakly_fair=[each(action) for action in (*family.COORDINATOR, *family.LEADER, *family.TIMEOUTS)],
)
