"""The verbs of the retention: each is one small step of a walk, and answers where the next step goes on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from jobplane.core.retention import ArtifactsStep, JobsStep, LogsStep, ReceiptCursor, ReceiptsStep
from jobplane.store.verbs.verb import EngineVerb

MOST_JOBS: Final = 1000  # that a step looks at
LINES_FOR_EACH: Final = 5  # of these jobs, that it removes at most
LONGEST_DAYS: Final = 36_500


@dataclass(frozen=True, slots=True)
class PruneJobs(EngineVerb[JobsStep]):
    """Remove some ended jobs that are past their time, or beyond the newest so many of their tenant and definition.

    The walk goes from the newest job to the oldest. `counted` says how many ended jobs of a tenant and definition the
    walk has met before, for those that the answer before named. A dry run removes nothing.
    """

    before: int | None = None
    limit: int = MOST_JOBS
    retention_days: int = 30
    retention_count: int | None = None
    counted: Mapping[tuple[UUID, str], int] | None = None
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class PruneLogs(EngineVerb[LogsStep]):
    """Remove some lines of ended jobs that are past their time, and lines whose job is gone."""

    after: int = 0
    limit: int = MOST_JOBS
    retention_days: int = 7
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class DropLogBlock(EngineVerb[int]):
    """Drop the logs of a million jobs at once, where all are past their time. 0: none is, or a lock is in the way.

    A file has no such blocks.
    """

    retention_days: int = 7


@dataclass(frozen=True, slots=True)
class PruneReceipts(EngineVerb[ReceiptsStep]):
    """Remove some idempotency keys whose job is gone."""

    after: ReceiptCursor | None = None
    limit: int = MOST_JOBS


@dataclass(frozen=True, slots=True)
class FindArtifacts(EngineVerb[ArtifactsStep]):
    """Which files in `artifacts_dir` some results name."""

    after: int = 0
    limit: int = MOST_JOBS
