"""Which drawings fit a model: those of the catalogue do, and what does not is told."""

from dataclasses import replace

import pytest

from kafkacheck.checker.catalogue.catalogue import catalogue_names, find_model
from kafkacheck.checker.drawing import Event, ExtraLane
from kafkacheck.checker.process.errors import ModelError
from tests.support.relay import LANES, MODEL, relay_with


def check(model, drawing):
    names = {action.name: tuple(parameter.name for parameter in action.parameters) for action in model.actions}
    drawing.check(model.layout.blank(), names)


@pytest.mark.parametrize("name", catalogue_names())
def test_every_action_of_the_catalogue_is_drawn(name):
    model = find_model(name)
    if model.drawing is not None:
        assert {action.name for action in model.actions} <= set(model.drawing.events)
        check(model, model.drawing)


WRONG = {
    "array": ({"array": "lanes"}, "array='lanes' is not the path of an array"),
    "no array": ({"array": "keeper"}, "array='keeper' is not the path of an array"),
    "title": ({"title": "node {number}"}, r"a lane uses \{number\}"),
    "text": ({"text": "{settled.now}"}, r"uses \{settled\.now\}"),
    "not a path": ({"text": "{1 + 1}"}, "neither a field, an index nor a name"),
    "cells": ({"cells": replace(LANES.cells, items="things")}, r"cells uses \{things\}"),
    "cell": ({"cells": replace(LANES.cells, text="{colour}")}, r"a cell uses \{colour\}"),
    "band": ({"band": replace(LANES.band, holder="boss")}, r"band uses \{boss\}"),
    "extra": ({"extra": (ExtraLane("keeper", "keeper", "{term}"),)}, r"the lane 'keeper' uses \{term\}"),
    "event": ({"events": {"node_add": Event("node_id", "adds {thing}")}}, r"the event of node_add uses \{thing\}"),
    "end": ({"events": {"node_add": Event("sender", "adds")}}, r"the event of node_add uses \{sender\}"),
}


@pytest.mark.parametrize(("changes", "expected"), WRONG.values(), ids=WRONG)
def test_a_drawing_that_does_not_fit_the_model_is_refused(changes, expected):
    with pytest.raises(ModelError, match=expected):
        check(MODEL, replace(LANES, **changes))


def test_a_drawing_that_does_not_fit_is_told_with_the_name_of_the_model():
    with pytest.raises(ModelError, match=r"model relay: drawing: array='nodez' is not the path"):
        relay_with(drawing=replace(LANES, array="nodez"))


def test_a_drawing_may_describe_actions_that_a_model_lacks():
    check(MODEL, replace(LANES, events={"node_fly": Event("wings", "flies {high}")}))
