"""What settings change: built-in definitions alone, the rate of a key, whom the server believes."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from jobplane.config import Config
from jobplane.core.errors import UnsafeRole
from jobplane.server.serving import Server
from tests.client import SqliteStore
from tests.server.site import Site, Voice, opened


@asynccontextmanager
async def serving(scratch: Path, **settings: Any) -> AsyncGenerator[Site]:
    given: dict[str, Any] = {"server_requests_per_second": 0, **settings}
    async with SqliteStore(scratch / "jobs.db") as store, opened(store, Config(**given)) as site:
        yield site


async def test_only_built_in_definitions_may_be_enqueued(scratch: Path) -> None:
    async with serving(scratch, jobs_builtin_only=True) as site:
        cast = await site.cast()
        own, builtin = await site.define(), await site.define(origin="builtin")

        refused = await cast.alice.post("/jobs", {"definition_key": own.key})
        bulk = await cast.alice.post("/jobs/bulk", {"jobs": [{"definition_key": own.key}]})
        taken = await cast.alice.post("/jobs", {"definition_key": builtin.key})

    assert (refused.status, refused.code) == (403, "forbidden")
    assert bulk.json["results"][0]["code"] == "forbidden"
    assert taken.status == 201


async def test_new_tenants_and_definitions_have_the_defaults_of_the_server(scratch: Path) -> None:
    settings = {"max_attempts_default": 7, "max_in_flight_default": 5, "max_pending_default": 1000}
    async with serving(scratch, **settings) as site:
        root = (await site.cast()).root
        plain = await root.post("/tenants", {"slug": "plain"})
        free = await root.post("/tenants", {"slug": "free", "max_in_flight": None, "max_pending": 3})
        made = await root.post("/admin/jobs/definitions", {"key": "made", "backoff": "jobforge"})
        named = await root.post("/admin/jobs/definitions", {"key": "named", "max_attempts": 2})
        changed = await root.patch("/admin/jobs/definitions/named", {"backoff": "ayb"})
        wrong = await root.post("/admin/jobs/definitions", {"key": "wrong", "backoff": "jobforg"})

    assert (plain.json["max_in_flight"], plain.json["max_pending"]) == (5, 1000)
    assert (free.json["max_in_flight"], free.json["max_pending"]) == (None, 3)
    assert (made.json["max_attempts"], named.json["max_attempts"]) == (7, 2)
    assert made.json["backoff"] == {"base": 1, "factor": 2, "cap": 3600, "jitter": 0}
    assert changed.json["backoff"] == {"base": 5, "factor": 2, "cap": 300, "jitter": 0}
    assert wrong.status == 422


async def test_a_key_that_asks_too_often_is_told_when_to_come_back(scratch: Path) -> None:
    async with serving(scratch, server_requests_per_second=2) as site:
        cast = await site.cast()
        answers = [await cast.bob.get("/me") for _ in range(10)]
        other = await cast.alice.get("/me")

    assert [answer.status for answer in answers[:4]] == [200] * 4
    last = answers[-1]
    assert (last.status, last.code, last.headers["retry-after"]) == (429, "rate_limited", "1")
    assert other.status == 200


async def test_answers_tell_what_a_key_has_left(scratch: Path) -> None:
    async with serving(scratch, server_requests_per_second=2) as site:
        cast = await site.cast()
        nobody = await Voice(site.client, "jp_wrong").get("/me")
        answers = [await cast.bob.get("/jobs/no-uuid" if number == 1 else "/me") for number in range(6)]
    async with serving(scratch) as site:
        free = await (await site.cast()).bob.get("/me")

    assert {answer.headers["ratelimit-policy"] for answer in answers} == {'"key";q=4;w=2'}
    assert [answer.headers["ratelimit"] for answer in answers] == [
        '"key";r=3;t=1', '"key";r=2;t=1', '"key";r=1;t=2', '"key";r=0;t=2', '"key";r=0;t=2', '"key";r=0;t=2',
    ]  # fmt: skip
    assert [answer.status for answer in answers] == [200, 422, 200, 200, 429, 429]
    for answer in (nobody, free):
        assert not [name for name in answer.headers if name.startswith("ratelimit")]


async def test_a_forwarded_address_is_believed_from_a_trusted_proxy_alone(scratch: Path) -> None:
    async with serving(scratch) as site:
        cast = await site.cast()
        definition = await site.define()
        for trusted, name in ((["10.0.0.0/8"], "proxied"), (["192.0.2.1"], "direct")):
            inner: Any = site.app
            app: Any = ProxyHeadersMiddleware(inner, trusted_hosts=trusted)  # as uvicorn puts it around
            transport = httpx2.ASGITransport(app=app, client=("10.1.2.3", 1234))
            async with httpx2.AsyncClient(transport=transport, base_url="http://test") as client:
                voice = Voice(client, cast.alice.key)
                job = (await voice.post("/jobs", {"definition_key": definition.key})).json["id"]
                await voice.post(f"/jobs/{job}/cancel", {"reason": name}, headers={"X-Forwarded-For": "203.0.113.9"})
        entries = (await cast.alice.get("/audit", action="cancelJob")).json["items"]

    assert {entry["facts"]["reason"]: entry["address"] for entry in entries} == {
        "proxied": "203.0.113.9", "direct": "10.1.2.3",
    }  # fmt: skip


async def test_a_server_refuses_one_role_for_everything() -> None:
    server = Server(Config(database_url="postgresql://one@localhost/app", trust="single"))

    with pytest.raises(UnsafeRole, match="keep tenants apart"):
        await server.start()
