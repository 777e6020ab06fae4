"""Does each transaction end when two threads of its coordinator find at once that its markers are written?

Bounds: two transactions of one producer in one partition, one such pair of threads, and one reassignment, behind which
    only what the transaction log has counts.
Expected: HOLDS
"""

from kafkacheck.checker.model import Model, each
from kafkacheck.impl.transactions.markers import second_thread_completes_transaction
from kafkacheck.impl.transactions.records import State
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions.coordinator_environment import completion_is_found_twice, coordinator_is_reassigned
from kafkacheck.model.transactions.drawing import TRANSACTION_LANES
from kafkacheck.model.transactions.starts import start_transactions
from kafkacheck.model.transactions.system import BOUNDS, COORDINATOR, EXAMPLES, LEADER, SAFETY, TIMEOUTS, TRANSACTIONS
from kafkacheck.spec.transactions.properties import nothing_is_undecided, something_is_undecided

MODEL = Model(
    state=State,
    initial=start_transactions,
    bounds={**BOUNDS, "max_coordinator_epoch": 1, "max_producer_epoch": 5, "failovers": 1, "second_completions": 1},
    rules=TransactionRules(),
    actions=[
        *TRANSACTIONS,
        *TIMEOUTS,
        coordinator_is_reassigned,
        completion_is_found_twice,
        second_thread_completes_transaction,
    ],
    always=SAFETY,
    sometimes=EXAMPLES,
    leads_to=[(something_is_undecided, nothing_is_undecided)],
    weakly_fair=[each(action) for action in (*COORDINATOR, *LEADER, *TIMEOUTS)],
    drawing=TRANSACTION_LANES,
)
