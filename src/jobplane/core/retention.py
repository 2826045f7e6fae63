"""What a step of the retention has removed, and where the next one goes on."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple
from uuid import UUID


class PrunedJobs(NamedTuple):
    """Jobs of one tenant and definition that a step has removed, with how many lines.

    `counted`: how many ended jobs the step has met, None where no `retention_count` is set.
    """

    tenant_id: UUID
    definition_key: str
    jobs: int
    lines: int
    oldest_at: datetime | None
    counted: int | None


class JobsStep(NamedTuple):
    """`before` is the seq to go on below; None: the walk is over."""

    pruned: list[PrunedJobs]
    before: int | None
    looked: int


class PrunedLines(NamedTuple):
    """Lines of jobs of one definition that a step has removed; None: the jobs were gone."""

    definition_key: str | None
    jobs: int
    lines: int


class LogsStep(NamedTuple):
    """`after` is the seq to go on after; None: the walk is over."""

    pruned: list[PrunedLines]
    after: int | None
    looked: int


# Tenant, definition and key of the last idempotency key that was looked at. A file has its own number for a tenant.
ReceiptCursor = tuple[UUID | int, int, str]


class ReceiptsStep(NamedTuple):
    """`after` is the idempotency key to go on after; None: the walk is over."""

    after: ReceiptCursor | None
    looked: int
    gone: int


class ArtifactsStep(NamedTuple):
    """Digests of files that results name. `after` is the seq to go on after; None: the walk is over."""

    digests: list[str]
    after: int | None
