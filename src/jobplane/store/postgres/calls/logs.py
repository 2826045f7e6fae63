"""What handlers wrote: kept by the engine, read by the tenant."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from jobplane.core.admission import require_instant, require_uuid
from jobplane.core.decoding import Reader, as_object, optional
from jobplane.core.lines import Findings, FoundLine, LogLine, NewLogLine
from jobplane.core.logtext import kept_fields, kept_level, kept_message, levels_from, words_of
from jobplane.store.postgres.calls.call import Call, Rows, array, asks, door, one, texts

_LINE: Final = asks(LogLine)
_FOUND: Final = asks(LogLine, "job_id", "definition_key")
_line: Final = Reader(LogLine, fields=optional(as_object))


def log_lines(lines: Sequence[NewLogLine]) -> Call[list[int]]:
    tickets, fields = [line.ticket for line in lines], [kept_fields(line.fields) for line in lines]
    return Call(
        "worker",
        "select seq from jobplane.log_lines(%s::bigint[], %s::int[], %s::uuid[], %s::int[], %s::timestamptz[],"
        " %s::text[], %s::text[], %s::text[]::jsonb[])",
        (
            array(ticket.seq for ticket in tickets),
            array(ticket.attempt_no for ticket in tickets),
            array(ticket.token for ticket in tickets),
            array(line.line for line in lines),
            array(f'"{line.at.isoformat()}"' for line in lines),
            array(kept_level(line.level) for line in lines),
            texts(kept_message(line.message) for line in lines),
            texts(fields) if any(fields) else None,
        ),
        lambda rows: sorted(row[0] for row in rows),
    )


def read_logs(tenant: UUID, job_id: UUID, after: tuple[int, int], limit: int, follow: bool) -> Call[list[LogLine]]:
    return door(
        tenant,
        _LINE,
        "read_logs(%s::uuid, %s::int, %s::int, %s::int, %s::boolean)",
        (job_id, *after, limit, follow),
        lambda rows: [_line(row) for row in rows],
    )


def search_logs(
    tenant: UUID,
    text: str,
    definitions: Sequence[str] | None,
    since: datetime | None,
    level: str | None,
    job: UUID | None,
    limit: int,
) -> Call[Findings]:
    if since is not None:
        require_instant("since", since)
    if job is not None:
        require_uuid("job", job)
    levels_from(level)  # refuses in the words of both stores
    return door(
        tenant,
        _FOUND,
        "search_logs(%s::text, %s::text[], %s::timestamptz, %s::int, %s::text, %s::uuid)",
        (" ".join(words_of(text)), None if definitions is None else list(definitions), since, limit, level, job),
        _findings,
    )


def _findings(rows: Rows) -> Findings:
    """A last row without a job says that the search ended early."""
    found = [FoundLine(row[-2], row[-1], _line(row[:-2])) for row in rows if row[-2] is not None]
    return Findings(found, scanned_all=len(found) == len(rows))


def prune_logs(retention_days: int) -> Call[int]:
    return Call("scheduler", "select jobplane.prune_logs(%s::int)", (retention_days,), one)
