"""How many connections a program has is a setting."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from jobplane import Jobplane
from tests.api.conftest import point_at
from tests.database import Database
from tests.migrations.processes import until

OPEN = "select count(*) from pg_stat_activity where datname = current_database() and application_name = 'jobplane'"


@pytest.mark.parametrize(("least", "most"), [(2, 2), (0, 1)])
def test_a_program_has_as_many_connections_as_it_is_told(
    db: Database, monkeypatch: pytest.MonkeyPatch, least: int, most: int
) -> None:
    if db.cluster.host:
        pytest.skip("the connections of a pooler are its own")
    point_at(db, monkeypatch)
    monkeypatch.setenv("JOBPLANE_DATABASE_CONNECTIONS_MIN", str(least))
    monkeypatch.setenv("JOBPLANE_DATABASE_CONNECTIONS_MAX", str(most))
    with Jobplane() as jp, ThreadPoolExecutor(8) as threads:
        for listing in [threads.submit(lambda: list(jp.list())) for _ in range(32)]:
            listing.result()

        until(lambda: db.peek(OPEN) == [(most,)], 20)
