"""What is wrong with an installation: as a store finds it, and as people read it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias
from uuid import UUID

from jobplane.core.model import Document

Kind: TypeAlias = Literal["failing", "stuck", "late"]
Severity: TypeAlias = Literal["critical", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One row of what a store finds. `count` is of jobs, of transactions or of schedules; it stops at 10,000.

    `job_id` is that of a job, or of the schedule that is late.
    """

    code: str
    since: datetime | None = None
    queue: str | None = None
    definition_key: str | None = None
    tenant: str | None = None
    worker_id: str | None = None
    job_id: UUID | None = None
    pid: int | None = None
    name: str | None = None
    count: int = 0
    by: str | None = None
    reason: str | None = None
    error: str | None = None
    tenants: Sequence[str] = ()
    undecodable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that a person should look at. `detail` is one sentence or two, `link` the path of a REST resource.

    `tenants`: whose jobs are concerned, up to a hundred; empty for a tenant's own caller.
    """

    code: str
    kind: Kind
    severity: Severity
    since: datetime | None
    subject: Document
    facts: Document
    detail: str
    link: str | None = None
    tenants: list[str] = field(default_factory=list[str])
