"""Replies to requests that may be repeated: a repeat makes no job twice, and gets the same reply."""

from __future__ import annotations

from uuid import UUID

from jobplane.control.access import Access
from jobplane.core.model import Reserved
from jobplane.store.verbs.replies import ReserveReply, SaveReply


class Replies:
    """The replies of one tenant, by operation and idempotency key."""

    def __init__(self, access: Access, tenant: UUID) -> None:
        self._access = access
        self._tenant = tenant

    async def reserve(self, operation: str, key: str, fingerprint: bytes, *, count: int = 1) -> Reserved:
        """Begin a request that makes `count` jobs, and learn their ids; raises IdempotencyMismatch and Forbidden.

        Enqueue with these ids unless there is a status: then the request was answered, with that status and body.
        """
        verb = ReserveReply(self._tenant, operation, key, fingerprint, count)
        return await self._access.run(operation, verb)

    async def save(self, operation: str, key: str, status: int, body: str | None) -> bool:
        """Keep the reply for a day; the first one stays. False: the request was never begun."""
        return await self._access.run(operation, SaveReply(self._tenant, operation, key, status, body))
