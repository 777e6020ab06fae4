"""What the parts of Python's syntax are called by those who write it, and what stands in place of some."""

import ast

_WORDS: dict[type[ast.AST], str] = {
    ast.AnnAssign: "an annotated assignment",
    ast.Assert: "`assert`",
    ast.Assign: "this assignment",
    ast.AsyncFor: "`async for`",
    ast.AsyncFunctionDef: "`async def`",
    ast.AsyncWith: "`async with`",
    ast.AugAssign: "this assignment",
    ast.Await: "`await`",
    ast.Break: "`break`",
    ast.ClassDef: "a class in a function",
    ast.Continue: "`continue`",
    ast.Delete: "`del`",
    ast.Dict: "a dict",
    ast.DictComp: "a dict comprehension",
    ast.Div: "`/`",
    ast.FunctionDef: "a function in a function",
    ast.GeneratorExp: "a generator expression",
    ast.Global: "`global`",
    ast.Import: "an import in a function",
    ast.ImportFrom: "an import in a function",
    ast.In: "`in`",
    ast.Is: "`is`",
    ast.IsNot: "`is not`",
    ast.JoinedStr: "an f-string",
    ast.Lambda: "`lambda`",
    ast.List: "a list",
    ast.ListComp: "a list comprehension",
    ast.MatMult: "`@`",
    ast.Match: "`match`",
    ast.NamedExpr: "`:=`",
    ast.Nonlocal: "`nonlocal`",
    ast.NotIn: "`not in`",
    ast.Pow: "`**`",
    ast.Raise: "`raise`",
    ast.Set: "a set",
    ast.SetComp: "a set comprehension",
    ast.Slice: "a slice",
    ast.Starred: "a starred value",
    ast.Try: "`try`",
    ast.TryStar: "`try` with `except*`",
    ast.Tuple: "a tuple",
    ast.While: "`while`",
    ast.With: "`with`",
    ast.Yield: "`yield`",
    ast.YieldFrom: "`yield from`",
}

INSTEAD: dict[type[ast.stmt], str] = {
    ast.While: "`for ... in range(...)` with a bound",
    ast.Try: "a guard before the step that can fail",
    ast.Raise: "`return False` for a step that is not enabled",
    ast.Assert: "an invariant of the model",
    ast.With: "plain statements",
    ast.Break: "a condition inside the loop, or `return` in a helper",
    ast.Continue: "an `if` around the rest of the loop's body",
    ast.FunctionDef: "a function at the top of the module",
    ast.ClassDef: "a Struct at the top of the module",
    ast.Import: "an import at the top of the module",
    ast.ImportFrom: "an import at the top of the module",
    ast.Global: "a field of the state",
    ast.Nonlocal: "a field of the state",
    ast.Delete: "a write of the blank value",
    ast.Match: "`if` / `elif`",
}
"""What to write in place of a statement that is outside the plain subset."""


def words_for(node: ast.AST) -> str:
    """The node in Python's words, to begin a sentence with; its class's name for what has none, as of newer Pythons."""
    return _WORDS.get(type(node), type(node).__name__)
