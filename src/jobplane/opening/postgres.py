"""What runs on PostgreSQL: its stores, its migrations, and the server that may have to be started first."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Final, ParamSpec, TypeVar, get_args

from psycopg.conninfo import conninfo_to_dict

from jobplane.config import Config, Role
from jobplane.embedded import EmbeddedServer, parse_embedded_url
from jobplane.opening import ROLES, Deadlines, SchedulerStores, WorkerStores, has_one_owner, is_embedded
from jobplane.store.postgres import migrate as migrations
from jobplane.store.postgres import source
from jobplane.store.postgres.blocking import BlockingPostgresStore
from jobplane.store.postgres.calls.call import Role as Login
from jobplane.store.postgres.notifications import PostgresNotifications
from jobplane.store.postgres.one import Admission, OneConnection
from jobplane.store.postgres.settings import Settings
from jobplane.store.postgres.store import PostgresStore
from jobplane.store.postgres.worker import PostgresWorkerStore

P = ParamSpec("P")
Answer = TypeVar("Answer")

__all__ = [
    "Server",
    "login",
    "migrations",
    "open_async",
    "open_blocking",
    "open_scheduler_stores",
    "open_served",
    "open_server",
    "open_worker_stores",
]


# A worker waits neither for a lock that somebody keeps nor, in the server, for a client that has gone away.
_IMPATIENT: Final = "-c lock_timeout=2s -c idle_in_transaction_session_timeout=15s"
_REQUEST_SECONDS: Final = 9.0  # for a call of a server: a request of the API has ten
# Seconds for a call of the scheduler: a batch of a hundred fires, a step of a system job, a vacuum of the hot tables.
_FIRE_SECONDS: Final = 20.0
_SYSTEM_SECONDS: Final = 30.0
_VACUUM_SECONDS: Final = 30.0
# Connections for each login, unless the configuration says otherwise.
_PROGRAMS: Final = 4
_SERVED: Final = 8


@dataclass(frozen=True, slots=True)
class Server:
    """A database that is there to be used, with a URL for each role."""

    urls: Mapping[Role, str]
    version: str = ""


@contextmanager
def open_server(config: Config) -> Generator[Server]:
    """The database of the configuration. An embedded one has its roles, and runs at least until the block ends."""
    if not is_embedded(config):
        yield Server({role: config.url(role) for role in ROLES})
        return
    directory = parse_embedded_url(config.url("owner"))
    with EmbeddedServer(directory, bin_dir=config.embedded_bin_dir, bootstrap_sql=source.load().roles) as server:
        major, minor = server.version
        yield Server({role: server.url(f"jobplane_{role}") for role in ROLES}, f"{major}.{minor}")


def _settings(server: Server, config: Config, connections: int = _PROGRAMS) -> Settings:
    return Settings(
        urls={role: server.urls[role] for role in get_args(Login)},
        pooler=config.pooler,
        trust=config.trust,
        allow_unsafe_durability=config.allow_unsafe_durability,
        min_connections=config.database_connections_min,
        max_connections=config.database_connections_max or connections,
        deadline_seconds=config.database_timeout_seconds,
    )


def open_blocking(config: Config, *, frugal: bool) -> BlockingPostgresStore:
    """For a program without an event loop; `close` also lets an embedded server go."""
    stack = ExitStack()
    settings = _settings(_ready(stack, config), config)
    if frugal:
        settings = replace(settings, min_connections=0, max_connections=1, idle_seconds=2.0)
    return _BlockingHosted(settings, stack)


async def open_async(config: Config) -> HostedStore:
    """For a program with an event loop."""
    stack = ExitStack()
    server = await _ready_aside(stack, config)
    return HostedStore(_settings(server, config), stack)


async def open_served(config: Config) -> PostgresStore:
    """For a server: a statement ends before its caller gives up, and nobody waits long for a connection."""
    stack = ExitStack()
    server = await _ready_aside(stack, config)
    settings = replace(
        _settings(server, config, _SERVED),
        timeout_seconds=2.0,
        deadline_seconds=min(_REQUEST_SECONDS, config.database_timeout_seconds),
        session=_IMPATIENT,
    )
    store = HostedStore(settings, stack)
    try:
        for role in ("app", "admin"):
            await store.check(role)
    except BaseException:
        await store.close()
        raise
    return store


def login(config: Config) -> str | None:
    """The operator's login; None: the URL names none, and libpq takes the user of the operating system."""
    if is_embedded(config):
        return "jobplane_admin"
    return str(conninfo_to_dict(config.url("admin")).get("user") or os.environ.get("PGUSER") or "") or None


def _ready(stack: ExitStack, config: Config) -> Server:
    """The server of the configuration, with its schema where nobody else would bring it."""
    with ExitStack() as opening:
        server = opening.enter_context(open_server(config))
        if has_one_owner(config):
            migrations.up(server.urls["owner"], trust=config.trust)
        stack.push(opening.pop_all())
    return server


class _BlockingHosted(BlockingPostgresStore):
    """Holds on to the server that it may have started."""

    def __init__(self, settings: Settings, held: ExitStack) -> None:
        super().__init__(settings)
        self._held = held

    def close(self) -> None:
        super().close()
        self._held.close()


class HostedStore(PostgresStore):
    """The same on an event loop."""

    def __init__(self, settings: Settings, held: ExitStack) -> None:
        super().__init__(settings)
        self._held = held

    async def close(self) -> None:
        await super().close()
        await asyncio.to_thread(self._held.close)

    def abandon(self) -> None:
        """Close the connections after the event loop was closed: nothing can be awaited on it any more."""
        pools, self._pools, self._by_role = self._pools, {}, {}
        for pool in pools.values():
            for conn in pool._pool:  # pyright: ignore[reportPrivateUsage] a pool is closed on its own loop alone
                conn.pgconn.finish()
        self._held.close()


async def open_worker_stores(config: Config, deadlines: Deadlines) -> WorkerStores:
    stack = ExitStack()
    server = await _ready_aside(stack, config)
    settings = replace(_settings(server, config), session=_IMPATIENT)
    admission = Admission(settings, "worker")
    kept = OneConnection(settings, admission)
    return WorkerStores(
        claims=PostgresWorkerStore(settings, admission, deadline_seconds=deadlines.claims),
        settles=PostgresWorkerStore(settings, admission, deadline_seconds=deadlines.settles),
        keeps=PostgresWorkerStore(settings, connection=kept, deadline_seconds=deadlines.keeps),
        upkeep=PostgresWorkerStore(settings, connection=kept, deadline_seconds=deadlines.upkeep, is_patient=True),
        notifications=_notifications(settings, config),
        held=stack,
    )


async def open_scheduler_stores(config: Config) -> SchedulerStores:
    stack = ExitStack()
    server = await _ready_aside(stack, config)
    settings = replace(_settings(server, config), session=_IMPATIENT)
    admission = Admission(settings, "scheduler")

    def store(deadline_seconds: float) -> PostgresWorkerStore:
        return PostgresWorkerStore(settings, admission, role="scheduler", deadline_seconds=deadline_seconds)

    maintains = is_embedded(config) or bool(config.database_url_maintenance) or config.trust == "single"
    maintenance = PostgresWorkerStore(
        settings, Admission(settings, "maintenance"), role="maintenance", deadline_seconds=_VACUUM_SECONDS
    )
    return SchedulerStores(
        fires=store(_FIRE_SECONDS),
        upkeep=store(Deadlines().upkeep),
        system=store(_SYSTEM_SECONDS),
        maintenance=maintenance if maintains else None,
        notifications=_notifications(settings, config, "scheduler"),
        held=stack,
    )


async def _ready_aside(stack: ExitStack, config: Config) -> Server:
    """The same in a thread. The program waits for one that starts an embedded server, also when it ends."""
    aside = asyncio.to_thread if is_embedded(config) else _run_unattended
    return await aside(_ready, stack, config)


async def _run_unattended(call: Callable[P, Answer], *args: P.args, **kwargs: P.kwargs) -> Answer:
    """In a thread that nobody waits for when the program ends: a server may take the login and say no more."""
    done = Future[Answer]()
    done.set_running_or_notify_cancel()

    def run() -> None:
        try:
            done.set_result(call(*args, **kwargs))
        except BaseException as error:  # noqa: BLE001 whoever waits is told, whatever it is
            done.set_exception(error)

    threading.Thread(target=run, name="jobplane-opening", daemon=True).start()
    return await asyncio.wrap_future(done)


def _notifications(settings: Settings, config: Config, role: Login = "worker") -> PostgresNotifications | None:
    """The connection that listens; None: the process polls. A pooler in transaction mode passes no notification on."""
    if config.wakeup == "poll":
        return None
    if config.listen_url:
        direct = replace(settings, urls={**settings.urls, role: config.listen_url}, pooler="none")
        return PostgresNotifications(direct, role=role)
    return PostgresNotifications(settings, role=role) if config.pooler == "none" else None
