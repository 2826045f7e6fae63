"""Sixteen tenants on two connections, with errors, cancels and disconnects: nobody gets anybody else's rows."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator
from typing import Final
from uuid import uuid4

import pytest

from jobplane.config import Config
from jobplane.store.postgres.calls.call import Role
from jobplane.store.postgres.settings import Settings
from tests.client import PostgresStore
from tests.conftest import ROLES
from tests.database import Cluster
from tests.server.site import Site, Voice, opened

TENANTS: Final = 16
REQUESTS: Final = 40
DICE: Final = random.Random(12)


@pytest.fixture
async def narrow(cluster: Cluster) -> AsyncGenerator[Site]:
    """A server with two connections for each login, through the pooler where the run has one."""
    with cluster.fresh() as database:
        urls: dict[Role, str] = {role: database.url(role) for role in ROLES}
        pooler = "transaction" if cluster.host else "none"
        settings = Settings(urls=urls, allow_unsafe_durability=True, max_connections=2, pooler=pooler)
        async with PostgresStore(settings) as store, opened(store, Config(server_requests_per_second=0)) as site:
            yield site


async def live(site: Site, number: int, voice: Voice, tenant: str, strangers: list[str]) -> None:
    """One tenant's requests, some of which are wrong and some of which are given up."""
    own: set[str] = set()
    for turn in range(REQUESTS):
        chance = DICE.random()
        if chance < 0.1:
            call = asyncio.create_task(voice.get("/jobs"))
            await asyncio.sleep(DICE.uniform(0, 0.01))
            call.cancel()
            await asyncio.gather(call, return_exceptions=True)
        elif chance < 0.2:
            wrong = await voice.post("/jobs", {"definition_key": "d", "payload": {"n": "x"}, "priority": 5000})
            assert wrong.status == 422
        elif chance < 0.3 and strangers:
            assert (await voice.get(f"/jobs/{DICE.choice(strangers)}")).status == 404
        elif chance < 0.6:
            made = (
                await voice.post("/jobs", {"definition_key": "d", "tags": [f"t{number}"], "payload": {"n": turn}})
            ).json
            assert made["tenant_id"] == tenant
            own.add(made["id"])
        else:
            listed = (await voice.get("/jobs", limit=50)).json["items"]
            assert {job["tenant_id"] for job in listed} <= {tenant}
            assert {tag for job in listed for tag in job["tags"]} <= {f"t{number}"}
    strangers.extend(own)


async def test_no_foreign_row_on_two_connections(narrow: Site) -> None:
    await narrow.store.put_definitions([{"key": "d", "kind": "python", "arg_schema": True}])
    tenants = [await narrow.plane.tenants.create(f"crowd-{number}-{uuid4().hex[:8]}") for number in range(TENANTS)]
    keys = [(await narrow.plane.keys.create("tenant_admin", tenant=tenant.tenant_id))[1] for tenant in tenants]
    strangers: list[str] = [str(uuid4())]

    await asyncio.gather(
        *[
            live(narrow, number, Voice(narrow.client, key), str(tenant.tenant_id), strangers)
            for number, (tenant, key) in enumerate(zip(tenants, keys, strict=True))
        ]
    )

    everybody = [
        job for tenant in tenants for job in (await narrow.store.list_jobs(tenant.tenant_id, limit=1000)).items
    ]
    assert len({job.id for job in everybody}) == len(everybody)
    assert all(job.tags == [f"t{[t.tenant_id for t in tenants].index(job.tenant_id)}"] for job in everybody)
