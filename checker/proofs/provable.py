"""Which properties the solver is asked about: those of states and of steps, and no others."""

from collections.abc import Sequence

from kafkacheck.checker.model import Model
from kafkacheck.checker.process.errors import UsageError


def with_provable(model: Model, names: Sequence[str]) -> Model:
    """The model with the named properties only; all of them if none is named.

    UsageError if one does not exist, or is neither one of states nor one of steps.
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


def left_out(model: Model, deadlock_is_judged: bool) -> list[str]:
    """The names of properties that only a search judges: those of whole behaviours, and "deadlock"."""
    others = ["deadlock"] if model.check_deadlock and not deadlock_is_judged else []
    return [*(each.name for each in model.liveness), *others]


def left_out_text(model: Model, deadlock_is_judged: bool) -> str:
    """The properties that are not judged, in a line; "" if there are none."""
    names = left_out(model, deadlock_is_judged)
    if not names:
        return ""
    return f"{model.name}: nothing is said of {', '.join(names)}, which only `kafkacheck check` judges"
