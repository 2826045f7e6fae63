"""The other nouns over REST: definitions, queues, tenants, workers, keys, the audit log, problems."""

from __future__ import annotations

from itertools import count
from typing import Final

from jobplane.core.model import NewWorker
from tests.server.site import Cast, Site, Voice

NUMBERS: Final = count(1)
CREATE: Final = {
    "description": "Sync provider updates for tenant",
    "arg_schema": {
        "type": "object",
        "properties": {"provider_id": {"type": "string", "format": "uuid"}, "path_prefix": {"type": "string"}},
        "required": ["provider_id"],
        "additionalProperties": False,
    },
    "timeout_seconds": 3600,
    "max_attempts": 3,
}
DEFINITIONS: Final = "/admin/jobs/definitions"


async def test_a_tenant_shows_what_waits_and_runs(site: Site, cast: Cast) -> None:
    definition = await site.define()
    for _ in range(2):
        await cast.alice.post("/jobs", {"definition_key": definition.key})
    await site.claim(definition)

    hers, his = [(await cast.root.get(f"/tenants/{each.slug}")).json for each in (cast.a, cast.b)]

    depth = ("ready", "held", "upcoming", "running", "dead_letter")
    assert [hers[name] for name in depth] == [1, 0, 0, 1, 0]
    assert hers["oldest_due_seconds"] >= 0
    assert [his[name] for name in (*depth, "oldest_due_seconds")] == [0, 0, 0, 0, 0, None]
    listed = (await cast.root.get("/tenants", limit=200)).json["items"]
    assert {each["slug"]: each["running"] for each in listed}[cast.a.slug] == 1


async def test_definitions_are_made_changed_and_deleted_by_a_super_admin(site: Site, cast: Cast) -> None:
    key = f"sync-dropbox-{next(NUMBERS)}"
    made = await cast.root.post(DEFINITIONS, {"key": key, **CREATE})
    again = await cast.root.post(DEFINITIONS, {"key": key, **CREATE})
    bad = await cast.root.post(DEFINITIONS, {"key": f"{key}-x", "arg_schema": {"type": "no type"}})
    tag = made.headers["etag"]
    changed = await cast.root.patch(f"{DEFINITIONS}/{made.json['id']}", {"max_running": 4}, headers={"If-Match": tag})
    stale = await cast.root.patch(f"{DEFINITIONS}/{key}", {"max_running": 5}, headers={"If-Match": tag})
    off = await cast.root.patch(f"{DEFINITIONS}/{key}", {"is_active": False})

    assert (made.status, made.json["is_active"], made.json["kind"]) == (201, True, None)
    assert (again.status, again.code) == (409, "already_exists")
    assert (bad.status, bad.code) == (422, "invalid_schema")
    assert (changed.json["max_running"], changed.json["timeout_seconds"]) == (4, 3600)
    assert (stale.status, stale.code) == (412, "revision_mismatch")
    assert (off.json["is_active"], off.json["active"]) == (False, False)
    assert (await cast.root.post(f"{DEFINITIONS}/{key}/enable")).json["is_active"] is True
    assert key in (await cast.bob.get("/definitions")).text
    assert (await cast.alice.get(DEFINITIONS)).code == "forbidden"
    assert (await cast.root.delete(f"{DEFINITIONS}/{key}")).status == 204
    assert key not in [each["key"] for each in (await cast.bob.get("/definitions")).json["items"]]


async def test_a_paused_queue_says_who_and_why(site: Site, cast: Cast) -> None:
    definition = await site.define()
    await cast.alice.post("/jobs", {"definition_key": definition.key})

    paused = await cast.root.post(f"/queues/{definition.queue}/pause", {"reason": "maintenance"})
    backlog = await cast.root.get(f"/queues/{definition.queue}/backlog")
    resumed = await cast.root.post(f"/queues/{definition.queue}/resume")

    key = (await cast.root.get("/me")).json["id"]
    assert (paused.json["paused_by"], paused.json["paused_reason"]) == (f"key:{key}", "maintenance")
    assert backlog.json == {"ready": 1}
    assert resumed.json["paused_at"] is None
    assert (await cast.root.post("/queues/none/pause")).code == "queue_not_found"
    assert (await cast.root.delete(f"/queues/{definition.queue}")).code == "queue_in_use"
    name = f"spare-{next(NUMBERS)}"
    assert (await cast.root.ask("PUT", f"/queues/{name}", {"description": "spare"})).json["description"] == "spare"
    assert (await cast.root.delete(f"/queues/{name}")).status == 204


async def test_tenants_are_made_changed_and_paused(site: Site, cast: Cast) -> None:
    slug = f"acme-{next(NUMBERS)}"
    made = await cast.root.post("/tenants", {"slug": slug, "name": "Acme", "timezone": "America/New_York"})
    again = await cast.root.post("/tenants", {"slug": slug})
    changed = await cast.root.patch(f"/tenants/{slug}", {"weight": 3, "max_in_flight": 5})
    zone = await cast.root.patch(f"/tenants/{slug}", {"timezone": "Mars/Olympus"})
    paused = await cast.root.post(f"/tenants/{made.json['id']}/pause", {"reason": "unpaid"})

    assert (made.status, made.json["timezone"]) == (201, "America/New_York")
    assert (again.status, again.code) == (409, "already_exists")
    assert (changed.json["weight"], changed.json["max_in_flight"]) == (3, 5)
    assert (zone.status, zone.code) == (422, "invalid")
    assert paused.json["paused_reason"] == "unpaid"
    assert (await cast.root.post(f"/tenants/{slug}/resume")).json["paused_at"] is None
    assert (await cast.root.get("/tenants/nobody")).code == "tenant_not_found"


async def test_workers_are_listed_and_only_stale_ones_deleted(site: Site, cast: Cast) -> None:
    name = f"host/worker-{next(NUMBERS)}"
    await site.store.register_worker(NewWorker(worker_id=name, queues=["default"], version="0.0.1", slots=4))

    [worker] = [each for each in (await cast.root.get("/workers")).json["items"] if each["worker_id"] == name]
    live = await cast.root.delete(f"/workers/{name}")

    assert (worker["slots"], worker["live"], worker["stale"], worker["draining"]) == (4, True, False, False)
    assert worker["is_behind"] is True
    assert (live.status, live.code) == (409, "worker_is_live")
    assert (await cast.root.delete("/workers/none")).code == "worker_not_found"


async def test_a_key_makes_keys_up_to_its_own_role(site: Site, cast: Cast) -> None:
    made = await cast.alice.post("/keys", {"role": "tenant_admin", "name": "deploy"})
    voice = Voice(site.client, made.json["key"])
    above = await cast.alice.post("/keys", {"role": "super_admin"})
    twice = await cast.alice.post("/keys", {"role": "viewer"}, headers={"Idempotency-Key": "k"})
    rotated = await voice.post(f"/keys/{made.json['key_id']}/rotate", {"overlap_seconds": 0})
    successor = Voice(site.client, rotated.json["key"])

    assert made.status == 201
    assert made.json["key"].startswith(f"jp_{made.json['key_id']}_")
    assert (above.status, above.code) == (403, "forbidden")
    assert (twice.status, twice.code) == (422, "invalid")
    assert (await successor.get("/me")).json["role"] == "tenant_admin"
    listed = (await cast.alice.get("/keys")).json["items"]
    assert {made.json["key_id"], rotated.json["key_id"]} <= {key["key_id"] for key in listed}
    assert not [key for key in listed if "key" in key]
    assert (await cast.charlie.post(f"/keys/{rotated.json['key_id']}/revoke")).code == "key_not_found"
    assert (await cast.alice.post(f"/keys/{rotated.json['key_id']}/revoke")).status == 204
    site.forget()
    assert (await successor.get("/me")).code == "unauthenticated"


async def test_what_people_do_is_in_the_audit_log_once(site: Site, cast: Cast) -> None:
    definition = await site.define()
    job = (await cast.alice.post("/jobs", {"definition_key": definition.key})).json
    await cast.rita.post(f"/jobs/{job['id']}/cancel", {"reason": "no"}, headers={"X-Request-Id": "req-1"})
    await cast.rita.post(f"/jobs/{job['id']}/retry")

    entries = (await cast.alice.get("/audit", target=job["id"])).json["items"]

    rita = (await cast.rita.get("/me")).json["id"]
    assert [(entry["action"], entry["actor"]["id"]) for entry in entries] == [("retryJob", rita), ("cancelJob", rita)]
    assert (entries[1]["request_id"], entries[1]["facts"]) == ("req-1", {"reason": "no"})
    assert (await cast.bob.get("/audit")).code == "forbidden"
    assert (await cast.charlie.get("/audit", target=job["id"])).json["items"] == []
    assert len((await cast.root.get("/audit", target=job["id"])).json["items"]) == 2
    first = (await cast.alice.get("/audit", limit=1)).json
    assert (await cast.alice.get("/audit", limit=1, cursor=first["next_cursor"])).json["items"] != first["items"]


async def test_explain_and_problems_say_what_is_wrong(site: Site, cast: Cast) -> None:
    definition = await site.define()
    job = (await cast.alice.post("/jobs", {"definition_key": definition.key})).json
    await cast.root.post(f"/queues/{definition.queue}/pause", {"reason": "deploy"})

    explained = (await cast.bob.get(f"/jobs/{job['id']}/explain")).json
    problems = (await cast.alice.get("/problems")).json["items"]

    shut = {gate["name"]: gate["detail"] for gate in explained["gates"] if not gate["is_open"]}
    assert "deploy" in shut["queue_paused"]
    assert [problem["subject"] for problem in problems if problem["code"] == "queue_paused"]
    assert definition.queue not in (await cast.charlie.get("/problems")).text
    assert (await cast.charlie.get(f"/jobs/{job['id']}/explain")).status == 404
    every = (await cast.root.get("/problems")).json["items"]
    assert any(cast.a.slug in problem["tenants"] for problem in every)
    await cast.root.post(f"/queues/{definition.queue}/resume")


async def test_me_says_what_a_key_may_do(site: Site, cast: Cast) -> None:
    me = (await cast.eve.get("/me")).json

    assert (me["type"], me["role"], me["tenant_id"]) == ("key", "enqueue", str(cast.a.tenant_id))
    about_itself = ["getMe", "endSession", "endSessions", "createSessionLink"]
    assert me["operations"] == ["enqueueJob", "enqueueJobs", "getJob", *about_itself]
