"""Generators, loops over more than one array, and whole records that are refused: more cases for test_subset.py."""

from tests.support.subset_cases import Case, guard, statement

CASES = [
    guard("any of numbers", "any(x for x in state.row)", "what any() asks of each element must be bool, not int"),
    guard("all of records", "all(cell for cell in state.cells)", "what all() asks of each element must be bool, not a"),
    guard("sum of bools in a generator", "sum(cell.flag for cell in state.cells) == 1", "`1 if condition else 0`"),
    guard("any of a list", "any([state.flag for i in range(3)])", "leave out its brackets: `any(... for ...)`"),
    guard("all of a set", "all({state.flag for i in range(3)})", "leave out its brackets: `all(... for ...)`"),
    guard("any of an array", "any(state.row)", "any() takes a generator, not `state.row`", "for node in state.nodes)"),
    guard("all of two", "all(state.flag, state.flag)", "all() takes one generator, not 2 arguments"),
    guard("any of none", "any()", "any() takes one generator, not 0 arguments"),
    guard(
        "sum with a start", "sum((x for x in state.row), 1) == 1", "sum() takes no start; add it in front: `start + "
    ),
    guard("any with a keyword", "any(x == 1 for x in state.row) == all(key=1)", "keyword arguments and starred ones"),
    guard(
        "a generator that writes",
        "any(bump(state) == x for x in state.row)",
        "`bump(state)` writes to the state, and a generator only reads",
    ),
    guard("a filter that writes", "all(x == 1 for x in state.row if count_up(state))", "`count_up(state)` writes"),
    guard(
        "a second array that writes", "sum(y for x in state.row for y in state.cells[bump(state)].row) == 1", "writes"
    ),
    guard(
        "a first array that writes", "any(x == 1 for x in state.cells[bump(state)].row)", "compute it on a line before"
    ),
    guard("a range that writes", "any(i == 1 for i in range(bump(state)))", "`bump(state)` writes to the state"),
    guard("number as filter", "any(True for x in state.row if x)", "the condition behind `if` must be bool, not int"),
    guard("range of bools", "any(i == 1 for i in range(state.flag))", "an argument of range() must be int, not bool"),
    guard(
        "generator over a number",
        "any(x == 1 for x in state.number)",
        "a loop runs over range(...), an array",
        "not over int",
    ),
    guard("generator over a call", "any(x == 1 for x in first(state.cells[0], 1))", "a loop runs over", "not over int"),
    guard("generator over a builtin", "any(x == 1 for x in reversed(state.row))", "not over `reversed(state.row)`"),
    guard(
        "generator over itself", "any(row == 1 for row in row)", "'row' names an element and what it is an element of"
    ),
    guard("two equal names", "any(x == 1 for x in state.row for x in state.row)", "the generator binds 'x' twice"),
    guard("two equal names of a pair", "any(x == 1 for x, x in zip(state.row, state.row))", "binds 'x' twice"),
    guard(
        "used before it is bound",
        "any(y == 1 for x in state.row for y in z.row for z in state.cells)",
        "'z' may have no",
    ),
    guard("an element after its generator", "any(x == 1 for x in state.row) and x == 1", "the name 'x' is not defined"),
    guard("an unknown field in a generator", "any(cell.fla for cell in state.cells)", "Cell has no field 'fla'"),
    guard("a walrus in a generator", "any((y := x) == 1 for x in state.row)", "`:=` is outside"),
    guard("a list in a generator", "any(x in [1] for x in state.row)", "use `value == ONE or value == OTHER`"),
    guard("a shift in a generator", "any(x == 1 << 63 for x in state.row)", "a shift by 63; shift by 0 .. 62"),
    guard("a product in a generator", "sum(2**0 + x for x in state.row) == 1", "`**` is outside"),
    guard(
        "arrays of two lengths",
        "any(x == y.number for x, y in zip(state.long, state.cells))",
        "zip() of arrays with 3 and 2",
    ),
    guard("zip of one", "any(x == 1 for x in zip(state.row))", "zip() takes two arrays or more, of one length"),
    guard("zip of a range", "any(x == i for x, i in zip(state.row, range(2)))", "range() with 1 argument(s)"),
    guard("zip with a keyword", "any(x == y for x, y in zip(state.row, state.row, strict=True))", "and nothing else"),
    guard(
        "one name for two", "any(x == 1 for x in zip(state.row, state.row))", "gives 2 elements a round; write as many"
    ),
    guard("three names for two", "any(x == y for x, y, z in zip(state.row, state.row))", "gives 2 elements a round"),
    guard(
        "enumerate with a start",
        "any(i == x for i, x in enumerate(state.row, 1))",
        "enumerate() takes one array and no",
    ),
    guard(
        "one name for an index and an element", "any(x == 1 for x in enumerate(state.row))", "an index and an element"
    ),
    guard("enumerate of a number", "any(i == x for i, x in enumerate(state.number))", "not over int"),
    guard("a field as an element", "any(True for state.number in state.row)", "each element has one name"),
    guard("a part of an element", "any(True for x, y in state.row)", "each element has one name, so not `(x, y)`"),
    Case("zip", "for i in zip(state.row, state.row):  # here\n    pass\nreturn True", ("gives 2 elements a round",)),
    Case("twice", "for i, i in enumerate(state.row):  # here\n    pass\nreturn True", ("the loop binds 'i' twice",)),
    Case(
        "shadowed zip", "zip = 1\nfor i, j in zip(state.row, state.row):  # here\n    pass\nreturn True", ("not over",)
    ),
    Case(
        "element's type",
        "x = state.flag\nfor i, x in enumerate(state.row):  # here\n    pass\nreturn True",
        ("'x' was bool and would become int",),
    ),
    Case(
        "lengths",
        "for i, j in zip(state.long, state.row):  # here\n    pass\nreturn True",
        ("arrays with 3 and 2 elements",),
    ),
    statement(
        "clear of an array", "schema.clear(state.row)", "clear() takes one record, not an array; write an array by a"
    ),
    statement("clear of a number", "schema.clear(state.number)", "clear() takes one record, not int"),
    statement(
        "clear of two", "schema.clear(state.cells[0], state.cells[1])", "takes one record, not a Cell record and a Cell"
    ),
    statement("clear of none", "schema.clear()", "clear() takes one record, not nothing"),
    statement("copy of one", "schema.copy(state.cells[0])", "not a Cell record; write `copy(target, source)`"),
    statement(
        "clear of a set", "schema.clear(state.isr)", "takes one record, not an id set; write `state.isr = Ids()`"
    ),
    statement(
        "copy of numbers", "schema.copy(state.number, 1)", "not int and int; write `target = source` for numbers"
    ),
    statement(
        "copy of another type",
        "schema.copy(state.cells[0], state)",
        "from a State record into a Cell record; both must",
    ),
    statement(
        "copy of another length",
        "schema.copy(state.row, state.long)",
        "an array of 3 of Count(highest=3",
        "into an array of 2",
    ),
    statement(
        "copy of itself", "schema.copy(state.cells[place], state.cells[place])", "a place into itself does nothing"
    ),
    statement("copy of itself by a name", "schema.copy(state.row, state.row)", "a place into itself does nothing"),
    statement("name of a clear", "done = schema.clear(state.cells[0])", "'done' would be nothing"),
    guard(
        "a generator that adds",
        "any(add(state.queue, Cell(number=i)) for i in range(2))",
        "`add(state.queue, Cell(number=i))` writes to the state, and a generator only reads; write a loop: `for ... in",
        "and `add(state.queue, Cell(number=i))` on a line in it",
    ),
    guard("a function as a condition", "count_up", "must be bool, not function count_up; call it: `count_up(...)`"),
    guard("the value of a member", "Mode.ON.value == 1", "int has no field 'value'; an enum member is its number"),
    guard("the least of a list", "min([1, 2]) == 1", "min() takes two or more numbers, not `[1, 2]`; name them, `min("),
    guard(
        "bounds that are not taken", "bounds.members == 1", "let the function take it: `def ", "(state, bounds, ...)`"
    ),
    statement(
        "an empty queue", "state.queue = []", "a list is outside the plain subset", "clear(...) to empty a queue"
    ),
    statement("clear a number", "schema.clear(state.number)", "takes one record, not int; write `state.number = 0`"),
    guard("a generator that copies", "sum(copy(cell, state.cells[0]) for cell in state.cells)", "writes to the state"),
    guard(
        "any of a call that writes",
        "any(add(state.queue, Cell(number=1)))",
        "any() takes a generator, not `add(state.queue, Cell(number=1))`: write `add(state.queue, Cell(number=1))` on a",
    ),
    guard(
        "a generator that clears", "any(schema.clear(cell) == 1 for cell in state.cells)", "`schema.clear(cell)` writes"
    ),
    guard(
        "records of two types", "state.cells[0] == state", "a Cell record is compared with a State record; compare the"
    ),
    guard(
        "arrays of two lengths compared",
        "state.row == state.long",
        "an array of 2 of",
        "is compared with an array of 3 of",
    ),
    guard("array and number", "state.row == 1", "an array is compared with int"),
    guard("record and bool", "state.flag != state.cells[0]", "bool is compared with a Cell record"),
    guard("records in order", "state.cells[0] < state.cells[1]", "compared two at a time, by == or !="),
    guard("three records", "state.cells[0] == state.cells[1] == state.cells[0]", "compared two at a time, by == or !="),
    guard(
        "a record and itself",
        "state.cells[place] == state.cells[place]",
        "compares a place with itself; correct one of",
    ),
]
