"""A client goes over to another transaction version when its transaction ends: to a newer one, or back."""

import pytest

from kafkacheck.checker.schema import Ids
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.impl.client.transactional_producer import ask_for_end, is_upgraded, receive_answer
from kafkacheck.impl.log.constants import Marker
from kafkacheck.impl.transactions.constants import Answer, ProducerState, ProduceStage, RequestKind, Upgrade
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions.clients import producer_sends
from kafkacheck.model.transactions.family import BOUNDS
from kafkacheck.model.transactions.system import State

LAYOUT = Layout(State, {**BOUNDS, "upgrades": 1})
RULES = TransactionRules(transaction_version=1)


@pytest.mark.parametrize(
    ("upgrade", "version_of_end", "epoch", "asks_for_epoch", "adds_partition"),
    [
        (Upgrade.NONE, 0, 1, False, True),
        (Upgrade.DUE, 0, 1, True, None),
        (Upgrade.DONE, 1, 2, False, False),
        (Upgrade.BACK_DUE, 1, 2, False, True),
    ],
)
def test_the_end_is_of_the_old_version_and_what_follows_of_the_new_one(
    upgrade, version_of_end, epoch, asks_for_epoch, adds_partition
):
    state = LAYOUT.blank()
    client, request = state.clients[0], state.requests[0]
    client.upgrade, client.state, client.transaction = upgrade, ProducerState.IN_TRANSACTION, 0
    client.producer_id, client.producer_epoch, client.partitions = 0, 1, Ids({0})
    ask_for_end(client, state.transactions, RULES, request, Marker.COMMIT)
    assert request.is_upgraded == version_of_end
    request.producer_id, request.producer_epoch = 0, 2
    receive_answer(client, state.transactions, RULES, request, Answer.NONE)
    assert client.producer_epoch == epoch
    assert (request.kind == RequestKind.INIT_PRODUCER_ID) == asks_for_epoch
    if not asks_for_epoch:
        client.state, client.transaction = ProducerState.IN_TRANSACTION, 1
        assert producer_sends(state, RULES, 0, 0)
        assert (request.kind == RequestKind.ADD_PARTITIONS_TO_TXN) == adds_partition
        assert (state.produces[0].stage == ProduceStage.REQUESTED) != adds_partition
        assert is_upgraded(client) != adds_partition
