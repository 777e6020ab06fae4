"""A state and actions that use every kind of field and of parameter, and rules of every type."""

from enum import IntEnum
from typing import Annotated, NamedTuple

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import (
    Array,
    ById,
    ByPosition,
    Count,
    EnumOf,
    Epoch,
    Flag,
    Id,
    IdSet,
    Offset,
    Struct,
    cardinality,
    contains,
    everyone,
    excluding,
    including,
)

NONE = -1


class Colour(IntEnum):
    """An enum that does not begin at 0."""

    RED = 3
    GREEN = 4
    BLUE = 5


class Level(IntEnum):
    """An enum that begins below 0."""

    LOW = -1
    HIGH = 0


class Rules(NamedTuple):
    """A switch of each type."""

    favourite: Colour
    step: int
    may_forget: bool


MemberId = Annotated[int, Id("members")]
MaybeMember = Annotated[int, Id("members", none=NONE)]
MemberSet = Annotated[int, IdSet("members")]
Position = Annotated[int, Offset("size")]
MaybeEpoch = Annotated[int, Epoch("max_epoch", none=NONE)]
Balance = Annotated[int, Count(1, -1)]
Hue = Annotated[Colour, EnumOf(Colour)]


class Note(Struct):
    """An element of a nested array."""

    epoch: MaybeEpoch
    hue: Hue


class Book(Struct):
    """A nested record with an array of records and one of scalars."""

    end: Position
    notes: Annotated[Array[Note], ByPosition("size")]
    marks: Annotated[Array[Annotated[bool, Flag()]], ByPosition("size + 1")]


class Member(Struct):
    """An element of the outer array."""

    book: Book
    friend: MaybeMember
    known: MemberSet


class Club(Struct):
    """Everything."""

    members: Annotated[Array[Member], ById("members")]
    levels: Annotated[Array[Annotated[Level, EnumOf(Level)]], ById("members")]
    friends_of: Annotated[Array[MemberSet], ById("members")]
    balance: Balance
    epoch: Annotated[int, Epoch("max_epoch")]
    is_open: Annotated[bool, Flag()]


def found(club: Club, rules: Rules, founder: MemberId) -> bool:
    """One initial state for each founder but the second member."""
    if founder == 1:
        return False
    club.members[founder].known = everyone(len(club.members))
    club.members[founder].book.notes[0].hue = rules.favourite
    club.balance = -1
    return True


def write_note(club: Club, rules: Rules, member: MemberId, hue: Hue) -> bool:
    """Append to a book."""
    book = club.members[member].book
    if book.end == len(book.notes):
        return False
    if hue == Colour.GREEN and rules.favourite != Colour.GREEN:
        return False
    note = book.notes[book.end]
    note.epoch = club.epoch
    note.hue = hue
    book.end += rules.step
    book.marks[book.end] = not book.marks[book.end]
    return True


def forget(club: Club, rules: Rules, member: MemberId) -> bool:
    """Take the last note out."""
    if not rules.may_forget:
        return False
    book = club.members[member].book
    if book.end == 0:
        return False
    book.end -= 1
    book.notes[book.end].epoch = NONE
    book.notes[book.end].hue = Colour.RED
    return True


def befriend(club: Club, member: MemberId, friend: MaybeMember) -> bool:
    """Choose a known friend, or nobody."""
    me = club.members[member]
    if me.friend == friend or friend == member:
        return False
    if friend != NONE and not contains(me.known, friend):
        return False
    if me.friend != NONE:
        club.friends_of[me.friend] = excluding(club.friends_of[me.friend], member)
    me.friend = friend
    if friend != NONE:
        club.friends_of[friend] = including(club.friends_of[friend], member)
    return True


def level_out(club: Club, members: MemberSet, up: Annotated[bool, Flag()]) -> bool:
    """Move the levels of a set of members by one, all or none."""
    if members == 0 or cardinality(members) != club.balance + 1:
        return False
    for member in range(len(club.levels)):
        if contains(members, member) and club.levels[member] == (Level.HIGH if up else Level.LOW):
            return False
    for member in range(len(club.levels)):
        if contains(members, member):
            club.levels[member] += 1 if up else -1
    return True


def settle(club: Club, balance: Balance) -> bool:
    """Move the balance by one; an open club may not owe."""
    if abs(balance - club.balance) != 1:
        return False
    if club.is_open and balance < 0:
        return False
    club.balance = balance
    return True


def open_or_close(club: Club, is_open: Annotated[bool, Flag()], epoch: Annotated[int, Epoch("max_epoch")]) -> bool:
    """Each opening is a new epoch."""
    if is_open == club.is_open:
        return False
    if epoch != (club.epoch + 1 if is_open else club.epoch):
        return False
    club.is_open = is_open
    club.epoch = epoch
    return True


def friends_know(club: Club, rules: Rules) -> bool:
    """Whoever is a friend is known; no green notes unless wanted."""
    for member in range(len(club.members)):
        me = club.members[member]
        if me.friend != NONE and not contains(me.known, me.friend):
            return False
        for position in range(me.book.end):
            if me.book.notes[position].hue == Colour.GREEN and rules.favourite != Colour.GREEN:
                return False
    return True


def epoch_grows(before: Club, after: Club) -> bool:
    """Epochs never fall."""
    return after.epoch >= before.epoch


def everything_used(club: Club) -> bool:
    """A state far from the initial ones."""
    return club.is_open and club.balance == 1 and club.levels[0] == Level.HIGH and club.members[0].book.end > 0


MODEL = Model(
    name="every_kind",
    state=Club,
    initial=found,
    rules=Rules(favourite=Colour.BLUE, step=1, may_forget=True),
    bounds={"members": 2, "size": 1, "max_epoch": 1},
    actions=[write_note, forget, befriend, level_out, settle, open_or_close],
    always=[friends_know, epoch_grows],
    sometimes=[everything_used],
)

SMALLER = MODEL.with_rules({"may_forget": False, "favourite": "GREEN"})
"""The same without a part of its steps."""
