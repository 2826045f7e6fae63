"""What is past its time: prune_jobs, prune_logs, prune_receipts, find_artifacts. Each is one step of a walk."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, cast
from uuid import UUID

from jobplane.core import bounds
from jobplane.core.artifacts import digest_of
from jobplane.core.model import Json
from jobplane.core.retention import (
    ArtifactsStep,
    JobsStep,
    LogsStep,
    PrunedJobs,
    PrunedLines,
    ReceiptCursor,
    ReceiptsStep,
)
from jobplane.store.base import Conn
from jobplane.store.sqlite.moment import SECOND, Moment, instant, parse_uuid
from jobplane.store.sqlite.statements import load_verb
from jobplane.store.sqlite.verbs.arrays import batch
from jobplane.store.sqlite.verbs.words import forget
from jobplane.store.verbs.retention import (
    LINES_FOR_EACH,
    LONGEST_DAYS,
    MOST_JOBS,
    FindArtifacts,
    PruneJobs,
    PruneLogs,
    PruneReceipts,
)

_DAY: Final = 86_400 * SECOND
_START: Final[ReceiptCursor] = (0, 0, "")
# The facts of a job go last: the statements before read them.
_OF_A_JOB: Final = ("attempts", "results", "outputs", "receipts", "dedupe", "expiring", "jobs")

Pair = tuple[UUID, str]


class _Job(NamedTuple):
    seq: int
    tenant_no: int
    tenant_id: str | None
    definition_key: str | bytes
    retention_days: int | None
    retention_count: int | None
    status: str | None
    finished_at: int


class _Ended(NamedTuple):
    seq: int
    tenant_no: int
    status: str
    pair: Pair
    finished_at: int
    is_counted: bool
    is_past: bool


@dataclass(slots=True)
class _Met:
    """What a step has met of one tenant and definition."""

    jobs: int = 0
    lines: int = 0
    ends: list[int] = field(default_factory=list[int])
    counted: int | None = None


def prune_jobs(db: Conn, moment: Moment, verb: PruneJobs) -> JobsStep:
    sql, most = load_verb("prune_jobs"), _most(verb.limit)
    days = bounds.whole("retention_days", verb.retention_days, 0, LONGEST_DAYS)
    if verb.retention_count is not None:
        bounds.whole("retention_count", verb.retention_count, 0)
    before = _start(db, moment, verb, days) if verb.before is None else verb.before
    rows = db.rows(sql["stretch"], (before, most))
    ended = _judge(rows, moment.now, days, verb)
    low = rows[-1][0] if rows else 0
    past = [job.seq for job in ended if job.is_past]
    lines, stopped_at = _count_lines(db, past) if verb.dry_run else _remove_lines(db, past, most * LINES_FOR_EACH)
    if stopped_at is not None:  # this one, and all below, are for the next step
        low = stopped_at + 1
    done = [job for job in ended if job.seq >= low]
    if not verb.dry_run:
        _remove_jobs(db, [job for job in done if job.is_past])
    next_before = low if len(rows) == most or stopped_at is not None else None
    ahead = _ahead(db, next_before, verb.retention_count)
    return JobsStep(_group(done, lines, ahead), next_before, len(rows))


def _most(limit: int) -> int:
    return min(max(limit, 1), MOST_JOBS)


def _start(db: Conn, moment: Moment, verb: PruneJobs, days: int) -> int:
    """Above the newest job; where only the age counts, above the first that are too young."""
    sql = load_verb("prune_jobs")
    [(counts, least)] = db.rows(sql["rules"], ())
    [(newest,)] = db.rows(sql["newest"], ())
    low, high = 0, newest + 1
    if counts or verb.retention_count is not None:
        return high
    made_until = moment.now - min(days, days if least is None else least) * _DAY
    while high - low > MOST_JOBS:
        middle = (low + high) // 2
        if db.rows(sql["made"], (middle,))[0][0] > made_until:
            high = middle
        else:
            low = middle
    return high


def _judge(rows: Iterable[tuple[Any, ...]], now: int, days: int, verb: PruneJobs) -> list[_Ended]:
    """The ended ones of a stretch, from the newest to the oldest."""
    met, found = Counter(verb.counted or {}), list[_Ended]()
    for job in (_Job(*row) for row in rows):
        if job.status is None or job.tenant_id is None:
            continue
        pair = parse_uuid(job.tenant_id), _text(job.definition_key)
        met[pair] += 1
        most = verb.retention_count if job.retention_count is None else job.retention_count
        is_beyond = most is not None and met[pair] > most
        is_past = is_beyond or job.finished_at <= _cut_off(now, days, job.retention_days)
        found.append(_Ended(job.seq, job.tenant_no, job.status, pair, job.finished_at, most is not None, is_past))
    return found


def _cut_off(now: int, days: int, own_days: int | None) -> int:
    """What ended then is past its time."""
    return now - min(days if own_days is None else own_days, LONGEST_DAYS) * _DAY


def _text(value: object) -> str:
    """A key that is no UTF-8 is counted like any other."""
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def _remove_jobs(db: Conn, jobs: Sequence[_Ended]) -> None:
    if not jobs:
        return
    sql, seqs = load_verb("prune_jobs"), batch(job.seq for job in jobs)
    db.rows(sql["endings"], (batch([job.tenant_no, job.status, job.seq] for job in jobs),))
    for name in _OF_A_JOB:
        db.rows(sql[name], (seqs,))


def _ahead(db: Conn, before: int | None, retention_count: int | None) -> set[Pair]:
    """Whose jobs the next step may count, however many it looks at."""
    if before is None or (retention_count is None and not db.rows(load_verb("prune_jobs")["rules"], ())[0][0]):
        return set()
    rows = db.rows(load_verb("prune_jobs")["ahead"], (before, MOST_JOBS))
    return {(parse_uuid(tenant), _text(key)) for tenant, key, own in rows if (own, retention_count) != (None, None)}


def _group(jobs: Iterable[_Ended], lines: Mapping[int, int], ahead: Iterable[Pair]) -> list[PrunedJobs]:
    found = {pair: _Met(counted=0) for pair in ahead}
    for job in jobs:
        met = found.setdefault(job.pair, _Met())
        if job.is_counted:
            met.counted = (met.counted or 0) + 1
        if job.is_past:
            met.jobs += 1
            met.lines += lines.get(job.seq, 0)
            met.ends.append(job.finished_at)
    return [
        PrunedJobs(*pair, met.jobs, met.lines, instant(min(met.ends, default=None)), met.counted)
        for pair, met in found.items()
        if met.jobs or met.counted is not None
    ]


def prune_logs(db: Conn, moment: Moment, verb: PruneLogs) -> LogsStep:
    sql, most = load_verb("prune_lines"), _most(verb.limit)
    days = bounds.whole("retention_days", verb.retention_days, 0, LONGEST_DAYS)
    rows = db.rows(sql["stretch"], (verb.after, most))
    past = {
        seq: None if job is None else _text(key)
        for seq, job, key, _, own_days, finished_at in rows
        if job is None or (finished_at is not None and finished_at <= _cut_off(moment.now, days, own_days))
    }
    lines, stopped_at = (
        _count_lines(db, list(past)) if verb.dry_run else _remove_lines(db, list(past), most * LINES_FOR_EACH)
    )
    after = rows[-1][0] if len(rows) == most and not _is_young(db, moment, days, rows[-1][3]) else None
    keys = {past[seq] for seq in lines}
    of = {key: [count for seq, count in lines.items() if past[seq] == key] for key in keys}
    pruned = [PrunedLines(key, len(counts), sum(counts)) for key, counts in of.items()]
    return LogsStep(pruned, after if stopped_at is None else stopped_at - 1, len(rows))


def _is_young(db: Conn, moment: Moment, days: int, made_at: int | None) -> bool:
    """Whether a job cannot have ended long enough ago, whatever its definition says. None: it is gone."""
    [(least,)] = db.rows(load_verb("prune_lines")["least"], ())
    return made_at is not None and made_at > moment.now - min(days, days if least is None else least) * _DAY


def _count_lines(db: Conn, seqs: Sequence[int]) -> tuple[dict[int, int], None]:
    return dict(db.rows(load_verb("prune_lines")["count"], (batch(seqs),))), None


def _remove_lines(db: Conn, seqs: Sequence[int], most: int) -> tuple[dict[int, int], int | None]:
    """How many lines of each job went, in the order of the jobs; and the job at which the limit was reached."""
    sql = load_verb("prune_lines")
    rows = db.rows(sql["lines"], (batch(seqs), most)) if seqs else []
    if not rows:
        return {}, None
    ids = batch(row[0] for row in rows)
    forget(db, ids)
    db.rows(sql["remove"], (ids,))
    return dict(Counter(seq for _, seq in rows)), rows[-1][1] if len(rows) == most else None


def prune_receipts(db: Conn, _: Moment, verb: PruneReceipts) -> ReceiptsStep:
    sql, most, after = load_verb("prune_receipts"), _most(verb.limit), verb.after or _START
    rows = db.rows(sql["stretch"], (*after, most))
    gone = sum(row[3] for row in rows)
    if gone:
        db.rows(sql["remove"], (*after, *rows[-1][:3]))
    return ReceiptsStep(rows[-1][:3] if len(rows) == most else None, len(rows), gone)


def find_artifacts(db: Conn, _: Moment, verb: FindArtifacts) -> ArtifactsStep:
    most = min(max(verb.limit, 1), 10_000)
    rows = db.rows(load_verb("list_artifacts")["stretch"], (verb.after, most))
    found = {digest for _, result in rows if (digest := _digest(result)) is not None}
    return ArtifactsStep(sorted(found), rows[-1][0] if len(rows) == most else None)


def _digest(result: object) -> str | None:
    if not isinstance(result, str):
        return None
    try:
        return digest_of(cast("Json", json.loads(result)))
    except (ValueError, RecursionError):
        return None
