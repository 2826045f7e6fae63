"""What people make, change and delete by hand."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest

from jobplane.core.definitions import DEFAULTS
from jobplane.core.errors import (
    AlreadyExists,
    DefinitionInUse,
    DefinitionNotFound,
    Invalid,
    InvalidSchema,
    RevisionMismatch,
    UnknownQueue,
)
from jobplane.core.model import DEFAULT_TENANT, Backoff, Document, JobFilter, Json, NewJob
from tests.client import Store
from tests.clock import Clock
from tests.conformance.backend import Audit

CODE: Document = {"key": "send", "kind": "python", "origin": "code", "timeout_seconds": 60, "metadata": {"a": 1}}


async def test_a_definition_that_a_person_makes_is_unbound_and_has_the_defaults(store: Store) -> None:
    made = await store.create_definition({"key": "send", "timeout_seconds": None})

    fields = {name: getattr(made, name) for name in DEFAULTS if name not in {"backoff", "timeout_seconds"}}
    assert fields == {name: DEFAULTS[name] for name in fields}
    assert (made.timeout_seconds, made.backoff, made.revision) == (None, Backoff(), 1)
    assert isinstance(made.id, UUID)
    assert await store.definitions() == [made]
    assert await store.definitions(None, 100, "", False, [made.id, uuid4()]) == [made]


async def test_a_key_is_made_once(store: Store) -> None:
    await store.create_definition({"key": "send"})

    with pytest.raises(AlreadyExists, match='"send" already'):
        await store.create_definition({"key": "send"})


@pytest.mark.parametrize(
    "document", [{}, {"key": "a b"}, {"key": "x", "kind": "python"}, {"key": "x", "priority": "high"}]
)
async def test_a_bad_document_makes_nothing(store: Store, document: Document) -> None:
    with pytest.raises(Invalid):
        await store.create_definition(document)

    assert await store.definitions() == []


async def test_a_new_definition_needs_a_schema_that_can_judge_and_a_queue(store: Store) -> None:
    with pytest.raises(InvalidSchema):
        await store.create_definition({"key": "send", "arg_schema": {"type": "colour"}})
    with pytest.raises(UnknownQueue):
        await store.create_definition({"key": "send", "queue": "nowhere"})


async def test_a_change_names_what_it_changes_and_leaves_the_rest(store: Store, clock: Clock) -> None:
    made = await store.create_definition({"key": "send", "metadata": {"a": 1, "b": 2}, "max_running": 3, "tags": ["x"]})
    clock.advance(60)
    changes: Document = {"metadata": {"a": None, "c": {"d": 1}}, "max_running": None, "backoff": {"cap": 9}}

    changed = await store.change_definition(made.id, changes, made.revision)

    assert (changed.metadata, changed.max_running, changed.tags) == ({"b": 2, "c": {"d": 1}}, None, ["x"])
    assert changed.backoff == Backoff(cap=9)
    assert (changed.id, changed.revision, changed.updated_at, changed.overridden) == (made.id, 2, clock.now(), [])
    assert await store.definitions(["send"]) == [changed]


async def test_a_schema_is_changed_like_any_other_object(store: Store) -> None:
    await store.create_definition({"key": "send", "arg_schema": {"type": "object", "required": ["to"]}})

    changed = await store.change_definition("send", {"arg_schema": {"required": None, "maxProperties": 2}})

    assert changed.arg_schema == {"type": "object", "maxProperties": 2}


async def test_of_a_definition_from_code_the_changed_fields_are_marked(store: Store) -> None:
    await store.sync_definitions("shop", "1", [CODE])

    changed = await store.change_definition("send", {"timeout_seconds": 7, "metadata": {"b": 2}})

    assert (changed.timeout_seconds, changed.metadata) == (7, {"a": 1, "b": 2})
    assert changed.overridden == ["metadata", "timeout_seconds"]
    assert (await store.change_definition("send", {"priority": 1})).overridden == [
        "metadata",
        "priority",
        "timeout_seconds",
    ]
    with pytest.raises(Invalid, match="comes from its code"):
        await store.change_definition("send", {"arg_schema": {}})


BAD: list[dict[str, Json]] = [
    {"priority": None},
    {"tags": None},
    {"active": None},
    {"queue": None},
    {"description": None},
    {"metadata": None},
    {"backoff": None},
    {"priority": 5000},
    {"kind": "python"},
    {"key": "other"},
    {"origin": "code"},
    {"backoff": {"colour": 1}},
    {"retention_count": -1},
    {"default_payload": []},
]


@pytest.mark.parametrize("changes", BAD)
async def test_a_bad_change_changes_nothing(store: Store, changes: dict[str, Json]) -> None:
    made = await store.create_definition({"key": "send"})

    with pytest.raises(Invalid):
        await store.change_definition("send", changes)

    assert await store.definitions() == [made]


async def test_a_change_of_another_revision_is_refused(store: Store) -> None:
    await store.create_definition({"key": "send"})
    changed = await store.change_definition("send", {"priority": 1})

    for call in (store.change_definition("send", {"priority": 2}, 1), store.delete_definition("send", 1)):
        with pytest.raises(RevisionMismatch, match="has revision 2, not 1") as caught:
            await call
        assert (caught.value.facts["key"], caught.value.facts["revision"]) == ("send", 2)

    assert await store.definitions() == [changed]


async def test_a_change_that_changes_nothing_raises_no_revision(store: Store) -> None:
    await store.create_definition({"key": "send", "priority": 7})

    assert (await store.change_definition("send", {"priority": 7})).revision == 1


async def test_what_is_not_there_cannot_be_changed(store: Store) -> None:
    for name in ("nobody", uuid4()):
        with pytest.raises(DefinitionNotFound):
            await store.change_definition(name, {"priority": 1})
        with pytest.raises(DefinitionNotFound):
            await store.delete_definition(name)


async def test_a_disabled_definition_refuses_jobs(store: Store) -> None:
    await store.create_definition({"key": "send"})
    await store.change_definition("send", {"active": False})

    [refused] = await store.enqueue(DEFAULT_TENANT, [NewJob(definition="send")])

    assert refused.error_code == "definition_inactive"


async def test_a_deleted_definition_is_in_no_list_and_its_jobs_stay(store: Store, clock: Clock) -> None:
    made = await store.create_definition({"key": "send"})
    await store.enqueue(DEFAULT_TENANT, [NewJob(definition="send")])

    deleted = await store.delete_definition(made.id, 1)

    assert (deleted.deleted_at, deleted.active, deleted.revision) == (clock.now(), False, 2)
    assert await store.definitions() == []
    assert await store.definitions(["send"]) == [deleted]
    assert (await store.enqueue(DEFAULT_TENANT, [NewJob(definition="send")]))[0].error_code == "definition_inactive"
    [job] = (await store.list_jobs(DEFAULT_TENANT, JobFilter())).items
    assert (job.status, job.definition_key) == ("queued", "send")
    assert (await store.claim("default", "w")).leases == []
    with pytest.raises(DefinitionNotFound):
        await store.delete_definition("send")


async def test_creating_it_again_brings_it_back_with_nothing_of_before(store: Store) -> None:
    made = await store.create_definition({"key": "send", "priority": 1, "max_running": 1})
    await store.enqueue(DEFAULT_TENANT, [NewJob(definition="send")])
    await store.delete_definition("send")

    back = await store.create_definition({"key": "send", "tags": ["x"]})

    assert (back.id, back.priority, back.max_running, back.tags) == (made.id, 100, None, ["x"])
    assert (back.active, back.deleted_at, back.revision) == (True, None, 3)


async def test_a_sync_brings_a_deleted_one_back(store: Store) -> None:
    await store.sync_definitions("shop", "1", [CODE])
    await store.delete_definition("send")

    [report] = await store.sync_definitions("shop", "1", [CODE])

    assert report.outcome == "restored"
    [back] = await store.definitions()
    assert (back.active, back.deleted_at, back.overridden) == (True, None, [])


async def test_a_change_of_what_is_gone_from_the_code_does_not_keep_it_off(store: Store) -> None:
    await store.sync_definitions("shop", "1", [CODE])
    await store.sync_definitions("shop", "1", [])

    changed = await store.change_definition("send", {"priority": 1})
    assert (changed.active, changed.overridden) == (False, ["priority"])

    await store.sync_definitions("shop", "1", [CODE])
    [back] = await store.definitions()
    assert (back.active, back.priority, back.overridden) == (True, 1, ["priority"])


async def test_who_names_active_is_a_person(store: Store) -> None:
    await store.sync_definitions("", "", [CODE])

    for active in (False, True):
        [put] = await store.put_definitions([{"key": "send", "active": active}])
        assert (put.active, put.overridden) == (active, [] if active else ["active"])


async def test_a_put_brings_a_deleted_one_back(store: Store) -> None:
    await store.create_definition({"key": "send", "priority": 1})
    await store.delete_definition("send")

    [back] = await store.put_definitions([{"key": "send"}])

    assert (back.active, back.deleted_at, back.priority) == (True, None, 1)


async def test_what_jobplane_needs_is_not_deleted(store: Store) -> None:
    await store.put_definitions([{"key": "jobplane.tidy", "origin": "builtin"}])

    with pytest.raises(DefinitionInUse, match="jobplane needs it") as caught:
        await store.delete_definition("jobplane.tidy")

    assert caught.value.facts["used_by"] == "jobplane"


async def test_definitions_of_the_system_are_listed_when_they_are_asked_for(store: Store) -> None:
    await store.create_definition({"key": "inner", "system": True})
    await store.create_definition({"key": "outer"})

    assert [each.key for each in await store.definitions()] == ["outer"]
    assert [each.key for each in await store.definitions(include_system=True)] == ["inner", "outer"]
    assert [each.key for each in await store.definitions(["inner"])] == ["inner"]


async def test_each_call_is_one_row_of_the_audit_log(store: Store, audit: Audit) -> None:
    await store.create_definition({"key": "send"})
    for changes in ({"priority": 1}, {"active": False}, {"active": True}, {"active": False, "priority": 2}):
        await store.change_definition("send", changes)
    await store.put_definitions([{"key": "send", "priority": 3}], by_person=True)
    await store.put_definitions([{"key": "send", "priority": 4}])
    await store.delete_definition("send")

    rows = audit.look("select action, before_digest is null, after_digest is null from jobplane.audit_log order by 1")

    assert [(action, bool(before), bool(after)) for action, before, after in rows] == [
        ("changeDefinition", False, False),
        ("changeDefinition", False, False),
        ("createDefinition", True, False),
        ("deleteDefinition", False, True),
        ("disableDefinition", False, False),
        ("enableDefinition", False, False),
        ("putDefinition", False, False),
    ]
