"""The definitions of a tree of Python files, and which of them each one uses: read, never imported.

A definition is a function, a class, or a value that has a name at the top of a module. Docstrings, comments and imports
are no part of it, so that neither an edit of these nor another place of a file changes one.
"""

import ast
import copy
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path, PurePosixPath

from kafkacheck.checker.process.errors import UsageError

Key = tuple[str, str]
"""A definition: its module, dotted from the top of the tree, and its name. Without a name: the module itself."""

STATEMENTS = "<statements>"
"""The name under which the other statements of a module are a value."""

INSTALLED_AS = "kafkacheck."
"""What comes before the names of modules of a checkout when other modules import them."""


class Kind(Enum):
    """The kinds of definitions; a value is anything that is assigned."""

    FUNCTION = "function"
    CLASS = "class"
    VALUE = "value"


@dataclass(frozen=True, eq=False)
class Definition:
    """A definition: where it stands, and its syntax trees; of a name that is given several values, each of them."""

    key: Key
    kind: Kind
    path: str
    line: int
    trees: tuple[ast.stmt, ...]

    @property
    def tree(self) -> ast.stmt:
        """The syntax tree that counts, the last one."""
        return self.trees[-1]

    @cached_property
    def text(self) -> str:
        """The definition as text that does not depend on places and docstrings."""
        return "\n".join(ast.dump(without_docstrings(each)) for each in self.trees)

    @property
    def place(self) -> tuple[str, str]:
        """The path of its file, and its name."""
        return self.path, self.key[1]

    @property
    def told(self) -> str:
        """Such as "impl/log.py:7 is_full"."""
        return f"{self.path}:{self.line} {self.key[1]}"


@dataclass
class _Module:
    """A file as it was read: what it defines, and under which names it imports what."""

    path: str
    package: str
    definitions: dict[str, Definition] = field(default_factory=dict)
    imports: dict[str, tuple[str, str]] = field(default_factory=dict)


class Tree:
    """The definitions of some Python files of a folder. UsageError if one cannot be read.

    What another tree has `like` it, byte by byte, is not read again.
    """

    def __init__(self, root: Path, paths: Iterable[str], like: "Tree | None" = None) -> None:
        self.root = root
        self._modules: dict[str, _Module] = {}
        for path in sorted(paths):
            name = module_of(path)
            is_known = like is not None and name in like._modules and self.is_alike(path, like)
            self._modules[name] = like._modules[name] if is_known and like is not None else _read(root, path)
        self.definitions: dict[Key, Definition] = {
            (name, each): found for name, module in self._modules.items() for each, found in module.definitions.items()
        }
        self._uses: dict[Key, frozenset[Key]] = {}

    def is_alike(self, path: str, other: "Tree") -> bool:
        """Whether both trees have this file, byte by byte."""
        files = (self.root / path, other.root / path)
        return all(each.is_file() for each in files) and files[0].read_bytes() == files[1].read_bytes()

    def used_by(self, name: str) -> set[str]:
        """The paths of the modules that define a name, and of all that they import, directly or not."""
        left = [each for each, module in self._modules.items() if name in module.definitions]
        found: set[str] = set()
        while left:
            each = left.pop()
            if each not in found:
                found.add(each)
                left += self._imported_by(each)
        return {self._modules[each].path for each in found}

    def _imported_by(self, name: str) -> set[str]:
        module = self._modules[name]
        wanted = {each for source, inner in module.imports.values() for each in (source, f"{source}.{inner}")}
        return {found for each in wanted if (found := self._found(each, module.package)) is not None}

    def path_of(self, module: str) -> Path:
        """The file of a module."""
        return self.root / self._modules[module].path

    def uses(self, key: Key) -> frozenset[Key]:
        """The definitions of the tree that one names."""
        if key not in self._uses:
            seen = self.names(key).values()
            self._uses[key] = frozenset(each for each in seen if each in self.definitions)
        return self._uses[key]

    def names(self, key: Key) -> dict[str, Key]:
        """The names that a definition uses, dotted if they begin with a module, and what each of them means."""
        found: dict[str, Key] = {}
        for name in (each for tree in self.definitions[key].trees for each in _names(tree)):
            parts, meant = self._meant(key[0], name)
            if meant is not None:
                found[parts] = meant
        return found

    def imported(self, module: str, name: str) -> tuple[str, str] | None:
        """What a module imports under a name: another module as it names it, and a name in it, or ""."""
        return self._modules[module].imports.get(name)

    def reached(self, starts: Iterable[Key]) -> set[Key]:
        """The definitions that some of them use, directly or not, and themselves."""
        found: set[Key] = set()
        left = [each for each in starts if each in self.definitions]
        while left:
            key = left.pop()
            if key not in found:
                found.add(key)
                left += self.uses(key)
        return found

    def _meant(self, module: str, name: str) -> tuple[str, Key | None]:
        """The first parts of a dotted name that lead to a definition or a module, and which one that is."""
        first, *rest = name.split(".")
        parts, meant = [first], self._resolve(module, first, 0)
        for each in rest:
            if meant is None or meant[1]:
                break
            parts.append(each)
            meant = self._resolve(meant[0], each, 0)
        return ".".join(parts), meant

    def _resolve(self, module: str, name: str, depth: int) -> Key | None:
        """What a name of a module means: a definition, or a module as (module, "")."""
        known = self._modules.get(module)
        if known is None or depth > len(self._modules):
            return None
        if name in known.definitions:
            return module, name
        if name in known.imports:
            other, inner = known.imports[name]
            found = self._found(other, known.package)
            if not inner:
                return None if found is None else (found, "")
            if found is not None:
                meant = self._resolve(found, inner, depth + 1)
                if meant is not None:
                    return meant
            below = self._found(f"{other}.{inner}", known.package)
            return None if below is None else (below, "")
        below = f"{module}.{name}" if module else name
        return (below, "") if below in self._modules else None

    def _found(self, name: str, package: str) -> str | None:
        """The module of the tree that is imported under a name by one of a package."""
        for each in (name.removeprefix(INSTALLED_AS), f"{package}.{name}"):
            if each in self._modules:
                return each
        return None


def module_of(path: str) -> str:
    """The dotted name of a file's module, from the top of its tree."""
    parts = PurePosixPath(path).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _read(root: Path, path: str) -> _Module:
    try:
        whole = ast.parse((root / path).read_bytes(), path)
    except (OSError, SyntaxError, ValueError) as error:
        raise UsageError(f"{root / path} cannot be read as Python: {error}; mend that line") from None
    package = module_of(str(PurePosixPath(path).parent / "__init__.py"))
    module = _Module(path, package)
    name = module_of(path)
    others: list[ast.stmt] = []
    for node in whole.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            module.imports |= _imports(node, package)
            continue
        names, kind = _defined(node)
        if not names and not is_text(node):
            others.append(node)
        for each in names:
            known = module.definitions.get(each)
            trees = (*(() if known is None else known.trees), node)
            module.definitions[each] = Definition((name, each), kind, path, node.lineno, trees)
    if others:
        found = Definition((name, STATEMENTS), Kind.VALUE, path, others[0].lineno, tuple(others))
        module.definitions[STATEMENTS] = found
    return module


def _imports(node: ast.Import | ast.ImportFrom, package: str) -> dict[str, tuple[str, str]]:
    if isinstance(node, ast.Import):
        return {
            each.asname or each.name.partition(".")[0]: (each.name if each.asname else each.name.partition(".")[0], "")
            for each in node.names
        }
    parts = package.split(".") if package else []
    above = parts[: len(parts) - node.level + 1] if node.level else []
    source = ".".join([*above, *([node.module] if node.module else [])])
    return {each.asname or each.name: (source, each.name) for each in node.names}


def _defined(node: ast.stmt) -> tuple[list[str], Kind]:
    match node:
        case ast.FunctionDef(name=name):
            return [name], Kind.FUNCTION
        case ast.ClassDef(name=name):
            return [name], Kind.CLASS
        case ast.Assign(targets=targets):
            names = [each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]
            return names, Kind.VALUE
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name], Kind.VALUE
    return [], Kind.VALUE


def is_text(node: ast.stmt) -> bool:
    """Whether a statement is a text that stands alone, such as a docstring."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def without_docstrings(node: ast.stmt) -> ast.stmt:
    """A copy of a statement without the texts that stand alone in it."""
    tree = copy.deepcopy(node)
    for each in ast.walk(tree):
        body = getattr(each, "body", None)
        if isinstance(body, list):
            each.body = [inner for inner in body if not is_text(inner)] or [ast.Pass()]  # type: ignore[attr-defined]  # it has one
    return tree


def _names(tree: ast.stmt) -> Iterator[str]:
    """The names in a statement; if something is looked up in a name, with that."""
    inner: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node not in inner:
            parts = [node.attr]
            value: ast.expr = node.value
            while isinstance(value, ast.Attribute):
                inner.add(value)
                parts.insert(0, value.attr)
                value = value.value
            if isinstance(value, ast.Name):
                inner.add(value)
                yield ".".join([value.id, *parts])
        elif isinstance(node, ast.Name) and node not in inner:
            yield node.id


def paired(before: Tree, now: Tree) -> Mapping[Key, Key]:
    """Which definition of today each former one is: that of its name, also if another file has it now."""
    pairs = {key: key for key in before.definitions if key in now.definitions}
    free: dict[tuple[str, Kind], list[Key]] = {}
    for key, each in now.definitions.items():
        if key not in pairs:
            free.setdefault((key[1], each.kind), []).append(key)
    for key, each in before.definitions.items():
        choices = free.get((key[1], each.kind), [])
        if key not in pairs and choices:
            same = [one for one in choices if now.definitions[one].text == each.text]
            chosen = (same or choices)[0]
            choices.remove(chosen)
            pairs[key] = chosen
    return pairs
