from __future__ import annotations

from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, cast

import psycopg
import pytest

from jobplane.control.upkeep import Upkeep
from jobplane.core.errors import StoreUnavailable
from jobplane.core.model import DEFAULT_TENANT, DueChores, HeldSnapshot, JobStatus, NewJob
from jobplane.store.base import Answer
from jobplane.store.postgres.settings import Settings
from jobplane.store.verbs.engine import FindDueChores, FindSnapshots, Reap, Tick, WakeIdle
from jobplane.store.verbs.verb import EngineVerb
from tests.client import PostgresStore, PostgresWorkerStore, SqliteWorkerStore, Store
from tests.clock import Clock, FileClock
from tests.database import Database
from tests.leases import Held
from tests.worker.locked import locked


async def test_upkeep_alone_makes_a_delayed_job_claimable(store: PostgresStore, clock: Clock) -> None:
    await store.put_definitions([{"key": "report", "kind": "python"}])
    await store.enqueue(DEFAULT_TENANT, [NewJob(definition="report", delay_seconds=60)])
    await Upkeep(store).run_once()
    early = await store.claim("default", "w")
    clock.advance(61)

    await Upkeep(store).run_once()

    assert early.leases == []
    assert len((await store.claim("default", "w")).leases) == 1


async def test_upkeep_alone_gives_a_lost_workers_job_to_the_next(store: PostgresStore, clock: Clock) -> None:
    await store.put_definitions([{"key": "report", "kind": "python"}])
    [enqueued] = await store.enqueue(DEFAULT_TENANT, [NewJob(definition="report")])
    await store.claim("default", "gone")
    clock.advance(31)
    await Upkeep(store).run_once()
    clock.advance(1)

    await Upkeep(store).run_once()

    [lease] = (await store.claim("default", "next")).leases
    assert (lease.job_id, lease.attempt_no) == (enqueued.job_id, 2)


async def test_upkeep_expires_what_did_not_start_in_time(store: PostgresStore, clock: Clock) -> None:
    await store.put_definitions([{"key": "report", "kind": "python"}])
    soon = NewJob(definition="report", expires_at=clock.now().replace(hour=13))
    [enqueued] = await store.enqueue(DEFAULT_TENANT, [soon])
    clock.advance(3601)

    await Upkeep(store).run_once()

    assert enqueued.job_id is not None
    [job] = await store.get_jobs(DEFAULT_TENANT, [enqueued.job_id])
    assert (job.status, job.reason) == (JobStatus.CANCELED, "expired")


NAMES: Final[dict[type, str]] = {WakeIdle: "wake"}


@dataclass
class Flaky:
    """A store whose database can go away; it keeps a list of what was asked of it."""

    away: bool = False
    asked: list[str] = field(default_factory=list[str])

    async def _answer(self, verb: str) -> int:
        if self.away:
            raise StoreUnavailable("gone")
        self.asked.append(verb)
        return 0

    async def run(self, verb: EngineVerb[Answer]) -> Answer:
        if isinstance(verb, FindDueChores):
            await self._answer("look")
            return cast("Answer", DueChores(None, None, frozenset(verb.chores), {}))
        if isinstance(verb, FindSnapshots):
            return cast("Answer", await self.held_snapshots())
        answer = await self._answer(NAMES.get(type(verb), type(verb).__name__.lower()))
        return cast("Answer", [] if isinstance(verb, Reap) else answer)

    async def held_snapshots(self) -> list[HeldSnapshot]:
        await self._answer("snapshots")
        return []

    async def vacuum(self) -> None:
        await self._answer("vacuum")


async def test_after_an_outage_nothing_is_reaped_for_one_lease() -> None:
    now, store = [1000.0], Flaky(away=True)
    upkeep = Upkeep(store, lease_seconds=30, clock=lambda: now[0])
    with pytest.raises(StoreUnavailable):
        await upkeep.run_once()
    store.away = False
    now[0] += 29
    await upkeep.run_once()
    soon = list(store.asked)
    now[0] += 10

    await upkeep.run_once()

    assert "promote" in soon
    assert "reap" not in soon
    assert "reap" in store.asked


@contextmanager
def _locked_leases(db: Database) -> Generator[None]:
    with psycopg.connect(db.url("owner", direct=True)) as conn:
        conn.execute("select set_config('role', tableowner, true) from pg_tables where tablename = 'leases'")
        conn.execute("lock table jobplane.leases in access exclusive mode")
        yield


async def _expired(store: Store, clock: Clock | FileClock) -> Held:
    await store.put_definitions([{"key": "report", "kind": "python"}])
    await store.enqueue(DEFAULT_TENANT, [NewJob(definition="report")])
    [lease] = (await store.claim("default", "alive")).leases
    clock.advance(31)
    return lease


async def _waited_out(
    lock: AbstractContextManager[object], keeper: Store, store: Store, clock: Clock | FileClock
) -> list[str]:
    """What a renewal hears shortly before one lease has passed since the lock was last seen, and after it."""
    lease, now = await _expired(store, clock), [1000.0]
    upkeep = Upkeep(keeper, lease_seconds=30, clock=lambda: now[0])
    with lock:
        for now[0] in (1000.0, 1020.0, 1040.0):
            await upkeep.run_once()
    now[0] = 1069.0
    await upkeep.run_once()
    [early] = await store.renew([lease])
    clock.advance(31)
    now[0] = 1080.0
    await upkeep.run_once()
    [late] = await store.renew([lease])
    return [early.answer, late.answer]


async def test_after_a_lock_on_the_leases_nothing_is_reaped_for_one_lease(
    db: Database, store: PostgresStore, clock: Clock
) -> None:
    settings = Settings(urls={"app": db.url("worker", direct=True)}, allow_unsafe_durability=True)
    async with PostgresWorkerStore(settings, deadline_seconds=5.0) as keeper:
        heard = await _waited_out(_locked_leases(db), keeper, store, clock)

    assert heard == ["renewed", "gone"]


async def test_after_a_file_was_kept_by_another_process_neither(tmp_path: Path) -> None:
    clock, path = FileClock(tmp_path / "clock").take_over(), tmp_path / "jobs.db"
    async with SqliteWorkerStore(path, busy_seconds=0.2, clock=clock.microseconds, dice=clock.throw) as store:
        heard = await _waited_out(locked(path), store, store, clock)

    assert heard == ["renewed", "gone"]


@pytest.mark.parametrize("slow", ["look", "promote", "renew"])
async def test_who_had_to_wait_for_the_leases_reaps_nothing_for_one_lease_either(slow: str) -> None:
    now = [1000.0]

    class Waiting(Flaky):
        async def _answer(self, verb: str) -> int:
            now[0] += 11.0 if verb == slow and slow not in self.asked else 0.0
            return await super()._answer(verb)

    store = Waiting()
    upkeep = Upkeep(store, lease_seconds=30, clock=lambda: now[0])
    await upkeep.run_once()
    now[0] += 29.0
    await upkeep.run_once()
    soon = store.asked.count("reap")
    now[0] += 10.0

    await upkeep.run_once()

    assert soon == 0
    assert "reap" in store.asked


async def test_a_look_that_takes_long_comes_seldom() -> None:
    now = [1000.0]

    class Slow(Flaky):
        async def run(self, verb: EngineVerb[Answer]) -> Answer:
            if verb != Tick(full=True):
                return await super().run(verb)
            now[0] += 6.0
            return cast("Answer", await self._answer("full tick"))

    store = Slow()
    upkeep = Upkeep(store, clock=lambda: now[0])
    for _ in range(400):
        await upkeep.run_once()
        now[0] += 0.5

    assert store.asked.count("full tick") == pytest.approx((now[0] - 1000) / 66, abs=1)
    assert store.asked.count("tick") > 300


async def test_a_look_that_fails_after_long_comes_seldom_too_and_leaves_time_to_reap() -> None:
    now = [1000.0]

    class Slow(Flaky):
        async def run(self, verb: EngineVerb[Answer]) -> Answer:
            if verb == Tick(full=True):
                now[0] += 7.5
                raise StoreUnavailable("the database did not answer within 7.5 s")
            return await super().run(verb)

    store = Slow()
    upkeep = Upkeep(store, lease_seconds=30, clock=lambda: now[0])
    for _ in range(200):
        with suppress(StoreUnavailable):
            await upkeep.run_once()
        now[0] += 0.5

    assert "reap" in store.asked


async def test_who_comes_by_now_and_then_does_all_of_it_each_time() -> None:
    store = Flaky()
    upkeep = Upkeep(store, clock=lambda: 1000.0)
    await upkeep.run_once()
    first, store.asked = store.asked, []

    await upkeep.run_all()

    assert set(store.asked) == {"promote", "renew", "reap", "expire", "sweep", "tick", "tidy"}
    assert ["look", *store.asked] == first


async def test_the_vacuum_is_left_to_who_has_the_role_for_it() -> None:
    store = Flaky()
    await Upkeep(store).run_once()
    without = list(store.asked)

    await Upkeep(store, vacuum=store.vacuum).run_once()

    assert without.count("vacuum") == 0
    assert store.asked.count("vacuum") == 1
