"""Do resource managers that are told the outcome by a transaction manager ever disagree?

Messages are a set that only grows: a message is never lost and can be received again any time later.
"""

from enum import IntEnum
from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Array, ById, EnumOf, Flag, Id, Ids, IdSet, Struct
from tests.toys.transaction_commit import Stage

ManagerId = Annotated[int, Id("resource_managers")]
Managers = Annotated[Ids, IdSet("resource_managers")]


class Decision(IntEnum):
    """What the transaction manager has decided."""

    NONE = 0
    COMMIT = 1
    ABORT = 2


class Messages(Struct):
    """The messages sent so far: who said it is prepared, and what the transaction manager announced."""

    prepared: Managers
    commit: Annotated[bool, Flag()]
    abort: Annotated[bool, Flag()]


class Transaction(Struct):
    """Stages of the resource managers, the transaction manager's decision, whom it heard of, messages."""

    stages: Annotated[Array[Annotated[Stage, EnumOf(Stage)]], ById("resource_managers")]
    decision: Annotated[Decision, EnumOf(Decision)]
    heard: Managers
    messages: Messages


def manager_prepares(transaction: Transaction, manager: ManagerId) -> bool:
    """A working resource manager is ready to go along with either outcome, and says so."""
    if transaction.stages[manager] != Stage.WORKING:
        return False
    transaction.stages[manager] = Stage.PREPARED
    transaction.messages.prepared |= {manager}
    return True


def manager_chooses_to_abort(transaction: Transaction, manager: ManagerId) -> bool:
    """A working resource manager gives up, silently."""
    if transaction.stages[manager] != Stage.WORKING:
        return False
    transaction.stages[manager] = Stage.ABORTED
    return True


def manager_receives_commit(transaction: Transaction, manager: ManagerId) -> bool:
    """A resource manager is told to commit."""
    if not transaction.messages.commit:
        return False
    if transaction.stages[manager] == Stage.COMMITTED:
        return False
    transaction.stages[manager] = Stage.COMMITTED
    return True


def manager_receives_abort(transaction: Transaction, manager: ManagerId) -> bool:
    """A resource manager is told to abort."""
    if not transaction.messages.abort:
        return False
    if transaction.stages[manager] == Stage.ABORTED:
        return False
    transaction.stages[manager] = Stage.ABORTED
    return True


def coordinator_receives_prepared(transaction: Transaction, manager: ManagerId) -> bool:
    """The transaction manager hears that a resource manager is prepared."""
    if transaction.decision != Decision.NONE:
        return False
    if manager not in transaction.messages.prepared:
        return False
    if manager in transaction.heard:
        return False
    transaction.heard |= {manager}
    return True


def coordinator_commits(transaction: Transaction) -> bool:
    """The transaction manager has heard from everybody and announces the commit."""
    if transaction.decision != Decision.NONE:
        return False
    if len(transaction.heard) != len(transaction.stages):
        return False
    transaction.decision = Decision.COMMIT
    transaction.messages.commit = True
    return True


def coordinator_aborts(transaction: Transaction) -> bool:
    """The transaction manager gives up."""
    if transaction.decision != Decision.NONE:
        return False
    transaction.decision = Decision.ABORT
    transaction.messages.abort = True
    return True


def agreement(transaction: Transaction) -> bool:
    """No resource manager has committed while another has aborted."""
    for one in range(len(transaction.stages)):
        for other in range(len(transaction.stages)):
            if transaction.stages[one] == Stage.COMMITTED and transaction.stages[other] == Stage.ABORTED:
                return False
    return True


def all_committed(transaction: Transaction) -> bool:
    """The good outcome is possible."""
    for manager in range(len(transaction.stages)):
        if transaction.stages[manager] != Stage.COMMITTED:
            return False
    return True


MODEL = Model(
    name="two_phase_commit",
    state=Transaction,
    bounds={"resource_managers": 3},
    actions=[
        manager_prepares,
        manager_chooses_to_abort,
        manager_receives_commit,
        manager_receives_abort,
        coordinator_receives_prepared,
        coordinator_commits,
        coordinator_aborts,
    ],
    always=[agreement],
    sometimes=[all_committed],
)
