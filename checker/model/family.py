"""What the models of a family have in common, told once."""

from collections.abc import Mapping
from typing import Any

from kafkacheck.checker.model.charges import OfFamily
from kafkacheck.checker.model.model import Model


class Family:
    """Arguments of `Model` that the models of a family share; each of them gives its own, or in place of these.

    `CLUSTER.model(actions=[...], always=[...], bounds={"crashes": 1})` is a model with the family's state, initial
    states, rules and so on. Bounds and charges come to those of the family, and change them; any other argument
    replaces the family's. A charge of an action that a model does not take is left to the others. Raises what `Model`
    raises.
    """

    def __init__(self, *, bounds: Mapping[str, int], charges: Mapping[Any, str] | None = None, **common: Any) -> None:
        self.bounds = dict(bounds)
        self.charges = dict(charges or {})
        self._common = common

    def model(
        self, *, bounds: Mapping[str, int] | None = None, charges: Mapping[Any, str] | None = None, **own: Any
    ) -> Model:
        """A model of the family."""
        merged = {"bounds": {**self.bounds, **(bounds or {})}, "charges": OfFamily({**self.charges, **(charges or {})})}
        return Model(**{**self._common, **own, **merged})
