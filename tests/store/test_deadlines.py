"""A call of a program ends by its deadline, whatever the network does, and the pool recovers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Generator
from dataclasses import replace
from typing import get_args

import pytest

from jobplane.core.errors import StoreBusy, StoreUnavailable
from jobplane.store.postgres.calls.call import Call, Role, one
from jobplane.store.postgres.settings import Settings
from tests.client import BlockingPostgresStore, PostgresStore
from tests.database import Database
from tests.faults.proxy import Proxy, proxied

PID: Call[int] = Call("app", "select pg_backend_pid()", (), one)
SLOW: Call[int] = Call("app", "select 1 from pg_sleep(100)", (), one)
SECONDS = 3.0
UNKNOWN = "Whether the call took effect is unknown"


class Probe(PostgresStore):
    """One that may be asked anything."""

    async def ask(self, call: Call[int]) -> int:
        return await asyncio.wait_for(self._run(call), 60)

    async def ask_briefly(self, call: Call[int]) -> int:
        """Cancel the call after half a second."""
        return await asyncio.wait_for(self._run(call), 0.5)


class BlockingProbe(BlockingPostgresStore):
    async def ask(self, call: Call[int]) -> int:
        return await asyncio.wait_for(asyncio.to_thread(self._run, call), 60)


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From its call on every connection counts as idle."""
    return lambda: monkeypatch.setattr("jobplane.store.postgres.pools._MOMENT_SECONDS", -1.0)


@pytest.fixture
def proxy(db: Database) -> Generator[Proxy]:
    with proxied(db.cluster.server.socket_dir / ".s.PGSQL.5432") as proxy:
        yield proxy


@pytest.fixture
def through(settings: Settings, db: Database, proxy: Proxy) -> Settings:
    """Through the proxy, and without a pooler, with a short deadline."""
    urls: dict[Role, str] = {
        role: f"postgresql://jobplane_{role}@127.0.0.1:{proxy.port}/{db.name}" for role in get_args(Role)
    }
    return replace(settings, urls=urls, pooler="none", deadline_seconds=SECONDS)


@pytest.fixture(params=["async", "blocking"])
async def probe(request: pytest.FixtureRequest, through: Settings) -> AsyncGenerator[Probe | BlockingProbe]:
    """Each world in turn, with its pool open."""
    if request.param == "async":
        async with Probe(through) as probe:
            await probe.ask(PID)
            yield probe
    else:
        with BlockingProbe(through) as probe:
            await probe.ask(PID)
            yield probe


async def test_a_silent_connection_is_given_up_and_the_next_call_has_another(
    probe: Probe | BlockingProbe, proxy: Proxy
) -> None:
    before = await probe.ask(PID)
    assert proxy.freeze() == 1

    with pytest.raises(StoreUnavailable, match=rf"did not answer within {SECONDS:g} s\. {UNKNOWN}") as lost:
        await probe.ask(PID)

    assert lost.value.facts["outcome"] == "unknown"
    assert await probe.ask(PID) != before


async def test_the_server_ends_a_long_statement_before_the_deadline(probe: Probe | BlockingProbe) -> None:
    """So the outcome is known: nothing was done. The connection stays."""
    before = await probe.ask(PID)

    with pytest.raises(StoreBusy, match="statement timeout"):
        await probe.ask(SLOW)

    assert await probe.ask(PID) == before


async def test_an_idle_connection_that_is_silent_costs_two_seconds_and_no_error(
    probe: Probe | BlockingProbe, proxy: Proxy, idle: Callable[[], None]
) -> None:
    before = await probe.ask(PID)
    idle()
    proxy.freeze()
    asked_at = time.monotonic()

    assert await probe.ask(PID) != before
    assert time.monotonic() - asked_at >= 1.9, "it asks before it gives a connection up"


async def test_an_idle_connection_that_was_closed_costs_no_error(
    probe: Probe | BlockingProbe, proxy: Proxy, idle: Callable[[], None]
) -> None:
    """As after a restart of the server."""
    before = await probe.ask(PID)
    idle()
    proxy.cut()

    assert await probe.ask(PID) != before


async def test_a_connection_is_asked_only_after_it_was_idle(
    probe: Probe | BlockingProbe, proxy: Proxy, idle: Callable[[], None]
) -> None:
    before = [await probe.ask(PID) for _ in range(2)][-1]  # the second one prepares the statement
    sent: list[bytes] = []

    def count(data: bytes) -> bool:
        sent.append(data)
        return False

    with proxy.delaying("ask", count, 0):
        assert await probe.ask(PID) == before
        at_once = len(sent)
        idle()
        assert await probe.ask(PID) == before

    assert (at_once, len(sent)) == (1, 3)


async def test_a_lost_connection_leaves_the_outcome_unknown(probe: Probe | BlockingProbe, proxy: Proxy) -> None:
    proxy.cut()

    with pytest.raises(StoreUnavailable, match=UNKNOWN) as lost:
        await probe.ask(PID)

    assert lost.value.facts["outcome"] == "unknown"


async def test_a_call_that_finds_all_connections_in_use_says_so(through: Settings) -> None:
    async with Probe(replace(through, max_connections=1, timeout_seconds=0.5)) as probe:
        await probe.ask(PID)
        slow = asyncio.create_task(probe.ask(Call("app", "select 1 from pg_sleep(1.2)", (), one)))
        await asyncio.sleep(0)
        with pytest.raises(StoreUnavailable, match=r"All 1 connections .* database_connections_max") as busy:
            await probe.ask(PID)
        assert await slow == 1

    assert busy.value.facts["outcome"] == "not_sent"


async def test_a_call_without_a_connection_says_why(through: Settings, proxy: Proxy, idle: Callable[[], None]) -> None:
    async with Probe(replace(through, timeout_seconds=1.0)) as probe:
        await probe.ask(PID)
        idle()
        proxy.stop_listening()
        proxy.cut()
        with pytest.raises(StoreUnavailable, match=r"(?i)cannot be reached: .*refused") as lost:
            await probe.ask(PID)

    assert lost.value.facts["outcome"] == "not_sent"


async def test_a_canceled_call_on_a_silent_connection_ends_at_once(through: Settings, proxy: Proxy) -> None:
    async with Probe(replace(through, deadline_seconds=60.0)) as probe:
        before = await probe.ask(PID)
        proxy.freeze()
        began_at = time.monotonic()
        with pytest.raises(TimeoutError):
            await probe.ask_briefly(PID)
        assert time.monotonic() - began_at < 20
        assert await probe.ask(PID) != before


async def test_a_canceled_call_on_a_sound_connection_is_canceled_in_the_server(through: Settings) -> None:
    async with Probe(replace(through, deadline_seconds=60.0)) as probe:
        before = await probe.ask(PID)
        with pytest.raises(TimeoutError):
            await probe.ask_briefly(SLOW)
        assert await probe.ask(PID) == before


@pytest.mark.parametrize("world", ["async", "blocking"])
async def test_a_server_that_takes_the_login_and_says_no_more_is_given_up(
    through: Settings, proxy: Proxy, world: str
) -> None:
    """The first call of a program, which checks the login."""
    proxy.hold_answer(lambda data: data.startswith((b"1", b"2", b"T")))
    store = Probe(through) if world == "async" else BlockingProbe(through)

    with pytest.raises(StoreUnavailable, match=rf"did not answer within {SECONDS:g} s"):
        await store.ask(PID)

    proxy.let_go()
    assert await store.ask(PID) > 0
    await store.close() if isinstance(store, Probe) else store.close()
