"""The rows of a plain job, column by column: what seeding and the bare statements write straight into the tables."""

from __future__ import annotations

from typing import Final

PAYLOAD: Final = '{"i": 1, "pad": "' + "x" * 80 + '"}'

JOB: Final = {
    "id": "jobplane.new_id()",
    "created_at": "now()",
    "scheduled_for": "now()",
    "definition_id": "1",
    "definition_key": "'noop'",
    "queue_id": "1",
    "timeout_seconds": "3600",
    "backoff_base": "5",
    "backoff_factor": "2",
    "backoff_cap": "300",
    "backoff_jitter": "0.5",
    "priority": "100",
    "max_attempts": "3",
}
# Read from a job's row, j.
WAITING: Final = {
    "seq": "j.seq",
    "tenant_id": "j.tenant_id",
    "scheduled_for": "j.scheduled_for",
    "queue_id": "1",
    "definition_id": "1",
    "attempt_no": "0",
    "priority": "100",
    "attempts_left": "3",
    "interruptions": "0",
    "deduped": "false",
    "alone": "false",
}
READY: Final = WAITING | {"tag": "j.seq"}
# Read from a ready row, d.
LEASE: Final = {
    "seq": "d.seq",
    "tenant_id": "d.tenant_id",
    "token": "$2",
    "scheduled_for": "d.scheduled_for",
    "started_at": "now()",
    "expires_at": "now() + interval '30 s'",
    "queue_id": "d.queue_id",
    "definition_id": "d.definition_id",
    "attempt_no": "d.attempt_no + 1",
    "priority": "d.priority",
    "attempts_left": "d.attempts_left - 1",
    "interruptions": "d.interruptions",
    "deduped": "d.deduped",
    "alone": "d.alone",
    "worker_id": "'bench'",
}
# Read from a lease, d.
ATTEMPT: Final = {
    "seq": "d.seq",
    "tenant_id": "d.tenant_id",
    "token": "d.token",
    "scheduled_for": "d.scheduled_for",
    "started_at": "d.started_at",
    "finished_at": "now()",
    "attempt_no": "d.attempt_no",
    "outcome": "'succeeded'",
    "led_to": "'succeeded'",
    "worker_id": "d.worker_id",
}
ENDING: Final = {
    "seq": "d.seq",
    "tenant_id": "d.tenant_id",
    "finished_at": "now()",
    "attempt_no": "d.attempt_no",
    "status": "'succeeded'",
    "attempts_left": "d.attempts_left",
}


def insert(table: str, columns: dict[str, str], origin: str) -> str:
    """An insert of these columns, selected from where they come from."""
    return f"insert into jobplane.{table} ({', '.join(columns)}) select {', '.join(columns.values())} {origin}"
