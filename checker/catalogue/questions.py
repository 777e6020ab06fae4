"""What the catalogue's models ask, read from their files: to define all of them takes half a minute."""

import ast

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.model.definition import first_sentence


def question_of(name: str) -> str:
    """The question of a model of the catalogue: the first sentence of its module, which is not imported.

    "" if the file cannot be read as Python; a command that takes the model says why. A model that gives its question
    itself is defined. Raises then the errors of `find_model`.
    """
    _, *parts = catalogue.modules()[name].removeprefix("kafkacheck.").split(".")
    inside = "/".join(parts) + ".py"
    source = next(folder / inside for folder in catalogue.folders() if (folder / inside).is_file())
    text = source.read_text(encoding="utf-8", errors="replace")
    if "question=" in text:
        return catalogue.find_model(name).question
    try:
        return first_sentence(ast.get_docstring(ast.parse(text)))
    except (SyntaxError, ValueError):  # null bytes
        return ""
