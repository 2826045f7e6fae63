"""A manager takes a URL, a store or the Jobplane of the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from jobplane import Jobplane
from jobplane.api.manager import AsyncJobManager, JobManager
from jobplane.config import InvalidConfig
from jobplane.core.errors import Invalid
from tests.client import BlockingStore, Store
from tests.manager.hand import EXPORT


def test_a_manager_takes_a_url(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'jobs.db'}"
    with JobManager(url) as jm:
        job = jm.create_job(**EXPORT)

    with JobManager(url, sqlite="apsw", max_lease_seconds=60) as jm:
        assert jm.get_job(job["id"]) == job


async def test_an_asynchronous_manager_takes_a_url(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'jobs.db'}"
    async with AsyncJobManager(url) as jm:
        job = await jm.create_job(**EXPORT)

    async with AsyncJobManager(url) as jm:
        assert await jm.get_job(job["id"]) == job


def test_a_url_that_cannot_be_is_refused_at_once() -> None:
    for manager in (JobManager, AsyncJobManager):
        with pytest.raises(InvalidConfig, match="database_url"):
            manager("mysql://localhost/jobs")


def test_a_manager_works_on_the_database_of_a_jobplane(blocking: BlockingStore) -> None:
    jp = Jobplane(store=blocking)
    with JobManager(jp) as jm:
        job = jm.create_job(**EXPORT)

    assert jp.get(job["id"]).definition_key == "chatbooks.default.export"  # still open


async def test_an_asynchronous_manager_does_too(store: Store) -> None:
    jp = Jobplane(async_store=store)
    async with AsyncJobManager(jp) as jm:
        job = await jm.create_job(**EXPORT)

    assert (await jp.get_async(job["id"])).definition_key == "chatbooks.default.export"


def test_a_jobplane_of_another_tenant_is_refused(blocking: BlockingStore) -> None:
    with pytest.raises(Invalid, match='works for the tenant "default", and this Jobplane works for "acme"'):
        JobManager(Jobplane(store=blocking, tenant="acme"))
