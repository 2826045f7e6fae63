"""How the things of the API are listed."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Any, Final

from jobplane.cli.allowing import allowed_commands
from jobplane.cli.definition_description import command_lines
from jobplane.cli.output.tables import Column, Fields, Noun
from jobplane.cli.output.text import format_bytes
from jobplane.cli.output.times import format_age, format_duration


def _field(name: str) -> Callable[[Fields], object]:
    return lambda row: row.get(name)


def _ago(name: str) -> Callable[[Fields], object]:
    return lambda row: format_age(row.get(name))


def _listed(name: str) -> Callable[[Fields], object]:
    return lambda row: ", ".join(map(str, row.get(name) or ()))


def short(job_id: object) -> str:
    """The last 8 characters: ids that were made in the same hour begin alike."""
    return str(job_id)[-8:]


def took(row: Fields) -> str | None:
    """How long the last attempt took."""
    milliseconds = row.get("duration_ms")
    return None if milliseconds is None else format_duration(milliseconds / 1000)


def _attempts(row: Fields) -> str:
    return f"{row['attempts']}/{row['max_attempts']}"


def _tenant(row: Fields) -> object:
    """The slug, or the id where the slug could not be read."""
    return row.get("tenant") or row.get("tenant_id")


def _note(row: Fields) -> object:
    """The error, or how far a job is, or why it waits."""
    if row["status"] == "running" and row.get("progress") is not None:
        return f"{row['progress']:.0%} {row.get('progress_message') or ''}"
    held = row.get("held_by")
    return row.get("error") or (f"held by {held}" if held else None) or row.get("reason")


def _paused(row: Fields) -> str:
    return "paused" if row.get("paused_at") else "active"


def _schedule_status(row: Fields) -> str:
    if not row["is_enabled"]:
        return "disabled"
    return "late" if (row.get("late_seconds") or 0) > 60 else "enabled"


def _worker_status(row: Fields) -> str:
    if not row["live"]:
        return "gone"
    return "stopping" if row.get("draining") else "live"


def _longest(row: Fields) -> str | None:
    """How long the longest attempt has run that runs there now."""
    seconds = row.get("longest_lease_seconds")
    return None if seconds is None else format_duration(seconds)


def _exit(row: Fields) -> str | None:
    """The exit code of the process of an attempt, or the signal that killed it."""
    number = row.get("signal")
    if number is None:
        return None if row.get("exit_code") is None else str(row["exit_code"])
    known = {each.value: each.name for each in signal.Signals}
    return known.get(number, f"signal {number}")


def _cpu(row: Fields) -> str | None:
    """The time that the processes of an attempt spent on a processor."""
    spent = [row.get(name) for name in ("user_ms", "system_ms")]
    return None if spent == [None, None] else format_duration(sum(part or 0 for part in spent) / 1000)


def _bytes(*names: str) -> Callable[[Fields], object]:
    """The sum of some sizes, where one is known."""

    def cell(row: Fields) -> str | None:
        sizes = [row[name] for name in names if row.get(name) is not None]
        return format_bytes(sum(sizes)) if sizes else None

    return cell


def _command(row: Fields) -> str | None:
    """The command line of a definition, with its placeholders."""
    command = row.get("command")
    return None if command is None else next(command_lines(command))


def _oldest(row: Fields) -> str | None:
    """How long the oldest due job has waited."""
    seconds = row.get("oldest_due_seconds")
    return None if seconds is None else format_duration(seconds)


def _targets(row: Fields) -> str:
    first, count = (row["targets"] or [""])[0], row["target_count"]
    return first if count < 2 else f"{first} and {count - 1} more"


def _key_status(row: Fields) -> str:
    return "revoked" if row.get("revoked_at") else "active"


def _actor(row: Fields) -> str:
    actor: dict[str, Any] = row.get("actor") or {}
    return f"{actor.get('type', '')}:{actor.get('name') or actor.get('id', '')}"


JOBS: Final = Noun(
    "jobs",
    "id",
    (
        Column("ID", lambda row: short(row["id"]), "table"),
        Column("ID", _field("id"), "wide"),
        Column("TENANT", _field("tenant"), "table", is_optional=True),
        Column("TENANT", _tenant, "wide"),
        Column("STATUS", _field("display_state"), is_status=True),
        Column("DEFINITION", _field("definition_key")),
        Column("QUEUE", _field("queue")),
        Column("PRIORITY", _field("priority"), "wide"),
        Column("ATTEMPTS", _attempts),
        Column("CREATED", _ago("created_at")),
        Column("DUE", _ago("scheduled_for"), "wide"),
        Column("TOOK", took),
        Column("WORKER", _field("worker_id"), "wide"),
        Column("SOURCE", _field("source"), "wide"),
        Column("TAGS", _listed("tags"), "wide"),
        Column("NOTE", _note),
    ),
)
ATTEMPTS: Final = Noun(
    "attempts",
    "attempt_no",
    (
        Column("ATTEMPT", _field("attempt_no")),
        Column("STATUS", _field("status"), is_status=True),
        Column("STARTED", _ago("started_at")),
        Column("TOOK", took),
        Column("WORKER", _field("worker_id")),
        Column("EXIT", _exit, is_optional=True),
        Column("PID", _field("pid"), is_optional=True),
        Column("CPU", _cpu, is_optional=True),
        Column("MEMORY", _bytes("max_rss_bytes"), is_optional=True),
        Column("OUTPUT", _bytes("stdout_bytes", "stderr_bytes"), is_optional=True),
        Column("ERROR", _field("error")),
    ),
)
DEFINITIONS: Final = Noun(
    "definitions",
    "key",
    (
        Column("KEY", _field("key")),
        Column("STATUS", lambda row: "active" if row["active"] else "inactive", None, True),
        Column("KIND", _field("kind")),
        Column("QUEUE", _field("queue")),
        Column("PRIORITY", _field("priority"), "wide"),
        Column("TIMEOUT", lambda row: row["timeout_seconds"] and format_duration(row["timeout_seconds"])),
        Column("MAX ATTEMPTS", _field("max_attempts")),
        Column("MAX RUNNING", _field("max_running")),
        Column("COMMAND", _command, "wide", is_optional=True),
        Column("APP", _field("app"), "wide"),
        Column("UPDATED", _ago("updated_at"), "wide"),
        Column("DESCRIPTION", _field("description")),
    ),
)
SCHEDULES: Final = Noun(
    "schedules",
    "id",
    (
        Column("ID", lambda row: short(row["id"]), "table"),
        Column("ID", _field("id"), "wide"),
        Column("KEY", _field("key"), is_optional=True),
        Column("STATUS", _schedule_status, is_status=True),
        Column("LABEL", _field("label")),
        Column("DEFINITION", _field("definition_key")),
        Column("WHEN", _field("words")),
        Column("TIMEZONE", _field("effective_timezone"), "wide"),
        Column("NEXT", _ago("next_run_at")),
        Column("LAST", _ago("last_fired_at")),
        Column("OUTCOME", _field("last_outcome")),
        Column("OVERLAP", _field("overlap"), "wide"),
        Column("MISSED", _field("missed"), "wide"),
        Column("TENANT", _tenant, "wide"),
        Column("NOTE", lambda row: row.get("disabled_reason") or row.get("last_reason")),
    ),
)
FIRES: Final = Noun(
    "fires",
    "planned_at",
    (
        Column("PLANNED", _field("planned_at")),
        Column("OUTCOME", _field("outcome"), is_status=True),
        Column("KIND", _field("kind")),
        Column("FIRED", _ago("fired_at")),
        Column("JOB", lambda row: row["job_id"] and short(row["job_id"]), "table"),
        Column("JOB", _field("job_id"), "wide"),
        Column("STATUS", _field("status"), is_status=True),
        Column("MISSED", _field("missed"), "wide"),
        Column("NOTE", _field("reason")),
    ),
)
PLANNED: Final = Noun(
    "planned times",
    "at",
    (
        Column("AT", _field("at")),
        Column("LOCAL", _field("local")),
        Column("IN", _ago("at")),
        Column("NOTE", _field("note")),
    ),
)
BACKFILLED: Final = Noun(
    "planned times",
    "job_id",
    (
        Column("PLANNED", _field("planned_at")),
        Column("OUTCOME", _field("outcome"), is_status=True),
        Column("JOB", _field("job_id")),
        Column("NOTE", _field("reason")),
    ),
)
QUEUES: Final = Noun(
    "queues",
    "name",
    (
        Column("NAME", _field("name")),
        Column("STATUS", _paused, is_status=True),
        Column("READY", _field("ready")),
        Column("HELD", _field("held")),
        Column("UPCOMING", _field("upcoming")),
        Column("RUNNING", _field("running")),
        Column("PAUSED", _ago("paused_at"), "wide"),
        Column("BY", _field("paused_by"), "wide"),
        Column("NOTE", _field("paused_reason")),
        Column("DESCRIPTION", _field("description")),
    ),
)
WORKERS: Final = Noun(
    "workers",
    "worker_id",
    (
        Column("ID", _field("worker_id")),
        Column("STATUS", _worker_status, is_status=True),
        Column("HOST", _field("hostname")),
        Column("PID", _field("pid"), "wide"),
        Column("RUNNING", lambda row: f"{row['running_count']}/{row['slots']}"),
        Column("QUEUES", _listed("queues")),
        Column("COMMANDS", lambda row: ", ".join(allowed_commands(row)), "wide", is_optional=True),
        Column("MISMATCHED", _listed("mismatched"), "wide", is_optional=True),
        Column("VERSION", _field("version"), "wide"),
        Column("LONGEST", _longest),
        Column("STARTED", _ago("started_at")),
        Column("SEEN", _ago("last_seen_at")),
    ),
)
TENANTS: Final = Noun(
    "tenants",
    "id",
    (
        Column("SLUG", _field("slug")),
        Column("ID", _field("id"), "wide"),
        Column("STATUS", _paused, is_status=True),
        Column("READY", _field("ready")),
        Column("HELD", _field("held")),
        Column("UPCOMING", _field("upcoming")),
        Column("RUNNING", _field("running")),
        Column("DEAD", _field("dead_letter")),
        Column("OLDEST", _oldest),
        Column("WEIGHT", _field("weight"), "wide"),
        Column("MAX IN FLIGHT", _field("max_in_flight"), "wide"),
        Column("MAX PENDING", _field("max_pending"), "wide"),
        Column("CREATED", _ago("created_at"), "wide"),
        Column("NAME", _field("name")),
        Column("TIMEZONE", _field("timezone"), "wide"),
        Column("BY", _field("paused_by"), "wide"),
        Column("NOTE", _field("paused_reason")),
    ),
)
KEYS: Final = Noun(
    "keys",
    "key_id",
    (
        Column("ID", _field("key_id")),
        Column("STATUS", _key_status, is_status=True),
        Column("ROLE", _field("role")),
        Column("TENANT", _tenant, "wide"),
        Column("OWNER", _field("owner_user_id"), "wide"),
        Column("CREATED", _ago("created_at")),
        Column("USED", _ago("last_used_at")),
        Column("EXPIRES", _ago("expires_at")),
        Column("NAME", _field("name")),
    ),
)
AUDIT: Final = Noun(
    "entries",
    "audit_id",
    (
        Column("ID", _field("audit_id"), "wide"),
        Column("WHEN", _ago("at"), "table"),
        Column("WHEN", _field("at"), "wide"),
        Column("ACTOR", _actor),
        Column("ACTION", _field("action")),
        Column("TARGET", _targets),
        Column("TENANT", _tenant, "wide"),
        Column("ADDRESS", _field("address"), "wide"),
    ),
)
POLICY: Final = Noun(
    "commands",
    "key",
    (
        Column("KEY", _field("key")),
        Column("STATE", _field("state"), is_status=True),
        Column("USER", _field("user")),
        Column("DETAIL", _field("detail")),
    ),
)
PROBLEMS: Final = Noun(
    "problems",
    "code",
    (
        Column("SEVERITY", _field("severity"), is_status=True),
        Column("PROBLEM", _field("code")),
        Column("SINCE", _ago("since")),
        Column("DETAIL", _field("detail")),
    ),
)
TABLES: Final = Noun(
    "tables",
    "name",
    (
        Column("TABLE", _field("name")),
        Column("ROWS", _field("rows_estimate")),
        Column("SIZE", lambda row: None if row["size_bytes"] is None else format_bytes(row["size_bytes"])),
        Column("DEAD ROWS", _field("dead_rows")),
        Column("VACUUMED", _ago("last_vacuum_at")),
    ),
)
CALLER: Final = Noun(
    "callers",
    "id",
    (
        Column("TYPE", _field("type")),
        Column("ID", _field("id")),
        Column("NAME", _field("name")),
        Column("ROLE", _field("role")),
        Column("TENANT", _tenant),
    ),
)
