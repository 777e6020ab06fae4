"""Which properties the solver is asked about: those of states and of steps, and no others."""

from collections.abc import Sequence

from checker.errors import UsageError
from checker.model import Model


def with_provable(model: Model, names: Sequence[str]) -> Model:
    """The model with the named properties only, all of them where none is named.

    UsageError where one does not exist, or is neither one of states nor one of steps.
    """
    if not names:
        return model
    wanted = model.with_properties(names)
    for kind, others in (("a liveness property", wanted.liveness), ("an example that must occur", wanted.sometimes)):
        for each in others:
            raise UsageError(
                f"{each.name} is {kind}; the solver is asked about properties of states and of steps only; "
                f"`kafkacheck check --property {each.name}` judges it"
            )
    return wanted


def left_out(model: Model) -> list[str]:
    """The names of the properties of whole behaviours, which a search judges and the solver does not."""
    return [each.name for each in model.liveness]


def left_out_text(model: Model) -> str:
    """Of what nothing is said, in a line; "" where that is nothing."""
    names = left_out(model)
    if not names:
        return ""
    return f"{model.name}: nothing is said of {', '.join(names)}: only `kafkacheck check` judges liveness properties"
