"""What a run of the retention has removed, for the result of a job and for a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from jobplane.core.model import Document
from jobplane.core.retention import JobsStep, LogsStep


@dataclass(slots=True)
class PrunedDefinition:
    """Jobs and lines of one definition, and when the oldest of these jobs had ended."""

    jobs: int = 0
    lines: int = 0
    oldest_at: datetime | None = None


@dataclass(slots=True)
class Pruned:
    """What has gone, or would go in a dry run.

    `blocks`: logs of a million jobs each that went at once; nobody counts their lines. `is_complete`: the run came to
    its end, and was not stopped before.
    """

    dry_run: bool = False
    is_complete: bool = False
    jobs: int = 0
    lines: int = 0
    blocks: int = 0
    files: int = 0
    bytes: int = 0
    definitions: dict[str, PrunedDefinition] = field(default_factory=dict[str, PrunedDefinition])

    def add_jobs(self, step: JobsStep) -> None:
        for found in step.pruned:
            if found.jobs:
                self.jobs += found.jobs
                self.lines += found.lines
                self._add(found.definition_key, found.jobs, found.lines, found.oldest_at)

    def add_lines(self, step: LogsStep) -> None:
        """Lines whose job is gone count in the sum alone."""
        for found in step.pruned:
            self.lines += found.lines
            if found.definition_key is not None:
                self._add(found.definition_key, 0, found.lines, None)

    def _add(self, key: str, jobs: int, lines: int, oldest_at: datetime | None) -> None:
        found = self.definitions.setdefault(key, PrunedDefinition())
        found.jobs += jobs
        found.lines += lines
        found.oldest_at = min((at for at in (found.oldest_at, oldest_at) if at is not None), default=None)

    def document(self) -> Document:
        """The same as JSON."""
        sums: Mapping[str, int] = {name: getattr(self, name) for name in ("jobs", "lines", "blocks", "files", "bytes")}
        return {
            "dry_run": self.dry_run,
            "is_complete": self.is_complete,
            **sums,
            "definitions": [
                {
                    "definition": key,
                    "jobs": found.jobs,
                    "lines": found.lines,
                    "oldest_at": None if found.oldest_at is None else found.oldest_at.isoformat(),
                }
                for key, found in sorted(self.definitions.items())
            ],
        }
