"""Sentences for log lines: the status of a job after one of its attempts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from jobplane.core.model import JobStatus

_LED_TO: Final[Mapping[str | None, str]] = {
    JobStatus.QUEUED.value: "The job is queued again.",
    JobStatus.FAILED.value: "The job has failed.",
    JobStatus.DEAD_LETTER.value: "The job is now a dead letter.",
    JobStatus.CANCELED.value: "The job is canceled.",
}


def describe_status(status: str | None) -> str | None:
    """A sentence, or None for a status that needs none or is not known."""
    return _LED_TO.get(status)
