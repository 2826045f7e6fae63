"""Jobs whose rows cannot be decoded, as a manager's users meet them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from jobplane.store.sqlite.drivers import connect
from tests.manager.conftest import Postgres, Sqlite
from tests.manager.hand import Desk

LONG = '{"n": 1' + "0" * 5000 + "}"  # a number of more digits than Python reads
Meddle = Callable[[str], object]


@pytest.fixture
def meddle(backend: Postgres | Sqlite) -> Meddle:
    """Write past the verbs; tables are named `jobplane.…`."""
    if isinstance(backend, Postgres):
        return backend.db.peek

    def write(statement: str) -> None:
        link = connect("apsw", backend.path)
        link.rows(statement.replace("jobplane.", "jobplane_"))
        link.close()

    return write


async def test_a_record_has_the_mark(desk: Desk, meddle: Meddle) -> None:
    good, bad = await desk.create(owner_user_id="u1", project_id=7), await desk.create(owner_user_id="u1", project_id=7)
    meddle(f"update jobplane.jobs set payload = '{LONG}', metadata = '[1]' where id = '{bad['id']}'")

    found = {job["id"]: job for job in await desk.jm.list_jobs(domain="chatbooks", queue="default")}

    assert found[good["id"]] == good
    assert found[bad["id"]]["undecodable"] == ("payload", "metadata")
    assert (found[bad["id"]]["payload"], found[bad["id"]]["owner_user_id"]) == (None, None)


async def test_who_acquires_gets_the_next_job_that_can_be_decoded_and_the_others_fail(
    desk: Desk, meddle: Meddle
) -> None:
    jobs = [await desk.create() for _ in range(4)]
    for job in jobs[:3]:
        meddle(f"update jobplane.jobs set payload = '{LONG}' where id = '{job['id']}'")

    acquired = await desk.acquire()

    assert acquired["id"] == jobs[3]["id"]
    for job in jobs[:3]:
        ended = await desk.job(job)
        assert (ended["status"], ended["retry_count"]) == ("failed", 0)
        assert str(ended["error_message"]).startswith("The payload cannot be decoded: ")


async def test_the_same_for_who_acquires_jobs_of_one_owner(desk: Desk, meddle: Meddle) -> None:
    bad, good = await desk.create(owner_user_id="u1"), await desk.create(owner_user_id="u1")
    meddle(f"update jobplane.jobs set payload = '{LONG}' where id = '{bad['id']}'")

    acquired = await desk.jm.acquire_next_job("chatbooks", "default", 60, "w1", owner_user_id="u1")

    assert acquired is not None
    assert acquired["id"] == good["id"]
    assert (await desk.job(bad))["status"] == "failed"
