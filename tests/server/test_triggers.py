"""Triggers and schedules over REST: one resource under two paths, with the examples of both designs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import uuid4

import pytest

from jobplane.core.triggers import Action, Decision, TriggerFilter
from tests.server.site import Answer, Cast, Site, Voice

TRIGGERS: Final = "/jobs/triggers"
# The schedule of the first design, as it stands there.
NIGHTLY: Final[dict[str, Any]] = {
    "label": "Nightly provider sync",
    "trigger_type": "schedule",
    "cron_expr": "0 2 * * *",
    "timezone": "America/New_York",
    "definition_key": "sync-dropbox",
    "payload_template": {"path_prefix": "/"},
}
EVENT: Final[dict[str, Any]] = {
    "label": "Resync on folder change",
    "trigger_type": "event",
    "event_name": "provider.folder.updated",
    "definition_key": "sync-dropbox",
    "payload_template": {"provider_id": "{{event.provider_id}}", "path_prefix": "{{event.folder_path}}"},
    "dedupe_window_seconds": 120,
}


async def hourly(site: Site, voice: Voice, **values: Any) -> dict[str, Any]:
    """A new schedule with a definition of its own."""
    key = values.pop("definition_key", None) or (await site.define()).key
    answer = await voice.post(
        "/schedules", {"label": "hourly", "cron_expr": "5 * * * *", "definition_key": key, **values}
    )
    assert answer.status == 201, answer.text
    return answer.json


def faults(answer: Answer) -> tuple[int, str | None, str | None]:
    """Status, code, and where the first fault is."""
    found: list[dict[str, str]] = answer.json.get("errors") or [{}]
    return answer.status, answer.code, found[0].get("pointer")


async def test_post_triggers_takes_the_schedule_of_the_design(site: Site, cast: Cast) -> None:
    await site.define("sync-dropbox")

    made = await cast.alice.post(TRIGGERS, NIGHTLY)

    assert made.status == 201
    assert {name: made.json[name] for name in NIGHTLY} == NIGHTLY
    assert (made.json["is_enabled"], made.json["dedupe_window_seconds"], made.json["warnings"]) == (True, 300, [])
    assert made.json["tenant_id"] == str(cast.a.tenant_id)
    assert made.json["created_by"]["type"] == "key"
    following = datetime.fromisoformat(made.json["next_run_at"])
    assert (following.hour, following.minute) in ((6, 0), (7, 0))  # 02:00 in New York
    assert "02:00" in made.json["words"] or "2:00" in made.json["words"]
    assert made.headers["etag"] == '"1"'


async def test_the_event_of_the_design_is_refused_with_a_sentence(site: Site, cast: Cast) -> None:
    await site.define("sync-dropbox")

    refused = await cast.alice.post(TRIGGERS, EVENT)

    assert faults(refused) == (422, "invalid", "/trigger_type")
    assert refused.json["detail"] == 'Event triggers are not supported yet. Use trigger_type "schedule".'


async def test_a_trigger_is_listed_read_by_id_and_by_key_under_both_paths(site: Site, cast: Cast) -> None:
    first = await hourly(site, cast.alice, key="first")
    second = await hourly(site, cast.alice, timezone="Europe/Berlin")

    for path in (TRIGGERS, "/schedules"):
        listed = (await cast.bob.get(path)).json
        assert [each["id"] for each in listed["items"]] == [second["id"], first["id"]]
        assert listed["next_cursor"] is None
        by_id, by_key = await cast.bob.get(f"{path}/{first['id']}"), await cast.bob.get(f"{path}/first")
        assert by_id.json == by_key.json == first
        assert by_id.headers["etag"] == '"1"'
    assert (first["timezone"], first["effective_timezone"]) == (None, "UTC")
    assert (second["timezone"], second["effective_timezone"]) == ("Europe/Berlin", "Europe/Berlin")


async def test_lists_go_on_with_a_cursor_and_are_not_sent_again_while_nothing_changes(site: Site, cast: Cast) -> None:
    made = [(await hourly(site, cast.alice))["id"] for _ in range(3)]

    page = await cast.bob.get("/schedules", limit=2)
    rest = await cast.bob.get("/schedules", limit=2, cursor=page.json["next_cursor"])
    same = await cast.bob.ask("GET", "/schedules?limit=2", headers={"If-None-Match": page.headers["etag"]})

    assert [each["id"] for each in (*page.json["items"], *rest.json["items"])] == made[::-1]
    assert "cursor=" in page.headers["link"]
    assert rest.json["next_cursor"] is None
    assert same.status == 304
    assert faults(await cast.bob.get("/schedules", cursor="nonsense")) == (422, "invalid", "query cursor")


async def test_a_change_of_the_cron_expression_computes_the_next_run_again(site: Site, cast: Cast) -> None:
    made = await hourly(site, cast.alice, priority=7)

    changed = await cast.alice.patch(f"{TRIGGERS}/{made['id']}", {"cron_expr": "35 * * * *", "label": "later"})

    assert changed.status == 200
    assert (changed.json["cron_expr"], changed.json["label"], changed.json["priority"]) == ("35 * * * *", "later", 7)
    assert datetime.fromisoformat(changed.json["next_run_at"]).minute == 35
    assert (changed.json["version"], changed.headers["etag"]) == (2, '"2"')


async def test_a_change_takes_away_what_is_null_and_keeps_the_rest(site: Site, cast: Cast) -> None:
    made = await hourly(site, cast.alice, timezone="Asia/Tokyo", payload_template={"a": 1, "b": {"c": 2, "d": 3}})

    changed = await cast.alice.patch(
        f"/schedules/{made['id']}", {"timezone": None, "payload_template": {"b": {"c": None}, "e": 4}}
    )
    cleared = await cast.alice.patch(f"/schedules/{made['id']}", {"label": None})
    other_kind = await cast.alice.patch(f"/schedules/{made['id']}", {"cron_expr": None, "interval_seconds": 900})

    assert (changed.json["timezone"], changed.json["payload_template"]) == (None, {"a": 1, "b": {"d": 3}, "e": 4})
    assert faults(cleared)[0] == 422
    assert (other_kind.json["cron_expr"], other_kind.json["interval_seconds"]) == (None, 900)


async def test_nobody_overwrites_what_they_have_not_seen(site: Site, cast: Cast) -> None:
    made = await hourly(site, cast.alice)
    path = f"/schedules/{made['id']}"
    seen = {"If-Match": '"1"'}

    first = await cast.alice.patch(path, {"label": "mine"}, headers=seen)
    second = await cast.alice.patch(path, {"label": "yours"}, headers=seen)
    deleted = await cast.alice.ask("DELETE", path, headers=seen)
    odd = await cast.alice.patch(path, {"label": "odd"}, headers={"If-Match": "one"})

    assert (first.status, first.headers["etag"]) == (200, '"2"')
    assert (second.status, second.code, second.json["revision"]) == (412, "revision_mismatch", 2)
    assert (deleted.status, deleted.code) == (412, "revision_mismatch")
    assert faults(odd) == (422, "invalid", "header If-Match")
    assert (await cast.bob.get(path)).json["label"] == "mine"


async def test_enable_and_disable(site: Site, cast: Cast) -> None:
    made = await hourly(site, cast.alice)
    path = f"/schedules/{made['id']}"

    off = await cast.alice.post(f"{path}/disable", {"reason": "holiday"})
    again = await cast.alice.post(f"{path}/disable")
    on = await cast.alice.post(f"{path}/enable")
    patched = await cast.alice.patch(path, {"is_enabled": False})
    back = await cast.alice.patch(path, {"is_enabled": True})

    assert (off.status, off.json["is_enabled"], off.json["next_run_at"]) == (200, False, None)
    assert (off.json["disabled_reason"], again.status) == ("holiday", 200)
    assert (on.json["is_enabled"], on.json["disabled_reason"]) == (True, None)
    assert on.json["next_run_at"] == made["next_run_at"]
    assert (patched.json["next_run_at"], back.json["next_run_at"]) == (None, made["next_run_at"])


async def test_a_deleted_trigger_is_gone_and_its_jobs_stay(site: Site, cast: Cast) -> None:
    made = await hourly(site, cast.alice)
    path = f"{TRIGGERS}/{made['id']}"
    job = (await cast.alice.post(f"/schedules/{made['id']}/fire")).json["job_id"]

    assert (await cast.alice.delete(path)).status == 204
    assert (await cast.alice.delete(path)).code == "trigger_not_found"
    assert (await cast.alice.get(path)).status == 404
    assert (await cast.alice.get(f"/jobs/{job}")).json["trigger_id"] == made["id"]


@pytest.mark.parametrize(
    ("wrong", "code", "pointer"),
    [
        ({"cron_expr": "61 * * * *"}, "invalid_timetable", "/cron_expr"),
        ({"cron_expr": "0 0 30 2 *"}, "invalid_timetable", "/cron_expr"),
        ({"timezone": "Mars/Olympus"}, "invalid_timetable", "/timezone"),
        ({"payload_template": {"a": ["{{ nothing.here }}"]}}, "invalid_template", "/payload_template/a/0"),
        ({"payload_template": {"a": "{{ schedule."}}, "invalid_template", "/payload_template/a"),
        ({"ends_at": "2001-01-01T00:00:00Z"}, "invalid_timetable", "/ends_at"),
        ({"starts_at": "0001-01-01T00:00:00Z"}, "invalid_timetable", "/starts_at"),
        ({"starts_at": "2030-01-01T00:00:00"}, "invalid_request", "/starts_at"),
        ({"interval_seconds": 60}, "invalid_timetable", None),
        ({"cron_expr": None}, "invalid_timetable", None),
        ({"definition_key": "never-defined"}, "unknown_definition", None),
        ({"queue": "never-made"}, "unknown_queue", None),
        ({"label": ""}, "invalid_request", "/label"),
        ({"overlap": "sometimes"}, "invalid_request", "/overlap"),
        ({"missed": "some"}, "invalid_request", "/missed"),
        ({"interval_seconds": 0}, "invalid_request", "/interval_seconds"),
        ({"is_enabled": "maybe"}, "invalid_request", "/is_enabled"),
        ({"trigger_type": "moon"}, "invalid_request", "/trigger_type"),
        ({"colour": "red"}, "invalid_request", "/colour"),
    ],
    ids=str,
)
async def test_what_cannot_be_is_refused_with_its_place(
    site: Site, cast: Cast, wrong: dict[str, Any], code: str, pointer: str | None
) -> None:
    definition = await site.define()
    body = {"label": "x", "cron_expr": "5 * * * *", "definition_key": definition.key}

    refused = await cast.alice.post("/schedules", {**body, **wrong})

    assert faults(refused) == (422, code, pointer)
    assert refused.json["detail"].endswith(".")
    assert (await cast.alice.get("/schedules")).json["items"] == []


async def test_a_key_is_taken_once_in_a_tenant(site: Site, cast: Cast) -> None:
    made = await hourly(site, cast.alice, key="nightly")
    other = await hourly(site, cast.alice)
    body = {"label": "x", "cron_expr": "5 * * * *", "definition_key": made["definition_key"], "key": "nightly"}

    assert faults(await cast.alice.post(TRIGGERS, body))[:2] == (409, "already_exists")
    assert faults(await cast.alice.patch(f"{TRIGGERS}/{other['id']}", {"key": "nightly"}))[:2] == (
        409,
        "already_exists",
    )
    assert (await cast.charlie.post(TRIGGERS, body)).status == 201


async def test_what_would_keep_jobs_from_being_made_is_a_warning(site: Site, cast: Cast) -> None:
    strict = await site.define(arg_schema={"type": "object", "required": ["path"]})

    made = await hourly(site, cast.alice, definition_key=strict.key)
    mended = await cast.alice.patch(f"/schedules/{made['id']}", {"payload_template": {"path": "{{ tenant.slug }}"}})

    assert strict.key in made["warnings"][0]
    assert mended.json["warnings"] == []
    fired = await cast.alice.post(f"/schedules/{made['id']}/fire")
    assert (await cast.alice.get(f"/jobs/{fired.json['job_id']}")).json["payload"] == {"path": cast.a.slug}


async def test_a_timetable_that_is_typed_is_shown_in_words_with_its_next_times(site: Site, cast: Cast) -> None:
    shown = await cast.bob.get("/schedules/preview", cron_expr="0 2 * * *", timezone="America/New_York", count=3)
    interval = await cast.bob.get("/schedules/preview", interval_seconds=900)
    wrong = await cast.bob.get("/schedules/preview", cron_expr="a b c d e")
    neither = await cast.bob.get("/schedules/preview")

    assert (shown.status, shown.json["timezone"], len(shown.json["times"])) == (200, "America/New_York", 3)
    assert {each["local"][11:16] for each in shown.json["times"]} <= {"02:00", "03:00"}
    assert len(interval.json["times"]) == 5
    assert faults(wrong) == (422, "invalid_timetable", "/cron_expr")
    assert (neither.status, neither.code) == (422, "invalid_timetable")


async def test_a_simulation_says_what_a_year_would_have_been(site: Site, cast: Cast) -> None:
    window = {"start": "2025-01-01T05:00:00Z", "until": "2026-01-01T05:00:00Z"}
    typed = await cast.bob.get("/schedules/simulate", cron_expr="30 2 * * *", timezone="America/New_York", **window)
    backwards = await cast.bob.get(
        "/schedules/simulate", cron_expr="@daily", start=window["until"], until=window["start"]
    )
    early = await cast.bob.get("/schedules/simulate", cron_expr="@daily", until="0001-01-01T00:00:00Z")

    assert (typed.json["count"], typed.json["detail"]) == (
        365,
        "Would have fired 365 times, once at an odd hour, because of a clock change.",
    )
    assert [day["day"] for day in typed.json["dst_days"]] == ["2025-03-09", "2025-11-02"]
    assert faults(backwards) == (422, "invalid", "/until")
    assert faults(early) == (422, "invalid", "/until")


async def test_a_stored_schedule_is_previewed_and_simulated(site: Site, cast: Cast) -> None:
    made = await hourly(site, cast.alice, key="k")
    await cast.alice.post("/schedules/k/disable")

    shown = await cast.bob.get(f"/schedules/{made['id']}/preview", count=2)
    told = await cast.bob.get("/schedules/k/simulate")

    assert shown.json["times"][0]["at"] == made["next_run_at"]
    assert len(shown.json["times"]) == 2
    assert 8759 <= told.json["count"] <= 8761


async def test_a_schedule_fires_now_and_the_job_says_why(site: Site, cast: Cast) -> None:
    made = await hourly(site, cast.alice, payload_template={"label": "{{ trigger.label }}"}, priority=3)
    path = f"/schedules/{made['id']}"

    fired = await cast.alice.post(f"{path}/fire")
    job = (await cast.alice.get(f"/jobs/{fired.json['job_id']}")).json
    [fire] = (await cast.bob.get(f"{path}/fires")).json["items"]

    assert (fired.status, fired.json["outcome"]) == (201, "fired")
    assert (job["payload"], job["priority"], job["trigger_id"]) == ({"label": "hourly"}, 3, made["id"])
    assert (job["planned_at"], job["triggered_by"]["type"]) == (fired.json["planned_at"], "key")
    assert (fire["job_id"], fire["kind"], fire["status"]) == (job["id"], "manual", "queued")


async def test_a_fire_that_the_definition_refuses_is_an_error_with_its_reason(site: Site, cast: Cast) -> None:
    strict = await site.define(arg_schema={"type": "object", "required": ["path"]})
    made = await hourly(site, cast.alice, definition_key=strict.key)

    refused = await cast.alice.post(f"/schedules/{made['id']}/fire")

    assert (refused.status, refused.code) == (422, "invalid_payload")


async def test_a_backfill_makes_each_missing_job_once(site: Site, cast: Cast) -> None:
    made = await hourly(site, cast.alice)
    path = f"/schedules/{made['id']}/backfill"
    until = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    window = {"start": (until - timedelta(hours=3)).isoformat(), "until": until.isoformat()}

    dry = await cast.alice.post(path, {**window, "dry_run": True})
    none = (await cast.alice.get("/jobs")).json["items"]
    real = await cast.alice.post(path, window)
    again = await cast.alice.post(path, window)
    told = await cast.alice.post(path, {**window, "dry_run": True})

    assert (dry.status, dry.json["fired"], dry.json["dry_run"], none) == (200, 3, True, [])
    assert (real.json["fired"], real.json["dry_run"]) == (3, False)
    assert [each["outcome"] for each in again.json["items"]] == ["existing"] * 3
    assert [each["job_id"] for each in told.json["items"]] == [each["job_id"] for each in real.json["items"]]
    jobs = (await cast.alice.get("/jobs")).json["items"]
    assert {job["planned_at"] for job in jobs} == {each["planned_at"] for each in dry.json["items"]}
    page = (await cast.bob.get(f"/schedules/{made['id']}/fires", limit=2)).json
    rest = (await cast.bob.get(f"/schedules/{made['id']}/fires", limit=2, cursor=page["next_cursor"])).json
    assert [fire["planned_at"] for fire in (*page["items"], *rest["items"])] == [
        each["planned_at"] for each in dry.json["items"]
    ][::-1]
    assert rest["next_cursor"] is None


async def test_a_backfill_has_bounds(site: Site, cast: Cast) -> None:
    made = await hourly(site, cast.alice)
    path, now = f"/schedules/{made['id']}/backfill", datetime.now(UTC)

    def ago(days: float) -> str:
        return (now - timedelta(days=days)).isoformat()

    assert faults(await cast.alice.post(path, {"start": ago(401), "until": ago(400)})) == (422, "invalid", "/start")
    assert faults(await cast.alice.post(path, {"start": ago(60), "until": ago(1)})) == (422, "invalid", "/until")
    assert faults(await cast.alice.post(path, {"start": ago(1), "until": ago(2)})) == (422, "invalid", "/until")
    assert faults(await cast.alice.post(path, {"start": ago(1)})) == (422, "invalid_request", "/until")


async def test_lists_are_narrowed(site: Site, cast: Cast) -> None:
    one, two = await hourly(site, cast.alice), await hourly(site, cast.alice, is_enabled=False)
    soon = (datetime.now(UTC) - timedelta(minutes=5)).isoformat()
    late = await hourly(site, cast.alice, cron_expr=None, once=True, starts_at=soon)

    async def found(**params: object) -> list[str]:
        return [each["id"] for each in (await cast.bob.get("/schedules", **params)).json["items"]]

    assert await found(is_enabled="true") == [late["id"], one["id"]]
    assert await found(is_enabled="false") == [two["id"]]
    assert await found(definition_key=two["definition_key"]) == [two["id"]]
    assert await found(late="true") == [late["id"]]
    assert await found(late="true", late_seconds=3600) == []
    assert faults(await cast.bob.get("/schedules", late="maybe"))[:2] == (422, "invalid_request")
    assert faults(await cast.bob.get("/schedules", late="true", late_seconds="nan"))[:2] == (422, "invalid_request")


async def test_fires_are_narrowed_by_their_outcome(site: Site, cast: Cast) -> None:
    soon = (datetime.now(UTC) - timedelta(seconds=5)).isoformat()
    made = await hourly(site, cast.alice, cron_expr=None, once=True, starts_at=soon)
    [trigger] = (await site.store.list_triggers(cast.a.tenant_id, TriggerFilter(keys=None))).items
    refusal = Decision(
        trigger, Action.REFUSE, planned_at=trigger.next_run_at, reason="template_refused: password=hunter2", over="done"
    )
    await site.store.fire([refusal], "2026.1", "scheduler-1")
    path = f"/schedules/{made['id']}"
    await cast.alice.post(f"{path}/fire")

    refused = (await cast.bob.get(f"{path}/fires", outcome="refused")).json["items"]
    both = (await cast.bob.get(f"{path}/fires", outcome=["refused", "fired"])).json["items"]

    assert [(fire["outcome"], fire["reason"]) for fire in refused] == [("refused", "template_refused: password=***")]
    assert len(both) == 2
    assert (await cast.bob.get(f"{path}/fires", outcome="odd")).status == 422
    shown = (await cast.bob.get(path)).json
    assert (shown["is_enabled"], shown["disabled_reason"]) == (False, "done")


async def test_secrets_of_a_template_are_masked_and_a_mask_sent_back_keeps_them(site: Site, cast: Cast) -> None:
    template = {"api_key": "hunter2", "url": "https://user:pass@host/", "n": 1}
    made = await hourly(site, cast.alice, payload_template=template)
    path = f"/schedules/{made['id']}"

    shown = made["payload_template"]
    changed = await cast.alice.patch(path, {"payload_template": {**shown, "n": 2}})
    fired = await cast.alice.post(f"{path}/fire")

    assert shown == {"api_key": "***", "url": "https://user:***@host/", "n": 1}
    assert changed.json["payload_template"] == {**shown, "n": 2}
    for answer in (changed, await cast.bob.get(path), await cast.bob.get("/schedules"), fired):
        assert "hunter2" not in answer.text
    job = await site.store.list_jobs(cast.a.tenant_id)
    assert job.items[0].payload == {**template, "n": 2}


async def test_a_super_admin_sees_all_tenants_and_names_one_to_change(site: Site, cast: Cast) -> None:
    hers = await hourly(site, cast.alice, key="same")
    his = await hourly(site, cast.charlie, key="same")
    path = f"/schedules/{hers['id']}"

    everything = (await cast.root.get("/schedules", limit=200)).json["items"]
    one = (await cast.root.naming(cast.a.slug).get("/schedules")).json["items"]
    changed = await cast.root.naming(cast.a.slug).patch(path, {"label": "by root"})

    assert {hers["id"], his["id"]} <= {each["id"] for each in everything}
    assert [each["id"] for each in one] == [hers["id"]]
    assert (await cast.root.get(path)).json["id"] == hers["id"]
    assert (await cast.root.get(f"{path}/fires")).status == (await cast.root.get(f"{path}/preview")).status == 200
    assert (await cast.root.get("/schedules/same")).code == "invalid"
    assert (await cast.root.naming(cast.b.slug).get("/schedules/same")).json["id"] == his["id"]
    assert (await cast.root.naming(cast.b.slug).get(path)).code == "trigger_not_found"
    assert (await cast.root.patch(path, {"label": "x"})).code == "tenant_required"
    assert changed.json["label"] == "by root"


async def test_a_viewer_reads_and_changes_nothing(site: Site, cast: Cast) -> None:
    made = await hourly(site, cast.alice)
    path = f"/schedules/{made['id']}"
    gone = f"/schedules/{uuid4()}"

    assert {(await cast.bob.get(f"{path}{end}")).status for end in ("", "/fires", "/preview", "/simulate")} == {200}
    for place in (path, gone):  # the role is judged first
        for answer in (
            await cast.bob.patch(place, {"label": "x"}),
            await cast.bob.delete(place),
            await cast.bob.post(f"{place}/enable"),
            await cast.bob.post(f"{place}/disable"),
            await cast.rita.post(f"{place}/fire"),
            await cast.bob.post(
                f"{place}/backfill", {"start": "2026-01-01T00:00:00Z", "until": "2026-01-02T00:00:00Z"}
            ),
        ):
            assert (answer.status, answer.code, answer.json["least_role"]) == (403, "forbidden", "tenant_admin")
    assert (await cast.eve.get(path)).code == "forbidden"


async def test_charlie_finds_nothing_of_alices(site: Site, cast: Cast) -> None:
    made = await hourly(site, cast.alice, key="hers")

    for name in (made["id"], "hers"):
        path = f"/schedules/{name}"
        for answer in (
            await cast.charlie.get(path),
            await cast.charlie.get(f"{path}/fires"),
            await cast.charlie.get(f"{path}/preview"),
            await cast.charlie.patch(path, {"label": "mine"}),
            await cast.charlie.post(f"{path}/fire"),
            await cast.charlie.delete(path),
        ):
            assert (answer.status, answer.code) == (404, "trigger_not_found")
    assert (await cast.charlie.get("/schedules")).json["items"] == []
    assert (await cast.charlie.get("/schedules", cursor=made["id"])).json["items"] == []


async def test_a_narrowed_key_has_nothing_to_do_with_triggers(site: Site, cast: Cast) -> None:
    made = await hourly(site, cast.alice)
    key = (await cast.alice.post("/keys", {"role": "tenant_admin", "owner_user_id": "u-1"})).json["key"]
    narrow = Voice(site.client, key)

    for path in ("/schedules", f"/schedules/{made['id']}", f"/schedules/{made['id']}/fires"):
        assert (await narrow.get(path)).code == "forbidden"
    assert (await narrow.post(f"/schedules/{made['id']}/fire")).code == "forbidden"


async def test_a_definition_that_a_trigger_names_is_in_use(site: Site, cast: Cast) -> None:
    key = f"by-hand-{cast.a.slug}"
    await site.plane.definitions.create({"key": key})
    await hourly(site, cast.alice, definition_key=key)

    refused = await cast.root.delete(f"/admin/jobs/definitions/{key}")

    assert (refused.status, refused.code, refused.json["used_by"]) == (409, "definition_in_use", "triggers")


async def test_the_jobs_of_a_trigger_are_listed(site: Site, cast: Cast) -> None:
    one = await hourly(site, cast.alice)
    two = await hourly(site, cast.alice, definition_key=one["definition_key"])
    jobs = [(await cast.alice.post(f"/schedules/{each['id']}/fire")).json["job_id"] for each in (one, two, one)]

    async def found(voice: Voice, **params: object) -> list[str]:
        return [job["id"] for job in (await voice.get("/jobs", **params)).json["items"]]

    assert await found(cast.bob, trigger_id=one["id"]) == [jobs[2], jobs[0]]
    assert await found(cast.root, trigger_id=one["id"]) == [jobs[2], jobs[0]]
    assert await found(cast.bob, trigger_id=one["id"], status="succeeded") == []
    assert (await cast.bob.get("/jobs", trigger_id=two["id"], include="total")).json["total"] == 1
    assert await found(cast.charlie, trigger_id=one["id"]) == []
    assert faults(await cast.bob.get("/jobs", trigger_id="nightly"))[:2] == (422, "invalid_request")
