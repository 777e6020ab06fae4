"""How a user named a model, so that it can be found again."""

from dataclasses import dataclass, replace
from pathlib import Path

from checker import catalogue, settings
from checker.model import Model


@dataclass(frozen=True)
class Source:
    """How a model was named: its text (see `catalogue.find_model`), the changes of settings, the properties.

    lemmas: whether its lemmas are checked as well.
    """

    text: str
    changes: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    lemmas: bool = False

    def model(self, max_seconds: float | None = None) -> Model:
        """The model as its source is now. Raises what `catalogue.find_model` does, and UsageError for the changes."""
        model = settings.with_settings(catalogue.find_model(self.text, max_seconds), self.changes)
        if self.lemmas:
            model = model.with_lemmas()
        return model.with_properties(self.properties) if self.properties else model

    def absolute(self) -> "Source":
        """The same from any folder."""
        if catalogue.is_ours(self.text):
            return self
        path = Path(self.text)
        return replace(self, text=str(path.resolve()) if path.is_file() else self.text)

    def as_json(self) -> list[object]:
        """The same as JSON data, from any folder."""
        return [self.absolute().text, list(self.changes), list(self.properties), self.lemmas]
