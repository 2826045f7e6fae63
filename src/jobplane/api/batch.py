"""Many calls as few enqueues: one for each tenant, every row with an answer, in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from uuid import UUID

from jobplane.api.handles import JobCall, JobHandle, Refused, Row
from jobplane.api.options import Tenant
from jobplane.control.answers import refusal
from jobplane.core.errors import Forbidden, Invalid, JobplaneError, StoreError
from jobplane.core.model import Enqueued, NewJob

PORTION: Final = 10_000
_LOGIN: Final = (
    "Enqueueing needs the app's login: set JOBPLANE_DATABASE_URL_APP,"
    " or grant it to this login with `jobplane migrate roles --grant app=YOUR_LOGIN`."
)


class Batch:
    """Which calls go to which tenant, and what became of each."""

    def __init__(self, plane: object, calls: Iterable[JobCall], default: Tenant, conn: object = None) -> None:
        self._calls = [_check(call) for call in calls]
        self._options = [call.options.inherit(plane) for call in self._calls]
        self._rows: list[Row | None] = [None] * len(self._calls)
        self.conn = self._one_conn(conn)
        self.tenants: dict[Tenant, dict[int, NewJob]] = {}
        for number, options in enumerate(self._options):
            self._place(number, default if options.tenant is None else options.tenant)

    @property
    def rows(self) -> list[Row]:
        return [row for row in self._rows if row is not None]

    @property
    def queues(self) -> set[str]:
        """Queues named by jobs that were accepted."""
        jobs = {number: job for placed in self.tenants.values() for number, job in placed.items()}
        accepted = (job for number, job in jobs.items() if isinstance(self._rows[number], JobHandle))
        return {job.queue for job in accepted if job.queue is not None}

    @property
    def refused(self) -> Iterator[tuple[int, NewJob, JobplaneError]]:
        """Each job that was refused, with its place in the batch and the error."""
        for jobs in self.tenants.values():
            for number, job in jobs.items():
                if isinstance(row := self._rows[number], Refused):
                    yield number, job, row.error

    def portions(self, tenant: Tenant) -> Iterator[dict[int, NewJob]]:
        """What to enqueue for a tenant, as many at once as a store takes."""
        jobs = list(self.tenants[tenant].items())
        for start in range(0, len(jobs), PORTION):
            yield dict(jobs[start : start + PORTION])

    def answer(self, numbers: Iterable[int], tenant_id: UUID, answers: Sequence[Enqueued]) -> None:
        for number, answer in zip(numbers, answers, strict=True):
            key = self._calls[number].key
            if answer.job_id is None or answer.outcome == "refused":
                self._rows[number] = Refused(refusal(answer, key), key)
            else:
                self._rows[number] = JobHandle(answer.job_id, tenant_id, key, answer.outcome)

    def refuse(self, numbers: Iterable[int], error: JobplaneError) -> None:
        """Several rows at once; raises what the database did where no row is in yet, and no answer lost with it."""
        if isinstance(error, StoreError) and not any(isinstance(row, JobHandle) for row in self._rows):
            raise error
        said = explain(error)
        for number in numbers:
            self._rows[number] = Refused(said, self._calls[number].key)

    def _place(self, number: int, tenant: Tenant) -> None:
        call = self._calls[number]
        try:
            if call.fault is not None:
                raise call.fault
            job = self._options[number].new_job(call.key, call.payload)
        except JobplaneError as error:
            self._rows[number] = Refused(error, call.key)
        else:
            self.tenants.setdefault(tenant, {})[number] = job

    def _one_conn(self, conn: object) -> object:
        """One batch is one transaction."""
        lent = [options.conn for options in self._options if options.conn is not None]
        if conn is None and lent and len(lent) == len(self._calls):
            conn = lent[0]
        if any(one is not conn for one in lent):
            raise Invalid("A batch uses one connection. Pass conn= to enqueue_many.")
        return conn


def explain(error: JobplaneError) -> JobplaneError:
    """Add a hint to Forbidden: a handler uses the worker's login if the worker has only one URL."""
    if isinstance(error, Forbidden) and error.facts.get("sqlstate") == "42501":
        return Forbidden(f"{error.message.rstrip('.')}. {_LOGIN}", **error.facts)
    return error


def _check(call: object) -> JobCall:
    if not isinstance(call, JobCall):
        raise Invalid(f"A batch must have results of job.call(…), not {type(call).__name__}.")
    return call


def require_accepted(rows: Sequence[Row]) -> list[JobHandle]:
    """All rows; raises the error of the first that was refused."""
    for row in rows:
        if isinstance(row, Refused):
            raise row.error
    return [row for row in rows if isinstance(row, JobHandle)]


def handle_of(answer: Enqueued, tenant_id: UUID, key: str) -> JobHandle:
    """The job that an enqueue answered with; raises the error of a refused one."""
    if answer.job_id is None or answer.outcome == "refused":
        raise refusal(answer, key)
    return JobHandle(answer.job_id, tenant_id, key, answer.outcome)
