"""The API contract of the first design, with its own examples, in its own order."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID, uuid4

from jobplane.core.model import Outcome
from tests.server.site import Cast, Site

MANUAL: Final[dict[str, Any]] = {
    "definition_key": "recompute-trained-tags",
    "payload": {"model": "siglip"},
    "priority": 100,
    "scheduled_for": "2026-02-16T10:30:00Z",
    "dedupe_key": "tenant:bcg:training:daily",
}
STATUSES: Final = ("queued", "running", "succeeded", "failed", "canceled", "dead_letter")


async def test_post_jobs_is_the_manual_enqueue(site: Site, cast: Cast) -> None:
    await site.define("recompute-trained-tags")

    answer = await cast.alice.post("/jobs", MANUAL)

    assert answer.status == 201
    job = answer.json
    assert UUID(job["id"]).version == 7
    assert job["tenant_id"] == str(cast.a.tenant_id)
    assert (job["status"], job["definition_key"]) == ("queued", "recompute-trained-tags")
    assert job["queued_at"].endswith("Z")
    assert job["created"] is True
    assert (job["source"], job["triggered_by"]["type"]) == ("manual", "key")


async def test_the_same_dedupe_key_again_is_the_same_job(site: Site, cast: Cast) -> None:
    await site.define("recompute-trained-tags")
    first = await cast.alice.post("/jobs", MANUAL)

    again = await cast.alice.post("/jobs", MANUAL)

    assert (again.status, again.json["created"], again.json["id"]) == (200, False, first.json["id"])


async def test_get_jobs_has_the_filters_of_the_contract(site: Site, cast: Cast) -> None:
    plain = await site.define()
    ids = [(await cast.alice.post("/jobs", {"definition_key": plain.key})).json["id"] for _ in range(3)]
    await cast.alice.post(f"/jobs/{ids[0]}/cancel")

    async def found(**params: object) -> list[str]:
        return [job["id"] for job in (await cast.bob.get("/jobs", **params)).json["items"]]

    assert await found() == ids[::-1]
    assert await found(status="canceled") == [ids[0]]
    assert await found(status=["canceled", "queued"], limit=2) == [ids[2], ids[1]]
    assert await found(source="manual", offset=1) == [ids[1], ids[0]]
    assert await found(source="schedule") == []
    assert await found(created_after="2026-01-01T00:00:00Z", created_before="2020-01-01T00:00:00Z") == []
    assert (await cast.bob.get("/jobs", status="done")).status == 422


async def test_a_job_is_its_tenants_alone(site: Site, cast: Cast) -> None:
    plain = await site.define()
    job = (await cast.alice.post("/jobs", {"definition_key": plain.key})).json

    own, foreign, missing = (
        await cast.bob.get(f"/jobs/{job['id']}"),
        await cast.charlie.get(f"/jobs/{job['id']}"),
        await cast.charlie.get(f"/jobs/{uuid4()}"),
    )

    assert (own.status, own.json["id"]) == (200, job["id"])
    assert (foreign.status, foreign.code) == (missing.status, missing.code) == (404, "job_not_found")


async def test_cancel_ends_a_waiting_job_and_changes_nothing_twice(site: Site, cast: Cast) -> None:
    plain = await site.define()
    job = (await cast.alice.post("/jobs", {"definition_key": plain.key})).json

    first = await cast.rita.post(f"/jobs/{job['id']}/cancel", {"reason": "not needed"})
    again = await cast.rita.post(f"/jobs/{job['id']}/cancel")

    assert (first.status, first.json["status"], first.json["reason"]) == (200, "canceled", "not needed")
    assert (again.status, again.json) == (200, first.json)


async def test_retry_takes_a_dead_letter_back_and_no_running_job(site: Site, cast: Cast) -> None:
    doomed = await site.define(max_attempts=1)
    job = (await cast.alice.post("/jobs", {"definition_key": doomed.key})).json
    await site.end(doomed, Outcome.FAILED)
    dead = (await cast.bob.get(f"/jobs/{job['id']}")).json

    back = await cast.rita.post(f"/jobs/{job['id']}/retry")
    await site.claim(doomed)
    running = await cast.rita.post(f"/jobs/{job['id']}/retry")

    assert dead["status"] == "dead_letter"
    assert (back.status, back.json["status"]) == (200, "queued")
    assert (running.status, running.code, running.json["current_status"]) == (409, "illegal_move", "running")


async def test_the_summary_has_every_status_and_the_age_of_the_oldest(site: Site, cast: Cast) -> None:
    plain = await site.define()
    await cast.alice.post("/jobs", {"definition_key": plain.key})

    summary = (await cast.bob.get("/jobs/summary")).json

    assert {status: summary[status] for status in STATUSES} == dict.fromkeys(STATUSES, 0) | {"queued": 1}
    assert summary["oldest_due_seconds"] >= 0


async def test_attempts_are_listed_the_newest_first(site: Site, cast: Cast) -> None:
    shaky = await site.define(max_attempts=3, backoff={"base": 0})
    job = (await cast.alice.post("/jobs", {"definition_key": shaky.key})).json
    await site.end(shaky, Outcome.FAILED)
    await site.end(shaky)

    page = (await cast.bob.get(f"/jobs/{job['id']}/attempts")).json
    first = (await cast.bob.get(f"/jobs/{job['id']}/attempts", limit=1)).json
    rest = (await cast.bob.get(f"/jobs/{job['id']}/attempts", limit=1, cursor=first["next_cursor"])).json

    assert [(each["attempt_no"], each["outcome"]) for each in page["items"]] == [(2, "succeeded"), (1, "failed")]
    assert all(each["duration_ms"] >= 0 for each in page["items"])
    assert [*first["items"], *rest["items"]] == page["items"]
