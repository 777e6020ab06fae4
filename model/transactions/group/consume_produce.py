"""Does every input take effect exactly once when applications consume, transform and produce in transactions?

Bounds: one input, two clients with a transactional id each, two rebalances and two transactions.
Expected: HOLDS
"""

from kafkacheck.checker.model import Model
from kafkacheck.impl.transactions.records import State
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions.drawing import TRANSACTION_LANES
from kafkacheck.model.transactions.starts import start_group
from kafkacheck.model.transactions.system import BOUNDS, CONSUME_PRODUCE, EXAMPLES, GROUP_SAFETY, SAFETY

MODEL = Model(
    state=State,
    initial=start_group,
    bounds={
        **BOUNDS,
        "clients": 2,
        "transactional_ids": 2,
        "producer_ids": 2,
        "partitions": 2,
        "offsets_partition": 1,
        "requests": 2,
        "produces": 2,
        "inputs": 1,
        "max_generation": 2,
        "rebalances": 2,
    },
    rules=TransactionRules(),
    actions=CONSUME_PRODUCE,
    always=[*SAFETY, *GROUP_SAFETY],
    sometimes=EXAMPLES,
    drawing=TRANSACTION_LANES,
)
