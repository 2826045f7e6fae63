"""Jobs over REST: enqueue with every option, try out, bulk, move, run again, repeat."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID, uuid4

from jobplane.core.model import NewJob, Outcome
from tests.server.site import Cast, Site, Voice

UUID_SCHEMA = {
    "type": "object",
    "properties": {"provider_id": {"type": "string", "format": "uuid"}, "path_prefix": {"type": "string"}},
    "required": ["provider_id"],
    "additionalProperties": False,
}


async def test_every_option_of_the_core_is_taken(site: Site, cast: Cast) -> None:
    definition = await site.define()
    await site.plane.queues.put(["other"])
    body: dict[str, Any] = {
        "definition_key": definition.key, "payload": {"n": 1}, "priority": 7, "queue": "other",
        "delay_seconds": 60, "expires_at": "2100-01-01T00:00:00Z", "dedupe_key": f"d-{definition.key}",
        "on_duplicate": "return", "idempotency_key": "i", "correlation_id": "c", "tags": ["t"],
        "metadata": {"m": 1}, "source_ref": "ref", "created_by": "ann", "artifact_ref": "s3://b/k",
        "max_attempts": 9, "timeout_seconds": 30,
    }  # fmt: skip

    answer = await cast.eve.post("/jobs", body, headers={"traceparent": f"00-{'a' * 32}-{'b' * 16}-01"})

    job = answer.json
    assert answer.status == 201
    kept = {name for name in body if name not in ("delay_seconds", "on_duplicate", "expires_at")}
    assert {name: job[name] for name in kept} == {name: body[name] for name in kept}
    assert (job["expires_at"], job["display_state"]) == ("2100-01-01T00:00:00Z", "scheduled")
    assert job["trace_context"].startswith("00-aaaa")
    assert job["triggered_by"] == {"type": "key", "id": (await cast.eve.get("/me")).json["id"], "name": ""}
    unknown = {name.name for name in NewJob.__dataclass_fields__.values()} - {*body, "definition", "scheduled_for"}
    assert unknown == {"id", "source", "trace_context"}  # the server sets these


async def test_a_payload_is_judged_with_pointers(site: Site, cast: Cast) -> None:
    definition = await site.define(arg_schema=UUID_SCHEMA)

    wrong = await cast.alice.post("/jobs", {"definition_key": definition.key, "payload": {"provider_id": "x", "y": 1}})
    right = {"definition_key": definition.key, "payload": {"provider_id": str(uuid4())}}
    dry = await cast.alice.post("/jobs", right, params={"dry_run": "true"})

    assert (wrong.status, wrong.code) == (422, "invalid_payload")
    assert {fault["pointer"] for fault in wrong.json["errors"]} == {"/provider_id", ""}
    assert (dry.status, dry.json["valid"]) == (200, True)
    assert (await cast.bob.get("/jobs")).json["items"] == []


async def test_a_dry_run_sees_the_quota_and_the_switch(site: Site, cast: Cast) -> None:
    definition = await site.define()
    body = {"definition_key": definition.key}
    await site.plane.tenants.change(cast.a.tenant_id, {"max_pending": 1})
    await cast.alice.post("/jobs", body)

    full = await cast.alice.post("/jobs", body, params={"dry_run": "true"})
    really = await cast.alice.post("/jobs", body)
    await site.plane.definitions.disable(definition.key)
    off = await cast.charlie.post("/jobs", body)

    assert (full.status, full.code) == (really.status, really.code) == (429, "quota_exceeded")
    assert int(full.headers["retry-after"]) >= 1
    assert (off.status, off.code) == (422, "definition_inactive")


async def test_bulk_has_a_result_for_each_job(site: Site, cast: Cast) -> None:
    definition = await site.define(arg_schema=UUID_SCHEMA)
    good = {"definition_key": definition.key, "payload": {"provider_id": str(uuid4())}}

    answer = await cast.eve.post(
        "/jobs/bulk", {"jobs": [good, {"definition_key": "nope"}, {**good, "payload": {}}, good]}
    )

    results = answer.json["results"]
    assert [result["outcome"] for result in results] == ["created", "refused", "refused", "created"]
    assert [result["code"] for result in results] == [None, "unknown_definition", "invalid_payload", None]
    assert (answer.json["created"], answer.json["refused"]) == (2, 2)
    assert (await cast.eve.post("/jobs/bulk", {"jobs": [good] * 1001})).code == "invalid_request"


async def test_a_repeated_request_makes_nothing_twice(site: Site, cast: Cast) -> None:
    definition = await site.define()
    body, key = {"definition_key": definition.key}, {"Idempotency-Key": "order-1"}

    first, again = [await cast.alice.post("/jobs", body, headers=key) for _ in range(2)]
    other = await cast.alice.post("/jobs", {**body, "priority": 1}, headers=key)
    foreign = await cast.charlie.post("/jobs", body, headers=key)

    assert (again.status, again.json) == (first.status, first.json)
    assert (first.headers.get("idempotency-replayed"), again.headers["idempotency-replayed"]) == (None, "true")
    assert (other.status, other.code) == (409, "idempotency_mismatch")
    assert (foreign.status, foreign.json["created"]) == (201, True)
    assert len((await cast.bob.get("/jobs")).json["items"]) == 1


async def test_a_server_that_dies_between_act_and_reply_doubles_nothing(site: Site, cast: Cast) -> None:
    definition = await site.define()
    body, key = {"definition_key": definition.key}, {"Idempotency-Key": "order-2"}
    saved = type(cast.alice)(site.client, cast.alice.key)
    from jobplane.control.replies import Replies

    async def die(*_: object) -> bool:
        raise ConnectionError("killed")

    original, Replies.save = Replies.save, die  # pyright: ignore[reportAttributeAccessIssue]
    try:
        assert (await saved.post("/jobs", body, headers=key)).status == 500
    finally:
        Replies.save = original
    again = await saved.post("/jobs", body, headers=key)

    assert (again.status, again.json["created"]) == (200, False)
    assert len((await cast.bob.get("/jobs")).json["items"]) == 1


async def test_many_at_once_with_one_key_make_one_job(site: Site, cast: Cast) -> None:
    definition = await site.define()
    body, key = {"definition_key": definition.key}, {"Idempotency-Key": "order-3"}

    answers = await asyncio.gather(*[cast.alice.post("/jobs", body, headers=key) for _ in range(8)])

    assert {answer.json["id"] for answer in answers} == {answers[0].json["id"]}
    assert len((await cast.bob.get("/jobs")).json["items"]) == 1


async def test_run_again_takes_another_payload_from_an_admin(site: Site, cast: Cast) -> None:
    definition = await site.define()
    payload = {"password": "hunter2", "n": 1}
    old = (await cast.alice.post("/jobs", {"definition_key": definition.key, "payload": payload})).json
    early = await cast.rita.post(f"/jobs/{old['id']}/run-again")
    await site.end(definition)

    same = await cast.rita.post(f"/jobs/{old['id']}/run-again")
    refused = await cast.rita.post(f"/jobs/{old['id']}/run-again", {"payload": {"n": 2}})
    shown = old["payload"]
    edited = await cast.alice.post(f"/jobs/{old['id']}/run-again", {"payload": {**shown, "n": 2}})

    assert shown == {"password": "***", "n": 1}
    assert (early.status, early.code, early.json["current_status"]) == (409, "illegal_move", "queued")
    assert (same.status, same.json["source_ref"]) == (201, old["id"])
    assert (refused.status, refused.code) == (403, "forbidden")
    stored = (await site.store.get_jobs(cast.a.tenant_id, [UUID(edited.json["id"])]))[0]
    assert stored.payload == {"password": "hunter2", "n": 2}


async def test_edit_and_reschedule_change_a_waiting_job(site: Site, cast: Cast) -> None:
    definition = await site.define(arg_schema=UUID_SCHEMA)
    payload = {"provider_id": str(uuid4())}
    job = (await cast.alice.post("/jobs", {"definition_key": definition.key, "payload": payload})).json

    edited = await cast.alice.patch(f"/jobs/{job['id']}", {"priority": 3, "tags": ["now"]})
    misfit = await cast.alice.patch(f"/jobs/{job['id']}", {"payload": {}})
    later = await cast.rita.post(f"/jobs/{job['id']}/reschedule", {"scheduled_for": "2100-01-01T00:00:00Z"})

    assert (edited.json["priority"], edited.json["tags"]) == (3, ["now"])
    assert (misfit.status, misfit.code) == (422, "invalid_payload")
    assert (later.json["scheduled_for"], later.json["display_state"]) == ("2100-01-01T00:00:00Z", "scheduled")


async def test_a_running_job_is_asked_to_stop(site: Site, cast: Cast) -> None:
    definition = await site.define()
    job = (await cast.alice.post("/jobs", {"definition_key": definition.key})).json
    await site.claim(definition)

    answer = await cast.rita.post(f"/jobs/{job['id']}/cancel", {"reason": "stop it"})

    assert (answer.status, answer.json["status"], answer.json["cancel_reason"]) == (202, "running", "stop it")


async def test_pages_follow_each_other_without_a_gap(site: Site, cast: Cast) -> None:
    definition = await site.define()
    await cast.eve.post("/jobs/bulk", {"jobs": [{"definition_key": definition.key, "tags": ["x"]}] * 25})

    async def walk(voice: Voice, **params: object) -> list[str]:
        found, cursor = list[str](), None
        while True:
            page = (await voice.get("/jobs", limit=10, **params, **({"cursor": cursor} if cursor else {}))).json
            found += [job["id"] for job in page["items"]]
            cursor = page["next_cursor"]
            if cursor is None:
                return found

    everything = await walk(cast.bob)
    assert (len(everything), len(set(everything))) == (25, 25)
    assert await walk(cast.bob, tag="x") == everything
    assert (await cast.bob.get("/jobs", cursor="nonsense")).code == "invalid"
    assert (await cast.bob.get("/jobs", limit=201)).code == "invalid_request"
    assert (await cast.bob.get("/jobs", colour="red")).code == "invalid_request"


async def test_a_super_admin_reads_across_tenants_and_writes_to_one(site: Site, cast: Cast) -> None:
    definition = await site.define()
    body = {"definition_key": definition.key, "tags": [definition.key]}
    ids = [(await voice.post("/jobs", body)).json["id"] for voice in (cast.alice, cast.charlie)]

    seen = (await cast.root.get("/jobs", tag=definition.key)).json["items"]
    one = await cast.root.get(f"/jobs/{ids[1]}")
    blind = await cast.root.post(f"/jobs/{ids[1]}/cancel")
    done = await cast.root.naming(cast.b.slug).post(f"/jobs/{ids[1]}/cancel")
    missing = await cast.root.naming("nobody").get("/jobs")

    assert [job["id"] for job in seen] == ids[::-1]
    assert (one.status, one.json["tenant_id"]) == (200, str(cast.b.tenant_id))
    assert (blind.status, blind.code) == (422, "tenant_required")
    assert (done.status, done.json["status"]) == (200, "canceled")
    assert (missing.status, missing.code) == (404, "tenant_not_found")
    assert (await cast.root.get("/jobs/summary")).json["queued"] >= 1


async def test_static_paths_are_not_taken_for_ids(site: Site, cast: Cast) -> None:
    assert (await cast.bob.get("/jobs/summary")).status == 200
    assert (await cast.bob.get("/jobs/no-uuid")).code == "invalid_request"
    assert (await cast.bob.get("/nothing")).code == "route_not_found"
    assert (await cast.bob.ask("PUT", "/jobs", {})).code == "method_not_allowed"


async def test_secrets_are_masked_wherever_they_are_shown(site: Site, cast: Cast) -> None:
    definition = await site.define(max_attempts=1)
    payload = {"api_key": "k-123", "nested": [{"token": "t-123"}], "note": "Authorization: Bearer abc123"}
    job = (await cast.alice.post("/jobs", {"definition_key": definition.key, "payload": payload})).json
    await site.end(definition, Outcome.FAILED, error="login failed: password=p-123", result={"secret": "s-123"})

    for path in ("", "/attempts", "/result", "/explain"):
        text = (await cast.bob.get(f"/jobs/{job['id']}{path}")).text
        assert not [secret for secret in ("k-123", "t-123", "abc123", "p-123", "s-123") if secret in text], path
    assert "k-123" not in (await cast.bob.get("/jobs")).text


async def test_a_misspelt_name_is_answered_with_the_nearest(site: Site, cast: Cast) -> None:
    await site.define("send-letter", queue="letters")
    body = {"definition_key": "send-leter"}

    enqueued = await cast.alice.post("/jobs", body)
    tried = await cast.alice.post("/jobs", body, params={"dry_run": "true"})
    planned = await cast.alice.post("/schedules", {**body, "label": "late", "cron_expr": "5 * * * *"})
    found = await cast.alice.get("/definitions/send-leter")
    paused = await cast.root.post("/queues/leters/pause")

    for answer in (enqueued, tried, planned, found):
        assert answer.json["detail"] == 'There is no definition "send-leter". Did you mean "send-letter"?'
    assert paused.json["detail"] == 'There is no queue "leters". Did you mean "letters"?'
