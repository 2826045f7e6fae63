"""The database of an installation."""

from __future__ import annotations

from jobplane.control.access import Access
from jobplane.control.recent import Recent
from jobplane.core.database import DatabaseFacts
from jobplane.store.verbs.operator import InspectDatabase


class Database:
    """What the database says of itself, for operators."""

    def __init__(self, access: Access, recent: Recent) -> None:
        self._access = access
        self._recent = recent

    async def get(self) -> DatabaseFacts:
        """Its size, connections, oldest transaction and tables, at most five seconds old."""
        self._access.caller.require("getDatabase")
        return await self._recent.get(self._access, "getDatabase", InspectDatabase())
