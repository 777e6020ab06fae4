"""Finds models by catalogue name, dotted module or file, and their expected verdicts.

The catalogue is the package `model`. Each module in its folders that defines `MODEL` is a model of the catalogue. The
module's path is its name: `cluster.deletion.ends`, and `base.py` bears its folder's name. The `expected.toml` of each
folder says what a check of its models must find. A module is imported when somebody asks for it, so that another
package of that name, earlier on the path, is a catalogue of its own.
"""

import importlib
import importlib.util
import os
import re
import sys
import tomllib
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

from kafkacheck.checker.exploration.verdict import Verdict
from kafkacheck.checker.model import Model
from kafkacheck.checker.process import former_names, shutdown
from kafkacheck.checker.process.errors import KafkacheckError, ModelError, NotExhaustedError, UsageError
from kafkacheck.checker.process.foreign_code import contained, described, safe_text
from kafkacheck.checker.process.interrupts import Stopped, limited
from kafkacheck.checker.process.locations import short_path
from kafkacheck.checker.process.names import CATALOGUE, OWN_CATALOGUE, model_name, nearest, short_names, shortened
from kafkacheck.checker.process.sources import SOURCES

EXPECTED_FILE = "expected.toml"
LONGEST_DOTTED_NAME = 500
DEFINES_MODEL = re.compile(r"^MODEL\b\s*[:=]", re.MULTILINE)
NO_TEXT = ("null bytes", "'utf-8' codec can't decode", "Non-UTF-8", "encoding problem")
"""Words by which Python's errors about the bytes of a file are known."""
_added: list[str] = []
"""The folders that were added to Python's path for models of users."""
DOTTED_NAME = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


@dataclass(frozen=True)
class Expectation:
    """The result that a check of a model at its default bounds must have, by `expected.toml`.

    verdict: how the search must end.
    property: the property that must be violated; None if none is.
    distinct: how many distinct states it visits; 0 if the file does not say.
    counts: the counts that must be found as well, by their names in the closing line.
    """

    verdict: Verdict
    property: str | None = None
    distinct: int = 0
    counts: tuple[tuple[str, int], ...] = ()

    def text(self) -> str:
        """The expectation in a few words: `VIOLATED mutual_exclusion`."""
        words = [self.verdict.name, *([self.property] if self.property else [])]
        return " ".join([*words, *(f"{name}={count}" for name, count in self.counts)])


def catalogue_names() -> list[str]:
    """The names of the catalogue's models, sorted. Reads the modules' text and imports none of them."""
    return list(modules())


def is_pattern(text: str) -> bool:
    """Whether the text stands for all the catalogue's names that it fits, such as `cluster.*`."""
    return any(sign in text for sign in "*?[") and not os.path.exists(text)


def names_matching(patterns: Sequence[str], with_folders: bool = False) -> list[str]:
    """The catalogue's names that one of the patterns (a name, or `cluster.*`) fits, sorted.

    `with_folders`: the name of a folder stands for all models in it. UsageError if a pattern fits none.
    """
    names = catalogue_names()
    found: set[str] = set()
    for pattern in patterns:
        fitting = {name for name in names if with_folders and f"{name}.".startswith(f"{pattern}.")}
        if not fitting and is_pattern(pattern):
            fitting = {name for name in names if _fits(name, pattern)}
        if not fitting:
            known = full_name(pattern)
            if known is None:
                _refuse_folder(pattern, names)
                raise UsageError(
                    f"no model of the catalogue is called {shortened(pattern)!r}{_near(pattern, names)}; see "
                    "`kafkacheck models`; name a model of your own by its file, path/to/my_model.py"
                )
            fitting = {known}
        found |= fitting
    return sorted(found)


def _fits(name: str, pattern: str) -> bool:
    """Whether a pattern stands for a model: by its name, by that of its module, or by a short name."""
    called = [each for several in _ways_to_name(name) for each in several]
    return any(fnmatchcase(each, pattern) for each in (f"{name}.", *called))


def _ways_to_name(name: str) -> tuple[tuple[str, ...], ...]:
    """What a model is called, the clearest first: its name, then its shorter names."""
    return (name,), *short_names(name)


def full_name(text: str) -> str | None:
    """The name of the catalogue's model that `text` names, in full or in short; None if there is none.

    UsageError if several models are called so, and none of them more clearly than others.
    """
    names = catalogue_names()
    ways = {name: _ways_to_name(name) for name in names}
    for clearly in range(4):
        meant = [name for name in names if text in ways[name][clearly]]
        if len(meant) > 1:
            raise UsageError(f"several models are called {shortened(text)!r}; name one of: {', '.join(meant)}")
        if meant:
            return meant[0]
    return None


def _refuse_folder(text: str, names: Sequence[str]) -> None:
    """UsageError if `text` names a folder of the catalogue."""
    if any(name.startswith(f"{text}.") for name in names):
        raise UsageError(
            f"{text!r} is a folder of models; name one of them (`kafkacheck models {text}` lists them); check, "
            f"models and guards take all of them, by '{text}.*'"
        )


def _near(text: str, names: Sequence[str]) -> str:
    """The model or the folder that is called most nearly so. For a name of former days it says the one of today."""
    called: dict[str, str] = {}
    for clearly in range(4):
        for name in names:
            ways = _ways_to_name(name)[clearly]
            called |= {each: each if name.endswith(each) else name for each in ways if each not in called}
    for folder in {name.rpartition(".")[0] for name in names} - {""}:
        called.setdefault(folder, f"one of '{folder}.*'")
    near = nearest(text, called)
    return f"; did you mean {called[near]}?" if near else ""


def find_model(text: str, max_seconds: float | None = None) -> Model:
    """The model that `text` names: a catalogue name, else a file, else a dotted module.

    UsageError if there is no such name, file or module; ModelError if there is one, but it cannot be imported
    or has no well-formed `MODEL`; NotExhaustedError if its import is interrupted, or takes more than `max_seconds`.
    """
    if not is_ours(text):
        shutdown.supervise()
    with limited(max_seconds):
        return _model_of(_module(text), text)


def file_beside(text: str, name: str) -> Path | None:
    """The nearest file of that name, from the folder of the model that `text` names upwards.

    None if no folder of its package has one. Raises the errors of `find_model`.
    """
    folder = Path(_module(text).__file__ or ".").resolve().parent
    while not (folder / name).is_file():
        if not (folder / "__init__.py").is_file():
            return None
        folder = folder.parent
    return folder / name


def is_ours(text: object) -> bool:
    """Whether a command that is given `text` takes a model of the catalogue that comes with the checker."""
    return isinstance(text, str) and in_catalogue(text) is not None and _is_own_catalogue()


def own_name(text: object) -> str | None:
    """The full name of the model of the checker's own catalogue that a file names; None if it names something else.

    A file may let only the code of such a model run, even if the current folder has a catalogue of its own.
    """
    if not isinstance(text, str) or not _is_own_catalogue():
        return None
    try:
        return full_name(text)
    except UsageError:
        return None


def _module(text: str) -> ModuleType:
    known = modules()
    name = in_catalogue(text)
    if name is not None:
        return _imported(name, lambda: importlib.import_module(known[name]))
    if _is_file_name(text) or (text and os.path.exists(text)):
        return _module_of_file(Path(text), list(known))
    return _module_of_name(text, list(known))


def in_catalogue(text: str) -> str | None:
    """The name of the catalogue's model that `text` names to a command; None if it names something else.

    A file comes before a short name, and so does a module that lies in the current folder.
    """
    if text in modules():
        return text
    is_elsewhere = _is_file_name(text) or os.path.isfile(text) or os.path.isfile(f"{text}.py")
    return None if is_elsewhere else full_name(text)


def _is_own_catalogue() -> bool:
    """Whether the catalogue is the one that comes with the checker, not one of the current folder."""
    return _package() == CATALOGUE


def is_found(text: str) -> bool:
    """Whether `text` names a file, or a module that Python finds. ModelError if a package cannot be imported."""
    if _is_file_name(text):
        return os.path.exists(text)
    shutdown.supervise()
    _search_here()
    return _is_module_name(text)


def named_value(text: str, name: str) -> object:
    """The value that a file, or a dotted module, gives a name. UsageError if there is no such file or module,
    ModelError if it cannot be imported or does not define the name.
    """
    shutdown.supervise()
    is_file = _is_file_name(text)
    module = (
        _module_of_file(Path(text), catalogue_names(), name) if is_file else _module_of_name(text, catalogue_names())
    )
    if not hasattr(module, name):
        raise ModelError(f"{getattr(module, '__file__', None) or text} defines no {name}; write `{name} = ...` in it")
    return getattr(module, name)


def expectations() -> dict[str, Expectation]:
    """The expected results of the catalogue, by model name. ModelError if an `expected.toml` is wrong."""
    found: dict[str, Expectation] = {}
    for path in files(EXPECTED_FILE):
        try:
            tables = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ModelError(f"{path} cannot be read as TOML: {error}; mend that line") from None
        for name, table in tables.items():
            found[name] = _expectation(path, name, table)
    return found


def files(name: str) -> list[Path]:
    """The files of that name in the catalogue's folders, sorted by path."""
    return sorted(path for folder in folders() for path in folder.rglob(name) if path.is_file())


def _expectation(path: Path, name: str, table: object) -> Expectation:
    verdicts = [verdict.name for verdict in Verdict]
    verdict = table.get("verdict") if isinstance(table, dict) else None
    if not isinstance(table, dict) or verdict not in verdicts:
        raise ModelError(
            f"{path}: the verdict of {name} is {verdict!r}; write a table [{name}] whose verdict is one of "
            f"{', '.join(verdicts)}"
        )
    distinct = table.get("distinct")
    return Expectation(Verdict[verdict], table.get("property") or None, distinct if isinstance(distinct, int) else 0)


def folders() -> list[Path]:
    """The folders of the catalogue: those of its package."""
    return _own_folders() or _locations(importlib.util.find_spec(CATALOGUE))


def _own_folders() -> list[Path]:
    """Where a catalogue of its own lies: a package `model` that Python finds before it looks in the current folder."""
    path = [place for place in sys.path if place not in _added]
    found = _locations(PathFinder.find_spec(OWN_CATALOGUE, path))
    return [] if any(folder.resolve() == SOURCES / OWN_CATALOGUE for folder in found) else found


def _locations(spec: ModuleSpec | None) -> list[Path]:
    return [Path(location) for location in spec.submodule_search_locations or ()] if spec is not None else []


def _package() -> str:
    """The package that is the catalogue."""
    return OWN_CATALOGUE if _own_folders() else CATALOGUE


def modules() -> dict[str, str]:
    """The catalogue's models: the module of each by its name, sorted by name."""
    return _modules_in(_package(), tuple(folders()))


@lru_cache(maxsize=16)
def _modules_in(package: str, places: tuple[Path, ...]) -> dict[str, str]:
    found = {}
    for folder in places:
        for source in folder.rglob("*.py"):
            inside = source.relative_to(folder)
            is_package = all((folder / parent / "__init__.py").is_file() for parent in inside.parents if parent.name)
            if is_package and inside.name != "__init__.py" and defines_model(source):
                module = ".".join((package, *inside.with_suffix("").parts))
                found[model_name(module)] = module
    return dict(sorted(found.items()))


def defines_model(source: Path) -> bool:
    """Whether a file defines a model."""
    return bool(DEFINES_MODEL.search(source.read_text(encoding="utf-8", errors="replace")))


def _module_of_name(name: str, catalogue: list[str]) -> ModuleType:
    """The module found under a dotted name, the current folder included in the search."""
    _search_here()
    former_names.heed()
    if not _is_module_name(name):
        _refuse_folder(name, catalogue)
        if is_pattern(name):
            raise UsageError(
                f"{shortened(name)!r} is a pattern; name one model: check, models and guards take patterns"
            )
        raise UsageError(
            f"there is no model {shortened(name)!r}: it is no name of the catalogue (`kafkacheck models` lists it), no "
            f"file, and no module that Python finds{_near(name, catalogue)}; name a model of your own by its "
            "file, path/to/my_model.py, or as a module, my_package.my_model"
        )
    return _imported(name, lambda: importlib.import_module(name))


def _is_file_name(text: str) -> bool:
    return text.endswith(".py") or os.sep in text


def _is_module_name(name: str) -> bool:
    is_name = len(name) <= LONGEST_DOTTED_NAME and bool(DOTTED_NAME.fullmatch(name)) and name != "__main__"
    return is_name and _is_module(name)


def _search_here() -> None:
    """Let Python find modules in the current folder, too."""
    here = _current_folder()
    if here and here not in sys.path and "" not in sys.path:
        _look_in(here)


def _look_in(folder: str) -> None:
    """Let Python find modules in a folder, after all other places."""
    sys.path.append(folder)
    _added.append(folder)


def _current_folder() -> str | None:
    """The path of the current folder; None if that has been deleted."""
    try:
        return os.getcwd()
    except OSError:
        return None


def _is_module(name: str) -> bool:
    """Whether Python finds a module under this dotted name. Imports the packages above it, one after the other."""
    parent, _, _ = name.rpartition(".")
    if parent:
        if not _is_module(parent):
            return False
        package = _imported(parent, lambda: importlib.import_module(parent))
        if not hasattr(package, "__path__"):
            return False
    try:
        return importlib.util.find_spec(name) is not None
    except ValueError:  # a module that is loaded and was not found by its name, as __main__
        return False


def _module_of_file(path: Path, catalogue: list[str], wanted: str = "MODEL") -> ModuleType:
    """The module in a file that shall define `wanted`, imported under the dotted name that it has in its packages."""
    if not os.path.exists(path):
        where = (
            "which is absolute" if path.is_absolute() else f"looked up from {_current_folder() or 'a deleted folder'}"
        )
        raise UsageError(f"there is no file {path}{_near(path.stem, catalogue)}; check the path, {where}")
    if path.is_dir():
        raise UsageError(f"{path} is a folder; name the Python file in it that defines {wanted}")
    if path.suffix != ".py":
        raise UsageError(f"{path} is no Python file; name a file that ends in .py and defines {wanted}")
    path = path.resolve()
    root, names = path.parent, [] if path.stem == "__init__" else [path.stem]
    while (root / "__init__.py").is_file():
        names.insert(0, root.name)
        root = root.parent
    if root != SOURCES and str(root) not in sys.path:
        _look_in(str(root))
    if root == SOURCES:
        names.insert(0, "kafkacheck")
    name = ".".join(names) or path.stem
    former_names.heed()
    # Python tells an old file from a new one by its size and the second it was written in. An edit within that second
    # would go unseen if the bytecode of a file of the user's were kept.
    keeps_no_bytecode = sys.dont_write_bytecode or root != SOURCES
    return _imported(str(path), lambda: _import_file(name, path, keeps_no_bytecode))


def _import_file(name: str, path: Path, keeps_no_bytecode: bool) -> ModuleType:
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, keeps_no_bytecode
    try:
        return _executed(name, path)
    finally:
        sys.dont_write_bytecode = before


def _executed(name: str, path: Path) -> ModuleType:
    if _leads_to(name, path):
        return importlib.import_module(name)
    # Another module has this name already (a model in queue.py, say): the file gets a name nobody else uses.
    name = f"kafkacheck_file_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _leads_to(name: str, path: Path) -> bool:
    """Whether importing `name` would execute the file `path`."""
    try:
        spec = importlib.util.find_spec(name)
    except ValueError:
        return False
    except ModuleNotFoundError as error:
        if error.name is not None and name.startswith(error.name):
            return False
        raise
    return spec is not None and spec.origin is not None and Path(spec.origin).resolve() == path


def _imported(what: str, load: Callable[[], ModuleType]) -> ModuleType:
    """The module that `load` imports, which is kept from changing this process (see `checker.process.foreign_code`).

    ModelError with the place at which it raises, NotExhaustedError if it is ended from outside.
    """
    try:
        with contained(short_path(what)):
            shutdown.report(f"importing {short_path(what)}")
            module = load()
        shutdown.report("imported")
        return module
    except (KafkacheckError, MemoryError):
        raise
    except KeyboardInterrupt:
        raise NotExhaustedError(f"{shutdown.reason()} while importing {short_path(what)}") from None
    except Stopped:
        raise NotExhaustedError(f"--max-seconds passed while importing {short_path(what)}") from None
    except SyntaxError as error:
        if any(words in error.msg for words in NO_TEXT):
            raise ModelError(
                f"{what} cannot be imported: {error.filename or what} is no text that Python reads ({error.msg}); save "
                "it as UTF-8"
            ) from error
        place = f"{error.filename}, line {error.lineno}" if error.lineno else str(error.filename or what)
        raise ModelError(f"{what} cannot be imported: {place}: {error.msg}; mend the syntax there") from error
    except BaseException as error:
        raise ModelError(f"{what} cannot be imported: {_place(error)}: {described(error)}") from error


def _place(error: BaseException) -> str:
    """The file and line, outside Python's import machinery, in which an import failed."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "importlib" not in frame.filename]
    outside = [frame for frame in frames if frame.filename != __file__]
    return f"{outside[-1].filename}, line {outside[-1].lineno}" if outside else "before its first line"


def _model_of(module: ModuleType, text: str) -> Model:
    place = getattr(module, "__file__", None) or text
    if not hasattr(module, "MODEL"):
        if os.path.isfile(f"{text}.py") and not os.path.samefile(f"{text}.py", place):
            raise UsageError(f"{text} is the module {place}, which defines no MODEL; for the file write {text}.py")
        raise ModelError(
            f"{place} defines no MODEL; write `MODEL = Model(...)` in it (from kafkacheck.checker.model import Model)"
        )
    model = module.MODEL
    if not isinstance(model, Model):
        told = f"{place}: MODEL is {_shown(model)}, of type {type(model).__name__}"
        raise ModelError(f"{told}; write `MODEL = Model(...)` (from kafkacheck.checker.model import Model)")
    return model


def _shown(value: object) -> str:
    return shortened(safe_text(value, repr))
