"""How many statements a loop can run at most: which loops of machine code must look whether to stop."""

from functools import lru_cache

from kafkacheck.checker.language import ir


def loop_work(function: ir.Function, loop: ir.For) -> int:
    """How many statements a loop of a function runs at most, those of calls included."""
    rounds = function.most_rounds.get(loop.node, 0) if loop.node is not None else 0
    return max(rounds, 0) * (1 + _block_work(function, loop.body))


@lru_cache(maxsize=4096)
def work(function: ir.Function) -> int:
    """How many statements a call of a function runs at most, those of calls included."""
    return _block_work(function, function.body)


def _block_work(function: ir.Function, body: tuple[ir.Statement, ...]) -> int:
    return sum(_statement_work(function, statement) for statement in body)


def _statement_work(function: ir.Function, statement: ir.Statement) -> int:
    match statement:
        case ir.Assign(_, value) | ir.Do(value):
            return _expression_work(value)
        case ir.Store(place, value, _):
            return _expression_work(place) + _expression_work(value)
        case ir.Return(value):
            return 1 if value is None else _expression_work(value)
        case ir.If(test, then, otherwise):
            longer = max(_block_work(function, then), _block_work(function, otherwise))
            return _expression_work(test) + longer
        case ir.For(_, start, stop):
            return _expression_work(start) + _expression_work(stop) + loop_work(function, statement)
    raise AssertionError(statement)


def _expression_work(expression: ir.Expression) -> int:
    return 1 + sum(work(call.function) for call in ir.calls(expression))
