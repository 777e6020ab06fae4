"""The project's own style rules: each takes a file's path and text and yields what is wrong, as "path:line: ...".

Ruff and mypy check what is common to all Python projects; these rules check what is agreed on here. CONTRIBUTING.md
explains them. Nothing is imported or run: the rules read text and syntax trees.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import PurePosixPath

MOST_LINES_OF_A_FILE = 500
MOST_LINES_OF_A_FUNCTION = 70
OWN_PACKAGES = ("kafkacheck", "tests")
INSTALLED = ("impl", "spec", "model", "checker")
"""The folders that are installed, all of them as parts of the package `kafkacheck`."""
PROTOCOL_FOLDERS = ("impl", "spec", "model")

ORDINARY_FOLDERS = ("impl/assignors/", "impl/placement/", "spec/assignors/")
"""Protocol that no model runs step by step: it is ordinary Python, and its tests call it."""

FAMILIES = (
    "broker_lifecycle classic_group cluster compaction consumer_group delivery group_log metadata_quorum migration "
    "offset_commits producer replica_lag replication resumption subscriptions transactions"
)
SYSTEMS = tuple(f"kafkacheck.model.{family}.system" for family in FAMILIES.split())
"""The modules that declare the state of a family of models."""

# What each folder may import of the project itself; a name allows the module and what lies below it.
MAY_IMPORT = {
    "impl": ("kafkacheck.impl", "kafkacheck.checker.schema"),
    # Of `impl` and of the models' systems only records and constants: see spec_observes.
    "spec": ("kafkacheck.spec", "kafkacheck.impl", *SYSTEMS, "kafkacheck.checker.schema"),
    "model": (
        *("kafkacheck.model", "kafkacheck.spec", "kafkacheck.impl"),
        *("kafkacheck.checker.schema", "kafkacheck.checker.model", "kafkacheck.checker.drawing"),
    ),
    "checker": ("kafkacheck.checker",),
}
# Protocol code is plain: beside the project it may import only what declares enums and annotations.
STANDARD_FOR_PROTOCOL = ("enum", "typing", "__future__")

METHODS_OF_OTHERS = {
    "partition", "rpartition", "partitionBy", "mapPartitions", "mapPartitionsWithIndex",
    "repartitionAndSortWithinPartitions",
}  # fmt: skip  # methods of strings and of Spark that are named by a word of Kafka

KAFKA_WORDS = (
    *("kafka", "kip", "broker", "replica", "isr", "elr", "leader", "follower", "partition", "topic", "watermark"),
    *("coordinator", "quorum", "producer", "consumer"),
)

# Put together from pieces, so that this file does not contain what it forbids.
FORBIDDEN_TEXT = {
    "a mark of unfinished work": r"\b(?:" + "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK")) + r")\b",
    "a path of one machine": r"(?<![\w.])/(?:wo" + r"rk|ro" + r"ot|ho" + r"me|Us" + r"ers)/|\.py" + "env",
    "a folder outside the repository": r"(?<![\w.])sha" + "red/",
    "the host of a package registry": r"(?i)py" + r"pi\.org|python" + r"hosted|npm" + r"js\.|deb" + r"ian\.org",
    "how the work was organised": r"(?i)\b(?:this|previous|next|last|other|earlier) ses" + r"sion\b|\bissue #?\d",
}  # fmt: skip

ACTION_PARTS = ("When", "Effect", "Source")
SAYS_NOTHING = re.compile(r"^ *(?:Who: the world|Left out: nothing)\.$", re.MULTILINE)
"""Parts that are better not written."""
INVARIANT_PARTS = ("Lost", "Source")
LEMMA_PARTS = ("Why", "Source")
MODULE_PARTS = ("Part of Kafka", "Source", "Left out")
VERDICTS = ("HOLDS", "VIOLATED", "DEADLOCK")


def folder_of(path: str) -> str:
    """The top-level folder of a path within the repository, "" for a file at the top."""
    parts = PurePosixPath(path).parts
    return parts[0] if len(parts) > 1 else ""


def module_of(path: str) -> str:
    """The dotted name under which a file of the repository is imported."""
    parts = PurePosixPath(path).with_suffix("").parts
    named = ("kafkacheck", *parts) if parts[0] in INSTALLED else parts
    return ".".join(named[:-1] if named[-1] == "__init__" else named)


def is_within(module: str, packages: tuple[str, ...]) -> bool:
    """Whether `module` is one of the packages or lies below one."""
    return any(module == package or module.startswith(package + ".") for package in packages)


def imports(tree: ast.AST) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    """Every import as (line, module, names); no names for `import module`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name, ()
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, "." * node.level + (node.module or ""), tuple(alias.name for alias in node.names)


@cache
def modules_imported(text: str) -> set[str]:
    """The modules that a file imports, or imports from."""
    return {module for _, module, _ in imports(ast.parse(text))}


def import_direction(path: str, text: str) -> Iterator[str]:
    """Imports point from tests to models to specification to implementation, and nothing points back."""
    folder = folder_of(path)
    if folder not in MAY_IMPORT:
        return
    for line, module, names in imports(ast.parse(text)):
        place = f"{path}:{line}: imports {module}"
        if module.startswith("."):
            yield f"{place}; write the whole module name"
        elif is_within(module, OWN_PACKAGES):
            # `from kafkacheck.checker import schema` names the module kafkacheck.checker.schema.
            is_package = names and module in ("kafkacheck", *(f"kafkacheck.{each}" for each in INSTALLED))
            for each in [f"{module}.{name}" for name in names] if is_package else [module]:
                if not is_within(each, MAY_IMPORT[folder]):
                    yield f"{path}:{line}: imports {each}; {folder}/ may import only {', '.join(MAY_IMPORT[folder])}"
        elif is_within(module, INSTALLED):
            yield f"{place}; write kafkacheck.{module}, as it is called when it is installed"
        elif folder in PROTOCOL_FOLDERS and module not in STANDARD_FOR_PROTOCOL:
            yield f"{place}; {folder}/ may import only the project and {', '.join(STANDARD_FOR_PROTOCOL)}"


def functions_defined(text: str) -> set[str]:
    """The names of a module's own functions."""
    return {node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}


def spec_observes(path: str, text: str, texts: Mapping[str, str]) -> Iterator[str]:
    """Code of spec/ takes only classes and constants from impl/ and systems: a judge must not share a bug.

    `texts` maps the path of every file of the repository to its text.
    """
    if folder_of(path) != "spec":
        return
    modules = {module_of(other): other for other in texts if folder_of(other) in ("impl", "model")}
    for line, module, names in imports(ast.parse(text)):
        if not is_within(module, ("kafkacheck.impl", *SYSTEMS)):
            continue
        if not names:
            yield f"{path}:{line}: imports {module} whole; import the records and constants by name"
        for name in names:
            if f"{module}.{name}" in modules:
                yield f"{path}:{line}: imports {module}.{name} whole; import the records and constants by name"
            elif module in modules and name in functions_defined(texts[modules[module]]):
                yield f"{path}:{line}: imports the function {name} of {module}; spec/ may use records and constants"


def words_in(text: str) -> Iterator[str]:
    """The words of a text in lower case: identifiers are split at underscores and at capital letters."""
    for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", text):
        yield word.lower()


def no_kafka_word(path: str, text: str) -> Iterator[str]:
    """The checker explores any system: no name, text or comment in checker/ speaks of Kafka."""
    if folder_of(path) != "checker":
        return
    previous = ""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        is_method = previous == "." and token.string in METHODS_OF_OTHERS
        previous = token.string
        if is_method:
            continue
        for word in words_in(re.sub(r"\bspark(\.\w+)+|--kafka\b", "", token.string)):  # Spark's settings, our option
            if word in KAFKA_WORDS or word.removesuffix("s") in KAFKA_WORDS:
                yield f"{path}:{token.start[0]}: {word!r} is a word of Kafka; checker/ must fit every system"


def file_length(path: str, text: str) -> Iterator[str]:
    """A file has one responsibility and fits in a reader's head."""
    count = len(text.splitlines())
    if path.endswith(".py") and count > MOST_LINES_OF_A_FILE:
        yield f"{path}: {count} lines; split it, at most {MOST_LINES_OF_A_FILE} are allowed"


def forbidden_text(path: str, text: str) -> Iterator[str]:
    """Nothing unfinished, and nothing that only one machine or one time knows."""
    for number, line in enumerate(text.splitlines(), start=1):
        for what, pattern in FORBIDDEN_TEXT.items():
            found = re.search(pattern, line)
            if found:
                yield f"{path}:{number}: {found.group().strip()!r} is {what}"


EXEMPTION = r"#\s*(?:type:\s*ignore|noqa|pragma)"


def exemption_reasons(path: str, text: str) -> Iterator[str]:
    """Whoever silences a tool says why, on the same line: `# noqa: B012  # the reason`."""
    if not path.endswith(".py") or not re.search(EXEMPTION, text):
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        is_exemption = re.match(EXEMPTION, token.string)
        if token.type == tokenize.COMMENT and is_exemption and not re.search(r"\S\s+#\s*\w", token.string):
            yield f"{path}:{token.start[0]}: no reason beside the exemption; write `{token.string}  # because ...`"


def functions_and_classes(text: str) -> Iterator[ast.FunctionDef | ast.ClassDef]:
    """The functions and classes of a module, and the methods of its public classes; not what is inside functions."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from (inner for inner in node.body if isinstance(inner, ast.FunctionDef))


def lacks_part(docstring: str, part: str) -> bool:
    """Whether no line of the docstring begins with the part and says something behind its colon."""
    return not re.search(rf"^\s*{re.escape(part)}\b[^:\n]*:[ \t]+\S", docstring, re.MULTILINE)


def docstring_of_module(path: str, text: str) -> Iterator[str]:
    """Every module says what it is; one of impl/ or spec/ also its source and what it leaves out."""
    if folder_of(path) not in MAY_IMPORT:
        return
    docstring = ast.get_docstring(ast.parse(text)) or ""
    if not docstring:
        yield f"{path}: no docstring; say what the module is for"
    elif folder_of(path) in ("impl", "spec") and path != f"{folder_of(path)}/__init__.py":
        for part in MODULE_PARTS:
            if lacks_part(docstring, part):
                yield f"{path}: its docstring has no part '{part} ...:'"


def is_model(path: str, text: str) -> bool:
    """Whether the file defines a model of the catalogue."""
    return (
        folder_of(path) == "model" and path.endswith(".py") and bool(re.search(r"^MODEL\b\s*[:=]", text, re.MULTILINE))
    )


def docstring_of_model(path: str, text: str) -> Iterator[str]:
    """A module that defines a model says the question, why the bounds are enough, and the verdict to expect."""
    if not is_model(path, text):
        return
    docstring = ast.get_docstring(ast.parse(text)) or ""
    if "?" not in docstring:
        yield f"{path}: its docstring asks no question; begin with what a check of this model answers"
    if lacks_part(docstring, "Bounds"):
        yield f"{path}: its docstring has no part 'Bounds:' that says why these bounds are enough"
    if not re.search(rf"^\s*Expected\b[^:\n]*:\s+(?:{'|'.join(VERDICTS)})\b", docstring, re.MULTILINE):
        yield f"{path}: its docstring has no part 'Expected:' that begins with the verdict, {' or '.join(VERDICTS)}"


def base_names(node: ast.ClassDef) -> set[str]:
    """The names of a class's bases, as written."""
    return {ast.unparse(base) for base in node.bases}


def docstring_of_struct(path: str, text: str) -> Iterator[str]:
    """A record, or a NamedTuple of rules, says something of each of its fields, on a line `field: ...`."""
    if folder_of(path) not in PROTOCOL_FOLDERS:
        return
    for node in functions_and_classes(text):
        if not isinstance(node, ast.ClassDef) or not base_names(node) & {"Struct", "NamedTuple"}:
            continue
        docstring = ast.get_docstring(node) or ""
        for field in (ast.unparse(each.target) for each in node.body if isinstance(each, ast.AnnAssign)):
            if lacks_part(docstring, field):
                yield f"{path}:{node.lineno}: the docstring of {node.name} has no line '{field}: ...'"


def docstring_of_function(
    path: str, text: str, actions: set[str], invariants: set[str], lemmas: set[str]
) -> Iterator[str]:
    """Every function and class of the protocol has a docstring; an action, invariant and lemma have all their parts.

    `actions`, `invariants` and `lemmas` are the names of the functions that some model uses as such. An action of
    model/ that only delivers needs no parts, but the function that it calls (`delivered`) needs those of an action.
    """
    if folder_of(path) not in PROTOCOL_FOLDERS:
        return
    roles = {**dict.fromkeys(lemmas, LEMMA_PARTS), **dict.fromkeys(invariants, INVARIANT_PARTS)}
    roles |= dict.fromkeys(actions, ACTION_PARTS)
    for node in functions_and_classes(text):
        docstring = ast.get_docstring(node) or ""
        if not docstring:
            yield f"{path}:{node.lineno}: {node.name} has no docstring"
        if SAYS_NOTHING.search(docstring):
            yield f"{path}:{node.lineno}: the docstring of {node.name} has a part that says nothing; remove the line"
        delivers = folder_of(path) == "model" and delivered_by(node)
        for part in () if delivers else roles.get(node.name, ()):
            if docstring and lacks_part(docstring, part):
                yield f"{path}:{node.lineno}: the docstring of {node.name} has no part '{part}:'"


def delivered_by(function: ast.FunctionDef | ast.ClassDef) -> str:
    """The name of the function that an action only delivers to; "" for one that does more, or says `Effect:` itself.

    Such an action has guards, names and calls for what it delivers, and then calls one function: `return f(...)`,
    `return guard and f(...)`, or `f(...)` and `return True`. If `f` says whether it made a step, `note_...(...)` may
    follow, which keeps a history for properties: `if not f(...): return False`, `note_g(...)`, `return True`.
    """
    if not lacks_part(ast.get_docstring(function) or "", "Effect"):
        return ""
    steps = function.body[ast.get_docstring(function) is not None :]
    while len(steps) > 1 and re.match(r"note_\w+\(", ast.unparse(steps[-2])):
        steps = [*steps[:-2], steps[-1]]
    match steps:
        case [*before, ast.Return(value=ast.Call(func=called))]:
            pass
        case [*before, ast.Return(value=ast.BoolOp(op=ast.And(), values=[*_, ast.Call(func=called)]))]:
            pass
        case [
            *before,
            ast.If(test=ast.UnaryOp(op=ast.Not(), operand=ast.Call(func=called))),
            ast.Return(value=ast.Constant(value=True)),
        ]:
            pass
        case [*before, ast.Expr(value=ast.Call(func=called)), ast.Return(value=ast.Constant(value=True))]:
            pass
        case _:
            return ""
    for step in before:
        match step:
            case (
                ast.If(body=[ast.Return(value=ast.Constant(value=False))], orelse=[]) | ast.Assign(targets=[ast.Name()])
            ):
                pass
            case ast.Expr(value=ast.Call()):  # what comes with the delivery, such as the answers to others
                pass
            case _:
                return ""
    return ast.unparse(called).rpartition(".")[2]


def delivered(texts: Mapping[str, str], actions: set[str]) -> set[str]:
    """The names of the functions to which actions of model/ only deliver."""
    found = set()
    for path, text in texts.items():
        if folder_of(path) == "model" and path.endswith(".py"):
            found |= {delivered_by(node) for node in functions_and_classes(text) if node.name in actions}
    return found - {""}


def docstring_of_checker(path: str, text: str) -> Iterator[str]:
    """What other files may use of checker/ has a docstring, and names the errors of the project that it raises.

    The docstring of a command of the command line is its help, and the help of all ends with the exit statuses.
    """
    if folder_of(path) != "checker":
        return
    for node in functions_and_classes(text):
        if node.name.startswith("_"):
            continue
        docstring = ast.get_docstring(node) or ""
        if not docstring:
            yield f"{path}:{node.lineno}: {node.name} is public and has no docstring"
        elif isinstance(node, ast.FunctionDef) and not is_command(node):
            for error in sorted(raised(node)):
                if error not in docstring:
                    yield f"{path}:{node.lineno}: {node.name} raises {error}; its docstring must say when"


def is_command(function: ast.FunctionDef) -> bool:
    """Whether a decorator `@....command(...)` makes the function a command of the command line."""
    return any(re.search(r"\.(?:command|group)\(", ast.unparse(decorator)) for decorator in function.decorator_list)


def raised(function: ast.FunctionDef) -> set[str]:
    """The project's errors that a function raises by name in its own body."""
    names = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and isinstance(node.exc.func, ast.Name):
            names.add(node.exc.func.id)
    return names & {"UsageError", "ModelError", "EvaluationError"}


# The plain subset: what functions of impl/, spec/ and model/ may consist of.
PLAIN_NODES = (
    ast.FunctionDef, ast.arguments, ast.arg, ast.Return, ast.Pass, ast.If, ast.For, ast.Assign, ast.AnnAssign,
    ast.AugAssign, ast.Expr, ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.IfExp, ast.Compare, ast.Call, ast.Constant,
    ast.Attribute, ast.Subscript, ast.Name, ast.Set, ast.expr_context, ast.boolop, ast.unaryop, ast.cmpop,
    ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod, ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift,
)  # fmt: skip


def plain_subset(path: str, text: str) -> Iterator[str]:
    """Every function of impl/, spec/ and model/ is in the plain subset, also where no model uses it yet.

    Those of ORDINARY_FOLDERS are ordinary Python.
    """
    if folder_of(path) not in PROTOCOL_FOLDERS or path.startswith(ORDINARY_FOLDERS):
        return
    tree = ast.parse(text)
    types = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and "Protocol" in base_names(node)]
    members = {member for node in types for member in node.body}  # only mypy reads them
    for node in ast.walk(tree):
        if isinstance(node, ast.Lambda | ast.AsyncFunctionDef):
            yield f"{path}:{node.lineno}: only plain `def` functions are in the plain subset"
        if isinstance(node, ast.FunctionDef) and node not in members:
            yield from (f"{path}:{line}: {node.name}: {what}" for line, what in not_plain(node))


def not_plain(function: ast.FunctionDef) -> Iterator[tuple[int, str]]:
    """What takes a function out of the plain subset, as (line, text)."""
    arguments = function.args
    if function.decorator_list:
        yield function.lineno, "a decorator is outside the plain subset"
    if arguments.defaults or arguments.kwonlyargs or arguments.vararg or arguments.kwarg or arguments.posonlyargs:
        yield function.lineno, "only plain positional parameters without defaults are in the plain subset"
    for argument in arguments.args:
        if argument.annotation is None:
            yield function.lineno, f"the parameter {argument.arg} has no annotation"
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    if body and (body[-1].end_lineno or 0) - body[0].lineno + 1 > MOST_LINES_OF_A_FUNCTION:
        yield function.lineno, f"more than {MOST_LINES_OF_A_FUNCTION} lines; split it"
    for statement in body:
        of_own_form = set(parts_of_own_form(statement))
        for node in ast.walk(statement):
            line = getattr(node, "lineno", function.lineno)
            if node in of_own_form:
                continue
            if not isinstance(node, PLAIN_NODES) or isinstance(node, ast.FunctionDef):
                yield line, f"{type(node).__name__} is outside the plain subset"
            elif isinstance(node, ast.Constant) and type(node.value) not in (int, bool):
                yield line, f"the constant {node.value!r} is neither an int nor a bool"
            elif isinstance(node, ast.Call) and node.keywords:
                yield line, "pass arguments by position"


def parts_of_own_form(statement: ast.stmt) -> Iterator[ast.AST]:
    """Generators that any(), all() and sum() are given, `for` clauses, names in brackets of these, and new records."""
    for node in ast.walk(statement):
        match node:
            case ast.Call(func=ast.Name(id="any" | "all" | "sum"), args=[ast.GeneratorExp() as generator]):
                yield from (generator, *generator.generators)
            case ast.Call(func=ast.Name(id="add" | "copy"), args=[_, ast.Call(func=ast.Name(), args=[]) as record]):
                yield from (record, *record.keywords)
            case ast.For(target=target) | ast.comprehension(target=target):
                yield from (part for part in ast.walk(target) if isinstance(part, ast.Tuple))


FIELDS_OF_A_LOG = {"start_offset", "end_offset", "records", "producers", "verifications", "max_sequence"}


def log_seam(path: str, text: str) -> Iterator[str]:
    """Only impl/log knows how a log is stored; others ask its functions, so that another log can take its place.

    spec/ reads the records themselves: a judge must not ask the judged for them.
    """
    if folder_of(path) not in ("impl", "model") or path.startswith("impl/log/"):
        return
    for node in ast.walk(ast.parse(text)):
        is_field = isinstance(node, ast.Attribute) and node.attr in FIELDS_OF_A_LOG
        if is_field and re.search(r"\blog\.\w+$", ast.unparse(node)):
            yield f"{path}:{node.lineno}: touches {ast.unparse(node)}; ask a function of impl/log (its reading.py)"
