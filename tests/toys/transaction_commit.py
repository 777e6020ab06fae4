"""Do resource managers that may look at each other ever disagree about a transaction?"""

from enum import IntEnum
from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Array, ById, EnumOf, Id, Struct


class Stage(IntEnum):
    """How far a resource manager is."""

    WORKING = 0
    PREPARED = 1
    COMMITTED = 2
    ABORTED = 3


ManagerId = Annotated[int, Id("resource_managers")]


class Transaction(Struct):
    """The stage of every resource manager."""

    stages: Annotated[Array[Annotated[Stage, EnumOf(Stage)]], ById("resource_managers")]


def can_commit(transaction: Transaction) -> bool:
    """Whether nobody can still abort."""
    for manager in range(len(transaction.stages)):
        stage = transaction.stages[manager]
        if stage != Stage.PREPARED and stage != Stage.COMMITTED:
            return False
    return True


def none_committed(transaction: Transaction) -> bool:
    """Whether nobody has committed."""
    for manager in range(len(transaction.stages)):
        if transaction.stages[manager] == Stage.COMMITTED:
            return False
    return True


def prepare(transaction: Transaction, manager: ManagerId) -> bool:
    """A working manager promises to go along with either outcome."""
    if transaction.stages[manager] != Stage.WORKING:
        return False
    transaction.stages[manager] = Stage.PREPARED
    return True


def commit(transaction: Transaction, manager: ManagerId) -> bool:
    """A prepared manager commits, once everybody is prepared."""
    if transaction.stages[manager] != Stage.PREPARED:
        return False
    if not can_commit(transaction):
        return False
    transaction.stages[manager] = Stage.COMMITTED
    return True


def abort(transaction: Transaction, manager: ManagerId) -> bool:
    """A working or prepared manager aborts, as long as nobody has committed."""
    stage = transaction.stages[manager]
    if stage != Stage.WORKING and stage != Stage.PREPARED:
        return False
    if not none_committed(transaction):
        return False
    transaction.stages[manager] = Stage.ABORTED
    return True


def agreement(transaction: Transaction) -> bool:
    """No manager has committed while another has aborted."""
    for one in range(len(transaction.stages)):
        for other in range(len(transaction.stages)):
            if transaction.stages[one] == Stage.COMMITTED and transaction.stages[other] == Stage.ABORTED:
                return False
    return True


def outcome_is_final(before: Transaction, after: Transaction) -> bool:
    """A manager that has committed or aborted stays so."""
    for manager in range(len(before.stages)):
        stage = before.stages[manager]
        is_final = stage == Stage.COMMITTED or stage == Stage.ABORTED
        if is_final and after.stages[manager] != stage:
            return False
    return True


MODEL = Model(
    name="transaction_commit",
    state=Transaction,
    bounds={"resource_managers": 3},
    actions=[prepare, commit, abort],
    always=[agreement, outcome_is_final],
)
