"""The page `impl/MAP.md`: which part of Kafka each file and each rule of impl/ models, as their docstrings say.

python -m tests.project.map > impl/MAP.md
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

IMPL = Path(__file__).parents[2] / "impl"
HEAD = """\
# Where Kafka does it

Which part of Kafka each file of `impl/` models, and below it the place of each rule in Kafka, or in the public
specification. Written by `python -m tests.project.map > impl/MAP.md` from the docstrings.
"""
PARTS = r"Part of Kafka modelled|Source|Who|When|Effect|Left out"


def part(name: str, docstring: str | None) -> str:
    """What a docstring says in its part `name`, in one line for a table; "" if it has no such part."""
    found = re.search(
        rf"^ *{name}\b[^:\n]*:\s+(.*?)(?=\n\n|\n *(?:{PARTS})\b|\Z)", docstring or "", re.DOTALL | re.MULTILINE
    )
    return " ".join(found.group(1).split()).removesuffix(".").replace("|", "\\|") if found else ""


def rows(path: Path) -> Iterator[str]:
    """The rows of a file: its own, and one for each function whose docstring names a source."""
    tree = ast.parse(path.read_text("utf-8"))
    name = path.relative_to(IMPL).as_posix()
    yield f"| [{name}]({name}) | {part('Part of Kafka modelled', ast.get_docstring(tree))} |"
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and part("Source", ast.get_docstring(node)):
            yield f"| `{node.name}` | {part('Source', ast.get_docstring(node))} |"


def page() -> str:
    """The whole page, a table for each folder."""
    files = sorted(path for path in IMPL.rglob("*.py") if path.name != "__init__.py")
    lines = [HEAD]
    for folder in sorted({path.parent for path in files}):
        lines += [f"## {(folder.relative_to(IMPL.parent)).as_posix()}", "", "| here | in Kafka |", "| --- | --- |"]
        lines += [row for path in files if path.parent == folder for row in rows(path)] + [""]
    return "\n".join(lines).rstrip("\n") + "\n"


if __name__ == "__main__":
    print(page(), end="")
