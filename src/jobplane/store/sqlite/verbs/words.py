"""search_logs: by the index of words as far as the upkeep has come, and by reading what is newer.

Of one job all is read, and where SQLite has no FTS5 there is no index, and all of all jobs is.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple
from uuid import UUID

from jobplane.core import bounds
from jobplane.core.admission import require_uuid
from jobplane.core.decoding import Reader, document, optional
from jobplane.core.logs import Findings, FoundLine, LogLine
from jobplane.core.logtext import levels_from, words_of
from jobplane.store.base import Conn
from jobplane.store.sqlite import checks, statements
from jobplane.store.sqlite.moment import Moment, instant
from jobplane.store.sqlite.verbs.arrays import batch
from jobplane.store.sqlite.verbs.moves import tenant_no
from jobplane.store.verbs.jobs import SearchLogs


class _Job(NamedTuple):
    job_id: UUID
    definition_key: str
    undecodable: tuple[str, ...] = ()


SECONDS: Final = 2.0
_STEP: Final = 5000
_LATEST: Final = 2**63 - 1
_Rows = Iterable[tuple[int, str | bytes]]
log_line: Final = Reader(LogLine, at=instant, fields=optional(document))
_job: Final = Reader(_Job, job_id=UUID)


def search_logs(db: Conn, _: Moment, verb: SearchLogs) -> Findings:
    words, most = words_of(verb.text), bounds.whole("limit", verb.limit, 1, 1000)
    until = checks.instant("until", verb.until)
    span = checks.instant("since", verb.since) or 0, _LATEST if until is None else until
    lines = (*span, *_twice(levels_from(verb.level)))
    number, keys = tenant_no(db, verb.tenant), _twice(checks.texts_or_none("definitions", verb.definitions))
    if verb.job is None:
        candidates = _candidates(db, words, (*lines, number, *keys))
    else:
        require_uuid("job", verb.job)
        candidates = _of_job(db, (number, str(verb.job), *keys), lines)
    ids, deadline = list[int](), time.monotonic() + SECONDS
    for rows in candidates:
        ids += _filter(words, rows)
        if len(ids) >= most:
            return Findings(_lines(db, ids[:most]), scanned_all=True)
        if time.monotonic() > deadline:
            return Findings(_lines(db, ids), scanned_all=False)
    return Findings(_lines(db, ids), scanned_all=True)


def _twice(values: Sequence[str] | None) -> tuple[str | None, str | None]:
    """A list, or none, as a statement looks at it: is there one, and what is in it."""
    text = None if values is None else batch(values)
    return text, text


def _candidates(db: Conn, words: Sequence[str], where: tuple[object, ...]) -> Iterator[_Rows]:
    """Lines of the tenant that may have the words, the newest first, some at a time."""
    sql, indexed = statements.load_verb("search_logs"), _find_indexed(db)
    [(newest,)] = db.rows(sql["newest"], ())
    for top in range(newest, indexed, -_STEP):
        yield db.rows(sql["span"], (max(top - _STEP, indexed), top, *where))
    wanted = " AND ".join(f'"{word}"*' for word in words)
    while hits := db.rows(sql["hits"], (wanted, indexed, _STEP)) if indexed else []:
        indexed = hits[-1][0] - 1
        yield db.rows(sql["those"], (batch(hit[0] for hit in hits), *where))


def _of_job(db: Conn, which: tuple[object, ...], where: tuple[object, ...]) -> Iterator[_Rows]:
    """The lines of one job in their order: the index of words would bring those of all jobs.

    Some at a time, wanted or not, so that the clock is looked at in between.
    """
    sql = statements.load_verb("search_logs")
    for (seq,) in db.rows(sql["job"], which):
        after = (0, 0)
        while page := db.rows(sql["of_job"], (*where, seq, *after, _STEP)):
            after = page[-1][2:4]
            yield [(id_, message) for id_, message, *_, is_wanted in page if is_wanted]


def _filter(words: Sequence[str], rows: _Rows) -> list[int]:
    """The rows in which each word begins a word. A substring test comes first, at a tenth of the cost."""
    tests = [re.compile(rf"(?<![^\W_]){word}").search for word in words]
    lowered = ((id_, message.lower()) for id_, message in rows if isinstance(message, str))
    likely = [(id_, text) for id_, text in lowered if all(word in text for word in words)]
    return [id_ for id_, text in likely if all(test(text) for test in tests)]


def _lines(db: Conn, ids: Sequence[int]) -> list[FoundLine]:
    rows = db.rows(statements.load_verb("search_logs")["lines"], (batch(ids),))
    return [_mark_found(_job(row[:2]), log_line(row[2:])) for row in rows]


def _mark_found(job: _Job, line: LogLine) -> FoundLine:
    marked = line._replace(undecodable=(*job.undecodable, *line.undecodable)) if job.undecodable else line
    return FoundLine(job.job_id, job.definition_key, marked)


def _find_indexed(db: Conn) -> int:
    """The last line whose words are in the index; 0 where there is none, or no FTS5 to read it."""
    if not db.rows(statements.load_shared("schema")["words"], ()) or not db.rows(
        statements.load_shared("schema")["index"], ()
    ):
        return 0
    return db.rows(statements.load_verb("search_logs")["indexed"], ())[0][0]


def enter(db: Conn) -> None:
    """Enter the words of some new lines."""
    if db.rows(statements.load_shared("schema")["words"], ()) and db.rows(
        statements.load_shared("schema")["index"], ()
    ):
        db.rows(statements.load_verb("tidy")["words"], (_find_indexed(db),))


def forget(db: Conn, ids: str) -> None:
    """Take lines that are to go out of the index."""
    if indexed := _find_indexed(db):
        db.rows(statements.load_verb("prune_lines")["forget"], (ids, indexed))
