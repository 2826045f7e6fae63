"""Few connections, many tenants: what one of them says of its tenant is gone when its statement or transaction is."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final
from uuid import UUID

import psycopg
import pytest
from psycopg_pool import ConnectionPool

from tests.tenancy.attack import NO_TENANT
from tests.tenancy.town import AS_TENANT, Connection, Town, run

TENANTS: Final = 16
REQUESTS: Final = 500
LEFT: Final = "select nullif(current_setting('jobplane.tenant_id', true), '')"
SET: Final = "select set_config('jobplane.tenant_id', %s, true)"

Request = Callable[[Connection, UUID], set[UUID]]


class Slip(Exception):
    """An application's own error in the middle of a request."""


def _enqueue(conn: Connection, tenant: UUID) -> set[UUID]:
    ((job_id, *_),) = run(conn, f"{AS_TENANT}enqueue('d') v", str(tenant))
    return _owners(run(conn, f"{AS_TENANT}get_jobs(array[%s]) v", str(tenant), job_id))


def _list(conn: Connection, tenant: UUID) -> set[UUID]:
    return _owners(run(conn, f"{AS_TENANT}list_jobs(p_limit => 5) v", str(tenant)))


def _read(conn: Connection, tenant: UUID) -> set[UUID]:
    with conn.transaction():
        run(conn, SET, str(tenant))
        return {row[0] for row in run(conn, "select tenant_id from jobplane.jobs limit 50")}


def _forget(conn: Connection, _: UUID) -> set[UUID]:
    """It reads without a tenant, and may get nothing."""
    return {row[0] for row in run(conn, "select tenant_id from jobplane.jobs limit 50")}


def _forget_at_a_door(conn: Connection, _: UUID) -> set[UUID]:
    with pytest.raises(psycopg.Error) as refused:
        run(conn, "select * from jobplane.enqueue('d')")
    assert refused.value.sqlstate == NO_TENANT
    return set()


def _slip(conn: Connection, tenant: UUID) -> set[UUID]:
    with conn.transaction():
        run(conn, SET, str(tenant))
        run(conn, "select * from jobplane.enqueue('d')")
        raise Slip


def _fail(conn: Connection, tenant: UUID) -> set[UUID]:
    run(conn, f"{AS_TENANT}enqueue('nothing of the kind') v", str(tenant))
    return set()


def _roll_back_to_a_savepoint(conn: Connection, tenant: UUID) -> set[UUID]:
    with conn.transaction():
        run(conn, SET, str(tenant))
        with conn.transaction(force_rollback=True):
            run(conn, SET, "00000000-0000-7000-8000-000000000001")
        return {row[0] for row in run(conn, "select tenant_id from jobplane.jobs limit 50")}


def _cancel(conn: Connection, tenant: UUID) -> set[UUID]:
    with conn.transaction():
        run(conn, SET, str(tenant))
        run(conn, "set local statement_timeout = '1ms'")
        run(conn, "select pg_sleep(1)")
    return set()


def _disconnect(conn: Connection, tenant: UUID) -> set[UUID]:
    run(conn, "begin")
    run(conn, SET, str(tenant))
    conn.close()
    return set()


ODDS: Final[dict[Request, float]] = {
    _enqueue: 3, _list: 3, _read: 3, _forget: 2, _forget_at_a_door: 1, _slip: 1, _fail: 1, _roll_back_to_a_savepoint: 1,
    _cancel: 0.5, _disconnect: 0.1,
}  # fmt: skip


def _owners(jobs: list[tuple[object, ...]]) -> set[UUID]:
    return {row[1] for row in jobs if isinstance(row[1], UUID)}


def test_sixteen_tenants_on_two_connections_see_their_own_rows_alone(town: Town) -> None:
    tenants = [town.tenant(f"pool-{n}") for n in range(TENANTS)]
    settings = {"autocommit": True, "prepare_threshold": None}
    pool: ConnectionPool[Connection] = ConnectionPool(
        town.db.url("app"), min_size=2, max_size=2, open=True, timeout=60, kwargs=settings
    )
    with pool, ThreadPoolExecutor(TENANTS) as threads:
        done = list(threads.map(partial(_requests, pool), tenants))

    assert not [(mine, seen) for mine, (_, seen) in zip(tenants, done, strict=True) if not seen <= {mine}]
    assert set(sum((counts for counts, _ in done), Counter[str]())) == {request.__name__ for request in ODDS}


def _requests(pool: ConnectionPool[Connection], tenant: UUID) -> tuple[Counter[str], set[UUID]]:
    """Everything that a tenant was shown, whatever went wrong."""
    chance, counts, seen = random.Random(tenant.int), Counter[str](), set[UUID]()
    for request in chance.choices(list(ODDS), list(ODDS.values()), k=REQUESTS):
        counts[request.__name__] += 1
        try:
            with pool.connection() as conn:
                shown = request(conn, tenant)
        except (Slip, psycopg.Error):
            continue
        assert not shown or request is not _forget
        seen |= shown
    return counts, seen


@pytest.mark.parametrize("request_", [r for r in ODDS if r is not _disconnect], ids=lambda r: r.__name__)
def test_nothing_stays_on_the_connection(town: Town, request_: Request) -> None:
    conn = town.db.connect("app")

    try:
        request_(conn, town.charlie)
    except (Slip, psycopg.Error):
        assert request_ in {_slip, _fail, _cancel}

    assert run(conn, LEFT) == [(None,)]
    assert run(conn, "select 1 from jobplane.jobs") == []


def test_what_a_statement_sets_ends_with_its_transaction(town: Town) -> None:
    with town.app.transaction():
        run(town.app, f"{AS_TENANT}enqueue('d') v", str(town.charlie))

    assert run(town.app, LEFT) == [(None,)]
