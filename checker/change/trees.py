"""The two trees of sources that `change` compares: the working tree, and a commit or another folder."""

import contextlib
import io
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.process.names import shortened
from kafkacheck.checker.process.sources import SOURCES

CHECKER = "checker"
"""The folder of a checkout that has the checker itself."""

OWN = "checker/process/sources.py"
"""A file that only a checkout of kafkacheck has."""


def working_folder() -> Path:
    """The current folder. UsageError if it is a checkout of kafkacheck other than the one that runs."""
    here = Path.cwd().resolve()
    if (here / OWN).is_file() and here != SOURCES:
        raise UsageError(
            f"{here} has a kafkacheck of its own, and the one that runs is in {SOURCES}; run that of this folder, "
            "`python -m checker change`"
        )
    return here


@contextlib.contextmanager
def commit_folder(here: Path, commit: str) -> Iterator[tuple[Path, str]]:
    """A temporary folder with the files that `here` had in a commit, and the commit's short name.

    UsageError if git is missing, `here` is in no repository, or there is no such commit.
    """
    _git(here, "rev-parse", "--git-dir")
    try:
        named = _git(here, "rev-parse", "--short", "--verify", f"{commit}^{{commit}}").decode().strip()
    except UsageError:
        told = f"the repository of {here} has no commit {shortened(commit)!r}; name one by --base, such as HEAD or main"
        raise UsageError(told) from None
    packed = _git(here, "archive", "--format=tar", named)
    with tempfile.TemporaryDirectory(prefix="kafkacheck-base-") as folder:
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(folder, filter=_inside)
        yield Path(folder).resolve(), named


def _inside(member: tarfile.TarInfo, folder: str) -> tarfile.TarInfo | None:
    """A file of the commit; None, which leaves it out, for a link to a place outside, such as a shared `.venv`."""
    try:
        return tarfile.data_filter(member, folder)
    except tarfile.FilterError:
        return None


def _git(here: Path, *words: str) -> bytes:
    try:
        done = subprocess.run(["git", *words], cwd=here, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except OSError as error:
        raise UsageError(
            f"git cannot be run: {error}; install it, or name a copy of the sources by --against"
        ) from None
    if done.returncode:
        told = (done.stderr.decode(errors="replace").strip() or "git failed").splitlines()[-1]
        raise UsageError(
            f"{here}: {told}; run it in the folder of your project, or name a copy of the sources by --against"
        )
    return done.stdout


def python_files(root: Path) -> list[str]:
    """The Python files below a folder that can be of a model, sorted: no tests, nothing hidden, nothing installed.

    In a checkout of kafkacheck the checker is left out.
    """
    if (root / ".git").exists():
        listed = _git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "*.py").decode()
        names = [each for each in listed.split("\0") if each and (root / each).is_file()]
    else:
        names = [each.relative_to(root).as_posix() for each in root.rglob("*.py") if each.is_file()]
    own = (root / OWN).is_file()
    return sorted(each for each in set(names) if _is_taken(PurePosixPath(each), own))


def _is_taken(path: PurePosixPath, has_checker: bool) -> bool:
    if any(part.startswith(".") or part == "site-packages" for part in path.parts):
        return False
    if has_checker and path.parts[0] == CHECKER:
        return False
    return not path.name.startswith("test_") and path.name != "conftest.py"


def edited_checker(before: Path, now: Path) -> list[str]:
    """The files of the checker itself that differ, if both folders have one."""
    files = [
        {each.relative_to(root).as_posix(): each for each in (root / CHECKER).rglob("*.py")} for root in (before, now)
    ]
    if not all((root / CHECKER / "__init__.py").is_file() for root in (before, now)):
        return []
    one, other = files
    return sorted(
        name
        for name in one.keys() | other.keys()
        if name not in one or name not in other or one[name].read_bytes() != other[name].read_bytes()
    )
