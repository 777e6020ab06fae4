"""Evaluates Z3's own expressions on many assignments at once, by NumPy. Shares no code with `checker.proofs.solver`.

Bit-vectors are signed 64-bit integers here; every result is brought back to the width that Z3 says it has.
"""

import numpy as np


def signed(values, width):
    """The lowest `width` bits, read as a signed number."""
    shift = np.int64(64 - width)
    return (values << shift) >> shift


def truncated_quotient(left, right):
    quotient = np.abs(left) // np.maximum(np.abs(right), 1)
    return np.where((left < 0) != (right < 0), -quotient, quotient)


def smod(left, right):
    return np.where(right == 0, left, left % np.where(right == 0, 1, right))


OPERATIONS = {
    "and": lambda *sides: np.logical_and.reduce(sides),
    "or": lambda *sides: np.logical_or.reduce(sides),
    "not": np.logical_not,
    "=": np.equal,
    "if": np.where,
    "bvslt": np.less,
    "bvsgt": np.greater,
    "bvadd": np.add,
    "bvsub": np.subtract,
    "bvmul": np.multiply,
    "bvand": np.bitwise_and,
    "bvor": np.bitwise_or,
    "bvxor": np.bitwise_xor,
    "bvsmod": smod,
    "bvsdiv": truncated_quotient,
    "sign_extend": lambda value: value,
}


def evaluate(expression, assignments, done):
    """The values of an expression under arrays of values by variable name; `done` keeps those of its parts."""
    stack = [expression]
    while stack:
        now = stack[-1]
        waiting = [part for part in now.children() if part.get_id() not in done]
        if now.get_id() in done:
            stack.pop()
        elif waiting:
            stack.extend(waiting)
        else:
            done[now.get_id()] = value_of(now, [done[part.get_id()] for part in now.children()], assignments)
            stack.pop()
    return done[expression.get_id()]


def value_of(expression, parts, assignments):
    name, kind = expression.decl().name(), expression.decl()
    if not parts:
        if hasattr(expression, "as_signed_long"):
            return np.int64(expression.as_signed_long())
        if name in ("true", "false"):
            return np.bool_(name == "true")
        return assignments[name]
    if name == "extract":
        high, low = kind.params()
        return signed(parts[0] >> np.int64(low), high - low + 1)
    value = OPERATIONS[name](*parts)
    return signed(value, expression.size()) if hasattr(expression, "size") else value
