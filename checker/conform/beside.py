"""A model and a system side by side: both go along one behaviour, and are compared after each step."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from kafkacheck.checker.conform.adapter import PROTOCOL, Adapter, read
from kafkacheck.checker.conform.differences import START, Difference
from kafkacheck.checker.conform.link import Link, SystemEndedError
from kafkacheck.checker.conform.telling import Behaviour, Op, Telling
from kafkacheck.checker.model import Model
from kafkacheck.checker.model.settings import rules_of
from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.process.names import did_you_mean, shortened
from kafkacheck.checker.schema.objects import value_from_json

SENT_AT_ONCE = 64
"""How many steps are sent before their answers are read: pipes are slow, and a difference is rare."""


class Beside:
    """A system beside a model. `name` is how the command line names the system.

    UsageError if the system cannot be started, or describes itself in a way that does not fit the model.
    """

    def __init__(self, model: Model, name: str, link: Link) -> None:
        self.model, self.name, self._link = model, name, link
        self.adapter = self._begin()
        self.telling: Telling
        self.shown: Counter[str] = Counter()
        """By path how often a field was compared."""
        self._observed = {each.path: each for each in self.adapter.observes}

    def _begin(self) -> Adapter:
        self._link.begin()
        model = self.model
        told = {
            "protocol": PROTOCOL,
            "model": model.name,
            "bounds": dict(model.bounds),
            "rules": rules_of(model),
            "fields": [leaf.path for leaf in model.layout.leaves],
            "actions": {each.name: [parameter.name for parameter in each.parameters] for each in model.actions},
        }
        try:
            (answer,) = self._link.ask([told], is_first=True)
        except SystemEndedError as error:
            raise UsageError(f"{self.name} cannot be used: {error}") from None
        if "threw" in answer or "refused" in answer:
            reason = str(answer.get("refused") or answer["threw"].strip().splitlines()[-1])
            raise UsageError(f"{self.name} cannot be used: {reason}")
        return read(model, self.name, answer)

    def perform(self, behaviour: Behaviour, note: Callable[[Op], None] | None = None) -> Difference | None:
        """Drive both along a behaviour: the first difference, or None. The system begins anew if it ended before.

        `note` is called with each step after which they agree.
        """
        if not self._link.is_running:
            self._begin()
        requests = list(self._requests(behaviour))
        for start in range(0, len(requests), SENT_AT_ONCE):
            batch = requests[start : start + SENT_AT_ONCE]
            ended: SystemEndedError | None = None
            try:
                answers = self._link.ask([request for request, _, _ in batch])
            except SystemEndedError as error:
                ended, answers = error, error.answers
            for (_, at, state), answer in zip(batch, answers, strict=False):
                op = behaviour.ops[at] if at >= 0 else None
                taken = self._taken(behaviour, at, answer)
                if isinstance(taken, Difference):
                    return taken
                state = state if taken is None or taken.target is None else taken.target
                difference = self._difference(behaviour, at, state, answer)
                if difference is not None:
                    return difference
                if note is not None and taken is not None:
                    note(taken)
                if taken is not op:
                    return None
            if ended is not None:
                at = batch[len(answers)][1]
                return Difference("ended", self._action(behaviour, at), max(0, at), detail=str(ended))
        return None

    def _requests(self, behaviour: Behaviour) -> Iterator[tuple[dict[str, Any], int, int]]:
        """For each message: the message, the number of its step (-1: start), and the state after it."""
        telling, state = self.telling, behaviour.start
        yield {"start": telling.whole(state)}, -1, state
        for at, op in enumerate(behaviour.ops):
            action = self.model.actions[int(telling.combinations.actions[op.combination])]
            before, state = state, state if op.target is None else op.target
            if op.number < 0 and op.target is not None:
                continue
            request: dict[str, Any] = {"act": action.name, "parameters": telling.told(op.combination)}
            if self.adapter.needs:
                request["fields"] = telling.needed(before)
            yield request, at, state

    def _taken(self, behaviour: Behaviour, at: int, answer: dict[str, Any]) -> Op | Difference | None:
        """The step that the system has taken, which may be another one than it was asked for; None at the start.

        After another step than the one that was asked for, the behaviour cannot go on.
        """
        op = behaviour.ops[at] if at >= 0 else None
        choice = answer.get("chosen")
        if op is None or choice is None or answer.get("accepted") is not True:
            return op
        action = self.model.actions[int(self.telling.combinations.actions[op.combination])]
        names = self.adapter.chooses.get(self.model.actions.index(action), frozenset())
        if not isinstance(choice, dict) or choice.keys() != names:
            raise UsageError(
                f"{self.name} says that it chose {shortened(str(choice))} for {action.name}; expected a value for "
                f"{', '.join(names) or 'nothing: name the parameter in chooses'}"
            )
        kinds = {each.name: each.kind for each in action.parameters}
        values = {name: value_from_json(kinds[name], value, name) for name, value in choice.items()}
        if op.target is not None and self.telling.with_choice(op.combination, values) == op.combination:
            return op
        states = [behaviour.start, *(each.target for each in behaviour.ops[:at] if each.target is not None)]
        taken = self.telling.chosen(states[-1], op.combination, values)
        if taken is None:
            told = ", ".join(f"{name}={value}" for name, value in choice.items())
            return Difference("chose", action.name, at, detail=told)
        return taken

    def _action(self, behaviour: Behaviour, at: int) -> str:
        if at < 0:
            return START
        number = int(self.telling.combinations.actions[behaviour.ops[at].combination])
        return self.model.actions[number].name

    def _difference(self, behaviour: Behaviour, at: int, state: int, answer: dict[str, Any]) -> Difference | None:
        """The difference that an answer shows. UsageError if the answer does not fit the description."""
        action, place = self._action(behaviour, at), max(0, at)
        if "refused" in answer:
            raise UsageError(f"{self.name}: {answer['refused']}")
        if "threw" in answer:
            return Difference("threw", action, place, detail=str(answer["threw"]))
        observed = answer.get("observed")
        if not isinstance(observed, dict) or (at >= 0 and not isinstance(answer.get("accepted"), bool)):
            raise UsageError(
                f"{self.name} answered {shortened(str(answer))}; expected accepted (true or false) and observed (an "
                "object)"
            )
        if at >= 0:
            is_enabled = behaviour.ops[at].target is not None
            if answer["accepted"] != is_enabled:
                return Difference("refused" if is_enabled else "accepted", action, place)
        expected = self.telling.expected(state)
        self.shown.update(observed.keys())
        if observed == expected:
            return None
        return self._different_fields(action, place, expected, observed)

    def _different_fields(
        self, action: str, place: int, expected: dict[str, Any], observed: dict[str, Any]
    ) -> Difference | None:
        differing: dict[str, tuple[Any, Any]] = {}
        for path, value in observed.items():
            if path not in expected:
                raise UsageError(
                    f"{self.name} shows a value of {shortened(path)!r}, which it does not observe"
                    f"{did_you_mean(path, expected)}; name the field in observes, or do not show it"
                )
            field = self._observed[path]
            try:
                found = value_from_json(field.kind, value, path)
            except UsageError:
                differing[path] = (expected[path], value)
                continue
            if found != value_from_json(field.kind, expected[path], path):
                differing[path] = (expected[path], value)
        return Difference("fields", action, place, differing) if differing else None
