"""What a model is: a state, steps, properties, rules and bounds. Models import their names from here."""

from kafkacheck.checker.model.definition import TYPE_OK
from kafkacheck.checker.model.fairness import EVERY_ACTION, EVERY_CALL, Given, each
from kafkacheck.checker.model.family import Family
from kafkacheck.checker.model.model import Model
from kafkacheck.checker.model.parts import Action, Liveness, Measure, Parameter, Property, Protocol

__all__ = [
    "EVERY_ACTION",
    "EVERY_CALL",
    "TYPE_OK",
    "Action",
    "Family",
    "Given",
    "Liveness",
    "Measure",
    "Model",
    "Parameter",
    "Property",
    "Protocol",
    "each",
]
