"""Modules under the names that they had before each was written with `kafkacheck.` in front.

Models of users go on importing `checker.model`, also in the folder of the sources, and get the very same module.

The program imports this before it can heed a signal, so this imports only modules that Python has loaded by then.
"""

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

PACKAGES = ("checker", "impl", "spec", "model")


def hint(name: str) -> str:
    """What to do where a module, or something in it, is missing because the name is that of a package of kafkacheck.

    Empty if the name has nothing to do with it.
    """
    top = name.removeprefix("kafkacheck.").partition(".")[0]
    if top in PACKAGES and top in sys.modules and sys.modules[top] is sys.modules.get(f"kafkacheck.{top}"):
        return (
            f"{top} is a package of kafkacheck here, with modules as by `from kafkacheck.{top} import ...`; for a "
            f"package {top} of your own set PYTHONPATH to the folder that it is in"
        )
    return "kafkacheck has no such module; mend the import" if name.startswith("kafkacheck.") else ""


class _Alias:
    """Gives a module that is loaded already."""

    def __init__(self, module: ModuleType) -> None:
        self._module, self._spec = module, module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec


class _Below:
    """Finds modules below a package that has been imported under its former name."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> object:
        top, _, rest = name.partition(".")
        is_imported = rest and rest != "__main__" and top in PACKAGES  # Python runs that one from its file
        package = sys.modules.get(top) if is_imported else None
        if package is None or package is not sys.modules.get(f"kafkacheck.{top}"):
            return None
        return _aliased(name, _present(top, rest))


class _Whole:
    """Finds a package under its former name, if nothing else has that name."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> object:
        return _aliased(name, f"kafkacheck.{name}") if name in PACKAGES else None


def heed() -> None:
    """From now on modules are found under their former names, too."""
    if not any(isinstance(each, _Below) for each in sys.meta_path):
        sys.meta_path.insert(0, _Below())  # type: ignore[arg-type]  # typeshed wants a class method
        sys.meta_path.append(_Whole())  # type: ignore[arg-type]  # as above


def _aliased(name: str, present: str) -> ModuleSpec | None:
    if importlib.util.find_spec(present) is None:
        return None
    module = importlib.import_module(present)
    alias = _Alias(module)
    return ModuleSpec(name, alias, is_package=hasattr(module, "__path__"))  # type: ignore[arg-type]  # a loader


def _present(top: str, rest: str) -> str:
    """The name of today; a module of the checker that was moved to a stage's folder is known by its last part."""
    from kafkacheck.checker.process.sources import CHECKER

    name, path = f"kafkacheck.{top}.{rest}", CHECKER / rest.replace(".", "/")
    if top != "checker" or path.with_suffix(".py").is_file() or path.is_dir():
        return name
    last = rest.rpartition(".")[2]
    places = list(CHECKER.glob(f"*/{last}.py"))
    return f"kafkacheck.checker.{places[0].parent.name}.{last}" if len(places) == 1 else name
