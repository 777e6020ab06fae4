"""Does a replica whose log was truncated know which transactions are open?

Bounds: three batches of one transaction, two in flight, to two replicas; two fail-overs, so that a deposed leader has a
    longer log than its successor, and leads again. The coordinator aborts once.
Expected: HOLDS, with the fix of Kafka 4.5, as in `producer.unknown`: a truncation can leave an empty log.
"""

from kafkacheck.checker.model import each
from kafkacheck.impl.log.rules import LogRules
from kafkacheck.impl.producer.rules import ProducerRules
from kafkacheck.model.producer.drawing import REPLICAS
from kafkacheck.model.producer.environment import coordinator_aborts, leadership_moves, start_empty
from kafkacheck.model.producer.family import PRODUCER, RETRIES, SAFETY
from kafkacheck.model.producer.system import follower_fetches, producer_gets_id
from kafkacheck.spec.producer.properties import (
    acknowledged_batch,
    failed_batches_are_absent,
    open_transaction,
    open_transactions_are_stored,
)
from kafkacheck.spec.producer.steps import follower_behind, followers_have_all

MODEL = PRODUCER.model(
    initial=start_empty,
    rules=ProducerRules(log=LogRules(empty_log_awaits_first_sequence=True)),
    bounds={"replicas": 2, "transactional": 1, "max_verification_guard": 3, "failovers": 2, "aborts": 1},
    actions=[producer_gets_id, *RETRIES, follower_fetches, leadership_moves, coordinator_aborts],
    always=[open_transactions_are_stored, *(each for each in SAFETY if each is not failed_batches_are_absent)],
    sometimes=[acknowledged_batch, open_transaction],
    leads_to=[(follower_behind, followers_have_all)],
    weakly_fair=[each(follower_fetches, "replica_id")],
    drawing=REPLICAS,
)
