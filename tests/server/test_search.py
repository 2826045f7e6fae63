"""A text in the jobs of a tenant, over REST."""

from __future__ import annotations

from typing import Any

from jobplane.core.model import Outcome
from tests.server.site import Cast, Site, Voice


async def found(voice: Voice, **params: Any) -> list[str]:
    return [job["id"] for job in (await voice.get("/jobs", **params)).json["items"]]


async def test_a_text_and_who_enqueued_are_filters(site: Site, cast: Cast) -> None:
    definition = await site.define()
    first = (await cast.alice.post("/jobs", {"definition_key": definition.key, "payload": {"to": "ann"}})).json
    await site.end(definition, Outcome.FATAL, error="The disk is full.")
    second = (await cast.alice.post("/jobs", {"definition_key": definition.key, "tags": ["annual"]})).json

    assert await found(cast.bob, q="ANN") == [second["id"], first["id"]]
    assert await found(cast.bob, q="disk is", status="failed") == [first["id"]]
    assert await found(cast.bob, q=second["id"][-8:]) == [second["id"]]
    assert await found(cast.root, q=first["id"]) == [first["id"]]
    assert await found(cast.bob, triggered_by="key") == [second["id"], first["id"]]
    assert await found(cast.bob, triggered_by="scheduler") == []
    assert await found(cast.charlie, q="ann") == await found(cast.charlie, q=first["id"]) == []
    for wrong in ({"q": ""}, {"q": "x" * 201}, {"triggered_by": "magic"}):
        assert (await cast.bob.get("/jobs", **wrong)).code == "invalid_request"


async def test_a_search_does_not_tell_what_is_masked(site: Site, cast: Cast) -> None:
    """Not by a job, and not by a cursor that is there only where something was found."""
    definition = await site.define()
    await cast.alice.post("/jobs", {"definition_key": definition.key, "payload": {"password": "hunter2"}})
    await site.end(definition, Outcome.FATAL, error="login with token=abcdef0123 failed")
    await cast.alice.post("/jobs", {"definition_key": definition.key, "payload": {"note": "a hunter"}})

    for text in ("hunter2", "abcdef0123"):
        answers = [(await cast.bob.get("/jobs", q=each, limit=1)).json for each in (text, "never-there")]
        assert answers[0] == answers[1] == {"items": [], "next_cursor": None, "scanned_all": True}
    assert len(await found(cast.bob, q="hunter")) == 1
    assert len(await found(cast.bob, q="password")) == 1


async def test_a_search_has_no_total(site: Site, cast: Cast) -> None:
    definition = await site.define()
    await cast.alice.post("/jobs", {"definition_key": definition.key, "payload": {"password": "hunter2"}})

    for voice in (cast.bob, cast.root):
        refused = await voice.get("/jobs", q="hunter2", include="total")
        assert (refused.status, refused.code) == (422, "invalid")
        assert refused.json["detail"] == "A total cannot be counted together with q. Leave out one of them."


async def test_pages_of_a_search_leave_out_what_is_masked(site: Site, cast: Cast) -> None:
    definition = await site.define()
    payloads = [{"token": "needle"} if n % 2 else {"note": "needle"} for n in range(10)]
    made = [(await cast.alice.post("/jobs", {"definition_key": definition.key, "payload": p})).json for p in payloads]
    shown = [job["id"] for job in made[::2]][::-1]

    walked: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = (await cast.bob.get("/jobs", q="needle", limit=2, **cursor)).json
        walked += [job["id"] for job in page["items"]]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}

    assert walked == shown
    assert await found(cast.bob, q="needle", limit=2, offset=2) == shown[2:4]


async def test_a_narrowed_key_finds_one_users_jobs(site: Site, cast: Cast) -> None:
    definition = await site.define()
    made = (await cast.alice.post("/keys", {"role": "viewer", "owner_user_id": "u-1"})).json
    narrow = Voice(site.client, made["key"])
    jobs = [
        (await cast.alice.post("/jobs", {"definition_key": definition.key, "metadata": {"owner_user_id": user}})).json
        for user in ("u-1", "u-2")
    ]

    for job, expected in zip(jobs, ([jobs[0]["id"]], []), strict=True):
        assert await found(narrow, q=job["id"]) == expected
        assert await found(narrow, q=job["id"][-12:]) == expected
    assert await found(narrow, triggered_by="key") == [jobs[0]["id"]]
