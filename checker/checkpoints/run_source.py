"""How to find the model of a run: by its run directory, and by the name on the command line."""

from pathlib import Path

from kafkacheck.checker.catalogue.model_source import Recorded, Source, resolve
from kafkacheck.checker.checkpoints.run_directory import RunDirectory
from kafkacheck.checker.process.errors import UsageError


def source_of(path: Path, named: str | None = None) -> Source:
    """How to find the model of the run at `path`: as it is `named`, or by a name of the catalogue.

    UsageError if there is no run, and if it names another model and none is `named`.
    """
    about = RunDirectory(path).described()
    source = about.get("source")
    if not isinstance(about.get("model"), str) or not _is_source(source):
        raise UsageError(
            f"the description of the run in {path} was changed: its model is {about.get('model')!r} and its source "
            f"{source!r}, which is a name, a list of settings, a list of properties and a flag; put it back as it was, "
            "or begin the search again"
        )
    assert isinstance(source, list)
    text, changes, properties, lemmas = source
    (text,) = resolve([Recorded(path, about["model"], text)], [] if named is None else [named])
    return Source(text, tuple(changes), tuple(properties), lemmas).absolute()


def _is_source(value: object) -> bool:
    """Whether this is how a search writes which model it is of."""
    if not isinstance(value, list) or len(value) != 4:
        return False
    text, *lists, lemmas = value
    is_listed = all(isinstance(each, list) and all(isinstance(one, str) for one in each) for each in lists)
    return isinstance(text, str) and isinstance(lemmas, bool) and is_listed
