"""Triggers: what a tenant may do with them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from jobplane.core.errors import (
    AlreadyExists,
    DefinitionInUse,
    Invalid,
    RevisionMismatch,
    TriggerNotFound,
    UnknownDefinition,
    UnknownQueue,
)
from jobplane.core.model import Document
from jobplane.core.triggers import TriggerFilter
from tests.client import Store
from tests.clock import START, Clock
from tests.conformance.factory import Factory

NEXT = START + timedelta(minutes=5)


def schedule(**values: Any) -> Document:
    """A document of a schedule that is due in five minutes."""
    return {
        "label": "nightly",
        "definition_key": "d",
        "cron_expr": "5 * * * *",
        "next_run_at": NEXT.isoformat(),
        "due_at": NEXT.isoformat(),
        "zone_version": "2026.6",
        **values,
    }


async def test_a_new_trigger_has_the_defaults(store: Store, make: Factory, clock: Clock) -> None:
    made = await store.create_trigger(make.alice, schedule())

    assert made.tenant_id == make.alice
    assert (made.label, made.definition_key, made.trigger_type, made.cron_expr) == (
        "nightly",
        "d",
        "schedule",
        "5 * * * *",
    )
    assert (made.missed, made.missed_limit, made.overlap, made.spread_seconds) == ("latest", 10, "allow", 0)
    assert (made.is_enabled, made.once, made.key, made.timezone, made.zone) == (True, False, None, None, "UTC")
    assert (made.next_run_at, made.due_at, made.late_seconds) == (NEXT, NEXT, None)
    assert (made.payload_template, made.dedupe_window_seconds, made.version) == ({}, 300, 1)
    assert (made.created_at, made.updated_at, made.last_run_at, made.last_outcome) == (
        clock.now(),
        clock.now(),
        None,
        None,
    )
    assert made.created_by["type"] == "login"


async def test_what_a_trigger_sets_reads_back(store: Store, make: Factory) -> None:
    await store.put_queues(["night"])
    given: Document = {
        "key": "nightly-sync",
        "timezone": "America/New_York",
        "payload_template": {"path": "{{ trigger.label }}", "n": 1},
        "missed": "all",
        "missed_limit": 3,
        "overlap": "queue_one",
        "spread_seconds": 60,
        "pause_after_failures": 5,
        "max_attempts": 2,
        "priority": 7,
        "queue": "night",
        "backoff": {"base": 1, "cap": 10},
    }

    made = await store.create_trigger(make.alice, schedule(**given))

    assert {name: getattr(made, name) for name in given} == given


@pytest.mark.parametrize(
    "wrong",
    [
        {"trigger_type": "moon"},
        {"event_name": "x.y"},
        {"interval_seconds": 60},
        {"cron_expr": None},
        {"cron_expr": None, "once": True},
        {"trigger_type": "event", "cron_expr": None},
        {"trigger_type": "event", "event_name": "x.y"},
        {"label": ""},
        {"label": None},
        {"missed": "some"},
        {"overlap": "never"},
        {"missed_limit": 0},
        {"spread_seconds": 86_401},
        {"pause_after_failures": 0},
        {"max_attempts": 0},
        {"priority": 1001},
        {"due_at": None},
        {"next_run_at": "soon"},
        {"colour": "red"},
        {"created_by": {}},
    ],
    ids=str,
)
async def test_a_trigger_that_cannot_be_is_refused(store: Store, make: Factory, wrong: Document) -> None:
    with pytest.raises(Invalid):
        await store.create_trigger(make.alice, schedule(**wrong))

    assert (await store.list_triggers(make.alice)).items == []


async def test_an_unknown_definition_or_queue_is_refused(store: Store, make: Factory) -> None:
    with pytest.raises(UnknownDefinition):
        await store.create_trigger(make.alice, schedule(definition_key="nothing"))
    with pytest.raises(UnknownQueue):
        await store.create_trigger(make.alice, schedule(queue="nowhere"))


async def test_a_key_is_unique_in_a_tenant(store: Store, make: Factory) -> None:
    await store.create_trigger(make.alice, schedule(key="one"))
    other = await store.create_trigger(make.alice, schedule(key="two"))
    await store.create_trigger(make.charlie, schedule(key="one"))

    with pytest.raises(AlreadyExists):
        await store.create_trigger(make.alice, schedule(key="one"))
    with pytest.raises(AlreadyExists):
        await store.change_trigger(make.alice, other.id, {"key": "one"})
    assert (await store.change_trigger(make.alice, other.id, {"key": "two"})).key == "two"


async def test_a_change_raises_the_version_and_leaves_the_rest(store: Store, make: Factory, clock: Clock) -> None:
    made = await store.create_trigger(make.alice, schedule(key="k", timezone="Europe/Berlin", priority=3))
    clock.advance(60)

    changed = await store.change_trigger(make.alice, made.id, {"label": "new", "timezone": None}, made.version)

    assert (changed.label, changed.timezone, changed.version, changed.updated_at) == ("new", None, 2, clock.now())
    assert (changed.key, changed.priority, changed.next_run_at, changed.created_at) == ("k", 3, NEXT, made.created_at)


async def test_a_change_of_another_version_is_refused(store: Store, make: Factory) -> None:
    made = await store.create_trigger(make.alice, schedule())
    await store.change_trigger(make.alice, made.id, {"label": "new"})

    with pytest.raises(RevisionMismatch) as refused:
        await store.change_trigger(make.alice, made.id, {"label": "newer"}, 1)
    with pytest.raises(RevisionMismatch):
        await store.delete_trigger(make.alice, made.id, 1)

    assert refused.value.facts["revision"] == 2


async def test_a_trigger_that_is_switched_off_has_no_next_time(store: Store, make: Factory) -> None:
    made = await store.create_trigger(make.alice, schedule())

    off = await store.change_trigger(make.alice, made.id, {"is_enabled": False, "disabled_reason": "holiday"})
    on: Document = {"is_enabled": True, "next_run_at": NEXT.isoformat(), "due_at": NEXT.isoformat()}
    back = await store.change_trigger(make.alice, made.id, on)

    assert (off.is_enabled, off.next_run_at, off.due_at, off.disabled_reason) == (False, None, None, "holiday")
    assert (back.is_enabled, back.next_run_at, back.disabled_reason) == (True, NEXT, None)


async def test_triggers_are_listed_the_newest_first_page_by_page(store: Store, make: Factory) -> None:
    made = [(await store.create_trigger(make.alice, schedule(label=f"t{n}"))).id for n in range(5)]
    newest = sorted(made, reverse=True)

    first = await store.list_triggers(make.alice, limit=3)
    second = await store.list_triggers(make.alice, limit=3, before=first.next_cursor)

    assert [trigger.id for trigger in first.items] == newest[:3]
    assert [trigger.id for trigger in second.items] == newest[3:]
    assert second.next_cursor is None


async def test_lists_can_be_narrowed(store: Store, make: Factory, clock: Clock) -> None:
    await make.define("other")
    one = await store.create_trigger(make.alice, schedule(key="one"))
    two = await store.create_trigger(make.alice, schedule(key="two", is_enabled=False))
    later = (NEXT + timedelta(days=1)).isoformat()
    three = await store.create_trigger(
        make.alice, schedule(key="three", definition_key="other", next_run_at=later, due_at=later)
    )
    clock.advance(400)

    async def listed(where: TriggerFilter) -> set[UUID]:
        mine = {trigger.id for trigger in (await store.list_triggers(make.alice, where)).items}
        assert mine == {trigger.id for trigger in (await store.list_all_triggers(where)).items}
        return mine

    assert await listed(TriggerFilter(ids=(one.id, uuid4()))) == {one.id}
    assert await listed(TriggerFilter(keys=("two", "nine"))) == {two.id}
    assert await listed(TriggerFilter(definition_key="other")) == {three.id}
    assert await listed(TriggerFilter(is_enabled=False)) == {two.id}
    assert await listed(TriggerFilter(is_enabled=True)) == {one.id, three.id}
    assert await listed(TriggerFilter(late_seconds=60)) == {one.id}
    assert await listed(TriggerFilter(late_seconds=101)) == set()
    [late] = (await store.list_triggers(make.alice, TriggerFilter(ids=(one.id,)))).items
    assert late.late_seconds == pytest.approx(100)


async def test_a_deleted_trigger_is_gone_with_its_fires_and_its_jobs_stay(store: Store, make: Factory) -> None:
    made = await store.create_trigger(make.alice, schedule())
    [fired] = await store.fire_trigger(make.alice, made.id, 1, "manual", [START], [{}])
    assert fired.job_id is not None

    await store.delete_trigger(make.alice, made.id)

    assert (await store.list_triggers(make.alice)).items == []
    assert (await store.list_fires(make.alice, made.id)).items == []
    assert (await make.get(fired.job_id)).trigger_id == made.id
    with pytest.raises(TriggerNotFound):
        await store.delete_trigger(make.alice, made.id)


async def test_a_definition_that_triggers_name_cannot_be_deleted(store: Store, make: Factory) -> None:
    await store.create_definition({"key": "by-hand"})
    made = await store.create_trigger(make.alice, schedule(definition_key="by-hand"))

    with pytest.raises(DefinitionInUse) as refused:
        await store.delete_definition("by-hand")

    assert refused.value.facts["used_by"] == "triggers"
    await store.delete_trigger(make.alice, made.id)
    await store.delete_definition("by-hand")


async def test_charlie_can_do_nothing_with_alices_triggers(store: Store, make: Factory) -> None:
    made = await store.create_trigger(make.alice, schedule())
    await store.fire_trigger(make.alice, made.id, 1, "manual", [START], [{}])

    assert (await store.list_triggers(make.charlie)).items == []
    assert (await store.list_triggers(make.charlie, TriggerFilter(ids=(made.id,)))).items == []
    assert (await store.list_fires(make.charlie, made.id)).items == []
    with pytest.raises(TriggerNotFound):
        await store.change_trigger(make.charlie, made.id, {"label": "mine"})
    with pytest.raises(TriggerNotFound):
        await store.delete_trigger(make.charlie, made.id)
    with pytest.raises(TriggerNotFound):
        await store.fire_trigger(make.charlie, made.id, 1, "manual", [START], [{}])
    assert (await store.list_triggers(make.alice)).items[0].version == 1


async def test_what_people_do_to_triggers_is_in_the_audit_log(store: Store, make: Factory) -> None:
    made = await store.create_trigger(make.alice, schedule())
    await store.change_trigger(make.alice, made.id, {"label": "new"})
    await store.change_trigger(make.alice, made.id, {"is_enabled": False})
    again: Document = {"is_enabled": True, "next_run_at": NEXT.isoformat(), "due_at": NEXT.isoformat()}
    await store.change_trigger(make.alice, made.id, again)
    await store.fire_trigger(make.alice, made.id, 4, "manual", [START], [{}])
    await store.fire_trigger(make.alice, made.id, 4, "backfill", [START - timedelta(days=1)], [{}])
    await store.delete_trigger(make.alice, made.id)

    entries = (await store.list_audit(make.alice)).items
    told = [entry.action for entry in reversed(entries) if entry.action.endswith("Trigger")]

    assert told == [
        *("createTrigger", "changeTrigger", "disableTrigger", "enableTrigger", "fireTrigger", "backfillTrigger"),
        "deleteTrigger",
    ]
    assert {tuple(entry.targets) for entry in entries if entry.action.endswith("Trigger")} == {(str(made.id),)}


async def test_another_timezone_of_the_tenant_moves_schedules_without_their_own(
    store: Store, make: Factory, clock: Clock
) -> None:
    follows = await store.create_trigger(make.alice, schedule())
    has_own = await store.create_trigger(make.alice, schedule(timezone="Europe/Paris"))
    foreign = await store.create_trigger(make.charlie, schedule())

    await store.set_tenant(make.alice, {"timezone": "Asia/Tokyo"})

    due = await store.due_triggers()
    assert [found.trigger.id for found in due.triggers] == [follows.id]
    assert (due.triggers[0].trigger.zone_version, due.triggers[0].trigger.zone) == ("", "Asia/Tokyo")
    assert due.triggers[0].trigger.next_run_at == NEXT
    assert {has_own.id, foreign.id} <= {trigger.id for trigger in (await store.list_all_triggers()).items}
