"""A tenant's verbs on the replies to requests that may be repeated."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from jobplane.core.model import Reserved
from jobplane.store.verbs.verb import JobVerb


@dataclass(frozen=True, slots=True)
class ReserveReply(JobVerb[Reserved]):
    """Begin a request under its idempotency key, with ids for `count` jobs; a repeat gets the same ids.

    Raises IdempotencyMismatch where the key was used with another fingerprint.
    """

    tenant: UUID
    operation: str
    key: str
    fingerprint: bytes
    count: int = 1


@dataclass(frozen=True, slots=True)
class SaveReply(JobVerb[bool]):
    """Keep the reply to a request, for a day; the first one stays. False: the request was never begun."""

    tenant: UUID
    operation: str
    key: str
    status: int
    body: str | None = None
