"""What goes into an enqueue and what comes back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias
from uuid import UUID

from jobplane.api.options import Options
from jobplane.core.errors import InvalidPayload, JobplaneError
from jobplane.core.model import Document, Job


@dataclass(frozen=True, slots=True)
class JobHandle:
    """A job that is in the database. `outcome`: created, existing, replaced or postponed."""

    id: UUID
    tenant_id: UUID
    definition_key: str
    outcome: str
    error: ClassVar[None] = None

    @property
    def created(self) -> bool:
        """Whether this enqueue made it; False: an active job with its key was there already."""
        return self.outcome == "created"


@dataclass(frozen=True, slots=True)
class Refused:
    """A row of a batch that did not become a job; the other rows did."""

    error: JobplaneError
    definition_key: str
    id: None = None
    created: Literal[False] = False
    outcome: Literal["refused"] = "refused"


Row: TypeAlias = "JobHandle | Refused"
AnyJob: TypeAlias = "JobHandle | Job | UUID | str"


@dataclass(frozen=True, slots=True)
class JobCall:
    """A definition with its arguments and options, ready to be enqueued; `fault` is what is wrong with them."""

    key: str
    payload: Document
    options: Options
    fault: InvalidPayload | None = None
