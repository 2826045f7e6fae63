"""The values that new definitions and tenants get where nobody names them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from jobplane.core.model import Document

Limit: TypeAlias = int | Literal["default"] | None  # of a new tenant: a number, that of the settings, or none


@dataclass(frozen=True, slots=True)
class Defaults:
    """The defaults of one installation, as its settings have them. A limit of None is no limit."""

    max_attempts: int = 3
    max_in_flight: int | None = None
    max_pending: int | None = None

    def complete(self, document: Document) -> Document:
        """The document of a new definition, with the default number of attempts where it names none."""
        return document if document.get("max_attempts") is not None else {**document, "max_attempts": self.max_attempts}


STANDARD: Final = Defaults()
