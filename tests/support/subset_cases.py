"""Code outside the plain subset, and what its author must be told. A case marks the line to be named with `# here`."""

from typing import NamedTuple

PRELUDE = '''"""A snippet."""

import functools
import math
from enum import IntEnum
from typing import Annotated, NamedTuple

from kafkacheck.checker import schema
from kafkacheck.checker.schema import Array, AtMost, Bag, ById, ByPosition, Count, EnumOf, Flag, Id, Ids, IdSet
from kafkacheck.checker.schema import Queue, Struct, add, cardinality, contains, copy, is_full, remove

LIMIT = 3
SPEED = 1.5
NAMES = ["a"]
HUGE = 2**62


class Mode(IntEnum):
    """An enum."""

    OFF = 0
    ON = 1
    BROKEN = 7


class State(Struct):
    """The state."""

    number: Annotated[int, Count(3)]
    flag: Annotated[bool, Flag()]
    cells: Annotated[Array["Cell"], ById("members")]
    row: Annotated[Array[Annotated[int, Count(3)]], ByPosition(2)]
    long: Annotated[Array[Annotated[int, Count(3)]], ByPosition(3)]
    isr: Annotated[Ids, IdSet("members")]
    queue: Annotated[Queue["Cell"], AtMost(2)]
    bag: Annotated[Bag["Cell"], AtMost(2)]


class Cell(Struct):
    """A record."""

    number: Annotated[int, Count(3)]
    flag: Annotated[bool, Flag()]
    row: Annotated[Array[Annotated[int, Count(3)]], ByPosition(2)]


def count_up(state: State) -> bool:
    """A sound helper."""
    if state.number == LIMIT:
        return False
    state.number += 1
    return True


def clear(state: State) -> None:
    """A helper that returns nothing."""
    state.number = 0


def first(cell: Cell, other: int) -> int:
    """A helper that takes a record."""
    return cell.number + other


def mark(cell: Cell) -> None:
    """A helper that writes a record."""
    cell.number = 1


def decorate(function):
    """A decorator that hands its function back."""
    return function


def wrap(function):
    """A decorator that wraps."""

    @functools.wraps(function)
    def wrapper(state):
        return function(state)

    return wrapper


def hide(function):
    """A decorator that hides what it wraps."""

    def hidden(state):
        return function(state)

    return hidden
'''


class Case(NamedTuple):
    """Statements of an action `act(state, place)` or, where they begin with a definition, a whole module part."""

    name: str
    code: str
    words: tuple[str, ...]


def statement(name: str, line: str, *words: str) -> Case:
    """A single statement that is refused, as an action of its own."""
    return Case(name, f"{line}  # here\nstate.number += 1\nreturn True", words)


def guard(name: str, expression: str, *words: str) -> Case:
    """A condition that is refused."""
    return Case(name, f"if {expression}:  # here\n    return False\nstate.number += 1\nreturn True", words)


SUBSET = "outside the plain subset"

STATEMENTS = [
    Case(
        "while",
        "while state.number < 3:  # here\n    state.number += 1\nreturn True",
        ("`while` is outside", "range(...)"),
    ),
    Case(
        "try",
        "try:  # here\n    state.number += 1\nfinally:\n    pass\nreturn True",
        ("`try` is outside", "a guard before"),
    ),
    Case("with", "with state:  # here\n    pass\nreturn True", ("`with` is outside")),
    Case(
        "match",
        "match state.number:  # here\n    case 1:\n        pass\nreturn True",
        ("`match` is outside", "`if` / `elif`"),
    ),
    Case(
        "break",
        "for i in range(3):\n    break  # here\nreturn True",
        ("`break` is outside", "a condition inside the loop"),
    ),
    Case(
        "continue", "for i in range(3):\n    continue  # here\nreturn True", ("`continue` is outside", "an `if` around")
    ),
    Case(
        "def",
        "def inner():  # here\n    return 1\nreturn True",
        ("a function in a function is outside", "at the top of the module"),
    ),
    Case(
        "class",
        "class Inner:  # here\n    pass\nreturn True",
        ("a class in a function is outside", "at the top of the module"),
    ),
    statement("raise", "raise ValueError", "`raise` is outside", "`return False` for a step"),
    statement("assert", "assert state.flag", "`assert` is outside", "an invariant of the model"),
    statement("import", "import os", "an import in a function is outside", "at the top of the module"),
    statement("import from", "from os import path", "an import in a function is outside", "at the top of the module"),
    statement("global", "global LIMIT", "`global` is outside", "a field of the state"),
    statement("delete", "del state.number", "`del` is outside", "a write of the blank value"),
    statement("string in between", "'a comment'", "the str 'a comment'", SUBSET),
    statement("value not used", "state.number + 1", "the value of this expression is not used; assign or return it"),
    statement("comparison not used", "state.number == 1", "the value of this expression is not used"),
    statement("ellipsis", "...", "Ellipsis", SUBSET),
    statement("two targets", "one = two = 1", "one assignment has one target; write them one below the other"),
    statement("unpacking", "one, two = 1, 2", "a tuple is outside the plain subset; use separate names"),
    statement("starred target", "[*one] = state.row", "assign to a name, a field or an element", "one at a time"),
    statement("no value", "number: int", "a declaration without a value; give it one"),
    statement("whole record", "state.cells[0] = state.cells[1]", "cannot be assigned; write copy(target, source)"),
    statement("whole array", "state.row = state.cells[0].row", "a whole record or array cannot be assigned"),
    statement("module constant", "schema.MOST_MEMBERS = 3", "only a field of a record or an element of an array"),
    statement("enum member", "Mode.ON = 1", "only a field of a record or an element of an array"),
    statement("yield", "yield state.number", "`yield` is outside the plain subset; use `return`"),
    statement("await", "await state", "`await` is outside the plain subset; use a plain call"),
]
STATEMENTS.remove(STATEMENTS[-1])  # `await` is no syntax outside `async def`

EXPRESSIONS = [
    guard("lambda", "(lambda: True)()", "`lambda` is outside", "a `def` function"),
    guard("list", "[1] == [1]", "a list is outside", "an Array field of the state"),
    guard("dict", "{} == {}", "a dict is outside", "an Array field of the state"),
    guard("set", "{1} == {1}", "`{1}` is Python's own set, which can change; write Ids({member}), or use it beside"),
    guard("tuple", "(1, 2) == (1, 2)", "a tuple is outside", "separate names"),
    guard(
        "list comprehension",
        "[i for i in range(3)] == 1",
        "a list comprehension is outside",
        "any(...), all(...) or sum(...) of a generator, or a `for` loop",
    ),
    guard("generator", "(i for i in range(3)) == 1", "a generator expression is outside", "one argument of any(...)"),
    guard(
        "generator elsewhere",
        "max(i for i in range(3)) == 1",
        "max() takes two or more numbers, not `(i for",
        "`for` loop",
    ),
    guard("set comprehension", "{i for i in range(3)} == 1", "a set comprehension is outside"),
    guard("dict comprehension", "{i: i for i in range(3)} == 1", "a dict comprehension is outside"),
    guard("float", "state.number < 1.5", "the float 1.5", SUBSET, "use ints and enums"),
    guard("string", "state.number == 'one'", "the str 'one'", SUBSET),
    guard("f-string", "state.number == f'{LIMIT}'", "an f-string is outside", "an enum member"),
    guard("none", "state.number == None", "the NoneType None", SUBSET, "use the sentinel -1"),
    guard("bytes", "state.number == b'1'", "the bytes b'1'", SUBSET),
    guard("complex", "state.number == 1j", "the complex 1j", SUBSET),
    guard("walrus", "(one := state.number) > 1", "`:=` is outside", "an assignment on a line of its own"),
    guard("is", "state.number is 1", "`is` is outside the plain subset; use == or !="),
    guard("is not", "state.flag is not True", "`is not` is outside the plain subset; use == or !="),
    guard("in", "state.number in state.row", "`in` asks for a member of an id set, not of an array; use any(each == "),
    guard("not in", "1 not in state.row", "`not in` asks for a member", "any(each == value for each in state.row)"),
    guard("power", "state.number ** 2 > 1", "`**` is outside the plain subset; use + - * // % & | ^ << >>"),
    guard("division", "state.number / 2 > 1", "`/` is outside the plain subset"),
    guard("matrix product", "state.number @ 2 > 1", "`@` is outside the plain subset"),
    guard("slice", "len(state.row[0:1]) == 1", "a slice is outside the plain subset; use a `for` loop"),
    guard(
        "starred argument", "max(*state.row) == 1", "starred ones are outside the plain subset; pass them by position"
    ),
    guard("huge constant", "state.number < 2**0 + 9223372036854775808", "`**` is outside"),
    guard("constant beyond 62 bits", "state.number < 4611686018427387905", "4611686018427387905 does not fit 62 bits"),
    guard("constants that outgrow", "state.number < HUGE + 1", "the constant 4611686018427387905 does not fit 62 bits"),
    guard("division by 0", "state.number // 0 == 1", "this always fails: it divides by 0"),
    guard("remainder by 0", "state.number % (LIMIT - 3) == 1", "this always fails: it divides by 0"),
    guard("shift by -1", "1 << -1 == 1", "a shift by -1; shift by 0 .. 62"),
    guard("shift by far", "1 >> 63 == 1", "a shift by 63; shift by 0 .. 62"),
    guard("shift into the sky", "1 << 10**0 + 99999999999 == 1", "`**` is outside"),
    guard("last element", "state.row[-1] == 1", "the index -1 is negative; indices are 0 .. 1, so count from 0"),
    guard("keyword", "first(cell=state.cells[0], other=1) == 1", "keyword arguments and starred ones are outside"),
    guard("keyword of a builtin", "max(1, 2, key=abs) == 1", "keyword arguments and starred ones are outside"),
    guard("print", "print(state.number)", "'print' is outside the plain subset; of Python's own functions there are"),
    guard("isinstance", "isinstance(state, State)", "'isinstance' is outside the plain subset"),
    guard("sorted", "sorted(state.row) == 1", "'sorted' is outside the plain subset", "enumerate, zip, any, all, sum"),
    guard("sum", "sum(state.row) == 1", "sum() takes a generator, not `state.row`: `sum(1 for node in state.nodes)`"),
    guard(
        "range", "range(3) == 3", "range() with 1 argument(s) is outside the plain subset", "range, enumerate and zip"
    ),
    guard("zip as a value", "zip(state.row, state.row) == 3", "zip() with 2 argument(s) is outside the plain subset"),
    guard("max of one", "max(state.row) == 1", "max() takes two or more numbers, not `state.row`"),
    guard("len of nothing", "len() == 1", "len() with 0 argument(s)"),
    guard("len of two", "len(state.row, state.row) == 1", "len() with 2 argument(s)"),
    guard("len of a number", "len(state.number) == 1", "len() of int; only arrays, id sets, queues and bags have one"),
    guard(
        "len of a record",
        "len(state.cells[0]) == 1",
        "len() of a Cell record; only arrays, id sets, queues and bags have one",
    ),
    guard("len behind an index", "len(state.cells[state.number].row) == 2", "give the record a name first"),
    guard("abs of two", "abs(1, 2) == 1", "abs() with 2 argument(s)"),
    guard("int of a text", "int('1') == 1", "the str '1'"),
    guard("int of a record", "int(state) == 1", "the argument of int() must be int, not a State record"),
    guard("bool of an array", "bool(state.row)", "the argument of bool() must be bool, not an array"),
    guard("float constant outside", "state.number < SPEED", "SPEED is a float", "only int constants, IntEnum members"),
    guard("list outside", "len(NAMES) == 1", "NAMES is a list; from outside a function only int constants"),
    guard("struct class", "State() == state", "State() is a new record, which only add(...) and copy(..., ...) take"),
    guard("module function in C", "math.gcd(1, 2) == 1", "gcd is a builtin_function_or_method"),
    guard("module itself", "schema == 1", "a comparison needs ints, not module kafkacheck.checker.schema"),
    guard("missing in a module", "schema.maximum(1) == 1", "kafkacheck.checker.schema has no 'maximum'"),
    guard("missing enum member", "state.number == Mode.MAYBE", "Mode has no 'MAYBE'; its members: OFF, ON, BROKEN"),
    guard("calling an enum", "Mode(1) == 1", "Mode cannot be called; name a member of it, or take the number as it is"),
    guard("calling a number", "state.number() == 1", "int cannot be called"),
    guard(
        "calling a method",
        "state.copy() == state",
        "State has no field 'copy'; its fields: number, flag, cells, row, long",
    ),
    guard("unknown name", "stat.number == 1", "the name 'stat' is not defined; define or import it, or correct it"),
    guard(
        "unknown field", "state.numbr == 1", "State has no field 'numbr'; its fields: number, flag, cells, row, long"
    ),
    guard("unknown nested field", "state.cells[0].isr == 1", "Cell has no field 'isr'; its fields: number, flag, row"),
    guard("field of a number", "state.number.flag", "int has no field 'flag'; only records have fields"),
    guard("field of an array", "state.cells.number == 1", "an array has no field 'number'"),
    guard("index of a number", "state.number[0] == 1", "int cannot be indexed; only an Array field can"),
    guard("index of a record", "state[0] == 1", "a State record cannot be indexed"),
    guard(
        "bool as index", "state.row[state.flag] == 1", "an index must be int, not bool; write `1 if condition else 0`"
    ),
    guard(
        "record as index", "state.row[state] == 1", "an index must be int, not a State record; name one of its fields"
    ),
    guard("number as condition", "state.number", "the condition of `if` must be bool, not int; compare it"),
    guard("not of a number", "not state.number", "the operand of `not` must be bool, not int"),
    guard("and of a number", "state.flag and state.number", "each side of `and` must be bool, not int"),
    guard("or of a number", "state.number or state.flag", "each side of `or` must be bool, not int"),
    guard("sum of bools", "state.flag + state.flag == 1", "the left side of + must be int, not bool"),
    guard("minus of a bool", "-state.flag == 1", "the operand of a sign must be int, not bool"),
    guard("max of bools", "max(state.flag, True)", "each argument of max() must be int, not bool"),
    guard("int with bool", "state.number == state.flag", "an int is compared with a bool; make both the same type"),
    guard("two types to choose from", "(1 if state.flag else True) == 1", "must be ints, or both bools"),
    guard("records to choose from", "(state if state.flag else state).flag", "must be ints, or both bools"),
    guard("nothing as value", "clear(state) == 1", "a comparison needs ints, not nothing"),
    guard("nothing as argument", "first(state.cells[0], clear(state)) == 1", "clear(state) returns nothing"),
    guard("too few arguments", "first(state.cells[0]) == 1", "first: it takes 2 argument(s) and is called with 1"),
    guard("too many arguments", "count_up(state, 1)", "count_up: it takes 1 argument(s) and is called with 2"),
]

NAMES = [
    statement(
        "wrong type", "state.number = state.flag", "state.number holds int, not bool; write `1 if condition else 0`"
    ),
    statement("bool field", "state.flag = 1", "state.flag holds bool, not int; write True"),
    statement("bool field 0", "state.flag = 0", "state.flag holds bool, not int; write False"),
    statement("number as bool", "state.flag = state.number", "holds bool, not int; compare it, for example `x != 0`"),
    statement("nothing", "state.flag = clear(state)", "`clear(state)` returns nothing, so write it on"),
    statement(
        "record as number", "state.number = state.cells[0]", "not a Cell record; name one of its fields or elements"
    ),
    statement("too large", "state.number = 4", "state.number = 4 is outside its range 0 .. 3", "Count(highest=3"),
    statement("too small", "state.row[0] = -1", "state.row[0] = -1 is outside its range 0 .. 3"),
    statement("enum too large", "state.cells[0].number = Mode.BROKEN", "= 7 is outside its range 0 .. 3"),
    statement("augmented bool", "state.flag += 1", "the left side of + must be int, not bool"),
    statement("name of nothing", "done = clear(state)", "'done' would be nothing; use it where it is needed"),
    statement(
        "name of a module",
        "here = schema",
        "'here' would be module kafkacheck.checker.schema; use it where it is needed",
    ),
    statement("name of a function", "here = count_up", "'here' would be function count_up"),
    statement(
        "write in a written index", "state.row[bump(state)] += 1", "writes to the state; compute it on a line before"
    ),
    statement(
        "write behind a place that it moves", "state.row[state.number] += bump(state)", "what stands behind this sign"
    ),
    statement("nested too deep", f"state.number = {' + '.join(['1'] * 200)}", "expressions are nested too deep"),
    guard("in a range", "state.number in range(1, 3)", "`low <= value < high`"),
    guard("in a tuple", "state.number in (1, 3)", "`value == ONE or value == OTHER`"),
    statement("write in len()", "x = len(state.cells[bump(state)].row)", "the argument of len() writes to the state"),
    Case(
        "changed type",
        "x = 1\nx = state.flag  # here\nreturn True",
        ("'x' was int and would become bool; use another",),
    ),
    Case(
        "types of branches",
        "if state.flag:\n    x = 1\nelse:\n    x = True  # here\nreturn True",
        ("'x' is int elsewhere",),
    ),
    Case("parameter's type", "place = state.flag  # here\nreturn True", ("'place' was int and would become bool",)),
    Case("loop's type", "i = state.flag\nfor i in range(2):  # here\n    pass\nreturn True", ("'i' was bool",)),
    Case(
        "one branch",
        "if state.flag:\n    x = 1\nstate.number = x  # here\nreturn True",
        ("'x' may have no value here",),
    ),
    Case(
        "after a loop",
        "for i in range(3):\n    x = i\nstate.number = x  # here\nreturn True",
        ("'x' may have no value",),
    ),
    Case(
        "loop's name after it",
        "for i in range(3):\n    pass\nstate.number = i  # here\nreturn True",
        ("'i' may have no",),
    ),
    Case(
        "second round",
        "for i in range(3):\n    if i > 0:\n        state.number = x  # here\n    x = i\nreturn True",
        ("'x' may",),
    ),
    Case(
        "global and local", "state.number = LIMIT  # here\nLIMIT = 2\nreturn True", ("'LIMIT' may have no value here",)
    ),
    Case("builtin and local", "x = len(state.row)  # here\nlen = 2\nreturn True", ("'len' may have no value here",)),
    Case("shadowed builtin", "max = 2\nx = max(1, 2)  # here\nreturn True", ("int cannot be called",)),
    Case("before its line", "state.number = x  # here\nx = 1\nreturn True", ("'x' may have no value here",)),
]

LOOPS = [
    Case("over a number", "for each in state.number:  # here\n    pass\nreturn True", ("runs over range(...)",)),
    Case("over a record", "for each in state:  # here\n    pass\nreturn True", ("not over a State record",)),
    Case(
        "over an array of another type",
        "each = state.flag\nfor each in state.row:  # here\n    pass\nreturn True",
        ("'each' was bool and would become int",),
    ),
    Case("two names", "for i, j in range(3):  # here\n    pass\nreturn True", ("over range() has one name",)),
    Case(
        "else",
        "for i in range(3):  # here\n    pass\nelse:\n    pass\nreturn True",
        ("a loop has no `else`; write what follows below the loop",),
    ),
    Case("enumerate", "for i in enumerate(state.row):  # here\n    pass\nreturn True", ("gives two, an index and an",)),
    Case(
        "step 0",
        "for i in range(0, 3, 0):  # here\n    pass\nreturn True",
        ("step of range() must be a constant other than 0",),
    ),
    Case("step unknown", "for i in range(0, 3, state.number):  # here\n    pass\nreturn True", ("must be a constant",)),
    Case("four arguments", "for i in range(1, 2, 3, 4):  # here\n    pass\nreturn True", ("one to three arguments",)),
    Case("no argument", "for i in range():  # here\n    pass\nreturn True", ("one to three arguments",)),
    Case("keyword", "for i in range(stop=3):  # here\n    pass\nreturn True", ("one to three arguments",)),
    Case("bool", "for i in range(state.flag):  # here\n    pass\nreturn True", ("an argument of range() must be int",)),
    Case(
        "shadowed range",
        "range = 3\nfor i in range(3):  # here\n    pass\nreturn True",
        ("a loop runs over range(...)",),
    ),
    Case("into a field", "for state.number in range(3):  # here\n    pass\nreturn True", ("has one name",)),
]

RETURNS = [
    Case(
        "no return at the end",
        "if state.flag:\n    return True\nstate.number += 1",
        ("one path ends without `return`",),
    ),
    Case("return in a loop", "for i in range(3):\n    return True", ("one path ends without `return`",)),
    Case(
        "int and bool",
        "if state.flag:\n    return True\nreturn 1  # here",
        ("it returns int here and bool elsewhere; let each `return` give the same type",),
    ),
    Case(
        "nothing and bool",
        "if state.flag:\n    return True\nreturn  # here",
        ("it returns nothing here and bool elsewhere",),
    ),
    Case(
        "record",
        "return state.cells[0]  # here",
        ("returns an int, a bool, an id set or nothing, not a Cell record; return its id",),
    ),
    Case("array", "return state.row  # here", ("returns an int, a bool, an id set or nothing, not an array",)),
    Case("module", "return schema  # here", ("returns an int, a bool, an id set or nothing, not module",)),
    Case("after return", "return True\nstate.number += 1  # here", ("this is never reached; remove it",)),
    Case(
        "after both branches",
        "if state.flag:\n    return False\nelse:\n    return True\nstate.number += 1  # here",
        ("this is never reached; remove it",),
    ),
    Case(
        "in a branch",
        "if state.flag:\n    return False\n    state.number = 1  # here\nreturn True",
        ("this is never reached; remove it",),
    ),
]

WHOLE = [
    Case("lambda", "act = lambda state: True  # here", ("a lambda is outside the plain subset; write a `def`",)),
    Case("decorated", "@decorate  # here\ndef act(state: State) -> bool:\n    return True", ("act is decorated; protocol functions",)),
    Case("static", "@staticmethod  # here\ndef act(state: State) -> bool:\n    return True", ("act is decorated; protocol functions carry no decorator",)),
    Case("wrapped", "@wrap\ndef act(state: State) -> bool:\n    return True", ("act is decorated; protocol functions",)),
    Case("hidden", "@hide\ndef act(state: State) -> bool:\n    return True", ("hidden is a closure over function",)),
    Case("partial", "act = functools.partial(count_up)", ("is not a plain Python function; protocol code consists of `def`",)),
    Case("class", "class act:\n    pass", ("is not a plain Python function",)),
    Case("method", "class Holder:\n    def act(self) -> bool:\n        return True\nact = Holder().act", ("is not a plain",)),
    Case("builtin", "act = len", ("<built-in function len> is not a plain Python function",)),
    Case("closure", "def make(limit):\n    def act(state: State) -> bool:  # here\n        return limit == 1\n    return act\nact = make(1)", ("act is a closure over limit; pass it as an argument instead",)),
    Case("default", "def act(state: State, place: int = 1) -> bool:  # here\n    return True", ("act has default arguments; pass every",)),
    Case("keyword default", "def act(state: State, *, place: int = 1) -> bool:  # here\n    return True", ("has default arguments",)),
    Case("keyword only", "def act(state: State, *, place: int) -> bool:  # here\n    return True", ("only plain positional parameters",)),
    Case("positional only", "def act(state: State, /) -> bool:  # here\n    return True", ("only plain positional parameters",)),
    Case("varargs", "def act(state: State, *rest: int) -> bool:  # here\n    return True", ("only plain positional parameters",)),
    Case("keywords", "def act(state: State, **rest: int) -> bool:  # here\n    return True", ("only plain positional parameters",)),
    Case("async", "async def act(state: State) -> bool:  # here\n    return True", ("act is `async`; a step waits for nothing, so write a plain `def`",)),
    Case("recursion", "def act(state: State) -> bool:  # here\n    return act(state)", ("recursion is outside the plain subset (act -> act); use a loop",)),
    Case("recursion of two", "def act(state: State) -> bool:  # here\n    return other(state)\n\n\ndef other(state: State) -> bool:\n    return act(state)", ("(act -> other -> act)",)),
    Case("in a helper", "def act(state: State) -> bool:\n    return helper(state)\n\n\ndef helper(state: State) -> bool:\n    while True:  # here\n        pass", ("in helper: `while` is outside the plain subset",)),
    Case("helper's argument", "def act(state: State) -> bool:\n    return helper(state.number)\n\n\ndef helper(cell: Cell) -> bool:\n    return cell.flag  # here", ("in helper: int has no field 'flag'",)),
    Case("decorated helper", "def act(state: State) -> bool:\n    return helper(state)\n\n\n@decorate  # here\ndef helper(state: State) -> bool:\n    return True", ("helper is decorated",)),
    Case("too long", "def act(state: State) -> bool:  # here\n    \"\"\"Long.\"\"\"\n" + "    state.number = 1\n" * 70 + "    return True", ("in act: 71 lines; at most 70 are allowed, so split it",)),
]  # fmt: skip

BODIES = [*STATEMENTS, *EXPRESSIONS, *NAMES, *LOOPS, *RETURNS]

BUMP = '''

def bump(state: State) -> int:
    """A helper that writes and returns an index."""
    state.number = 1
    return 0
'''


def text_of(case: Case) -> str:
    """The module of a case."""
    if case in WHOLE:
        return f"{PRELUDE}\n\n{case.code}\n"
    body = "\n".join("    " + line for line in case.code.splitlines())
    head = 'def act(state: State, place: Annotated[int, Id("members")]) -> bool:\n    """The action."""\n'
    return f"{PRELUDE}{BUMP}\n\n{head}{body}\n"
