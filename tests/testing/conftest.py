from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from jobplane import JobHandle
from jobplane.store.sqlite.drivers import connect
from jobplane.testing import Sandbox
from tests.testing import shop


@pytest.fixture(params=["sqlite", "postgres"])
def jobs(request: pytest.FixtureRequest) -> Sandbox:
    """The shop on a database of the test's own, on each store in turn."""
    sandbox: Sandbox = request.getfixturevalue(f"jobplane_{request.param}")
    return sandbox.host(shop.jp, shop.ledger)


@pytest.fixture
def spoil(jobs: Sandbox) -> Callable[[JobHandle], None]:
    """Make a job's payload and its times such that Python cannot hold them."""
    is_sqlite = jobs.environment["JOBPLANE_DATABASE_URL"].startswith("sqlite")
    long, forever = '{"order": 1' + "0" * 5000 + "}", "9000000000000000000" if is_sqlite else "'infinity'"

    def write(job: JobHandle) -> None:
        statement = f"update jobplane.jobs set payload = '{long}', created_at = {forever} where id = '{job.id}'"
        if is_sqlite:
            link = connect("apsw", Path(jobs.environment["JOBPLANE_DATABASE_URL"].removeprefix("sqlite:///")))
            link.rows(statement.replace("jobplane.", "jobplane_"))
            link.close()
        else:
            with psycopg.connect(jobs.environment["JOBPLANE_MIGRATE_URL"], autocommit=True) as conn:
                conn.execute("set role jobplane_engine")  # whom no policy holds back
                conn.execute(statement.encode())

    return write
