"""What is wrong with an installation, in sentences: what fails, what is stuck, what is late."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Final
from urllib.parse import quote, urlencode
from uuid import UUID

from jobplane.control.access import Access, refuse_narrowed
from jobplane.core.errors import SchemaOutOfDate
from jobplane.core.model import Document, Json
from jobplane.core.problems import Finding, Kind, Problem, Severity
from jobplane.core.wording import clock_time, counted, error_line, paused, span
from jobplane.store.verbs.jobs import FindProblems
from jobplane.store.verbs.operator import FindAllProblems

SKEW_SECONDS: Final = 2.0
_BASE: Final = "/api/v1"
_ORDER: Final = ("critical", "warning", "info")
_EARLIEST: Final = datetime.min.replace(tzinfo=UTC)
_SNAPSHOTS: Final = {
    "session": 'Session {pid} of login "{by}" holds a snapshot or a transaction open',
    "prepared": 'Prepared transaction "{name}" of login "{by}" is open',
    "slot": 'Replication slot "{name}" holds back its xmin',
}
Clock = Callable[[], datetime]


def _utc() -> datetime:
    return datetime.now(UTC)


class TenantProblems:
    """What keeps jobs of one tenant from running, or makes them fail."""

    def __init__(self, access: Access, tenant: UUID, *, clock: Clock = _utc) -> None:
        self._access = access
        self._tenant = tenant
        self._clock = clock

    async def list(self) -> list[Problem]:
        """The problems, the most severe and then the oldest first."""
        refuse_narrowed(self._access.caller)
        found = await self._access.run("listProblems", FindProblems(self._tenant))
        return _sorted(_problem(finding, self._clock()) for finding in found)


class Problems:
    """What keeps jobs of any tenant from running, and what is wrong with the installation; for operators."""

    def __init__(self, access: Access, *, clock: Clock = _utc) -> None:
        self._access = access
        self._clock = clock

    async def list(self, *, transactions: int = 100_000) -> list[Problem]:
        """The problems, the most severe and then the oldest first.

        A snapshot counts once it is more than `transactions` behind. A database without the schema of this program
        is one problem, and nothing else can be asked.
        """
        asked_at = self._clock()
        try:
            found = await self._access.run("listAllProblems", FindAllProblems(transactions))
        except SchemaOutOfDate as error:
            return [_schema_behind(error)]
        now = self._clock()
        skewed = [_clock_skew(each, asked_at, now) for each in found if each.code == "clock"]
        others = [_problem(each, now) for each in found if each.code != "clock"]
        return _sorted([*others, *(problem for problem in skewed if problem is not None)])


def _sorted(problems: Iterable[Problem]) -> list[Problem]:
    return sorted(problems, key=lambda problem: (_ORDER.index(problem.severity), problem.since or _EARLIEST))


def _problem(finding: Finding, now: datetime) -> Problem:
    return _MAKERS[finding.code](finding, now)


def _no_worker(f: Finding, now: datetime) -> Problem:
    wait = f"{counted(f.count)} {_verb(f)} since {clock_time(f.since, now)}."
    if f.definition_key is not None:
        detail = f"{_who_cannot(f)} {wait}"
        return _made(f, "stuck", "critical", _subject("definition", f.definition_key), detail)
    detail = f'No live worker serves queue "{f.queue}". {wait}'
    return _made(f, "stuck", "critical", _subject("queue", f.queue), detail)


def _who_cannot(f: Finding) -> str:
    """Why no worker runs the jobs of a definition."""
    what = f'definition "{f.definition_key}"'
    match f.reason:
        case "unbound":
            return f"No worker has registered {what} yet."
        case "policy_mismatch":
            return f"D{what[1:]} differs from the policy of the workers. Run `jobplane policy check` there."
        case _:
            return f"No live worker knows {what}."


def _queue_paused(f: Finding, now: datetime) -> Problem:
    detail = f'Queue "{f.queue}" {paused(f.since, f.by, f.reason, now)}: {counted(f.count)} {_verb(f)}.'
    return _made(f, "stuck", "warning", _subject("queue", f.queue), detail)


def _tenant_paused(f: Finding, now: datetime) -> Problem:
    detail = f'Tenant "{f.tenant}" {paused(f.since, f.by, f.reason, now)}: {counted(f.count)} {_verb(f)}.'
    return _made(f, "stuck", "warning", _subject("tenant", f.tenant), detail)


def _slow_queue(f: Finding, now: datetime) -> Problem:
    wait = f"{counted(f.count)} {_verb(f)}, the oldest since {clock_time(f.since, now)}."
    return _made(f, "late", "warning", _subject("queue", f.queue), f'Queue "{f.queue}" is slow: {wait}')


def _dead_letters(f: Finding, now: datetime) -> Problem:
    error = error_line(f.error)
    last = f" The newest: {error}" if error else ""
    became = "became a dead letter" if f.count == 1 else "became dead letters"
    died = f'{counted(f.count)} of definition "{f.definition_key}" {became}'
    detail = f"{died} since {clock_time(f.since, now)}.{last}"
    return _made(f, "failing", "warning", _subject("definition", f.definition_key), detail)


def _worker_silent(f: Finding, now: datetime) -> Problem:
    host = f" on {f.name}" if f.name else ""
    held = f" It holds {counted(f.count, 'lease')}." if f.count else ""
    detail = f'Worker "{f.worker_id}"{host} was last seen at {clock_time(f.since, now)}.{held}'
    severity: Severity = "critical" if f.count else "warning"
    return _made(f, "late", severity, _subject("worker", f.worker_id), detail)


def _held_snapshot(f: Finding, _: datetime) -> Problem:
    who = _SNAPSHOTS[f.reason or "session"].format(pid=f.pid, by=f.by, name=f.name)
    detail = f"{who}, {f.count:,} transactions behind. Vacuum cannot remove dead rows, and claims get slower. End it."
    return _made(f, "late", "warning", _subject(f.reason or "session", f.name or str(f.pid)), detail)


def _schedule_late(f: Finding, now: datetime) -> Problem:
    """Nobody fires it: no scheduler runs, or it cannot keep up."""
    since = f"since {clock_time(f.since, now)}"
    one = f'Schedule "{f.name}" has been due {since} and has not fired.'
    many = f'{counted(f.count, "schedule")} are late, the first, "{f.name}", {since}.'
    facts: Document = {
        "count": f.count,
        "trigger_id": str(f.job_id),
        "label": f.name,
        "definition_key": f.definition_key,
    }
    late = None if f.since is None else max(0, int((now - f.since).total_seconds()))
    subject: Document = {"type": "schedule", "id": str(f.job_id), "name": f.name}
    detail = f"{one if f.count == 1 else many} Is a scheduler running?"
    link = f"{_BASE}/schedules/{f.job_id}" if f.count == 1 else f"{_BASE}/schedules?late=true"
    facts = {**facts, "late_seconds": late}
    return Problem(f.code, "late", "critical", f.since, subject, facts, detail, link, [*f.tenants])


_MAKERS: Final[Mapping[str, Callable[[Finding, datetime], Problem]]] = {
    "no_worker": _no_worker,
    "queue_paused": _queue_paused,
    "tenant_paused": _tenant_paused,
    "slow_queue": _slow_queue,
    "dead_letters": _dead_letters,
    "worker_silent": _worker_silent,
    "held_snapshot": _held_snapshot,
    "schedule_late": _schedule_late,
}


def _clock_skew(f: Finding, asked_at: datetime, now: datetime) -> Problem | None:
    """The database read its clock between the two times; only what lies outside them by more is a skew."""
    if f.since is None:
        return None
    seconds = max((asked_at - f.since).total_seconds(), (f.since - now).total_seconds())
    if seconds <= SKEW_SECONDS:
        return None
    side = "behind" if f.since < asked_at else "ahead of"
    detail = f"The clock of the database is {span(seconds)} {side} the clock of this process. Set both by NTP."
    facts: Document = {"seconds": seconds, "database_at": f.since.isoformat()}
    return Problem("clock_skew", "late", "warning", None, {"type": "clock", "id": None, "name": None}, facts, detail)


def _schema_behind(error: SchemaOutOfDate) -> Problem:
    subject: Document = {"type": "schema", "id": None, "name": None}
    return Problem("schema_behind", "failing", "critical", None, subject, {"message": str(error)}, str(error))


def _made(f: Finding, kind: Kind, severity: Severity, subject: Document, detail: str) -> Problem:
    facts: dict[str, Json] = {"count": f.count}
    facts |= {name: value for name in ("by", "reason", "pid", "error") if (value := getattr(f, name)) is not None}
    if f.job_id is not None:
        facts["job_id"] = str(f.job_id)
    return Problem(f.code, kind, severity, f.since, subject, facts, detail, _link(f), [*f.tenants])


def _subject(kind: str, name: str | None) -> Document:
    return {"type": kind, "id": name, "name": name}


def _verb(f: Finding) -> str:
    return "waits" if f.count == 1 else "wait"


def _link(f: Finding) -> str | None:
    """Where to look further: the jobs that are concerned, or the worker."""
    if f.worker_id is not None:
        return f"{_BASE}/workers/{quote(f.worker_id, safe='')}"
    if f.code == "held_snapshot":
        return None
    status = "dead_letter" if f.code == "dead_letters" else "queued"
    named = {"queue": f.queue, "definition_key": f.definition_key}
    return f"{_BASE}/jobs?" + urlencode({"status": status} | {k: v for k, v in named.items() if v is not None})
