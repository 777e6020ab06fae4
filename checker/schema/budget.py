"""What a model allows only so often: a record with one allowance for each name in the `charges` of the model."""

import typing
from functools import lru_cache
from typing import Annotated, cast

from kafkacheck.checker.schema.schema import Allowance, Struct, StructMeta


class Budget(Struct):
    """How often things may still happen: it has a field for each allowance to which the model charges actions.

    The bound of the same name says how often in all. Functions may read a field; a charged action takes from it.
    """

    if typing.TYPE_CHECKING:

        def __getattr__(self, name: str) -> int: ...


@lru_cache(maxsize=256)
def budget_of(allowances: tuple[str, ...]) -> type[Budget]:
    """The class of the budgets with these allowances; the same one each time, so that records of it can be equal.

    ModelError where a name cannot be that of a field.
    """
    fields = {name: Annotated[int, Allowance(name)] for name in allowances}
    namespace = {"__module__": __name__, "__doc__": Budget.__doc__, "__annotations__": fields}
    return cast(type[Budget], StructMeta("Budget", (Budget,), namespace))
