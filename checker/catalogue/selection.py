"""Several models at once: by names and patterns of the catalogue, by files and folders; and what they expect."""

import contextlib
import glob
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.catalogue.catalogue import Expectation
from kafkacheck.checker.exploration.verdict import Verdict
from kafkacheck.checker.model import Model
from kafkacheck.checker.process import shutdown
from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.process.names import OWN_CATALOGUE, model_name


def is_several(texts: Sequence[str]) -> bool:
    """Whether the texts can name several models: there are several, or there is a pattern or a folder of files."""
    return len(texts) > 1 or any(catalogue.is_pattern(text) or _is_folder(text) for text in texts)


def selected(texts: Sequence[str]) -> list[str]:
    """Names of models, each once: those of the catalogue sorted, then own ones in the order of `texts`.

    A text is a model's name, a file, a folder (all files below it that define a model), or a pattern of names of the
    catalogue or of files. UsageError if there is no such model, folder or file, or no model in a folder.
    """
    listed: set[str] = set()
    own: dict[str, str] = {}
    for text in texts:
        found = _own(text)
        if not found:
            listed |= {*catalogue.names_matching([text])}
        for each in found:
            name = _catalogue_name(each)
            if name in catalogue.modules():
                listed.add(name)
            else:
                own.setdefault(os.path.realpath(each) if os.path.exists(each) else each, each)
    if own:
        shutdown.supervise()
    return [*sorted(listed), *own.values()]


def _catalogue_name(file: str) -> str:
    """The name that a model in a file of the catalogue's folders has; "" for another file."""
    path = Path(file).resolve()
    for folder in catalogue.folders():
        if path.is_relative_to(folder.resolve()):
            return model_name(".".join((OWN_CATALOGUE, *path.relative_to(folder.resolve()).with_suffix("").parts)))
    return ""


def _own(text: str) -> list[str]:
    """The own models that a text names; none if it names models of the catalogue."""
    if _is_folder(text):
        return _models_below(Path(text))
    if catalogue.is_pattern(text):
        return [] if _fits_catalogue(text) else _files_like(text)
    if catalogue.in_catalogue(text) is not None:
        return []
    if not catalogue.is_found(text):
        catalogue.find_model(text)  # raises an error that says what is wrong with the name
    return [text]


def _is_folder(text: str) -> bool:
    return os.path.isdir(text) and catalogue.in_catalogue(text) is None


def _fits_catalogue(pattern: str) -> bool:
    try:
        return bool(catalogue.names_matching([pattern]))
    except UsageError:
        return False


def _files_like(pattern: str) -> list[str]:
    """The Python files, and the models in the folders, that a pattern fits. UsageError if it fits none."""
    found = sorted(glob.glob(pattern, recursive=True))
    files = [each for each in found if each.endswith(".py") and catalogue.defines_model(Path(each))]
    if not files:
        if found:
            raise UsageError(
                f"no file that {pattern!r} fits defines a MODEL; name Python files with `MODEL = Model(...)`"
            )
        catalogue.names_matching([pattern])  # raises an error that names what is near
    return files


def _models_below(folder: Path) -> list[str]:
    files = [
        each
        for each in sorted(folder.rglob("*.py"))
        if not any(part.startswith(".") for part in each.relative_to(folder).parts) and catalogue.defines_model(each)
    ]
    if not files:
        raise UsageError(
            f"no Python file in the folder {folder} defines a MODEL; name a folder that has one, or write `MODEL = "
            "Model(...)` in a file of it"
        )
    return [str(each) for each in files]


@contextlib.contextmanager
def forgetting_modules() -> Iterator[None]:
    """Forget afterwards the modules of users that were imported meanwhile, and where they were looked for.

    Another model may import other modules of the same names, such as the `helpers` in its own folder.
    """
    modules, path = set(sys.modules), list(sys.path)
    try:
        yield
    finally:
        folders = [os.path.join(os.path.realpath(each), "") for each in sys.path if each not in path]
        for name in set(sys.modules) - modules:
            file = getattr(sys.modules[name], "__file__", None) or ""
            if any(os.path.realpath(file).startswith(folder) for folder in folders):
                del sys.modules[name]
        sys.path[:] = path


def expected_of(text: str, model: Model) -> Expectation | None:
    """What a check of the model that `text` names must find at its own settings; None if nothing is said.

    The catalogue's `expected.toml` says it of a model of the catalogue, another one itself (`Model(expected=...)`).
    """
    if (name := catalogue.in_catalogue(text)) is not None:
        return catalogue.expectations().get(name)
    if not model.expected:
        return None
    verdict, *words = model.expected.split(" ")
    counts = [word.partition("=") for word in words if "=" in word]
    violated = words[0] if verdict == Verdict.VIOLATED.name else None
    return Expectation(Verdict[verdict], violated, counts=tuple((name, int(count)) for name, _, count in counts))
