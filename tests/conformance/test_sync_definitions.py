"""An app's code brings its definitions, and leaves alone what people have set."""

from __future__ import annotations

from typing import Any

import pytest

from jobplane.core.definitions import SyncedDefinition, code_of, digest_of
from jobplane.core.errors import DefinitionOwned, Invalid, InvalidSchema
from jobplane.core.model import DEFAULT_TENANT, Backoff, Definition, Document, NewJob
from tests.client import Store
from tests.clock import Clock
from tests.conformance.backend import Audit

SEND: Document = {
    "key": "send",
    "kind": "python",
    "origin": "code",
    "description": "Sends a mail.",
    "arg_schema": {"type": "object"},
    "queue": "default",
    "priority": 100,
    "max_attempts": 3,
    "timeout_seconds": 60,
    "backoff": {"base": 1, "factor": 2, "cap": 9, "jitter": 0.5},
    "tags": ["mail"],
}
COUNT: Document = {**SEND, "key": "count", "description": ""}


async def one(store: Store, key: str = "send") -> Definition:
    [found] = await store.definitions([key])
    return found


def said(report: list[SyncedDefinition]) -> dict[str, str]:
    return {each.key: each.outcome for each in report}


async def test_a_new_definition_has_its_app_and_what_the_code_says(store: Store) -> None:
    report = await store.sync_definitions("shop", "1.0", [SEND, COUNT])

    assert report == [SyncedDefinition("count", "created", {}, []), SyncedDefinition("send", "created", {}, [])]
    made = await one(store)
    assert (made.app, made.app_version, made.origin, made.revision) == ("shop", "1.0", "code", 1)
    assert (made.timeout_seconds, made.tags, made.overridden) == (60, ["mail"], [])
    assert made.backoff == Backoff(1, 2, 9, 0.5)
    assert made.code == code_of(SEND)
    assert made.definition_hash == digest_of(code_of(SEND))


async def test_the_same_code_again_changes_nothing(store: Store, clock: Clock) -> None:
    await store.sync_definitions("shop", "1.0", [SEND])
    before = await one(store)
    clock.advance(60)

    report = await store.sync_definitions("shop", "1.0", [dict(sorted(SEND.items()))])

    assert report == [SyncedDefinition("send", "unchanged", {}, [])]
    assert await one(store) == before


async def test_new_code_changes_what_it_says_and_tells_the_difference(store: Store, clock: Clock) -> None:
    await store.sync_definitions("shop", "1.0", [SEND])
    clock.advance(60)

    report = await store.sync_definitions("shop", "1.1", [{**SEND, "timeout_seconds": None, "priority": 5}])

    changes: dict[str, Any] = {"timeout_seconds": {"from": 60, "to": None}, "priority": {"from": 100, "to": 5}}
    assert report == [SyncedDefinition("send", "changed", changes, [])]
    after = await one(store)
    assert (after.timeout_seconds, after.priority, after.revision, after.updated_at) == (None, 5, 2, clock.now())
    assert after.app_version == "1.1"


async def test_what_a_person_has_set_survives_a_restart(store: Store) -> None:
    await store.sync_definitions("shop", "1.0", [SEND])
    await store.change_definition("send", {"timeout_seconds": 7, "max_running": 2, "backoff": {"cap": 30}})

    report = await store.sync_definitions("shop", "1.0", [{**SEND, "description": "Sends mails."}])

    assert [(each.outcome, [*each.changes], each.left_alone) for each in report] == [
        ("changed", ["description"], ["backoff", "timeout_seconds"])
    ]
    after = await one(store)
    assert (after.timeout_seconds, after.max_running, after.backoff.cap) == (7, 2, 30)
    assert after.overridden == ["backoff", "max_running", "timeout_seconds"]
    assert after.code == {**code_of(SEND), "description": "Sends mails."}


async def test_what_a_person_has_put_survives_a_restart(store: Store) -> None:
    await store.sync_definitions("", "", [SEND])
    await store.put_definitions([{"key": "send", "priority": 1, "kind": "python"}], by_person=True)

    await store.sync_definitions("", "", [SEND])
    await store.put_definitions([SEND])

    assert ((await one(store)).priority, (await one(store)).overridden) == (1, ["priority"])


async def test_a_put_of_a_worker_overrides_nothing(store: Store) -> None:
    await store.sync_definitions("", "", [SEND])
    await store.put_definitions([{"key": "send", "priority": 1}])
    assert ((await one(store)).priority, (await one(store)).overridden) == (1, [])

    await store.sync_definitions("", "", [SEND])

    assert (await one(store)).priority == 100


async def test_force_clears_what_people_have_set(store: Store) -> None:
    await store.sync_definitions("shop", "1.0", [SEND])
    changes: Document = {"timeout_seconds": 7, "max_running": 2, "active": False, "metadata": {"a": 1}}
    await store.change_definition("send", changes)

    [report] = await store.sync_definitions("shop", "1.0", [SEND], force=True)

    after = await one(store)
    assert (after.timeout_seconds, after.max_running, after.active, after.metadata) == (60, None, True, {})
    assert (after.overridden, report.outcome, report.left_alone) == ([], "changed", [])
    assert report.changes["overridden"] == {
        "from": ["active", "max_running", "metadata", "timeout_seconds"],
        "to": [],
    }


async def test_what_the_code_no_longer_says_gets_its_default(store: Store) -> None:
    await store.sync_definitions("shop", "1.0", [{**SEND, "max_running": 3, "retention_days": 4}])
    await store.change_definition("send", {"retention_days": 9})

    await store.sync_definitions("shop", "1.1", [SEND])

    assert ((await one(store)).max_running, (await one(store)).retention_days) == (None, 9)


@pytest.mark.parametrize(
    ("has", "comes", "is_older"),
    [
        ("1.10", "1.9", True),
        ("1.9", "1.10", False),
        ("2.0", "2.0rc1", True),
        ("2.0", "2.0.post1", False),
        ("2.0", "2.0.0", False),
        ("2.0", "v2", False),
        ("2.0", "", False),
        ("1!1.0", "2.0", True),
        ("2026-02", "2026-01", True),
        ("main-b", "main-a", True),
        ("main-a", "main-b", False),
        ("main-a", "1.0", True),
    ],
)
async def test_an_older_version_changes_nothing(store: Store, has: str, comes: str, is_older: bool) -> None:
    await store.sync_definitions("shop", has, [SEND])
    before = await one(store)

    report = await store.sync_definitions("shop", comes, [{**SEND, "priority": 5}, COUNT])

    assert said(report) == ({"send": "kept", "count": "kept"} if is_older else {"send": "changed", "count": "created"})
    if is_older:
        assert await store.definitions() == [before]
    else:
        assert (await one(store)).app_version == (comes or has)


async def test_an_older_version_of_an_app_without_a_name_changes_nothing(store: Store) -> None:
    await store.sync_definitions("", "2", [SEND])

    assert said(await store.sync_definitions("", "1", [{**SEND, "priority": 5}, COUNT])) == {
        "send": "kept",
        "count": "created",
    }


async def test_what_disappears_from_the_code_is_switched_off_and_comes_back(store: Store) -> None:
    await store.sync_definitions("shop", "1.0", [SEND, COUNT])

    report = await store.sync_definitions("shop", "1.1", [COUNT])

    assert said(report) == {"count": "unchanged", "send": "deleted_from_code"}
    gone = await one(store)
    assert (gone.deleted_from_code, gone.active, gone.overridden, gone.revision) == (True, False, [], 2)
    assert [each.error_code for each in await store.enqueue(DEFAULT_TENANT, [NewJob(definition="send")])] == [
        "definition_inactive"
    ]
    assert said(await store.sync_definitions("shop", "1.1", [COUNT])) == {"count": "unchanged"}

    assert said(await store.sync_definitions("shop", "1.2", [SEND, COUNT])) == {
        "count": "unchanged",
        "send": "restored",
    }
    back = await one(store)
    assert (back.deleted_from_code, back.active) == (False, True)


async def test_what_waited_runs_when_it_comes_back(store: Store) -> None:
    await store.sync_definitions("shop", "1.0", [SEND])
    await store.enqueue(DEFAULT_TENANT, [NewJob(definition="send")])
    await store.sync_definitions("shop", "1.0", [])
    assert (await store.claim("default", "w")).leases == []

    await store.sync_definitions("shop", "1.0", [SEND])

    assert len((await store.claim("default", "w")).leases) == 1
    assert await store.reap() == 0


async def test_what_a_person_disabled_stays_so_when_it_comes_back(store: Store) -> None:
    await store.sync_definitions("shop", "1.0", [SEND, COUNT])
    await store.change_definition("send", {"active": False})
    await store.change_definition("count", {"active": False})
    await store.change_definition("count", {"active": True})
    await store.sync_definitions("shop", "1.0", [])

    await store.sync_definitions("shop", "1.0", [SEND, COUNT])

    assert ((await one(store)).active, (await one(store)).overridden) == (False, ["active"])
    assert ((await one(store, "count")).active, (await one(store, "count")).overridden) == (True, [])


async def test_a_part_of_the_code_switches_nothing_off(store: Store) -> None:
    await store.sync_definitions("shop", "1.0", [SEND, COUNT])

    assert said(await store.sync_definitions("shop", "1.1", [COUNT], whole=False)) == {"count": "unchanged"}

    assert (await one(store)).active


async def test_an_app_without_a_name_switches_nothing_off(store: Store) -> None:
    await store.sync_definitions("", "1.0", [SEND, COUNT])

    assert said(await store.sync_definitions("", "1.1", [COUNT])) == {"count": "unchanged"}

    assert (await one(store)).active


async def test_an_app_touches_only_its_own(store: Store) -> None:
    await store.sync_definitions("shop", "9", [SEND])
    await store.sync_definitions("bank", "1", [COUNT])

    with pytest.raises(DefinitionOwned, match='"send" belongs to app "shop"') as caught:
        await store.sync_definitions("bank", "2", [COUNT, {**SEND, "priority": 5}])

    assert (caught.value.facts["key"], caught.value.facts["app"]) == ("send", "shop")
    assert ((await one(store)).priority, (await one(store, "count")).app_version) == (100, "1")
    assert (await one(store)).active


async def test_force_takes_a_definition_of_another_app(store: Store) -> None:
    await store.sync_definitions("shop", "9", [SEND])

    [report] = await store.sync_definitions("bank", "1", [SEND], force=True)

    assert (report.outcome, report.changes) == ("changed", {"app": {"from": "shop", "to": "bank"}})
    assert ((await one(store)).app, (await one(store)).app_version) == ("bank", "1")
    assert said(await store.sync_definitions("shop", "9", [])) == {}


async def test_an_app_takes_what_has_none_and_an_app_without_a_name_leaves_it(store: Store) -> None:
    await store.sync_definitions("", "", [SEND])

    assert said(await store.sync_definitions("shop", "1", [SEND])) == {"send": "changed"}
    assert said(await store.sync_definitions("", "", [{**SEND, "priority": 5}])) == {"send": "kept"}

    assert ((await one(store)).app, (await one(store)).priority) == ("shop", 100)


async def test_code_takes_what_a_person_has_made(store: Store) -> None:
    made = await store.create_definition({"key": "send", "priority": 5, "max_running": 2})

    [report] = await store.sync_definitions("shop", "1", [SEND])

    after = await one(store)
    assert (report.outcome, report.changes["origin"]) == ("changed", {"from": "db", "to": "code"})
    assert (after.id, after.origin, after.kind, after.priority, after.max_running) == (
        made.id,
        "code",
        "python",
        100,
        2,
    )


async def test_a_dry_run_writes_nothing(store: Store, audit: Audit) -> None:
    await store.sync_definitions("shop", "1", [SEND])
    before = await store.definitions()
    rows = audit.look("select count(*) from jobplane.audit_log")

    report = await store.sync_definitions("shop", "2", [COUNT], dry_run=True)

    assert said(report) == {"count": "created", "send": "deleted_from_code"}
    assert await store.definitions() == before
    assert audit.look("select count(*) from jobplane.audit_log") == rows


async def test_a_dry_run_refuses_what_a_sync_refuses(store: Store) -> None:
    with pytest.raises(Invalid):
        await store.sync_definitions("shop", "2", [{**SEND, "queue": "No Queue"}], dry_run=True)


async def test_a_queue_that_the_code_names_is_made(store: Store) -> None:
    await store.sync_definitions("shop", "2", [{**SEND, "queue": "other"}], dry_run=True)
    assert "other" not in [queue.name for queue in await store.queues()]

    await store.sync_definitions("shop", "2", [{**SEND, "queue": "other"}])

    assert (await one(store)).queue == "other"


@pytest.mark.parametrize("bad", [{"priority": 5000}, {"colour": "red"}, {"key": "a b"}, {"metadata": []}])
async def test_one_bad_document_refuses_the_whole_sync(store: Store, bad: Document) -> None:
    with pytest.raises(Invalid):
        await store.sync_definitions("shop", "1", [SEND, {**COUNT, **bad}])

    assert await store.definitions() == []


async def test_a_schema_that_cannot_judge_is_refused(store: Store) -> None:
    with pytest.raises(InvalidSchema):
        await store.sync_definitions("shop", "1", [{**SEND, "arg_schema": {"type": "colour"}}])


@pytest.mark.parametrize(("app", "version"), [("a" * 201, ""), ("", "1" * 201)])
async def test_the_names_of_apps_and_versions_have_bounds(store: Store, app: str, version: str) -> None:
    with pytest.raises(Invalid):
        await store.sync_definitions(app, version, [SEND])


async def test_a_new_version_is_one_row_of_the_audit_log(store: Store, audit: Audit) -> None:
    await store.sync_definitions("shop", "1", [SEND, COUNT])
    await store.sync_definitions("shop", "1", [{**SEND, "priority": 5}, COUNT])
    await store.sync_definitions("shop", "2", [SEND])
    await store.sync_definitions("", "2", [{**SEND, "key": "other"}])

    rows = audit.look("select action, target_count from jobplane.audit_log order by audit_id")

    assert rows == [("syncDefinitions", 2), ("syncDefinitions", 1)]
