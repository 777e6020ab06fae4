"""Random programs as models, many in one process, without a trace of the ones before."""

import contextlib
import hashlib
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from kafkacheck.checker.language import footprint, source, work
from kafkacheck.checker.model import Model
from kafkacheck.checker.process.errors import ModelError
from tests.programs import (
    random_containers,
    random_expressions,
    random_functions,
    random_generators,
    random_programs,
    random_schemas,
    random_sets,
)
from tests.programs.random_programs import module_text, with_model

PROGRAMS = 8
"""How many programs share a schema; a seed stands for so many."""

REFUSED = (
    "can leave 64 bits", "can shift by", "this always fails", "is negative; indices are", "outside its range",
    "a shift by", "does not fit 62 bits", "lines; at most 70 are allowed", "nested too deep",
    "compares a place with itself", "a place into itself", "which is no id", "are never asked for",
)  # fmt: skip
"""What the language may say of a random program; any other refusal is an error of the language or of the generator."""


class DifferenceError(Exception):
    """Two readings differ, or a reading fails: which program, and how."""

    def __init__(self, seed: int, number: int, message: str) -> None:
        super().__init__(f"program {number} of seed {seed}: {message}")
        self.seed, self.number = seed, number

    @property
    def text(self) -> str:
        """The program, as a module that the command line takes."""
        return with_model(module_text(self.seed, [self.number]), self.number)


def digest() -> str:
    """What says which generator wrote a program: a hash of its sources."""
    modules = (random_schemas, random_sets, random_containers, random_generators, random_expressions, random_functions)
    files = [module.__file__ for module in (*modules, random_programs)]
    return hashlib.sha256(b"".join(Path(file or "").read_bytes() for file in files)).hexdigest()[:12]


@contextlib.contextmanager
def imported(folder: Path, name: str, text: str) -> Iterator[ModuleType]:
    """A module of this text; on leaving nothing is left of it, here or on disk."""
    path = folder / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        exec(compile(text, str(path), "exec", 0, True), vars(module))
        yield module
    finally:
        del sys.modules[name]
        path.unlink()
        for cache in (footprint.footprint, work.work, source._tree_of, source._functions_of):
            cache.cache_clear()


def models(module: ModuleType, seed: int, numbers: range) -> Iterator[tuple[int, Model | None]]:
    """The models of a module by number, each read when it is asked for; None for one that the language refuses."""
    first = None
    for number in numbers:
        try:
            model = getattr(module, f"model_{number}")(first)
        except ModelError as error:
            if not any(each in str(error) for each in REFUSED):
                raise DifferenceError(seed, number, f"the language refuses it: {error}") from error
            model = None
        except Exception as error:
            raise DifferenceError(seed, number, f"reading it fails: {error!r}") from error
        first = first or model
        yield number, model
