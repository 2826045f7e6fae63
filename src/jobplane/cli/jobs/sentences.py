"""Describe the status of a job or an attempt in sentences."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from jobplane.cli.nouns import took
from jobplane.cli.output.tables import paint
from jobplane.cli.output.text import plain
from jobplane.cli.output.times import format_age, format_duration, parse_time

Fields = dict[str, Any]

_ENDED: Final = {
    "succeeded": ("succeeded", ""),
    "failed": ("failed", ""),
    "dead_letter": ("dead letter", "became a "),
    "canceled": ("canceled", "was "),
    "timeout": ("timed out", ""),
    "lost": ("lost", "was "),
    "released": ("released", "was "),
}
_REASONS: Final = {
    "expired": "The job expired before it started.",
    "interrupted": "Its attempts were interrupted too often.",
    "invalid_payload": "The payload does not fit the schema.",
    "keyboard_interrupt": "The handler raised KeyboardInterrupt.",
    "lease_expired": "The lease expired: the worker was lost.",
    "lost": "The worker was lost.",
    "lost_contact": "The worker lost contact with the database.",
    "neighbour": "Another job crashed the executor.",
    "shutdown": "The worker was shut down.",
    "snooze": "The handler asked to run later.",
    "stuck": "The attempt did not stop at its timeout, and its process was killed.",
    "suspect": "The attempt may have crashed its executor.",
    "system_exit": "The handler called sys.exit().",
    "timeout": "The attempt ran longer than its timeout.",
    "unstarted": "The worker gave the job back before it started.",
}


def describe_state(job: Fields) -> str:
    """Describe the status of a job."""
    name, shown = f"Job {job['id']} ({plain(job['definition_key'])})", job["display_state"]
    tries = f"{job['attempts']} of {job['max_attempts']}"
    match job["status"]:
        case "queued" if shown == "scheduled":
            return f"{name} is {paint(shown)} and starts {format_age(job['scheduled_for'])}."
        case "queued" if shown == "requeued":
            word = paint(shown, "queued again")
            return f"{name} is {word} after {tries} attempts. The next one {_due(job['scheduled_for'])}."
        case "queued":
            return f"{name} has been {paint(shown)} for {_since(job['updated_at'])}."
        case "running":
            return f"{name} has been {paint(shown)} for {_since(job['started_at'])}, on attempt {tries}."
        case _:
            return f"{name} {_ended(job['status'])} {format_age(job['finished_at'])}, {_last_attempt(job, tries)}."


def describe_attempt(attempt: Fields) -> str:
    """The same of one attempt."""
    name, spent = f"Attempt {attempt['attempt_no']}", took(attempt)
    if attempt["status"] == "running":
        return f"{name} has been {paint('running')} for {_since(attempt['started_at'])}."
    return f"{name} {_ended(attempt['status'])}{f' after {spent}' if spent else ''}."


def describe_reason(found: Fields) -> str | None:
    """Why a job or an attempt ended as it did. A person's words stay as they are."""
    reason = found.get("reason")
    if not reason:
        return None
    return f"Reason: {_REASONS.get(reason) or plain(str(reason))}"


def _ended(status: str) -> str:
    word, verb = _ENDED.get(status, (status, "ended as "))
    return f"{verb}{paint(status, word)}"


def _last_attempt(job: Fields, tries: str) -> str:
    if not job["attempt_no"]:
        return "before its first attempt"
    spent = took(job)
    return f"on attempt {tries}{f', after {spent}' if spent else ''}"


def _due(at: str | None) -> str:
    age = format_age(at)
    return f"{'was' if age.endswith(' ago') else 'is'} due {age}"


def _since(at: str | None) -> str:
    if not at:
        return "an unknown time"
    return format_duration(max(0.0, (datetime.now(UTC) - parse_time(at)).total_seconds()))
