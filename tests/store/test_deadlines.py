"""A call of a program ends by its deadline, whatever the network does, and the pool recovers."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import ExitStack
from dataclasses import replace
from typing import get_args

import pytest

from jobplane.core.errors import StoreBusy, StoreUnavailable
from jobplane.store.postgres.calls.call import Call, Role, one
from jobplane.store.postgres.settings import Settings
from tests import programs
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
        return await asyncio.wait_for(asyncio.to_thread(self.ask_here, call), 60)

    def ask_here(self, call: Call[int]) -> int:
        return self._run(call)


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From its call on every connection counts as idle."""
    return lambda: monkeypatch.setattr("jobplane.store.postgres.pools._MOMENT_SECONDS", -1.0)


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """No connection counts as idle, however busy the machine is."""
    monkeypatch.setattr("jobplane.store.postgres.pools._MOMENT_SECONDS", 1e9)


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


@pytest.mark.usefixtures("fresh")
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


async def test_an_idle_connection_that_is_silent_costs_half_the_time_and_no_error(
    probe: Probe | BlockingProbe, proxy: Proxy, idle: Callable[[], None]
) -> None:
    before = await probe.ask(PID)
    idle()
    proxy.freeze()
    asked_at = time.monotonic()

    assert await probe.ask(PID) != before
    assert time.monotonic() - asked_at >= SECONDS / 2 - 0.1, "it asks before it gives a connection up"


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


@pytest.mark.usefixtures("fresh")
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


@pytest.fixture(params=["async", "blocking"])
async def pooled(request: pytest.FixtureRequest, through: Settings) -> AsyncGenerator[Probe | BlockingProbe]:
    """Behind a pooler, where the server knows no deadline."""
    settings = replace(through, pooler="transaction")
    if request.param == "async":
        async with Probe(settings) as probe:
            yield probe
    else:
        with BlockingProbe(settings) as probe:
            yield probe


async def test_behind_a_pooler_the_client_ends_a_long_statement_in_the_server(pooled: Probe | BlockingProbe) -> None:
    """So nothing of it is done later, and the connection stays."""
    before = await pooled.ask(PID)

    with pytest.raises(StoreBusy, match="user request"):
        await pooled.ask(SLOW)

    assert await pooled.ask(PID) == before


async def test_behind_a_pooler_a_silent_connection_is_given_up(pooled: Probe | BlockingProbe, proxy: Proxy) -> None:
    await pooled.ask(PID)
    proxy.freeze()
    asked_at = time.monotonic()

    with pytest.raises(StoreUnavailable, match=rf"did not answer within {SECONDS:g} s\. {UNKNOWN}"):
        await pooled.ask(SLOW)

    assert time.monotonic() - asked_at < SECONDS + 2


def test_several_hosts_that_are_silent_share_the_deadline(through: Settings) -> None:
    """The blocking driver waits for each host."""
    with ExitStack() as stack:
        ears = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(3)]
        hosts = ",".join(f"127.0.0.1:{ear.getsockname()[1]}" for ear in ears)
        urls: dict[Role, str] = dict.fromkeys(get_args(Role), f"postgresql://nobody@{hosts}/none")
        began_at = time.monotonic()
        with BlockingProbe(replace(through, urls=urls, deadline_seconds=6.0)) as probe, pytest.raises(StoreUnavailable):
            probe.ask_here(PID)
    assert time.monotonic() - began_at < 10


async def test_a_canceled_call_on_a_silent_connection_ends_at_once(through: Settings, proxy: Proxy) -> None:
    async with Probe(replace(through, deadline_seconds=60.0)) as probe:
        before = await probe.ask(PID)
        proxy.freeze()
        began_at = time.monotonic()
        with pytest.raises(TimeoutError):
            await probe.ask_briefly(PID)
        assert time.monotonic() - began_at < 9, "the driver alone waits for ten seconds"
        assert await probe.ask(PID) != before


@pytest.mark.parametrize("is_idle", [False, True])
def test_ctrl_c_ends_a_blocking_call_on_a_silent_connection(through: Settings, proxy: Proxy, is_idle: bool) -> None:
    """In the middle of a call, and of the check of an idle connection."""
    body = f"""
import signal, sys, threading, time
from jobplane.store.postgres import pools
from jobplane.store.postgres.settings import Settings
from tests.store.test_deadlines import PID, BlockingProbe
pools._MOMENT_SECONDS = {-1.0 if is_idle else 1e9}
probe = BlockingProbe(Settings(urls={dict(through.urls)!r}, deadline_seconds=30.0, allow_unsafe_durability=True))
probe.ask_here(PID)
print("ready", flush=True)
sys.stdin.readline()
threading.Timer(0.5, signal.raise_signal, [signal.SIGINT]).start()
began_at = time.monotonic()
try:
    probe.ask_here(PID)
except BaseException as error:
    print(type(error).__name__, time.monotonic() - began_at, flush=True)
"""
    process = programs.start([sys.executable, "-c", body], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    proxy.is_deaf = True
    proxy.freeze()
    process.stdin.write("\n")
    process.stdin.flush()

    name, seconds = process.stdout.readline().split()
    process.wait(20)
    assert name == "KeyboardInterrupt"
    assert float(seconds) < 8, "the driver alone waits for ten seconds"


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
