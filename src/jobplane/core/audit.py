"""The audit log: what callers did, and whether the log is as it was written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from jobplane.core.model import Document

MOST: Final = 100  # of each kind of fault that a check names


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """What one call did. `targets` has the first 100; the digests are those of the values before and after, in hex.

    `actor` is who asked, as the caller says; `login` is the database login, or the user of the operating system.
    """

    audit_id: int
    tenant_id: UUID
    at: datetime
    actor: Document
    login: str
    address: str | None
    request_id: str | None
    action: str
    targets: list[str]
    target_count: int
    before_digest: str | None
    after_digest: str | None
    facts: Document
    undecodable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """Which entries to list. `actor` is an id, or `type:id`; `until` itself is not included."""

    action: str | None = None
    actor: str | None = None
    target: str | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class AuditCheck:
    """A part of the chain, computed again. Each list names up to 100 faults.

    `last` is the last position looked at; None: the end of the chain, where the rows that are not in it are counted.
    """

    last: int | None
    checked: int
    gaps: list[int]  # positions of the chain that are not there
    removed: list[int]  # ids of entries that are gone
    changed: list[int]  # ids of entries that are not as they were written
    inserted: list[int]  # ids of entries that were added among older ones
    unchained: int | None = None
    oldest_unchained_at: datetime | None = None

    @property
    def is_intact(self) -> bool:
        return not (self.gaps or self.removed or self.changed or self.inserted)

    def bounded(self) -> AuditCheck:
        """The same with the first faults of each kind, each once."""
        return replace(
            self,
            gaps=_first(self.gaps),
            removed=_first(self.removed),
            changed=_first(self.changed),
            inserted=_first(self.inserted),
        )

    def then(self, part: AuditCheck) -> AuditCheck:
        """This part and the next one as one."""
        return replace(
            part,
            checked=self.checked + part.checked,
            gaps=self.gaps + part.gaps,
            removed=self.removed + part.removed,
            changed=self.changed + part.changed,
            inserted=self.inserted + part.inserted,
        ).bounded()


def _first(numbers: list[int]) -> list[int]:
    return list(dict.fromkeys(numbers))[:MOST]
