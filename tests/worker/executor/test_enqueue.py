from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from uuid import UUID

import pytest

from jobplane import Jobplane
from jobplane.core.model import DEFAULT_TENANT
from tests.api.conftest import point_at
from tests.database import Cluster, Database
from tests.worker.executor.driver import Driver, row

OTHERS = "select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"


@pytest.fixture(params=["postgres", "sqlite"])
def jp(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Jobplane:
    """The database of the program's configuration, which the executor's process inherits."""
    if request.param == "sqlite":
        monkeypatch.setenv("JOBPLANE_DATABASE_URL", f"sqlite:///{tmp_path / 'jobs.db'}")
    else:
        point_at(request.getfixturevalue("db"), monkeypatch)
    jp = Jobplane()
    jp.job("child")(_child)
    jp.sync()
    return jp


def _child(n: int) -> None: ...


def _lines(tenant: UUID) -> list[bytes]:
    rest = {"correlation_id": "c", "trace_context": "t"}
    keys = {1: "parent", 2: "parent-async"}
    return [row(seq, keys[1 + seq % 2], {"n": seq}, tenant=tenant, rest=rest) for seq in range(1, 21)]


def test_what_a_handler_enqueues_inherits_from_its_job(jp: Jobplane) -> None:
    with jp, Driver("tests.worker.executor.parents", slots=16, threads=16) as driver:
        driver.ready()
        outcomes = driver.run(*_lines(jp.create_tenant("acme").tenant_id))
        found = {job.payload["n"]: (job.correlation_id, job.trace_context) for job in jp.list(tenant="acme")}

    assert set(outcomes.values()) == {None}
    assert found == dict.fromkeys(range(1, 21), ("c", "t")) | {-n: ("own", "t") for n in range(1, 20, 2)}


@pytest.fixture
def own_db(cluster: Cluster) -> Generator[Database]:
    """A database with no connection but those of the test."""
    with cluster.fresh() as database:
        yield database


def test_an_executor_has_one_connection_and_only_while_it_enqueues(
    own_db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    if own_db.cluster.host:
        pytest.skip("behind a pooler the connections are the pooler's")
    point_at(own_db, monkeypatch)
    with Jobplane() as jp:
        jp.job("child")(_child)
        jp.sync()
    watch, seen = own_db.connect("owner"), [0]

    def count() -> int:
        [(number,)] = watch.execute(OTHERS).fetchall()
        seen.append(number)
        return number

    with Driver("tests.worker.executor.parents", slots=16, threads=16) as driver:
        driver.ready()
        driver.until(lambda: count() == 0)
        driver.deal(*_lines(DEFAULT_TENANT))
        driver.until(lambda: count() > 1 or len(driver.outcomes()) == 20)

        assert set(driver.outcomes().values()) == {None}
        assert max(seen) == 1
        driver.until(lambda: count() == 0)
