"""A job in words, for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from jobplane.cli.jobs.sentences import describe_reason, describe_state
from jobplane.cli.nouns import ATTEMPTS
from jobplane.cli.output.tables import lines, paint
from jobplane.cli.output.text import as_json, block, plain

Fields = dict[str, Any]


def describe_job(job: Fields, attempts: Sequence[Fields], reasons: Fields | None) -> Iterator[str]:
    """The lines of a description: a sentence, facts, the attempts, and what the job carries."""
    yield describe_state(job)
    if reason := describe_reason(job):
        yield reason
    yield ""
    yield from facts(job)
    if reasons is not None:
        yield from ["", "Why it waits", f"  {plain(str(reasons['summary']))}"]
        yield from gate_lines([gate for gate in reasons["gates"] if not gate["is_open"]])
    if attempts:
        columns = [column for column in ATTEMPTS.columns if column.is_shown(attempts, "wide")]
        yield from ["", "Attempts", *(f"  {line}" for line in lines(attempts, columns, None))]
    yield from _part("Payload", as_json(job["payload"]))
    if job.get("metadata"):
        yield from _part("Metadata", as_json(job["metadata"]))
    if job.get("result") is not None:
        yield from _part("Result", as_json(job["result"]))
    if job.get("error"):
        yield from _part("Error", block(str(job["error"])))


def facts(job: Fields) -> Iterator[str]:
    shown = ("tenant_id", "queue", "priority", "source", "source_ref", "created_at", "scheduled_for", "started_at",
             "finished_at", "expires_at", "timeout_seconds", "worker_id", "correlation_id", "dedupe_key",
             "idempotency_key", "held_by", "reason", "cancel_requested_at", "cancel_reason", "progress",
             "progress_message", "created_by")  # fmt: skip
    shown = ("tenant", *shown[1:]) if job.get("tenant") else shown
    for name in shown:
        if job.get(name) not in (None, ""):
            yield f"{name:<20} {plain(str(job[name]))}"
    if job.get("tags"):
        yield f"{'tags':<20} {plain(', '.join(job['tags']))}"


def gate_lines(gates: Sequence[Fields]) -> Iterator[str]:
    """A line for each gate: whether it is open, and what it says."""
    for gate in gates:
        mark = paint("active", "open") if gate["is_open"] else paint("failed", "shut")
        yield f"  {mark}  {plain(str(gate['name'])):<23}  {plain(str(gate['detail']))}".rstrip()


def _part(title: str, text: str) -> Iterator[str]:
    yield from ["", title, *(f"  {line}" for line in text.splitlines())]
