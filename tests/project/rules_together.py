"""Style rules that look at all files at once: each takes their texts by path, and yields what is wrong.

`style_rules.py` has the rules that look at one file.
"""

import ast
import graphlib
from collections.abc import Iterator, Mapping

from tests.project.style_rules import (
    MAY_IMPORT,
    ORDINARY_FOLDERS,
    PROTOCOL_FOLDERS,
    folder_of,
    functions_defined,
    imports,
    is_within,
    module_of,
    modules_imported,
)


def circles(texts: Mapping[str, str]) -> Iterator[str]:
    """The stages of the checker, which are its folders and the files beside them, import each other one way only."""
    order = graphlib.TopologicalSorter[str]()
    known = {module_of(path) for path in texts}
    for path, text in texts.items():
        if folder_of(path) == "checker":
            for _, module, names in imports(ast.parse(text)):
                found = [each for each in (f"{module}.{name}" for name in names) if each in known] or [module]
                order.add(_stage(module_of(path)), *{_stage(each) for each in found} - {_stage(module_of(path))})
    try:
        order.prepare()
    except graphlib.CycleError as error:
        yield f"checker/: {' imports '.join(reversed(error.args[1]))}; move what is needed to a stage below both"


def _stage(module: str) -> str:
    return ".".join(module.split(".")[1:3])


def one_importer(texts: Mapping[str, str]) -> Iterator[str]:
    """Each engine is imported by one file, so that its ways are known in one place."""
    for engine in ("numba", "llvmlite", "pyspark", "z3"):
        ours = (path for path in texts if folder_of(path) in MAY_IMPORT)
        users = [path for path in ours if any(is_within(each, (engine,)) for each in modules_imported(texts[path]))]
        if len(users) > 1:
            yield f"{engine} is imported by {', '.join(sorted(users))}; one file may import it"


def unused_functions(texts: Mapping[str, str]) -> Iterator[str]:
    """Every function of the protocol is used by another one or by a model; what is not used is removed.

    Those of ORDINARY_FOLDERS may be used by tests alone.
    """
    used: set[str] = set()
    protocol = {path: text for path, text in texts.items() if folder_of(path) in PROTOCOL_FOLDERS}
    for text in protocol.values():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Name):
                used.add(node.id)
            elif isinstance(node, ast.Attribute):
                used.add(node.attr)
    tested = _imported_by_tests(texts)
    for path, text in protocol.items():
        known = used | tested if path.startswith(ORDINARY_FOLDERS) else used
        for name in sorted(functions_defined(text) - known):
            yield f"{path}: nothing in impl/, spec/ and model/ uses {name}"


def _imported_by_tests(texts: Mapping[str, str]) -> set[str]:
    """The names that tests import from modules in ORDINARY_FOLDERS."""
    packages = tuple(f"kafkacheck.{folder.strip('/').replace('/', '.')}" for folder in ORDINARY_FOLDERS)
    read = [each for path, text in texts.items() if folder_of(path) == "tests" for each in imports(ast.parse(text))]
    return {name for _, module, names in read if is_within(module, packages) for name in names}


def one_definition(texts: Mapping[str, str]) -> Iterator[str]:
    """No two files of impl/ define a function of one name: it is the same and stands once, or needs another name."""
    files: dict[str, list[str]] = {}
    for path, text in texts.items():
        if folder_of(path) == "impl":
            for name in functions_defined(text):
                files.setdefault(name, []).append(path)
    for name, paths in sorted(files.items()):
        if len(paths) > 1:
            yield f"{', '.join(sorted(paths))}: all define {name}; share one function, or give each a telling name"
