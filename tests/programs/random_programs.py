"""Random models in the plain subset, as the text of a module, for comparing the readings.

The same seed gives the same text. A module has one random schema, and several programs over it: each has its own
helpers, actions and properties. Most actions keep their contract (guards first, values brought into range, a tick that
always changes), but some do not, and some fail: what the readings must agree on is the verdict and the reason.
`tests.programs.coverage_of_language` says what of the language the programs are made of.
"""

import random
from collections.abc import Sequence

from tests.programs import random_containers
from tests.programs.random_expressions import Helper
from tests.programs.random_functions import Writer
from tests.programs.random_schemas import Scalar, Schema, Type

PRELUDE = '''"""Random protocol code."""

from enum import IntEnum
from typing import Annotated, NamedTuple

from kafkacheck.checker import schema
from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Allowance, Array, AtMost, Bag, Budget, ById, ByPosition, Count, EnumOf, Epoch
from kafkacheck.checker.schema import Flag, Id, Ids, IdSet, If, Offset, Position, Queue, Struct, add, cardinality, clear
from kafkacheck.checker.schema import contains, copy, everyone, excluding, including, is_full, remove


class Hue(IntEnum):
    """An enum that begins at 2."""

    RED = 2
    BLUE = 3
    GREEN = 4


class Inner(NamedTuple):
    """A group of switches."""

    on: bool
    most: int


class Rules(NamedTuple):
    """Switches."""

    on: bool
    off: bool
    step: int
    hue: Hue
    inner: Inner


class Bounds(NamedTuple):
    """The bounds of every model."""

    members: int


LIMIT = 3
NOBODY = Ids()
Small = Annotated[int, Count(3)]
Signed = Annotated[int, Count(2, -2)]
'''

PARAMETERS = (
    ("small", "Small", (0, 3)), ("signed", "Signed", (-2, 2)), ("member", 'Annotated[int, Id("members")]', (0, 2)),
    ("hue", "Hue", (2, 4)), ("on", "bool", None), ("group", 'Annotated[Ids, IdSet("members")]', None),
    ("at", "Annotated[int, Position(2)]", (0, 1)),
)  # fmt: skip

ENDING = """
def model_{number}(like: Model | None = None) -> Model:
    return Model(
        name="random_{seed}_{number}",
        state=State,
        bounds={bounds},
        rules=RULES,
        initial={initial},
        actions=[{actions}],
        charges={charges},
        stuttering=[{stuttering}],
        always=[{always}],
        sometimes=[{sometimes}],
        constraint={constraint},
        check_deadlock={check_deadlock},
        like=like,
    )
"""


class Program:
    """The functions of one model. Their names end with its number."""

    def __init__(self, source: random.Random, schema: Schema, number: int) -> None:
        self.random = source
        self.schema = schema
        self.number = number
        self.size = source.choice([1, 1, 1, 2, 2, 3])
        self.charging = random.Random()
        self.stuttering: list[str] = []
        self.helpers: list[Helper] = []
        self.parts: list[str] = []

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def text(self, seed: int) -> str:
        """The functions, and the model that is made of them."""
        self.charging.seed(f"charges {seed} {self.number}")
        for place in range(self.random.randrange(self.size + 1)):
            self._helper(f"helper_{self.number}_{place}")
        actions = [f"step_{self.number}_{place}" for place in range(self.random.randrange(1, self.size + 1))]
        for name in actions:
            self._action(name)
        charges = {}
        if "steps" in self.schema.bounds:
            charges = dict.fromkeys(
                self.charging.sample(actions, self.charging.randrange(1, len(actions) + 1)), "steps"
            )
        always = [self._observer("invariant", "state: State") for _ in range(self.random.choice([0, 1, 1, 2]))]
        if self.chance(0.35):
            always.append(self._observer("step_property", "state: State, after: State"))
        always += self._of_form(random.Random(f"form {seed} {self.number}"))
        ending = ENDING.format(
            seed=seed,
            number=self.number,
            initial=self._initial() if self.chance(0.6) else None,
            actions=", ".join(actions),
            bounds=self.schema.bounds,
            stuttering=", ".join(name for name in self.stuttering if name not in charges),
            charges="{" + ", ".join(f'{each}: "{name}"' for each, name in charges.items()) + "}",
            always=", ".join(always),
            sometimes=self._observer("example", "state: State") if self.chance(0.15) else "",
            constraint=self._observer("inside", "state: State") if self.chance(0.2) else None,
            check_deadlock=self.chance(0.3),
        )
        return "\n\n\n".join([*self.parts, ending.strip()])

    def _writer(self, **more: bool) -> Writer:
        return Writer(self.random, self.schema.state, self.helpers, **more)

    def _helper(self, name: str) -> None:
        """A function that others call: it may write, return at several places, and take a record or an array."""
        writes = self.chance(0.6)
        returns = self.random.choice(["int", "bool", "None", "None"] if writes else ["int", "bool"])
        if returns != "None" and self.chance(0.2):
            returns = "Ids"
        writer = self._writer(writes=writes, returns=returns)
        given: list[tuple[str, Type | str]] = []
        if writes or self.chance(0.6):
            given.append(("state", self.schema.state))
        views = [kind for kind in writer.kinds() if not isinstance(kind, Scalar) and kind is not self.schema.state]
        if views and self.chance(0.4):
            given.append(("part", self.random.choice(views)))
        if self.chance(0.3):
            given.append(("rules", "rules"))
        if self.chance(0.15):
            given.append(("bounds", "bounds"))
        if self.chance(0.6) or not given:
            given.append(("x", "int"))
        if self.chance(0.4):
            given.append(("y", "bool"))
        if self.chance(0.2):
            given.append(("z", "Ids"))
        helper = Helper(name, tuple(kind for _, kind in given), returns, writes)
        lines, (helper.low, helper.high) = writer.function(given)
        kinds = [f"{name}: {_annotation(kind)}" for name, kind in given]
        self.parts.append(f'def {name}({", ".join(kinds)}) -> {returns}:\n    """A helper."""\n' + "\n".join(lines))
        self.helpers.append(helper)

    def _parameters(self) -> list[tuple[str, str, tuple[int, int] | None]]:
        return self.random.sample(PARAMETERS, self.random.choice([0, 1, 1, 1, 2]))

    def _action(self, name: str) -> None:
        writer = self._writer(writes=True, returns="bool", is_action=True)
        parameters = self._parameters()
        for parameter, _, interval in parameters:
            writer.know(parameter, interval)
        takes = [f"{parameter}: {kind}" for parameter, kind, _ in parameters]
        settings = [*(["rules: Rules"] if self.chance(0.7) else []), *(["bounds: Bounds"] if self.chance(0.25) else [])]
        writer.has_rules, writer.has_bounds = "rules: Rules" in settings, "bounds: Bounds" in settings
        header = f"def {name}({', '.join(['state: State', *settings, *takes])}) -> bool:"
        lines = writer.action(2 * self.size)
        if self.charging.random() < 0.2:  # it changes nothing once the tick has come to its end
            self.stuttering.append(name)
            ticks = ("    state.tick = (state.tick + 1) % 3", "    state.tick = (state.tick + 2) % 3")
            lines = ["    state.tick = min(state.tick + 1, 2)" if line in ticks else line for line in lines]
        self.parts.append("\n".join([header, '    """An action."""', *lines]))

    def _initial(self) -> str:
        name = f"start_{self.number}"
        writer = self._writer(writes=True, returns="None")
        parameters = self.random.sample(PARAMETERS, 2)
        for parameter, _, interval in parameters:
            writer.know(parameter, interval)
        takes = [f"{parameter}: {kind}" for parameter, kind, _ in parameters]
        header = f"def {name}({', '.join(['state: State', *takes])}) -> None:"
        self.parts.append("\n".join([header, '    """A start."""', *writer.start()]))
        return name

    def _observer(self, role: str, states: str) -> str:
        """A property or constraint: `states` are its parameters."""
        name = f"{role}_{self.number}_{len(self.parts)}"
        writer = self._writer(writes=False, returns="bool")
        writer.has_rules = True
        if "after" in states:
            writer.roots.append("after")
        writer.has_bounds = self.chance(0.25)
        settings = "rules: Rules, bounds: Bounds" if writer.has_bounds else "rules: Rules"
        header, lines = f"def {name}({states}, {settings}) -> bool:", writer.observer()
        if "steps" in self.schema.bounds and self.charging.random() < 0.3:
            lines.insert(
                0, f"    if state.budget.steps {self.charging.choice(['==', '>', '<='])} 1:\n        return True"
            )
        self.parts.append("\n".join([header, '    """An observer."""', *lines]))
        return name

    def _of_form(self, source: random.Random) -> list[str]:
        """A property that needs the form of queues and bags, now and then: of steps, so that no proof assumes it."""
        found = random_containers.of_form(self.schema.state)
        if not found or source.random() < 0.5:
            return []
        name = f"formed_{self.number}"
        body = f"    return {source.choice(found)}"
        self.parts.append(f'def {name}(state: State, after: State) -> bool:\n    """Holds of every step."""\n{body}')
        return [name]


def _annotation(kind: Type | str) -> str:
    if isinstance(kind, str):
        return {"rules": "Rules", "bounds": "Bounds"}.get(kind, kind)
    return kind.annotation


def _bounds(source: random.Random) -> dict[str, int]:
    bounds = {"members": 3}
    if source.random() < 0.4:
        bounds["steps"] = source.choice([0, 1, 2, 2])
    if source.random() < 0.3:
        bounds["parts"] = source.choice([0, 1, 1])
    return bounds


def module_text(seed: int, numbers: Sequence[int] = (0,)) -> str:
    """A module with the programs of these numbers over one random schema.

    Each has a function `model_<number>` that makes its model. A program does not depend on the others in the module.
    """
    source = random.Random(f"schema {seed}")
    schema = Schema(source, _bounds(random.Random(f"bounds {seed}")))
    rules = (
        f"RULES = Rules(on={source.random() < 0.5}, off={source.random() < 0.5}, step={source.randrange(3)}, "
        f"hue=Hue.BLUE, inner=Inner(on={source.random() < 0.5}, most={source.randrange(4)}))"
    )
    parts = [PRELUDE, schema.text(), rules]
    parts += [Program(random.Random(f"program {seed} {number}"), schema, number).text(seed) for number in numbers]
    return "\n\n\n".join(part.strip() for part in parts) + "\n"


def with_model(text: str, number: int) -> str:
    """The text of a module whose `MODEL` is the program of that number, as the command line wants it."""
    return f"{text}\n\nMODEL = model_{number}()\n"
