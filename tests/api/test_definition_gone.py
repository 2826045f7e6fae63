"""A job whose definition is gone is in nobody's way, whoever runs the jobs behind it."""

from __future__ import annotations

from pathlib import Path

import pytest

from jobplane import Jobplane
from tests.conformance.backend import DRIVER, Audit, PostgresAudit, SqliteAudit


@pytest.fixture
def audit(request: pytest.FixtureRequest, url: str | None, scratch: Path) -> Audit:
    return PostgresAudit(request.getfixturevalue("db")) if url is None else SqliteAudit(scratch / "jobs.db", DRIVER)


def delete(audit: Audit, key: str) -> None:
    audit.meddle(f"delete from jobplane.definitions where key = '{key}'")


@pytest.mark.parametrize("how", ["run_once", "drain"])
def test_jobs_behind_it_run_inline(jp: Jobplane, audit: Audit, how: str) -> None:
    @jp.job("lost")
    def lost() -> None: ...

    @jp.job("good")
    def good() -> None: ...

    jp.sync()
    handle = lost.enqueue()
    good.enqueue()
    delete(audit, "lost")

    assert (jp.run_once() if how == "run_once" else jp.drain()) == 1
    assert jp.get(handle).held_by == "definition_gone"

    jp.sync()
    assert jp.drain() == 1
    assert jp.get(handle).status == "succeeded"


async def test_jobs_behind_it_run_on_a_loop(on_loop: Jobplane, audit: Audit) -> None:
    jp = on_loop

    @jp.job("lost")
    async def lost() -> None: ...

    @jp.job("good")
    async def good() -> None: ...

    await jp.sync_async()
    handle = await lost.enqueue_async()
    await good.enqueue_async()
    delete(audit, "lost")

    assert await jp.drain_async() == 1
    assert (await jp.get_async(handle)).held_by == "definition_gone"


def test_a_definition_that_was_synced_again_runs_its_jobs_in_one_drain(jp: Jobplane, audit: Audit) -> None:
    @jp.job("lost")
    def lost() -> None: ...

    jp.sync()
    lost.enqueue()
    delete(audit, "lost")
    jp.sync()

    assert jp.drain() == 1
