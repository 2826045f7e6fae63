"""The audit log: what callers did."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final
from uuid import UUID

from jobplane.control.access import Access, refuse_narrowed
from jobplane.control.paging import walk
from jobplane.core.audit import AuditCheck, AuditEntry, AuditFilter
from jobplane.core.paging import Page
from jobplane.store.verbs.engine import ChainAudit
from jobplane.store.verbs.operator import EVERYTHING, ListAudit, VerifyAudit

_STEP: Final = 1000  # entries in one transaction


class Audit:
    """The entries of one tenant."""

    def __init__(self, access: Access, tenant: UUID | None, operation: str = "listAudit") -> None:
        self._access = access
        self._tenant = tenant
        self._operation = operation

    async def list(
        self, where: AuditFilter = EVERYTHING, *, limit: int = 100, before: int | None = None
    ) -> Page[AuditEntry, int]:
        """A page of entries, the newest first. `before` is the cursor of the page before."""
        refuse_narrowed(self._access.caller)
        return await self._access.run(self._operation, ListAudit(self._tenant, where, limit, before))

    def walk(self, where: AuditFilter = EVERYTHING) -> AsyncIterator[AuditEntry]:
        """All entries, the newest first; a page is fetched when it is needed."""
        return walk(lambda cursor: self.list(where, before=cursor))


class FullAudit(Audit):
    """The entries of all tenants, and the chain of digests that shows whether one was removed or changed."""

    def __init__(self, access: Access) -> None:
        super().__init__(access, None, "listAuditInFull")

    async def chain(self) -> int:
        """Append entries that are not in the chain yet; how many."""
        appended = 0
        while found := await self._access.run("chainAudit", ChainAudit(_STEP)):
            appended += found
            if found < _STEP:
                break
        return appended

    async def verify(self) -> AuditCheck:
        """Compute the whole chain again."""
        check = await self._access.run("verifyAudit", VerifyAudit(0, _STEP))
        while check.last is not None:
            check = check.then(await self._access.run("verifyAudit", VerifyAudit(check.last, _STEP)))
        return check
