"""A worker's connection: one, bounded in time whatever the network does, and replaced when it was lost."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Generator
from dataclasses import replace

import pytest

from jobplane.core.errors import Invalid, StoreError, StoreUnavailable, UnsafeRole
from jobplane.core.leases import Lease
from jobplane.core.model import DEFAULT_TENANT, NewJob
from jobplane.store.postgres.calls.call import Call, one
from jobplane.store.postgres.one import Admission
from jobplane.store.postgres.settings import Settings
from tests.client import PostgresStore, PostgresWorkerStore
from tests.database import Database
from tests.faults.proxy import Proxy, proxied

PID: Call[int] = Call("worker", "select pg_backend_pid()", (), one)
SLEEP: Call[int] = Call("worker", "select 1 from pg_sleep(100)", (), one)
SECONDS = 3.0
to_its_deadline = pytest.mark.parametrize("deadline_seconds", [SECONDS])


class Probe(PostgresWorkerStore):
    """One that may be asked anything."""

    async def ask(self, call: Call[int]) -> int:
        return await self._run(call)


@pytest.fixture
def proxy(db: Database) -> Generator[Proxy]:
    [socket] = [path for path in db.cluster.server.socket_dir.glob(".s.PGSQL.*") if path.suffix != ".lock"]
    with proxied(socket) as proxy:
        yield proxy


@pytest.fixture
def deadline_seconds() -> float:
    """More than a busy machine needs; a test that waits for it says so."""
    return 60.0


@pytest.fixture
async def probe(settings: Settings, db: Database, proxy: Proxy, deadline_seconds: float) -> AsyncGenerator[Probe]:
    """Through the proxy."""
    urls = {**settings.urls, "worker": f"postgresql://jobplane_worker@127.0.0.1:{proxy.port}/{db.name}"}
    told = replace(settings, urls=urls)
    admission = Admission(told, "worker")
    await admission.ask()
    async with Probe(told, admission, deadline_seconds=deadline_seconds) as probe:
        await probe.check()
        yield probe


@to_its_deadline
async def test_a_frozen_connection_ends_by_the_deadline_and_the_next_call_has_another(
    probe: Probe, proxy: Proxy
) -> None:
    before = await probe.ask(PID)
    assert proxy.freeze() == 1

    with pytest.raises(StoreUnavailable, match=f"within {SECONDS:g} s"):
        await asyncio.wait_for(probe.ask(PID), 60)

    assert await probe.ask(PID) != before


@to_its_deadline
async def test_who_waits_for_the_connection_waits_no_longer(probe: Probe, proxy: Proxy) -> None:
    proxy.freeze()
    started = time.monotonic()

    answers = await asyncio.gather(*(probe.ask(PID) for _ in range(5)), return_exceptions=True)

    assert time.monotonic() - started < 2 * SECONDS
    assert isinstance(answers[0], StoreUnavailable)


@to_its_deadline
async def test_a_slow_statement_is_given_up(probe: Probe, db: Database) -> None:
    with pytest.raises(StoreError):
        await probe.ask(SLEEP)

    assert await probe.ask(PID)


async def test_a_call_that_is_canceled_is_given_up_at_once(probe: Probe, proxy: Proxy) -> None:
    proxy.freeze()
    call = asyncio.ensure_future(probe.ask(PID))
    await asyncio.sleep(0)
    call.cancel()

    assert await asyncio.wait({call}, timeout=30) == ({call}, set())
    assert call.cancelled()
    assert await probe.ask(PID)


async def test_a_call_whose_line_is_closed_does_not_wait(settings: Settings) -> None:
    async with Probe(settings, deadline_seconds=90) as probe:
        call = asyncio.ensure_future(probe.ask(SLEEP))
        await asyncio.sleep(0.5)

        await probe.close()

        with pytest.raises(StoreError):
            await asyncio.wait_for(call, 30)


async def test_the_servers_reason_for_ending_an_idle_line_is_told(settings: Settings, db: Database) -> None:
    async with Probe(settings) as probe:
        pid = await probe.ask(PID)
        with db.cluster.admin() as admin:
            admin.execute("set role pg_signal_backend")
            admin.execute("select pg_terminate_backend(%s, 5000)", [pid])
        await asyncio.sleep(0.2)

        with pytest.raises(StoreUnavailable, match="administrator command"):
            await probe.ask(PID)

        assert await probe.ask(PID) != pid


async def test_a_lost_connection_is_said_once_and_then_there_is_another(probe: Probe, proxy: Proxy) -> None:
    before = await probe.ask(PID)
    proxy.cut()

    with pytest.raises(StoreUnavailable):
        await probe.ask(PID)

    assert await probe.ask(PID) != before


async def test_a_refusal_of_the_data_does_not_cost_the_connection(probe: Probe) -> None:
    before = await probe.ask(PID)

    with pytest.raises(Invalid):
        await probe.claim_encoded("default", "w", limit=0, lease_seconds=30)
    with pytest.raises(Invalid):
        await probe.claim_encoded("default", "\ud800", limit=1, lease_seconds=30)

    assert await probe.ask(PID) == before


async def test_more_than_the_socket_takes_at_once_arrives(probe: Probe) -> None:
    size = 20_000_000

    assert await probe.ask(Call("worker", "select length(%s::text)", ("x" * size,), one)) == size


async def test_a_server_that_only_reads_is_a_lost_connection(probe: Probe, db: Database, store: PostgresStore) -> None:
    """What was the primary may be a standby now: the next connection may find the new one."""
    await store.put_definitions([{"key": "d", "kind": "python"}])
    await store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")])
    before = await probe.ask(PID)
    await probe.ask(Call("worker", "select set_config('default_transaction_read_only', 'on', false) = 'on'", (), one))

    with pytest.raises(StoreUnavailable):
        await probe.claim_encoded("default", "w", limit=1, lease_seconds=30)

    assert await probe.ask(PID) != before
    assert len((await probe.claim_encoded("default", "w", limit=1, lease_seconds=30)).leases) == 1


async def test_many_calls_share_one_connection(probe: Probe, db: Database) -> None:
    pids = await asyncio.gather(*(probe.ask(PID) for _ in range(20)))

    assert len(set(pids)) == 1
    seen = "select count(*) from pg_stat_activity where datname = %s and usename = 'jobplane_worker'"
    assert db.peek(seen, db.name) == [(1,)]


async def test_an_empty_claim_writes_nothing(db: Database, store: PostgresStore, settings: Settings) -> None:
    """No transaction id, so no record of a commit to wait for; where there are several lanes, a turn in 32."""
    await store.put_definitions([{"key": "d", "kind": "python"}])
    await store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")])
    async with PostgresWorkerStore(settings) as worker_store:
        taken = await worker_store.claim_encoded("default", "w", limit=1, lease_seconds=30)
        await worker_store.settle_all([Lease(*ticket) for ticket in taken.leases])
    conn = db.connect("worker", autocommit=False)

    claimed, assigned = [conn.execute(statement).fetchone() for statement in (CLAIM, ASSIGNED)]

    assert claimed == (None,)
    assert assigned == (None,)


CLAIM = "select seqs from jobplane.claim_encoded('default', 'w', 10)"
ASSIGNED = "select pg_current_xact_id_if_assigned()"


async def test_a_login_that_may_not_is_refused_with_the_reason(settings: Settings, db: Database) -> None:
    urls = {**settings.urls, "worker": db.url("owner", direct=True)}
    async with PostgresWorkerStore(replace(settings, urls=urls)) as worker_store:
        for _ in range(2):
            with pytest.raises(UnsafeRole, match="jobplane_owner"):
                await worker_store.check()
