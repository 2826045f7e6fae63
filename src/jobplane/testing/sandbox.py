"""A database for one test, and what a test asks of it."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Self, Unpack

from jobplane.core.model import Job
from jobplane.store.base import Driver
from jobplane.testing.backlog import Backlog, move_clock
from jobplane.testing.clock import NOON, Clock
from jobplane.testing.databases import Database, MemoryDatabase
from jobplane.testing.draining import Drained, JobsFailed
from jobplane.testing.matching import Facts, Wanted

if TYPE_CHECKING:
    from uuid import UUID

    from jobplane.api.job import JobFunction
    from jobplane.api.jobplane import Jobplane
    from jobplane.testing.postgres import Template


class Sandbox:
    """Jobplanes of the program under test use this database from `host` on, until the sandbox is closed."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._stack = ExitStack()
        self._stack.callback(database.drop)
        self._stores = database.stores()
        self._stack.callback(self._stores.end)
        self._backlog = Backlog(self._stores)
        self._hosted: list[Jobplane] = []
        self._clock: Clock | None = None

    @classmethod
    def sqlite(cls, driver: Driver = "apsw") -> Self:
        """SQLite in memory; `stdlib` for a program that lends its own `sqlite3` connections."""
        return cls(MemoryDatabase(driver))

    @classmethod
    def postgres(cls, template: Template) -> Self:
        """A copy of a template database."""
        return cls(template.copy())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Send the Jobplanes home and drop the database."""
        self._stack.close()

    def host(self, *planes: Jobplane) -> Self:
        """Have these Jobplanes on this database, whatever URL they have; their definitions come along."""
        for plane in planes:
            self._stack.enter_context(plane.move_to(self._stores))
            self._hosted.append(plane)
        return self

    @property
    def secrets(self) -> dict[str, str]:
        """The values that `ctx.secret` finds in handlers that run here, by reference. No policy is asked."""
        return self._stores.secrets

    @property
    def environment(self) -> dict[str, str]:
        """The settings of another process, a worker for one, on this database."""
        said = self._database.config.model_dump(mode="json", exclude_defaults=True)
        return {f"JOBPLANE_{name.upper()}": _word(value) for name, value in said.items()}

    def freeze(self, at: datetime = NOON) -> Clock:
        """Stop the database's clock at a time; the dice show 0.5 from now on."""
        if self._clock is None:
            self._clock = self._database.freeze(at)
        else:
            self._clock.move_to(at)
        return self._clock

    def enqueued(
        self,
        job: str | JobFunction[..., ..., object],
        payload: Mapping[str, object] | None = None,
        **facts: Unpack[Facts],
    ) -> list[Job]:
        """The jobs of any tenant that wait and fit, the oldest first."""
        wanted = self._make_wanted(job, payload, facts)
        return [one for one in self._backlog.list_waiting() if not wanted.misses(one)]

    def assert_enqueued(
        self,
        job: str | JobFunction[..., ..., object],
        payload: Mapping[str, object] | None = None,
        *,
        count: int | None = None,
        **facts: Unpack[Facts],
    ) -> Job:
        """One job at least, or exactly `count`, waits and fits; the oldest of them. A payload may be a part of it."""
        wanted, waiting = self._make_wanted(job, payload, facts), self._backlog.list_waiting()
        fitting = [one for one in waiting if not wanted.misses(one)]
        if not fitting:
            raise AssertionError(wanted.describe(waiting, "There is no"))
        if count is not None and len(fitting) != count:
            raise AssertionError(wanted.describe(waiting, f"There are {len(fitting)} instead of {count} of"))
        return fitting[0]

    def refute_enqueued(
        self,
        job: str | JobFunction[..., ..., object],
        payload: Mapping[str, object] | None = None,
        **facts: Unpack[Facts],
    ) -> None:
        """No job waits that fits."""
        if self.enqueued(job, payload, **facts):
            raise AssertionError(
                self._make_wanted(job, payload, facts).describe(self._backlog.list_waiting(), "There should be no")
            )

    def drain(self, queue: str | None = None, *, later: bool = False, raise_failed: bool = True) -> Drained:
        """Run what is due, what the handlers enqueue included; raises JobsFailed at the end where attempts failed.

        `later`: go on to what is not due yet, by moving the clock, which is stopped for that.
        """
        with self._collect_ended() as seen:
            for _ in self._moments(queue, later=later):
                while sum(plane.drain(queues=queue and [queue]) for plane in self._hosted):
                    pass
        return _judge(seen[0], raise_failed=raise_failed)

    async def drain_async(self, queue: str | None = None, *, later: bool = False, raise_failed: bool = True) -> Drained:
        """The same on the running event loop."""
        with self._collect_ended() as seen:
            for _ in self._moments(queue, later=later):
                while sum([await plane.drain_async(queues=queue and [queue]) for plane in self._hosted]):
                    pass
        return _judge(seen[0], raise_failed=raise_failed)

    def _moments(self, queue: str | None, *, later: bool) -> Iterator[None]:
        """Now; with `later` each time at which something comes due."""
        yield
        if later:
            clock = self._clock or self.freeze(datetime.now(UTC))
            yield from move_clock(
                clock, lambda: [job for job in self._backlog.list_waiting() if queue in (None, job.queue)]
            )

    @contextmanager
    def _collect_ended(self) -> Generator[list[Drained]]:
        before = {job.id: job.attempt_no for job in self._backlog.jobs()}
        seen: list[Drained] = []
        yield seen
        seen.append(self._backlog.list_ended(before))

    def _make_wanted(
        self, job: str | JobFunction[..., ..., object], payload: Mapping[str, object] | None, facts: Facts
    ) -> Wanted:
        slugs: dict[UUID, str] = {tenant.tenant_id: tenant.slug for tenant in self._backlog.tenants()}
        return Wanted(_key(job), payload, facts, slugs)


def _key(job: object) -> str:
    key: object = job if isinstance(job, str) else getattr(job, "key", None)
    if not isinstance(key, str):
        raise TypeError(f"Pass a job function or its key, not {type(job).__name__}.")
    return key


def _judge(drained: Drained, *, raise_failed: bool) -> Drained:
    if raise_failed and drained.bad:
        raise JobsFailed(drained)
    return drained


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
