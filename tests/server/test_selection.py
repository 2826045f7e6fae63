"""Cancel and retry of a selection of jobs."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from jobplane.core.model import Definition, Outcome
from tests.server.site import Cast, Site, Voice


async def enqueue(voice: Voice, definition: Definition, count: int = 1) -> list[str]:
    return [(await voice.post("/jobs", {"definition_key": definition.key})).json["id"] for _ in range(count)]


def outcomes(answer: Any) -> list[tuple[str, str, str | None]]:
    return [(each["id"], each["outcome"], each["status"]) for each in answer.json["results"]]


async def audited(site: Site, cast: Cast) -> list[tuple[str, int]]:
    page = await site.store.list_audit(cast.a.tenant_id, limit=100)
    return [(entry.action, entry.target_count) for entry in page.items if entry.action in ("cancelJob", "retryJob")]


async def test_each_job_of_a_selection_has_an_answer_in_the_order_of_the_ids(site: Site, cast: Cast) -> None:
    definition = await site.define(max_attempts=1)
    [running] = await enqueue(cast.alice, definition)
    await site.claim(definition)
    waiting = await enqueue(cast.alice, definition, 2)
    strange, [charlies] = str(uuid4()), await enqueue(cast.charlie, definition)
    ids = [waiting[1], strange, running, charlies, waiting[0], waiting[1]]

    answer = await cast.rita.post("/jobs/actions/cancel", {"ids": ids, "reason": "no longer needed"})

    assert outcomes(answer) == [
        (waiting[1], "canceled", "canceled"),
        (strange, "not_found", None),
        (running, "requested", "running"),
        (charlies, "not_found", None),
        (waiting[0], "canceled", "canceled"),
    ]
    assert answer.json["changed"] == 3
    assert (await cast.charlie.get(f"/jobs/{charlies}")).json["status"] == "queued"
    assert await audited(site, cast) == [("cancelJob", 3)]


async def test_a_retry_says_of_each_job_why_it_was_refused(site: Site, cast: Cast) -> None:
    definition = await site.define(max_attempts=1)
    [failed] = await enqueue(cast.alice, definition)
    await site.end(definition, Outcome.FAILED)
    [done] = await enqueue(cast.alice, definition)
    await site.end(definition)
    ids = [done, failed, str(uuid4())]

    answer = await cast.rita.post("/jobs/actions/retry", {"ids": ids, "max_attempts": 3})

    assert outcomes(answer) == [
        (done, "illegal_move", "succeeded"),
        (failed, "queued", "queued"),
        (ids[2], "not_found", None),
    ]
    assert answer.json["changed"] == 1
    assert (await cast.bob.get(f"/jobs/{failed}")).json["max_attempts"] == 3
    assert await audited(site, cast) == [("retryJob", 1)]


async def test_a_narrowed_caller_moves_one_users_jobs(site: Site, cast: Cast) -> None:
    definition = await site.define()
    made = (await cast.alice.post("/keys", {"role": "tenant_admin", "owner_user_id": "u-1"})).json
    narrow = Voice(site.client, made["key"])
    [own], [other] = await enqueue(narrow, definition), await enqueue(cast.alice, definition)

    answer = await narrow.post("/jobs/actions/cancel", {"ids": [other, own]})
    nothing = await narrow.post("/jobs/actions/cancel", {"ids": [other]})

    assert outcomes(answer) == [(other, "not_found", None), (own, "canceled", "canceled")]
    assert nothing.json["changed"] == 0
    assert (await cast.alice.get(f"/jobs/{other}")).json["status"] == "queued"


async def test_a_selection_has_1_to_200_jobs_of_one_tenant(site: Site, cast: Cast) -> None:
    for ids in ([], [str(uuid4()) for _ in range(201)], ["no-uuid"], None):
        for action in ("cancel", "retry"):
            assert (await cast.rita.post(f"/jobs/actions/{action}", {"ids": ids})).code == "invalid_request", ids
    most = await cast.rita.post("/jobs/actions/cancel", {"ids": [str(uuid4()) for _ in range(200)]})
    assert (most.status, most.json["changed"]) == (200, 0)
    assert (await cast.root.post("/jobs/actions/cancel", {"ids": [str(uuid4())]})).code == "tenant_required"


async def test_a_retry_is_judged_by_the_schema_of_now(site: Site, cast: Cast) -> None:
    definition = await site.define(max_attempts=1)
    [first] = await enqueue(cast.alice, definition)
    await site.end(definition, Outcome.FAILED)
    [done] = await enqueue(cast.alice, definition)
    await site.end(definition)
    await site.plane.definitions.change(definition.key, {"arg_schema": {"required": ["n"]}})
    site.forget()

    one = await cast.rita.post(f"/jobs/{first}/retry")
    many = await cast.rita.post("/jobs/actions/retry", {"ids": [first, done]})

    assert (one.status, one.code) == (422, "invalid_payload")
    assert outcomes(many) == [(first, "invalid_payload", "dead_letter"), (done, "illegal_move", "succeeded")]
