"""A store that may not or cannot serve says so at its first use, at once, with the reason."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from psycopg import OperationalError

from jobplane.core.errors import (
    Forbidden,
    JobplaneError,
    SchemaOutOfDate,
    StoreUnavailable,
    Unauthenticated,
    UnsafeRole,
    UnsupportedServer,
)
from jobplane.store.postgres.calls.call import Role
from jobplane.store.postgres.refusals import DatabaseMissing, UnsafeDurability
from jobplane.store.postgres.settings import Settings
from jobplane.store.postgres.unreachable import unreachable
from tests.client import BlockingPostgresStore, PostgresStore
from tests.database import Database
from tests.faults.proxy import proxied


async def refusal(settings: Settings) -> JobplaneError:
    """What both stores say when they are opened; it is the same."""
    async with PostgresStore(settings) as store:
        with pytest.raises(JobplaneError) as refused:
            await store.check()
    with BlockingPostgresStore(settings) as twin, pytest.raises(type(refused.value)):
        twin.check()
    return refused.value


async def test_an_owner_is_an_unsafe_role(db: Database, settings: Settings) -> None:
    error = await refusal(replace(settings, urls={"app": db.url("owner")}))

    assert isinstance(error, UnsafeRole)
    assert error.facts["role"] == "jobplane_owner"


async def test_an_empty_database_names_the_command(db: Database, settings: Settings) -> None:
    with db.cluster.fresh("template1") as empty:
        error = await refusal(replace(settings, urls={"app": empty.url("app")}))

    assert isinstance(error, SchemaOutOfDate)
    assert "jobplane migrate up" in error.message


async def test_a_forgetful_server_has_to_be_allowed(settings: Settings) -> None:
    error = await refusal(replace(settings, allow_unsafe_durability=False))

    assert isinstance(error, UnsafeDurability)


async def test_what_is_allowed_is_logged_at_each_start(settings: Settings, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "jobplane.store"):
        async with PostgresStore(settings) as store:
            await store.check()

    assert "a crash of the server may lose jobs" in caplog.text


@contextmanager
def deaf() -> Generator[int]:
    """A port that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://jobplane_app@127.0.0.1:{port}/jobplane",
        "postgresql://jobplane_app@nowhere.invalid/jobplane",
        "postgresql://jobplane_app@/jobplane?host=/nowhere",
        "postgresql://jobplane_app@127.0.0.1:{deaf}/jobplane?connect_timeout=2",
    ],
)
async def test_a_database_that_is_not_there_is_unavailable_at_once(settings: Settings, url: str) -> None:
    started = time.monotonic()
    with deaf() as port:
        urls: dict[Role, str] = {"app": url.format(port=free_port(), deaf=port)}
        error = await refusal(replace(settings, urls=urls, timeout_seconds=600))

    assert isinstance(error, StoreUnavailable)
    assert time.monotonic() - started < 60, "the pool would have waited for ten minutes"
    assert "cannot be reached" in error.message


async def test_a_login_that_is_not_there_is_refused_as_one(db: Database, settings: Settings) -> None:
    url = db.url("app", direct=True).replace("jobplane_app", "jobplane_nobody")

    error = await refusal(replace(settings, urls={"app": url}))

    assert isinstance(error, Unauthenticated)


async def test_a_database_of_another_name_is_missing(db: Database, settings: Settings) -> None:
    url = db.url("app", direct=True).replace(db.name, "nowhere")

    error = await refusal(replace(settings, urls={"app": url}))

    assert isinstance(error, DatabaseMissing)
    assert "database_url_app" in error.message


async def test_tls_that_the_server_does_not_have_is_no_outage(db: Database, settings: Settings) -> None:
    with proxied(db.cluster.server.socket_dir / ".s.PGSQL.5432") as proxy:
        url = f"postgresql://jobplane_app@127.0.0.1:{proxy.port}/{db.name}?sslmode=require"
        error = await refusal(replace(settings, urls={"app": url}))

    assert isinstance(error, Unauthenticated)
    assert "Check sslmode" in error.message


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ('FATAL: no pg_hba.conf entry for host "10.0.0.1", user "a", database "b", no encryption', Unauthenticated),
        ('FATAL: pg_hba.conf rejects connection for host "10.0.0.1", user "a", database "b"', Unauthenticated),
        ("SSL error: certificate verify failed", Unauthenticated),
        ("SSL error: unexpected eof while reading", StoreUnavailable),
        ('connection to server at "certificates" (10.0.0.1), port 5432 failed: Connection refused', StoreUnavailable),
        ('connection to server on socket "/no password/.s.PGSQL.5432" failed: No such file', StoreUnavailable),
        ('FATAL: permission denied for database "b" DETAIL: User does not have CONNECT privilege.', Forbidden),
        ("FATAL: no such database: b", DatabaseMissing),
        ("FATAL: unsupported startup parameter: options", UnsupportedServer),
        ("FATAL: the database system is starting up", StoreUnavailable),
        ("FATAL: the database system is shutting down", StoreUnavailable),
        ("FATAL: sorry, too many clients already", StoreUnavailable),
        ('FATAL: too many connections for role "a"', StoreUnavailable),
        ("connection timeout expired", StoreUnavailable),
        ("connection refused", StoreUnavailable),
    ],
)
def test_only_an_outage_is_unavailable(said: str, kind: type[JobplaneError]) -> None:
    assert type(unreachable(OperationalError(said))) is kind


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("postgresql://app:geheim@[::1/x", "invalid"),
        ("postgresql://app:geheim@host/x?colour=red", "invalid"),
        ("postgresql://app:geheim@host/\ud800", "invalid"),
        ("mysql://app:geheim@host/x", "invalid"),
        ("geheim", "invalid"),
        ("postgresql://app:geheim@nowhere.invalid:port/x", "store_unavailable"),
        ("postgresql://app:geheim@nowhere.invalid/\x00", "store_unavailable"),
    ],
)
async def test_a_bad_url_is_an_error_that_does_not_repeat_the_password(settings: Settings, url: str, code: str) -> None:
    error = await refusal(replace(settings, urls={"app": url}))

    assert error.code == code
    assert "geheim" not in error.message


async def test_a_refused_store_can_be_used_when_the_reason_is_gone(db: Database, settings: Settings) -> None:
    """It may have been started before its database was migrated."""
    async with PostgresStore(settings) as store:
        db.own("alter table jobplane.installation rename to hidden")
        with pytest.raises(SchemaOutOfDate):
            await store.queues()
        db.own("alter table jobplane.hidden rename to installation")

        assert [queue.name for queue in await store.queues()] == ["default", "system"]
