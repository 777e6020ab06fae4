"""A folder of questions to a solver as SMT-LIB scripts, with an index that says which files are of it."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kafkacheck.checker.model import Model
from kafkacheck.checker.model.settings import rules_of
from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.process.files import make_usable, write_together
from kafkacheck.checker.proofs.smt_lib import script
from kafkacheck.checker.symbolic.terms import Term

INDEX = "index.json"
KIND = "kafkacheck: questions as SMT-LIB scripts"
"""What the index says it is, so that no other folder is taken for one."""

LONGEST_NAME = 120


@dataclass(frozen=True)
class Script:
    """A question: the assertions that are asked about together, remarks on it, and the name of its file.

    The file's name begins with a number, so that different questions may have one name.
    """

    name: str
    about: Mapping[str, str]
    assertions: Sequence[Term]


class Scripts:
    """The folder at `path`, which is made if it is missing.

    UsageError if it cannot be written, or if it has files in it and no index that says they are of an older run.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        make_usable(path, "--smt2")
        self._old = self._listed()
        foreign = sorted(each.name for each in path.iterdir() if each.name not in self._old)
        if foreign:
            raise UsageError(
                f"{path} has files in it that kafkacheck did not write, such as {foreign[0]}; name a new folder with "
                "--smt2"
            )

    def _listed(self) -> set[str]:
        try:
            index = json.loads((self._path / INDEX).read_text(encoding="utf-8"))
            return {INDEX, *(each["file"] for each in index["scripts"])} if index["kind"] == KIND else set()
        except (OSError, ValueError, KeyError, TypeError):
            return set()

    def write(self, model: Model, scripts: Sequence[Script]) -> None:
        """Write the scripts and their index, and remove those of an older run that are no longer there.

        UsageError if a file cannot be written; then all are as they were.
        """
        digits = max(3, len(str(len(scripts))))
        files: dict[Path, str | bytes | None] = {self._path / name: None for name in self._old}
        listed = []
        for number, each in enumerate(scripts, start=1):
            safe = re.sub(r"[^A-Za-z0-9_.-]+", "_", each.name)[:LONGEST_NAME]
            name = f"{number:0{digits}}-{safe}.smt2"
            listed.append({"file": name, **each.about})
            files[self._path / name] = f"{_comments(model, each)}\n{script(each.assertions)}"
        about: dict[str, Any] = {
            "kind": KIND, "model": model.name, "bounds": model.bounds, "rules": rules_of(model), "scripts": listed,
        }  # fmt: skip
        files[self._path / INDEX] = json.dumps(about, indent=1) + "\n"
        write_together(files)


def _comments(model: Model, each: Script) -> str:
    about = {"model": model.name, "bounds": _settings(model.bounds), "rules": _settings(rules_of(model)), **each.about}
    return "\n".join(f"; {name}: {' '.join(told.split())}" for name, told in about.items())


def _settings(given: Mapping[str, int | str]) -> str:
    return " ".join(f"{name}={value}" for name, value in given.items()) or "none"
