"""What a manager does when its store refuses or fails it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import cast

import pytest

from jobplane.api.manager import AsyncJobManager, JobManager
from jobplane.core.actors import Actor
from jobplane.core.errors import Forbidden, StoreUnavailable
from jobplane.core.model import DEFAULT_TENANT
from jobplane.store.base import Answer, AsyncConn, Conn
from jobplane.store.verbs.jobs import GetJobs
from jobplane.store.verbs.verb import Verb
from tests.client import BlockingPostgresStore, BlockingStore, Store
from tests.manager.conftest import Postgres
from tests.manager.hand import EXPORT


def test_a_job_that_could_not_be_read_is_given_back_unspent(
    blocking: BlockingStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    jm = JobManager(blocking)
    job = jm.create_job(**EXPORT, max_retries=0)

    run = blocking.run

    def cut(verb: Verb[Answer], *, conn: Conn | None = None, actor: Actor | None = None) -> Answer:
        if isinstance(cast("object", verb), GetJobs):
            raise StoreUnavailable("the line is cut")
        return run(verb, conn=conn, actor=actor)

    with monkeypatch.context() as patch:
        patch.setattr(blocking, "run", cut)
        with pytest.raises(StoreUnavailable):
            jm.acquire_next_job("chatbooks", "default", 60, "w1")
    blocking.promote()

    again = jm.acquire_next_job("chatbooks", "default", 60, "w1")
    assert again is not None
    assert (again["id"], again["retry_count"]) == (job["id"], 0)
    assert [a.status for a in blocking.attempts(DEFAULT_TENANT, job["id"])] == ["running", "released"]


async def test_a_job_whose_asker_went_away_is_given_back_unspent(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    jm = AsyncJobManager(store)
    job = await jm.create_job(**EXPORT, max_retries=0)
    reading = asyncio.Event()

    run = store.run

    async def hang(verb: Verb[Answer], *, conn: AsyncConn | None = None) -> Answer:
        if isinstance(cast("object", verb), GetJobs):
            reading.set()
            await asyncio.sleep(60)
        return await run(verb, conn=conn)

    with monkeypatch.context() as patch:
        patch.setattr(store, "run", hang)
        acquiring = asyncio.create_task(jm.acquire_next_job("chatbooks", "default", 60, "w1"))
        await reading.wait()
        acquiring.cancel()
        with pytest.raises(asyncio.CancelledError):
            await acquiring

    assert (await jm.get_job(job["id"]) or {}).get("status") == "queued"


@pytest.mark.parametrize("backend", ["postgres"], indirect=True)
def test_a_manager_needs_the_logins_of_an_application_and_a_worker_alone(backend: Postgres) -> None:
    settings = backend.settings()
    urls = {role: url for role, url in settings.urls.items() if role in ("app", "worker")}

    with BlockingPostgresStore(replace(settings, urls={"app": urls["app"]})) as limited:
        with pytest.raises(Forbidden, match="Set database_url_worker"):
            JobManager(limited).create_job(**EXPORT)
        with pytest.raises(Forbidden):
            JobManager(limited).acquire_next_job("chatbooks", "default", 60, "w1")

    with BlockingPostgresStore(replace(settings, urls=urls)) as limited:
        jm = JobManager(limited)
        jm.create_job(**EXPORT)
        job = jm.create_job(**EXPORT)
        assert len(jm.list_jobs("chatbooks")) == 2
        assert jm.cancel_job(job["id"])
        acquired = jm.acquire_next_job("chatbooks", "default", 60, "w1")
        assert acquired is not None
        assert jm.complete_job(acquired["id"]) == "succeeded"
