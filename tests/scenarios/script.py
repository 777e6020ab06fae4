"""A script: a cluster of plain objects, steps that must be possible or must not, and pictures of the state expected.

    run = Script(brokers=2)
    run.act(append, leader=0, message="a")
    run.act(fetch, follower=1)
    run.expect('''
        0 leads e0: | a
        1 follows e0: | a
    ''', isr={0, 1}, acknowledged="")

A line of a picture is a broker: what it believes (`leads`, `follows`, `waits` for a leader, `is down`), in which
leader epoch, and its log. `|` is its high watermark: what stands to the left of it is committed, as far as this broker
knows. A message of a later leader epoch than 0 carries it: `b@1`. A step is a function of `steps.py`; each consists of
actions of impl/ and model/cluster/environment.py, run by the interpreted reading, with their contract checked.
"""

import inspect
from collections.abc import Callable, Mapping, Set
from typing import Any

from kafkacheck.checker.schema import Ids
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.impl.broker.records import Broker
from kafkacheck.impl.ids import NO_LEADER, NO_OFFSET, NO_RECORD
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.environment import found_partition
from kafkacheck.model.cluster.family import BOUNDS
from kafkacheck.model.cluster.system import State

PLENTY = 9
"""More changes, restarts and disturbances than any script needs."""

SIZES = {
    "max_leader_epoch": PLENTY,
    "max_metadata_offset": 3 * PLENTY,
    "max_broker_epoch": PLENTY,
    "max_controller_epoch": 1,
    "crashes": PLENTY,
    "power_losses": PLENTY,
    "disk_losses": PLENTY,
    "expirations": PLENTY,
    "moves": PLENTY,
    "losses": PLENTY,
    "failovers": PLENTY,
    "old_fetches": 1,
}


class RefusedError(Exception):
    """An action is not enabled."""


class Script:
    """One cluster under one script. Broker 0 leads first; `isr` is everybody unless told otherwise."""

    def __init__(
        self, *, brokers: int, rules: ClusterRules, isr: Set[int] | None = None, messages: int = 4, log_size: int = 4
    ) -> None:
        bounds = {**BOUNDS, **SIZES, "replicas": brokers, "max_records": messages, "log_size": log_size}
        self.layout = Layout(State, bounds)
        self.rules = rules
        self.names: list[str] = []
        self.state = self.layout.blank()
        everyone = Ids(range(brokers))
        found_partition(self.state, everyone, everyone if isr is None else Ids(isr))

    def act(self, step: Callable[..., None], **given: Any) -> None:
        """Take a step, which must be possible."""
        try:
            step(self, **given)
        except RefusedError as refusal:
            raise AssertionError(
                f"{step.__name__}({told(given)}) is not possible: {refusal}\n{self.picture()}"
            ) from None

    def refuse(self, step: Callable[..., None], **given: Any) -> None:
        """See that a step is not possible."""
        before = self.layout.flatten(self.state)
        try:
            step(self, **given)
        except RefusedError:
            self.state = self.layout.restore(before)
            return
        raise AssertionError(f"{step.__name__}({told(given)}) is possible, and should not be\n{self.picture()}")

    def configure(self, **rules: Any) -> None:
        """Let an operator change the configuration."""
        self.rules = self.rules._replace(**rules)

    def do(self, action: Callable[..., bool], **parameters: int | Ids) -> None:
        """Take one action. RefusedError where it is not enabled; AssertionError where it breaks its contract."""
        before = self.layout.flatten(self.state)
        settings = {"rules": self.rules, "bounds": self.layout.bounds.as_tuple()}
        given = {name: value for name, value in settings.items() if name in inspect.signature(action).parameters}
        is_enabled = action(self.state, **given, **parameters)
        after = self.layout.flatten(self.state)
        assert is_enabled == (before != after), f"{action.__name__} says {is_enabled}"
        assert self.layout.first_out_of_range(after) is None
        if not is_enabled:
            raise RefusedError(f"{action.__name__}({told(parameters)})")

    def expect(
        self,
        picture: str = "",
        *,
        isr: Set[int] | None = None,
        leader: int | None = None,
        acknowledged: str | None = None,
        consumed: str | None = None,
        epochs: Mapping[int, Mapping[int, int]] | None = None,
    ) -> None:
        """Compare the brokers with a picture; ISR and leader with the controller's record; what the clients know.

        `leader` -1 is nobody. `epochs`: for some brokers, their leader-epoch file: the start offset of each epoch.
        """
        record = self.state.controller.history[self.state.controller.offset]
        if picture:
            self._compare(
                "the brokers", self.picture(), "\n".join(line.strip() for line in picture.strip().splitlines())
            )
        if isr is not None:
            self._compare("the ISR", set(record.isr), isr)
        if leader is not None:
            self._compare("the leader", record.leader, leader)
        if acknowledged is not None:
            self._compare("acknowledged", self.acknowledged(), acknowledged)
        if consumed is not None:
            read = [self.names[each] for each in self.state.consumer.records if each != NO_RECORD]
            self._compare("consumed", " ".join(read), consumed)
        for broker_id, starts in (epochs or {}).items():
            self._compare(f"the epochs of {broker_id}", epoch_file(self.state.brokers[broker_id]), starts)

    def _compare(self, what: str, found: Any, expected: Any) -> None:
        if found != expected:
            raise AssertionError(f"{what}:\n{found}\nexpected:\n{expected}\nnow:\n{self.picture()}")

    def holds(self, invariant: Callable[[State], bool]) -> bool:
        """Whether a property of spec/ holds now."""
        return invariant(self.state)

    def picture(self) -> str:
        """The brokers, one line each."""
        return "\n".join(self._line(broker_id, broker) for broker_id, broker in enumerate(self.state.brokers))

    def acknowledged(self) -> str:
        """The messages whose producer was told that they are safe."""
        told_of = self.state.producers.acknowledged
        return " ".join(name for record, name in enumerate(self.names) if told_of[record] != NO_OFFSET)

    def _line(self, broker_id: int, broker: Broker) -> str:
        if not broker.is_running:
            return " ".join([f"{broker_id} is down:", *self._messages(broker)])
        role = "waits"
        if broker.leader != NO_LEADER:
            role = f"{'leads' if broker.leader == broker_id else 'follows'} e{broker.leader_epoch}"
        messages = self._messages(broker)
        messages.insert(broker.high_watermark, "|")
        return " ".join([f"{broker_id} {role}:", *messages])

    def _messages(self, broker: Broker) -> list[str]:
        stored = [broker.log.records[offset] for offset in range(broker.log.end_offset)]
        return [self.names[each.id] + (f"@{each.epoch}" if each.epoch else "") for each in stored]


def epoch_file(broker: Broker) -> dict[int, int]:
    """The leader-epoch file of a broker: the start offset of each leader epoch."""
    return {epoch: start for epoch, start in enumerate(broker.epoch_starts) if start != NO_OFFSET}


def told(given: Mapping[str, Any]) -> str:
    """Arguments as they stand in a call."""
    return ", ".join(f"{name}={value!r}" for name, value in given.items())
