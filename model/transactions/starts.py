"""The initial states of the models of transactions."""

from kafkacheck.impl.transactions.constants import ProducerState, Upgrade
from kafkacheck.model.transactions.system import State


def start_transactions(state: State) -> bool:
    """Begin with coordinators that know nothing, clients that have no producer id, and empty partitions."""
    for transactional_id in range(len(state.transactional_ids)):
        state.transactional_ids[transactional_id].coordinators[0].is_serving = True
    return True


def start_group(state: State) -> bool:
    """Begin as `start_transactions`, but each client has its own transactional id."""
    start_transactions(state)
    for client_id in range(len(state.clients)):
        state.clients[client_id].transactional_id = client_id
    return True


def start_consumers(state: State) -> bool:
    """Begin with clients that need no producer id, because they do not write."""
    for client_id in range(len(state.clients)):
        state.clients[client_id].state = ProducerState.READY
    return True


def start_upgrade(state: State) -> bool:
    """Begin with clients of transaction version 1 that learn of version 2 when their first transaction ends."""
    start_transactions(state)
    for client_id in range(len(state.clients)):
        state.clients[client_id].upgrade = Upgrade.DUE
    return True


def start_return(state: State) -> bool:
    """Begin with clients of version 2 that learn of the cluster's version 1 when their first transaction ends."""
    start_transactions(state)
    for client_id in range(len(state.clients)):
        state.clients[client_id].upgrade = Upgrade.BACK_DUE
    return True


def start_mixed(state: State) -> bool:
    """Begin with one client of the rules' transaction version, and others of version 2."""
    start_transactions(state)
    for client_id in range(1, len(state.clients)):
        state.clients[client_id].upgrade = Upgrade.DONE
    return True


def start_group_with_consumer(state: State) -> bool:
    """Begin as `start_group`, but the last client does not write."""
    start_group(state)
    state.clients[len(state.clients) - 1].state = ProducerState.READY
    return True
