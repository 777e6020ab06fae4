"""Does a replica know which transactions are open, although its log was cut?

Bounds: three batches of one transaction, two in flight, to two replicas; two fail-overs, so that a deposed leader has
    more than its successor, and leads again. The coordinator aborts once.
Expected: HOLDS
"""

from checker.model import Model, each
from impl.producer.follower import follower_fetches
from impl.producer.rules import ProducerRules
from impl.producer.sender import producer_gets_id
from impl.producing import State
from model.producer.drawing import REPLICAS
from model.producer.environment import coordinator_aborts, leadership_moves, start_empty
from model.producer.system import BOUNDS, RETRIES, SAFETY
from spec.producer.properties import (
    acknowledged_batch,
    failed_batches_are_absent,
    open_transaction,
    open_transactions_are_stored,
)
from spec.producer.steps import follower_behind, followers_have_all

MODEL = Model(
    state=State,
    initial=start_empty,
    bounds={
        **BOUNDS,
        "replicas": 2,
        "transactional": 1,
        "max_verification_guard": 3,
        "failovers": 2,
        "aborts": 1,
    },
    rules=ProducerRules(),
    actions=[producer_gets_id, *RETRIES, follower_fetches, leadership_moves, coordinator_aborts],
    always=[open_transactions_are_stored, *(each for each in SAFETY if each is not failed_batches_are_absent)],
    sometimes=[acknowledged_batch, open_transaction],
    leads_to=[(follower_behind, followers_have_all)],
    weakly_fair=[each(follower_fetches, "replica_id")],
    drawing=REPLICAS,
)
