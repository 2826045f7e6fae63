"""What the verbs of a small noun have: one puts documents, one lists page by page, one deletes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol
from uuid import UUID

from jobplane.core.model import Document


class Puts(Protocol):
    """A text alone is the key of a document."""

    @property
    def documents(self) -> Sequence[str | Document]: ...


class Lists(Protocol):
    @property
    def limit(self) -> int: ...
    @property
    def after(self) -> str: ...


class Deletes(Protocol):
    @property
    def ids(self) -> Sequence[str]: ...


class Owned(Protocol):
    """A verb of a tenant's noun has its tenant, too."""

    @property
    def tenant(self) -> UUID: ...
