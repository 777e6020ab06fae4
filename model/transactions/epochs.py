"""Does every transaction end, also at the last epoch that a producer may have?

Bounds: two transactions; an epoch is used up after one of them, and a request to end one may come late.
Expected: HOLDS
"""

from kafkacheck.checker.model import Model, each
from kafkacheck.impl.transactions.records import State
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions.drawing import TRANSACTION_LANES
from kafkacheck.model.transactions.environment import request_is_repeated
from kafkacheck.model.transactions.starts import start_transactions
from kafkacheck.model.transactions.system import (
    BOUNDS,
    COORDINATOR,
    EPOCH_LEMMAS,
    EXAMPLES,
    LEADER,
    SAFETY,
    TIMEOUTS,
    TRANSACTIONS,
    UPGRADE,
)
from kafkacheck.spec.transactions.clients import commit_in_last_epoch
from kafkacheck.spec.transactions.properties import fenced_client, nothing_is_undecided, something_is_undecided

MODEL = Model(
    state=State,
    initial=start_transactions,
    bounds={**BOUNDS, "producer_ids": 4, "max_producer_epoch": 2, "requests": 2, "delays": 1},
    rules=TransactionRules(),
    actions=[*TRANSACTIONS, *TIMEOUTS, request_is_repeated],
    always=[*SAFETY, *UPGRADE],
    lemmas=EPOCH_LEMMAS,
    sometimes=[*EXAMPLES, fenced_client, commit_in_last_epoch],
    leads_to=[(something_is_undecided, nothing_is_undecided)],
    weakly_fair=[each(action) for action in (*COORDINATOR, *LEADER, *TIMEOUTS)],
    drawing=TRANSACTION_LANES,
)
