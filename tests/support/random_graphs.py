"""Random labelled graphs as models, and which of their liveness properties hold, by brute force over sets of states."""

import itertools
import random
from dataclasses import dataclass, field

import networkx as nx

STATES, CHOICES = 6, 2
ACTIONS = ("go", "hop", "jump")

HEAD = '''"""Is a random graph live?"""

from typing import Annotated

from kafkacheck.checker.model.fairness import each
from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Count, Struct


class Spot(Struct):
    at: Annotated[int, Count(5)]


def is_asked(spot: Spot) -> bool:
    return {asked}


def is_goal(spot: Spot) -> bool:
    return {goal}


def is_no_goal(spot: Spot) -> bool:
    return not is_goal(spot)

'''

Call = tuple[str, int]
Requirement = tuple[bool, frozenset[Call]]
"""Whether it is strong, and the calls that it speaks of."""


@dataclass
class RandomGraph:
    """Steps (source, call, target) from state 0 on, what is asked for and where it is, and what is fair.

    `idle` are calls (source, call) that change nothing, so that nothing depends on them.
    """

    steps: list[tuple[int, Call, int]] = field(default_factory=list)
    idle: list[tuple[int, Call]] = field(default_factory=list)
    asked: set[int] = field(default_factory=set)
    goal: set[int] = field(default_factory=set)
    weakly: list[str] = field(default_factory=list)
    strongly: list[str] = field(default_factory=list)

    def text(self) -> str:
        """A file that defines the model."""
        parts = [HEAD.format(asked=_among(self.asked), goal=_among(self.goal))]
        for action in ACTIONS:
            parts.append(f"\ndef {action}(spot: Spot, choice: Annotated[int, Count(1)]) -> bool:\n")
            for source, (name, choice), target in self.steps:
                if name == action:
                    parts.append(f"    if spot.at == {source} and choice == {choice}:\n")
                    parts.append(f"        spot.at = {target}\n        return True\n")
            for source, (name, choice) in self.idle:
                if name == action:
                    parts.append(f"    if spot.at == {source} and choice == {choice}:\n        return True\n")
            parts.append("    return False\n\n")
        parts.append(
            f'\nMODEL = Model(name="random", state=Spot, actions=[{", ".join(ACTIONS)}], always=[is_no_goal], '
            f"eventually=[is_goal], leads_to=[(is_asked, is_goal)], weakly_fair=[{', '.join(self.weakly)}], "
            f"strongly_fair=[{', '.join(self.strongly)}], stuttering=[{', '.join(ACTIONS) if self.idle else ''}])\n"
        )
        return "".join(parts)

    def requirements(self) -> list[Requirement]:
        """What is fair, as sets of calls."""
        found = []
        for is_strong, listed in ((False, self.weakly), (True, self.strongly)):
            for text in listed:
                name = text.removeprefix("each(").split(",")[0].removesuffix(")")
                calls = [(name, choice) for choice in range(CHOICES)]
                found += [(is_strong, frozenset([call])) for call in calls] if "each" in text else [
                    (is_strong, frozenset(calls))
                ]  # fmt: skip
        return found

    def reachable(self, starts: set[int], within: set[int]) -> set[int]:
        """The states that can be reached within some states."""
        graph = nx.DiGraph([(a, b) for a, _, b in self.steps if {a, b} <= within])
        graph.add_nodes_from(starts)
        return set().union(*({each, *nx.descendants(graph, each)} for each in starts))

    def holds(self, is_leads_to: bool) -> bool:
        """Whether every fair behaviour comes to the goal: after every state where it is asked for, or after state 0."""
        outside = set(range(STATES)) - self.goal
        starts = self.reachable({0}, set(range(STATES))) & self.asked if is_leads_to else {0}
        region = sorted(self.reachable(starts & outside, outside))
        return not any(
            self.may_stay(set(states))
            for count in range(1, len(region) + 1)
            for states in itertools.combinations(region, count)
        )

    def may_stay(self, states: set[int]) -> bool:
        """Whether a fair behaviour may visit these states again and again, and no others."""
        inner = [(source, call, target) for source, call, target in self.steps if {source, target} <= states]
        if len(states) > 1:
            graph = nx.DiGraph([(source, target) for source, _, target in inner])
            if set(graph) != states or not nx.is_strongly_connected(graph):
                return False
        for is_strong, calls in self.requirements():
            enabled = {source for source, call, _ in self.steps if source in states and call in calls}
            done = any(call in calls for _, call, _ in inner)
            if not done and (enabled if is_strong else enabled == states):
                return False
        return True


def _among(states: set[int]) -> str:
    return " or ".join(f"spot.at == {each}" for each in sorted(states)) or "spot.at > 5"


def random_graph(seed: int) -> RandomGraph:
    """A graph in which each call leads from a state to at most one other; the same for the same seed."""
    choose = random.Random(seed)
    graph = RandomGraph()
    density = choose.choice((0.15, 0.25, 0.4))
    for source in range(STATES):
        for call in itertools.product(ACTIONS, range(CHOICES)):
            target = choose.randrange(STATES)
            if target != source and choose.random() < density:
                graph.steps.append((source, call, target))
            if target == source and seed % 2:
                graph.idle.append((source, call))
    graph.asked = {each for each in range(STATES) if choose.random() < 0.4}
    graph.goal = {each for each in range(1, STATES) if choose.random() < 0.25}
    for action in ACTIONS:
        forms = [action, f"each({action})", f'each({action}, "choice")']
        role = choose.choice(("none", "weak", "strong", "strong"))
        if role == "weak":
            graph.weakly.append(choose.choice(forms))
        if role == "strong":
            graph.strongly.append(choose.choice(forms))
    return graph
