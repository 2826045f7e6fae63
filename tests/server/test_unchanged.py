"""ETags of what is read again and again."""

from __future__ import annotations

import pytest

from jobplane.server.app import PREFIX
from tests.server.site import Cast, Site

READS = ("/overview", "/jobs", "/jobs/{id}", "/jobs/{id}/attempts", "/jobs/summary", "/problems")
OPERATORS = ("/queues", "/workers", "/tenants")


@pytest.mark.parametrize("path", READS + OPERATORS)
async def test_an_answer_that_was_seen_is_not_sent_again(site: Site, cast: Cast, path: str) -> None:
    definition = await site.define()
    job = (await cast.alice.post("/jobs", {"definition_key": definition.key})).json
    await site.end(definition)
    voice, where = (cast.root if path in OPERATORS else cast.bob), path.format(id=job["id"])
    first = await voice.get(where)
    tag = first.headers["etag"]

    same = await voice.ask("GET", where, headers={"If-None-Match": f'"another", {tag}'})
    other = await voice.ask("GET", where, headers={"If-None-Match": '"another"'})

    assert (first.status, tag[:3]) == (200, 'W/"')
    assert (same.status, same.text, same.headers["etag"]) == (304, "", tag)
    assert (other.status, other.headers["etag"], other.json) == (200, tag, first.json)
    documented = site.app.openapi()["paths"][PREFIX + path.format(id="{job_id}").replace("{id}", "{job_id}")]["get"]
    assert "304" in documented["responses"]


async def test_an_answer_that_changed_has_another_tag(site: Site, cast: Cast) -> None:
    definition = await site.define()
    before = (await cast.bob.get("/jobs")).headers["etag"]
    await cast.alice.post("/jobs", {"definition_key": definition.key})

    after = await cast.bob.ask("GET", "/jobs", headers={"If-None-Match": before})

    assert (after.status, len(after.json["items"])) == (200, 1)
    assert after.headers["etag"] != before


async def test_a_tag_opens_nothing(site: Site, cast: Cast) -> None:
    definition = await site.define()
    job = (await cast.alice.post("/jobs", {"definition_key": definition.key})).json

    for tag in ("*", (await cast.alice.get(f"/jobs/{job['id']}")).headers["etag"]):
        stranger = await cast.charlie.ask("GET", f"/jobs/{job['id']}", headers={"If-None-Match": tag})
        assert (stranger.status, stranger.code) == (404, "job_not_found")
