"""Random schemas: a small state of scalars of every kind, records, arrays, and these in each other, as text."""

import random
from dataclasses import dataclass, field, replace

MEMBERS = 3


@dataclass(frozen=True)
class Scalar:
    """A field of a range, a flag, or an id set that functions see as such."""

    annotation: str
    low: int
    high: int
    is_flag: bool = False
    is_set: bool = False

    @property
    def is_int(self) -> bool:
        return not self.is_flag and not self.is_set


@dataclass(frozen=True)
class ArrayOf:
    """An array; equal ones have one type in the checker, too."""

    element: "Scalar | Record | ArrayOf | Container"
    length: int
    annotation: str


@dataclass(eq=False)
class Record:
    """A Struct; its fields in order."""

    name: str
    fields: dict[str, "Scalar | Record | ArrayOf | Container"] = field(default_factory=dict)
    condition: str = ""

    @property
    def annotation(self) -> str:
        return f'Annotated[{self.name}, If("{self.condition}")]' if self.condition else self.name

    def text(self) -> str:
        lines = [f"    {name}: {kind.annotation}" for name, kind in self.fields.items()]
        return "\n".join([f"class {self.name}(Struct):", f'    """The record {self.name}."""', "", *lines])


@dataclass(eq=False)
class Container:
    """A queue or bag of up to so many records."""

    element: Record
    most: int
    annotation: str


Type = Scalar | Record | ArrayOf | Container
Route = tuple[tuple[str | int, ...], Type]


def routes(kind: Type) -> list[Route]:
    """Everything that a type holds, itself first: the names of fields and lengths of arrays that lead to it."""
    found: list[Route] = [((), kind)]
    if isinstance(kind, Record):
        parts = [(name, each) for name, each in kind.fields.items()]
    elif isinstance(kind, ArrayOf):
        parts = [(kind.length, kind.element)]
    else:
        parts = []
    for step, part in parts:
        found += [((step, *steps), end) for steps, end in routes(part)]
    return found


def size(kind: Type) -> int:
    """How many scalars a type has."""
    if isinstance(kind, Record):
        return sum(size(each) for each in kind.fields.values())
    if isinstance(kind, Container):
        return 1 + kind.most * size(kind.element)
    return kind.length * size(kind.element) if isinstance(kind, ArrayOf) else 1


def is_known(kind: Type) -> bool:
    """Whether the class says what a blank one is: what is allowed only the bounds say."""
    match kind:
        case Record():
            return all(map(is_known, kind.fields.values()))
        case ArrayOf(element=element):
            return is_known(element)
    return "Allowance" not in kind.annotation


FLAGS = (Scalar("bool", 0, 1, True), Scalar("Annotated[bool, Flag()]", 0, 1, True))
MASKS = (Scalar('Annotated[int, IdSet("members")]', 0, 7),)
SETS = (Scalar('Annotated[Ids, IdSet("members")]', 0, 7, is_set=True),)
KINDS = (
    Scalar("Small", 0, 3), Scalar("Signed", -2, 2), Scalar('Annotated[int, Id("members")]', 0, 2),
    Scalar('Annotated[int, Id("members", none=-1)]', -1, 2), Scalar("Annotated[int, Epoch(2, none=-1)]", -1, 2),
    Scalar('Annotated[int, Offset("members")]', 0, 3), Scalar("Annotated[int, Allowance(2)]", 0, 2),
    Scalar("Annotated[int, Count(5, 1)]", 1, 5), Scalar("Annotated[int, Count(40)]", 0, 40),
)  # fmt: skip
HUES = (Scalar("Annotated[Hue, EnumOf(Hue)]", 2, 4), Scalar("Hue", 2, 4))


class Schema:
    """A random state: `state` and its records; about four scalars for the smallest, twenty for the largest.

    `bounds` are those of its models. With `steps` it has a budget, which no code writes; a program charges some of its
    actions. With `parts` it has a record and scalars that exist only if that is not 0.
    """

    def __init__(self, source: random.Random, bounds: dict[str, int]) -> None:
        self.random = source
        self.bounds = bounds
        self.records: list[Record] = []
        core = self._record("Core", 1) if self.chance(0.35) else None
        cell = self._record("Cell", 2, core)
        row = self._array(
            self.random.choice(KINDS) if self.chance(0.5) else self._scalar(), self.random.choice([1, 2, 2, 3])
        )
        self.state = Record("State")
        for number in range(self.random.randrange(2, 5)):
            self.state.fields[f"s{number}"] = self._scalar()
        self.state.fields["flag"] = self.random.choice(FLAGS)
        if self.chance(0.3):
            self.state.fields["mask"] = MASKS[0]
        if self.chance(0.5):
            self.state.fields["ids"] = SETS[0]
        if self.chance(0.4):
            self.state.fields["cell"] = cell
        if self.chance(0.7):
            self.state.fields["cells"] = self._array(cell, 2)
        if self.chance(0.7):
            self.state.fields["row"] = row
            if self.chance(0.6):
                self.state.fields["column"] = row
            if self.chance(0.5):
                cell.fields["row"] = row
        if self.chance(0.3):
            self.state.fields["marks"] = self._array(self.random.choice(FLAGS), self.random.choice([1, 2]))
        if self.chance(0.2):
            self.state.fields["grid"] = self._array(row, 2)
        if core is not None and self.chance(0.5):
            self.state.fields["core"] = core
        if self.chance(0.5) and is_known(cell):
            self._containers(cell)
        if "parts" in bounds:
            part = self._record("Part", 3)
            self.state.fields["part"] = Record(part.name, part.fields, condition="parts")
            for name in ("s0", "flag"):
                kind = self.state.fields[name]
                assert isinstance(kind, Scalar)
                self.state.fields[name] = replace(kind, annotation=f'Annotated[{kind.annotation}, If("parts")]')
        while size(self.state) > 20:
            self.state.fields.pop(next(reversed(self.state.fields)))
        self.state.fields["who"] = KINDS[3]  # so that the bound is used
        self.state.fields["tick"] = Scalar("Annotated[int, Count(2)]", 0, 2)
        self.records.append(self.state)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def _scalar(self) -> Scalar:
        kinds = self.random.choices([KINDS, FLAGS, HUES, MASKS, SETS], [6, 2, 2, 1, 1])[0]
        return self.random.choice(kinds)

    def _record(self, name: str, most: int, inner: Record | None = None) -> Record:
        record = Record(name)
        for number in range(self.random.randrange(1, most + 1)):
            record.fields[f"{name[0].lower()}{number}"] = self._scalar()
        if inner is not None:
            record.fields["core"] = inner
        self.records.append(record)
        return record

    def _containers(self, record: Record) -> None:
        """Queues and bags of a record."""
        kind, most = self.random.choice(["Queue", "Bag", "Bag"]), self.random.choice([1, 2, 2, 3])
        held = Container(record, most, f"Annotated[{kind}[{record.name}], AtMost({most})]")
        self.state.fields["held"] = held
        if self.chance(0.4):
            self.state.fields["others"] = held
        if self.chance(0.2):
            self.state.fields["many"] = self._array(held, 2)

    def _array(self, element: Type, length: int) -> ArrayOf:
        by_id = self.chance(0.2)
        length = MEMBERS if by_id else length
        index = 'ById("members")' if by_id else f"ByPosition({length})"
        return ArrayOf(element, length, f"Annotated[Array[{element.annotation}], {index}]")

    def text(self) -> str:
        """The classes."""
        whole = "\n\n\n".join(record.text() for record in self.records)
        return f"{whole}\n    budget: Budget" if "steps" in self.bounds else whole
