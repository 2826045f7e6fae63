"""What a first page shows, and to whom."""

from __future__ import annotations

from jobplane.core.model import NewWorker, Outcome
from tests.server.site import Cast, Site


async def test_a_tenant_sees_what_its_jobs_do(site: Site, cast: Cast) -> None:
    definition = await site.define()
    made: list[str] = []
    for _ in range(3):
        made.append((await cast.alice.post("/jobs", {"definition_key": definition.key})).json["id"])
        if len(made) == 1:
            await site.end(definition, Outcome.FATAL, error="password=hunter2")
        elif len(made) == 2:
            await site.claim(definition)

    for voice in (cast.bob, cast.root.naming(cast.a.slug)):
        found = (await voice.get("/overview")).json
        assert found["summary"] == (await voice.get("/jobs/summary")).json | {
            "oldest_due_seconds": found["summary"]["oldest_due_seconds"]
        }
        assert (found["summary"]["failed"], found["failed_last_hour"], found["failed_is_capped"]) == (1, 1, False)
        assert [job["id"] for job in found["ended_last"]] == [made[0]]
        assert [job["id"] for job in found["running_longest"]] == [made[1]]
        assert (found["oldest"]["id"], found["oldest"]["display_state"]) == (made[2], "queued")
        assert found["workers"] is None
        assert "hunter2" not in str(found)


async def test_another_tenant_sees_nothing_of_it(site: Site, cast: Cast) -> None:
    definition = await site.define()
    for _ in range(2):
        await cast.alice.post("/jobs", {"definition_key": definition.key})
    await site.end(definition, Outcome.FATAL)

    found = (await cast.charlie.get("/overview")).json

    assert found.pop("summary").items() >= {"queued": 0, "failed": 0, "oldest_due_seconds": None}.items()
    assert found == {
        "failed_last_hour": 0,
        "failed_is_capped": False,
        "ended_last": [],
        "running_longest": [],
        "workers": None,
        "oldest": None,
    }
    named = await cast.charlie.naming(cast.a.slug).get("/overview")
    assert (named.status, named.code) == (404, "tenant_not_found")


async def test_a_super_admin_sees_all_tenants_and_the_workers(site: Site, cast: Cast) -> None:
    await site.store.register_worker(NewWorker(worker_id="w-overview", queues=["default"], slots=7))

    found = (await cast.root.get("/overview")).json

    assert set(found["workers"]) == {"live", "stale", "slots", "busy"}
