"""How much of what a solver said was tried in plain Python, too, as the commands tell it."""

import dataclasses
from typing import Any

from kafkacheck.checker.model import Model
from kafkacheck.checker.proofs.confirmation import Confirmed


def confirmed_text(model: Model, confirmed: Confirmed) -> str:
    """In a line: `lock: plain Python agrees: a search of 96 states, all there are; ...`."""
    far = "all there are" if confirmed.is_complete else f"to depth {confirmed.depth}"
    assumed = f" ({confirmed.assumed:,} have all that is assumed)" if confirmed.assumed is not None else ""
    return (
        f"{model.name}: plain Python agrees: a search of {confirmed.searched:,} states, {far}; {confirmed.calls:,} "
        f"calls from {confirmed.drawn:,} states drawn{assumed}, {confirmed.enabled:,} of them enabled"
    )


def confirmed_entry(confirmed: Confirmed | None) -> dict[str, Any] | None:
    """The same in a JSON document."""
    return None if confirmed is None else dataclasses.asdict(confirmed)
