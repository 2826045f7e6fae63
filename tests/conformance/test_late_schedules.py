"""Schedules that are due and have not fired are a problem."""

from __future__ import annotations

from datetime import timedelta

from jobplane.control.plane import OperatorPlane, TenantPlane
from tests.client import Store
from tests.clock import Clock
from tests.conformance.factory import Factory
from tests.conformance.test_fires import FIRST, MINUTE, schedule


async def test_a_schedule_that_is_due_for_more_than_a_minute_is_late(store: Store, make: Factory, clock: Clock) -> None:
    made = await store.create_trigger(make.alice, schedule(label="nightly"))
    await store.create_trigger(make.alice, schedule(is_enabled=False))
    clock.advance(120)
    on_time = await store.tenant_problems(make.alice)
    clock.advance(1)

    [found] = await store.tenant_problems(make.alice)

    assert on_time == []
    assert (found.code, found.since, found.name, found.count) == ("schedule_late", FIRST, "nightly", 1)
    assert (found.job_id, found.definition_key, list(found.tenants)) == (made.id, "d", [])
    assert await store.tenant_problems(make.charlie) == []


async def test_late_schedules_of_all_tenants_are_one_problem(store: Store, make: Factory, clock: Clock) -> None:
    for tenant, planned in ((make.alice, FIRST + MINUTE), (make.charlie, FIRST)):
        await store.create_trigger(tenant, schedule(planned, label=str(planned.minute)))
    clock.advance(timedelta(hours=1).total_seconds())

    [found] = [each for each in await store.list_problems() if each.code == "schedule_late"]

    assert (found.since, found.name, found.count, sorted(found.tenants)) == (FIRST, "1", 2, ["alice", "charlie"])


async def test_a_late_schedule_is_told_in_words(store: Store, make: Factory, clock: Clock) -> None:
    made = await store.create_trigger(make.alice, schedule(label="nightly"))
    clock.advance(3600)

    [problem] = await TenantPlane(store, make.alice).problems.list()
    everywhere = await OperatorPlane(store).problems.list()

    assert problem.detail.startswith('Schedule "nightly" has been due since ')
    assert problem.detail.endswith(" and has not fired. Is a scheduler running?")
    assert (problem.link, problem.facts["trigger_id"]) == (f"/api/v1/schedules/{made.id}", str(made.id))
    assert [each.tenants for each in everywhere if each.code == "schedule_late"] == [["alice"]]
