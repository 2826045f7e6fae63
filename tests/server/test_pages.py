"""Pages of lists: the link to the next one, the total, and whose jobs they are."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import httpx2

from jobplane.config import Config
from jobplane.core.logs import NewLogLine
from jobplane.core.model import Outcome
from jobplane.server.app import make_app
from tests.leases import settlement
from tests.server.site import API, Answer, Cast, Site


def next_page(answer: Answer) -> str | None:
    """Where a client finds the next page, by the header alone."""
    link = answer.headers.get("link")
    found = None if link is None else re.fullmatch(r'<([^>]+)>; rel="next"', link)
    assert (link is None) == (found is None), link
    return None if found is None else found[1]


async def test_a_link_leads_through_all_pages(site: Site, cast: Cast) -> None:
    definition = await site.define()
    jobs = [{"definition_key": definition.key, "tags": ["a&b"]}] * 5
    await cast.eve.post("/jobs/bulk", {"jobs": jobs})

    path: str | None = "/jobs?tag=a%26b&status=queued&status=running&limit=2&offset=1"
    found = list[str]()
    while path is not None:
        answer = await cast.bob.ask("GET", path)
        assert ("link" in answer.headers) == (answer.json["next_cursor"] is not None)
        found += [job["id"] for job in answer.json["items"]]
        path = next_page(answer)

    everything = [job["id"] for job in (await cast.bob.get("/jobs")).json["items"]]
    assert found == everything[1:]


async def test_every_list_with_a_cursor_has_a_link(site: Site, cast: Cast) -> None:
    definition = await site.define()
    job = (await cast.alice.post("/jobs", {"definition_key": definition.key})).json["id"]
    for _ in range(2):
        lease = await site.claim(definition)
        await site.store.log_lines([NewLogLine(lease, 1, datetime.now(UTC), "info", "hello", None)])
        await site.store.settle([settlement(lease, Outcome.FATAL)])
        await cast.rita.post(f"/jobs/{job}/retry")
    await site.define()
    await site.plane.queues.put(["q1", "q2"])
    hourly = {"label": "hourly", "cron_expr": "5 * * * *", "definition_key": definition.key}
    trigger, _ = [(await cast.alice.post("/schedules", hourly)).json["id"] for _ in range(2)]
    for _ in range(2):
        await cast.alice.post(f"/schedules/{trigger}/fire")
    lists = [
        "/definitions", "/admin/jobs/definitions", "/queues", "/tenants", "/keys", "/audit", f"/jobs/{job}/attempts",
        f"/jobs/{job}/logs", "/jobs/triggers", "/schedules", f"/schedules/{trigger}/fires",
    ]  # fmt: skip
    documented = [
        path.removeprefix(API)
        for path, item in site.app.openapi()["paths"].items()
        if "Link" in item.get("get", {}).get("responses", {}).get("200", {}).get("headers", {})
    ]
    named = {path.replace("{job_id}", job).replace("{trigger}", trigger) for path in documented}
    assert named == {*lists, "/jobs"}
    root = cast.root.naming(cast.a.slug)
    for path in lists:
        first = await root.get(path, limit=1)
        target = next_page(first)
        assert target is not None, path
        second = await root.ask("GET", target)
        assert len(second.json["items"]) == 1, path
        assert second.json["items"] != first.json["items"], path


async def test_a_total_is_counted_where_it_is_asked_for(site: Site, cast: Cast) -> None:
    definition = await site.define()
    jobs = [{"definition_key": definition.key, "tags": ["x"]}] * 3 + [{"definition_key": definition.key}]
    await cast.eve.post("/jobs/bulk", {"jobs": jobs})

    plain = (await cast.bob.get("/jobs", limit=1)).json
    whole = (await cast.bob.get("/jobs", limit=1, include="total")).json
    tagged = (await cast.bob.get("/jobs", limit=1, include="total", tag="x")).json
    foreign = (await cast.charlie.get("/jobs", include="total")).json
    of_all = (await cast.root.get("/jobs", include="total", definition_key=definition.key)).json

    assert not {"total", "total_is_capped"} & plain.keys()
    assert [(page["total"], page["total_is_capped"]) for page in (whole, tagged, foreign, of_all)] == [
        (4, False), (3, False), (0, False), (4, False),
    ]  # fmt: skip
    assert (await cast.bob.get("/jobs", include="everything")).code == "invalid_request"


async def test_jobs_of_all_tenants_have_their_slugs(site: Site, cast: Cast) -> None:
    definition = await site.define()
    for voice in (cast.alice, cast.charlie):
        await voice.post("/jobs", {"definition_key": definition.key})

    found = (await cast.root.get("/jobs", definition_key=definition.key)).json["items"]
    named = (await cast.root.naming(cast.a.slug).get("/jobs")).json["items"]

    assert [job["tenant"] for job in found] == [cast.b.slug, cast.a.slug]
    assert [job.get("tenant") for job in named] == [None]


async def test_a_link_has_the_path_that_the_client_sees(site: Site, cast: Cast) -> None:
    app = make_app(Config(server_requests_per_second=0, server_root_path="/jobplane"), site.store)
    definition = await site.define()
    await cast.eve.post("/jobs/bulk", {"jobs": [{"definition_key": definition.key}] * 2})
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://test") as client:
        key = {"Authorization": f"Bearer {cast.bob.key}"}
        for path in ("/api/v1/jobs", "/jobplane/api/v1/jobs"):  # a proxy may take the root path away, or leave it
            found = next_page(Answer(await client.get(path, params={"limit": 1}, headers=key)))
            assert found is not None
            assert found.startswith("/jobplane/api/v1/jobs?limit=1&cursor=")
