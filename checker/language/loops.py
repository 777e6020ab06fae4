"""What a loop runs over, in a `for` statement and in a generator: range(...), an array, a set, enumerate, zip."""

import ast
import builtins
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from kafkacheck.checker.language import ir
from kafkacheck.checker.language.containers import held
from kafkacheck.checker.language.id_sets import end_of
from kafkacheck.checker.language.ir import SET
from kafkacheck.checker.language.values import Value, type_name
from kafkacheck.checker.schema.canonical import is_container
from kafkacheck.checker.schema.shape import ArrayOf, Record

if TYPE_CHECKING:
    from kafkacheck.checker.language.subset import FunctionReader

_KINDS = (
    "a loop runs over range(...), an array, a queue, a bag, an id set, enumerate(array) or zip(array, other): "
    "`for i in range(n):`, "
    "`for node in state.nodes:`, `for i, node in enumerate(state.nodes):`"
)


class Loop(NamedTuple):
    """A loop in its typed form, but for its body.

    Before it each of `arrays` gets its name; `counter` then runs from `start` by `step` to before `stop`, and at the
    beginning of each round `binds` give the elements their names. The body runs in the rounds in which the `tests`
    hold. `writes`: finding what it runs over may change the state.
    """

    counter: str
    start: ir.Expression
    stop: ir.Expression
    step: int
    arrays: list[tuple[str, Value]]
    binds: list[ast.stmt]
    writes: bool
    tests: Sequence[ast.expr] = ()

    def under_test(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """The body, as it runs in each round."""
        for test in self.tests:
            body = [ast.copy_location(ast.If(test, body, []), test)]
        return body


def read_loop(reader: "FunctionReader", loop: ast.For) -> Loop:
    """What a loop runs over. ModelError with the mend where that is outside the plain subset."""
    if loop.orelse:
        raise reader.error(loop, "a loop has no `else`; write what follows below the loop")
    if not _is_call(reader, loop.iter, "range"):
        return _over_arrays(reader, loop)
    call = loop.iter
    assert isinstance(call, ast.Call)
    if not isinstance(loop.target, ast.Name):
        raise reader.error(loop, "a loop over range() has one name: `for i in range(n):`")
    if call.keywords or not 1 <= len(call.args) <= 3:
        raise reader.error(loop, "range takes one to three arguments")
    parts = [reader.expressions.read_int(argument, "an argument of range()") for argument in call.args]
    if len(parts) == 3 and not parts[2].constant:
        raise reader.error(loop, "the step of range() must be a constant other than 0")
    start = parts[0].expression if len(parts) > 1 else ir.Const(0)
    stop = parts[min(len(parts) - 1, 1)].expression
    step = int(parts[2].constant or 1) if len(parts) == 3 else 1
    return Loop(loop.target.id, start, stop, step, [], [], any(part.writes for part in parts))


def _over_arrays(reader: "FunctionReader", loop: ast.For) -> Loop:
    """A loop over the elements of arrays: each array has a name of its own, and so has the index."""
    target, iterable, counter = loop.target, loop.iter, ""
    names = [each.id for each in ast.walk(target) if isinstance(each, ast.Name)]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise reader.error(loop, f"the loop binds {twice[0]!r} twice; give each part a name of its own")
    if _is_call(reader, iterable, "enumerate"):
        counter, target, iterable = _enumerated(reader, loop)
    counter = counter or f"{ast.unparse(target)}.index.{loop.lineno}"
    pairs = [(target, iterable)]
    if _is_call(reader, iterable, "zip"):
        pairs = _zipped(reader, loop, target, iterable)
    arrays = [_read(reader, loop, each) for _, each in pairs]
    if pairs[0][1] is loop.iter and arrays[0].type == SET:
        return _over_set(reader, loop, arrays[0])
    for array in arrays:
        if is_container(array.type) and len(arrays) > 1:
            raise reader.error(loop, "zip() takes arrays, which have one length; loop over enumerate(...) of the queue")
        if not isinstance(array.type, ArrayOf) and not is_container(array.type):
            raise reader.error(loop, f"{_KINDS}; not over {type_name(array.type)}")
    stop: ir.Expression | None = None
    if len(arrays) == 1 and isinstance(arrays[0].type, Record) and is_container(arrays[0].type):
        parts = held(arrays[0].expression, arrays[0].type)
        if arrays[0].writes:
            raise reader.error(loop, f"`{ast.unparse(iterable)}` writes to the state; compute it on a line before")
        arrays, stop = [Value(parts.array, parts.slots)], parts.length
    types = [array.type for array in arrays if isinstance(array.type, ArrayOf)]
    if len({each.length for each in types}) > 1:
        lengths = " and ".join(str(each.length) for each in types)
        raise reader.error(
            loop,
            f"zip() of arrays with {lengths} elements would leave out the last elements; loop over the "
            "indices that are meant: `for i in range(...):`",
        )
    found, binds = [], list[ast.stmt]()
    for (name, _), array in zip(pairs, arrays, strict=True):
        if not isinstance(name, ast.Name):
            raise reader.error(loop, f"{_KINDS}; each element has one name, so not `{ast.unparse(loop.target)}`")
        kept = f"{name.id}.array.{loop.lineno}"
        found.append((kept, array))
        element = ast.Subscript(ast.Name(kept, ast.Load()), ast.Name(counter, ast.Load()), ast.Load())
        bind = ast.copy_location(ast.Assign([ast.Name(name.id, ast.Store())], element), loop)
        binds.append(ast.fix_missing_locations(bind))
    writes = any(array.writes for array in arrays)
    return Loop(counter, ir.Const(0), stop or ir.Const(types[0].length), 1, found, binds, writes)


def _enumerated(reader: "FunctionReader", loop: ast.For) -> tuple[str, ast.expr, ast.expr]:
    """The name of the index, the target of the elements, and what is enumerated."""
    call = loop.iter
    assert isinstance(call, ast.Call)
    if len(call.args) != 1 or call.keywords:
        raise reader.error(
            loop, "enumerate() takes one array and no start; add it to the index: `for i, node in ...:`, then `i + 1`"
        )
    match loop.target:
        case ast.Tuple(elts=[ast.Name(id=name), element]):
            return name, element, call.args[0]
    raise reader.error(loop, "enumerate() gives two, an index and an element: `for i, node in enumerate(state.nodes):`")


def _zipped(
    reader: "FunctionReader", loop: ast.For, target: ast.expr, call: ast.expr
) -> list[tuple[ast.expr, ast.expr]]:
    """The target and the array of each side of a zip()."""
    assert isinstance(call, ast.Call)
    if len(call.args) < 2 or call.keywords:
        raise reader.error(loop, "zip() takes two arrays or more, of one length, and nothing else: `zip(one, other)`")
    if not isinstance(target, ast.Tuple) or len(target.elts) != len(call.args):
        shown = ast.unparse(call)
        raise reader.error(loop, f"{shown} gives {len(call.args)} elements a round; write as many names before `in`")
    return list(zip(target.elts, call.args, strict=True))


def _over_set(reader: "FunctionReader", loop: ast.For, ids: Value) -> Loop:
    """A loop over the members of a set, ascending: over every id that it can have, under the test that it has it."""
    if not isinstance(loop.target, ast.Name):
        raise reader.error(loop, f"a loop over an id set has one name: `for member in {ast.unparse(loop.iter)}:`")
    kept = f"{loop.target.id}.set.{loop.lineno}"
    has = ast.Compare(ast.Name(loop.target.id, ast.Load()), [ast.In()], [ast.Name(kept, ast.Load())])
    test = ast.fix_missing_locations(ast.copy_location(has, loop))
    return Loop(loop.target.id, ir.Const(0), end_of(ir.Local(kept, SET)), 1, [(kept, ids)], [], ids.writes, [test])


def _read(reader: "FunctionReader", loop: ast.For, node: ast.expr) -> Value:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and hasattr(builtins, node.func.id):
        _refused(reader, loop)
    return reader.expressions.read(node)


def _refused(reader: "FunctionReader", loop: ast.For) -> NoReturn:
    raise reader.error(loop, f"{_KINDS}; not over `{ast.unparse(loop.iter)}`")


def _is_call(reader: "FunctionReader", node: ast.expr, name: str) -> bool:
    match node:
        case ast.Call(func=ast.Name(id=called)):
            return called == name and reader.is_builtin(name)
    return False
