"""Misuse of queues, bags and new records: more cases for test_subset.py."""

from tests.support.subset_cases import Case, guard, statement

SEES = "protocol code sees no field of a Queue[Cell]"

CASES = [
    guard(
        "length of a queue", "state.queue.length == 1", SEES, "use len(...), is_full(...), an index, a loop, add(...)"
    ),
    guard("slots of a queue", "state.queue.slots[0].flag", SEES, "as 'slots'"),
    guard("negative place", "state.queue[-1].flag", "the index -1 is negative; indices are 0 or more, so count from 0"),
    guard("place is a flag", "state.queue[state.flag].flag", "an index must be int, not bool"),
    guard("a place that writes", "state.queue[bump(state)].flag", "writes to the state; compute it on a line before"),
    guard(
        "zip of queues", "any(x == y for x, y in zip(state.queue, state.bag))", "zip() takes arrays", "enumerate(...)"
    ),
    guard("queue against bag", "state.queue == state.bag", "a Queue[Cell] record is compared with a Bag[Cell] record"),
    guard("order of queues", "state.queue < state.queue", "records and arrays are compared two at a time, by == or !="),
    guard("a record in a queue", "state.cells[0] in state.queue", "not of a Queue[Cell] record; use any(each == value"),
    guard("a queue as condition", "state.queue", "must be bool, not a Queue[Cell] record; ask `len(state.queue) == 0`"),
    guard("an empty bag", "not state.bag", "of `not` must be bool", "ask `len(state.bag) == 0` or `len("),
    guard("a queue as number", "1 + state.queue == 2", "must be int", "write `len(state.queue)`"),
    guard("a queue is full", "is_full(state.row)", "is_full() takes a queue or bag, not an array"),
    guard(
        "two are full",
        "is_full(state.queue, state.bag)",
        "is_full() takes a queue or bag, not a Queue[Cell] record and",
    ),
    guard(
        "a new record alone", "Cell(number=1) == state.cells[0]", "Cell(number=1) is a new record, which only add(...)"
    ),
    guard(
        "a new record elsewhere", "first(Cell(number=1), 1) == 1", "is a new record, which only add(...) and copy(..., "
    ),
    guard("a record in Python's way", "Cell(number=1) in state.bag", "`any(each.number == 1 for each in state.bag)`"),
    guard("two new records", "state.cells[0] != Cell(number=1, flag=True)", "`state.cells[0].number == 1 and state.c"),
    statement("a new record returned", "return Cell(number=1)", "a function returns no record", "copy(that, Cell(num"),
    statement("a new record in a field", "state.cells[0] = Cell()", "write copy(state.cells[0], Cell())"),
    guard("the class itself", "Cell == state.cells[0]", "StructMeta Cell is compared with a Cell record"),
    statement("a new record in a name", "cell = Cell(number=1)", "is a new record", "write it anew in each add(...)"),
    statement("a whole queue", "state.queue = state.queue", "cannot be assigned; write copy(target, source)"),
    statement("a field of a record in a bag", "state.bag[0].number = 1", "what lies in a queue or bag does not change"),
    statement("a sum in a queue", "state.queue[0].number += 1", "take it out by remove(), and add() another one"),
    statement("an element in a queue", "state.queue[0].row[1] = 1", "what lies in a queue or bag does not change"),
    statement("clear in a bag", "schema.clear(state.bag[0])", "what lies in a queue or bag does not change"),
    statement("copy into a bag", "copy(state.bag[0], state.cells[0])", "what lies in a queue or bag does not change"),
    statement(
        "copy of an array into a bag", "copy(state.bag[0].row, state.row)", "what lies in a queue or bag does not"
    ),
    statement("a new record into a bag", "copy(state.bag[0], Cell(number=1))", "what lies in a queue or bag does not"),
    statement(
        "copy of a new record into a queue", "copy(state.queue, Cell(number=1))", "copy() takes a record and a record"
    ),
    statement(
        "a queue into a bag", "copy(state.queue, state.bag)", "copy() from a Bag[Cell] record into a Queue[Cell]"
    ),
    statement("add nothing", "add(state.queue)", "add() takes a queue or bag and a record, not a Queue[Cell] record"),
    statement("add a new record to nothing", "add(Cell(number=1))", "is a new record, which only add(...)"),
    statement(
        "add to an array", "add(state.cells, Cell())", "add() takes a queue or bag and a record of its class, not"
    ),
    statement(
        "add three", "add(state.queue, state.row, Cell())", "add() takes a queue or bag and a record of its class"
    ),
    statement("add a number", "add(state.queue, 1)", "add() takes a Cell here, not int; write add(..., Cell(...))"),
    statement("add another class", "add(state.queue, State())", "add() takes a Cell here, not State"),
    statement("add a state", "add(state.queue, state)", "add() takes a Cell here, not a State record"),
    statement("by position", "add(state.queue, Cell(1))", "Cell(...) takes its fields by name: `number=...`"),
    statement("stars", "add(state.queue, Cell(**state))", "Cell(...) takes its fields by name"),
    statement(
        "an unknown field", "add(state.queue, Cell(numbr=1))", "Cell has no field 'numbr'; its fields: number, flag"
    ),
    statement("a flag in a number", "add(state.queue, Cell(number=state.flag))", "holds int, not bool; write `1 if"),
    statement(
        "too large in a record", "add(state.queue, Cell(number=4))", "Cell.number = 4 is outside its range 0 .. 3"
    ),
    statement(
        "another array", "add(state.queue, Cell(row=state.long))", "Cell.row holds an array of 2", "not an array of 3"
    ),
    statement(
        "an array in a copy", "copy(state.cells[0], Cell(row=state.row))", "leave row out, and copy it on a line of"
    ),
    statement("remove nothing", "remove(state.queue)", "remove() takes a queue or bag and a place, not a Queue[Cell]"),
    statement(
        "remove a record", "remove(state.queue, state.cells[0])", "remove() takes a place, an int, not a Cell record"
    ),
    statement("remove of an array", "remove(state.row, 0)", "remove() takes a queue or bag and a place, not an array"),
    Case("a helper that writes into a queue", "mark(state.queue[0])\nreturn True", ("in mark: what lies in a queue",)),
    Case(
        "a name for both",
        "x = state.cells[0]\nx = state.queue[0]  # here\nreturn True",
        ("'x' was a Cell record and would",),
    ),
    Case(
        "a loop that writes",
        "for x in state.queue:\n    x.number = 1  # here\nreturn True",
        ("what lies in a queue or bag does not change",),
    ),
]
