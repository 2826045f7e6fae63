"""Check the options of a job. The messages are those of the PostgreSQL store."""

from __future__ import annotations

from typing import Final

from jobplane.core.edits import MAX_TEXT, RANGES, metadata_fault, numbers_fault, tags_fault
from jobplane.core.model import NewJob
from jobplane.store.sqlite.verbs.facts import kept

_SOURCES: Final = (None, "manual", "event", "schedule", "system")


def facts_fault(job: NewJob) -> str | None:
    """What is wrong with a new job's options, or None."""
    if fault := numbers_fault({name: getattr(job, name) for name in RANGES}):
        return fault
    if job.source not in _SOURCES:
        return "The source must be manual, event, schedule or system."
    if any(text is not None and not 1 <= len(text) <= MAX_TEXT for text in kept(job)):
        return "Keys, references and ids must have 1 to 500 characters."
    return tags_fault(job.tags) or metadata_fault(job.metadata)
