"""Logs over REST: pages, text, NDJSON, and followed as server-sent events."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from jobplane.core.leases import Lease
from jobplane.core.logs import NewLogLine
from jobplane.core.model import Outcome
from jobplane.server import streaming
from tests.leases import settlement
from tests.server.site import API, Cast, Site

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


async def write(site: Site, lease: Lease, *lines: str, first: int = 1, **fields: Any) -> None:
    rows = [NewLogLine(lease, number, NOON, "info", text, fields or None) for number, text in enumerate(lines, first)]
    assert await site.store.log_lines(rows) == []


async def begin(site: Site, cast: Cast) -> tuple[str, Lease]:
    definition = await site.define()
    job = (await cast.alice.post("/jobs", {"definition_key": definition.key})).json
    return job["id"], await site.claim(definition)


async def test_a_log_comes_in_the_shape_that_is_asked_for(site: Site, cast: Cast) -> None:
    job, lease = await begin(site, cast)
    await write(site, lease, "one", "password=hunter2", "three", n=1, token="t-1")

    page = (await cast.bob.get(f"/jobs/{job}/logs", limit=2)).json
    rest = (await cast.bob.get(f"/jobs/{job}/logs", limit=2, cursor=page["next_cursor"])).json
    text = await cast.bob.ask("GET", f"/jobs/{job}/logs", headers={"Accept": "text/plain"})
    lines = await cast.bob.ask("GET", f"/jobs/{job}/logs", headers={"Accept": "application/x-ndjson"})

    assert [line["message"] for line in [*page["items"], *rest["items"]]] == ["one", "password=***", "three"]
    assert page["items"][0]["fields"] == {"token": "***", "n": 1}
    assert text.text.splitlines()[0] == '2026-01-01T12:00:00.000Z 1 info    one n=1 token="***"'
    assert [json.loads(line)["line"] for line in lines.text.splitlines()] == [1, 2, 3]
    assert "hunter2" not in text.text + lines.text


async def test_one_attempt_alone(site: Site, cast: Cast) -> None:
    definition = await site.define(backoff={"base": 0})
    job = (await cast.alice.post("/jobs", {"definition_key": definition.key})).json["id"]
    for word in ("first", "second"):
        lease = await site.claim(definition)
        await write(site, lease, word)
        await site.store.settle([settlement(lease, Outcome.FAILED)])

    found = (await cast.bob.get(f"/jobs/{job}/logs", attempt=2)).json["items"]

    assert [(line["attempt_no"], line["message"]) for line in found] == [(2, "second")]


async def test_a_search_finds_lines_of_the_tenant_alone(site: Site, cast: Cast) -> None:
    job, lease = await begin(site, cast)
    await write(site, lease, "needle in a haystack", "nothing")

    found = (await cast.bob.get("/logs", q="needle")).json

    assert [(each["job_id"], each["message"]) for each in found["items"]] == [(job, "needle in a haystack")]
    assert (await cast.charlie.get("/logs", q="needle")).json["items"] == []
    assert (await cast.root.get("/logs", q="needle")).code == "tenant_required"


async def events(site: Site, cast: Cast, job: str, **headers: str) -> list[dict[str, Any]]:
    """The events of a followed log, to its end."""
    given = {"Authorization": f"Bearer {cast.bob.key}", **headers}
    answer = await site.client.get(f"{API}/jobs/{job}/logs", params={"follow": "true"}, headers=given, timeout=30)
    assert answer.headers["content-type"].startswith("text/event-stream")
    found: list[dict[str, Any]] = []
    for block in answer.text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if fields:
            found.append({**fields, "data": json.loads(fields["data"])})
    return found


async def test_a_log_is_followed_to_the_end_by_many(site: Site, cast: Cast) -> None:
    job, lease = await begin(site, cast)
    await write(site, lease, "one", "two")

    async def finish() -> None:
        await asyncio.sleep(0.5)
        await write(site, lease, "three", first=3)
        await site.store.settle([settlement(lease)])

    listening = [asyncio.create_task(events(site, cast, job)) for _ in range(5)]
    await finish()
    heard = [await each for each in listening]

    for each in heard:
        assert [event["data"].get("message") for event in each if event["event"] == "line"] == ["one", "two", "three"]
        assert each[-1] == {"event": "end", "data": {"status": "succeeded"}}


async def test_a_reader_goes_on_where_it_was_cut_off(site: Site, cast: Cast) -> None:
    job, lease = await begin(site, cast)
    await write(site, lease, *map(str, range(10)))
    await site.store.settle([settlement(lease)])

    everything = await events(site, cast, job)
    rest = await events(site, cast, job, **{"Last-Event-ID": everything[6]["id"]})

    assert rest == everything[7:]


@pytest.mark.parametrize("is_busy", [False, True])
async def test_a_log_is_followed_no_longer_than_the_session_lasts(
    site: Site, cast: Cast, monkeypatch: pytest.MonkeyPatch, is_busy: bool
) -> None:
    """Also where lines never cease to come."""
    monkeypatch.setattr(streaming, "TICK_SECONDS", 0.2)
    job, lease = await begin(site, cast)
    bob = await site.signed_in(cast.bob)
    ended = asyncio.Event()

    async def talk() -> None:
        number = 1
        while not ended.is_set() and number < 1000:
            await write(site, lease, "text", first=number)
            number += 1

    following = asyncio.create_task(bob.get(f"/jobs/{job}/logs", follow="true"))
    talking = asyncio.create_task(talk()) if is_busy else None
    await asyncio.sleep(0.5)
    assert not following.done()

    await bob.delete("/session")

    answer = await following
    ended.set()
    if talking is not None:
        await talking
    last = json.loads(answer.text.strip().rpartition("data: ")[2])
    assert last["code"] == "unauthenticated"


async def test_a_stranger_follows_nothing(site: Site, cast: Cast) -> None:
    job, _ = await begin(site, cast)

    answer = await cast.charlie.get(f"/jobs/{job}/logs", follow="true")

    assert (answer.status, answer.code) == (404, "job_not_found")
    assert UUID(job)
