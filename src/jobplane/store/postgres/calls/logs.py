"""What handlers wrote: kept by the engine, read by the tenant."""

from __future__ import annotations

from operator import itemgetter
from typing import Final

from jobplane.core.admission import require_instant, require_uuid
from jobplane.core.decoding import Reader, as_object, optional
from jobplane.core.logs import Findings, FoundLine, LogLine
from jobplane.core.logtext import clean_fields, clean_level, clean_message, levels_from, words_of
from jobplane.core.paging import MOST_LINES, Page, page_of
from jobplane.store.postgres.calls.call import Call, Rows, array, asks, door, texts
from jobplane.store.verbs.engine import WriteLogs
from jobplane.store.verbs.jobs import ReadLogs, SearchLogs

_LINE: Final = asks(LogLine)
_FOUND: Final = asks(LogLine, "job_id", "definition_key")
_line: Final = Reader(LogLine, fields=optional(as_object))


def write_logs(verb: WriteLogs) -> Call[list[int]]:
    lines = verb.lines
    leases, fields = [line.lease for line in lines], [clean_fields(line.fields) for line in lines]
    return Call(
        "worker",
        "select seq from jobplane.log_lines(%s::bigint[], %s::int[], %s::uuid[], %s::int[], %s::timestamptz[],"
        " %s::text[], %s::text[], %s::text[]::jsonb[])",
        (
            array(lease.seq for lease in leases),
            array(lease.attempt_no for lease in leases),
            array(lease.token for lease in leases),
            array(line.line for line in lines),
            array(f'"{line.at.isoformat()}"' for line in lines),
            array(clean_level(line.level) for line in lines),
            texts(clean_message(line.message) for line in lines),
            texts(fields) if any(fields) else None,
        ),
        lambda rows: sorted(row[0] for row in rows),
    )


def read_logs(verb: ReadLogs) -> Call[Page[LogLine, tuple[int, int]]]:
    return door(
        verb.tenant,
        _LINE,
        "read_logs(%s::uuid, %s::int, %s::int, %s::int, %s::boolean)",
        (verb.job_id, *verb.after, verb.limit, verb.follow),
        lambda rows: page_of(rows, verb.limit, _line, itemgetter(0, 1), MOST_LINES),
    )


def search_logs(verb: SearchLogs) -> Call[Findings]:
    for name, at in (("since", verb.since), ("until", verb.until)):
        if at is not None:
            require_instant(name, at)
    if verb.job is not None:
        require_uuid("job", verb.job)
    levels_from(verb.level)  # refuses in the words of both stores
    definitions = None if verb.definitions is None else list(verb.definitions)
    return door(
        verb.tenant,
        _FOUND,
        "search_logs(%s::text, %s::text[], %s::timestamptz, %s::int, %s::text, %s::uuid, %s::timestamptz)",
        (" ".join(words_of(verb.text)), definitions, verb.since, verb.limit, verb.level, verb.job, verb.until),
        _read_findings,
    )


def _read_findings(rows: Rows) -> Findings:
    """A last row without a job says that the search ended early."""
    found = [FoundLine(row[-2], row[-1], _line(row[:-2])) for row in rows if row[-2] is not None]
    return Findings(found, scanned_all=len(found) == len(rows))
