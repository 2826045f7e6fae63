"""Fires: what the scheduler does about schedules that are due, each planned time at most once."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from jobplane.core.errors import Invalid, RevisionMismatch
from jobplane.core.model import Document, Job, JobFilter, Outcome
from jobplane.core.triggers import Action, Decision, DueTrigger, Fire, Fired, Trigger, TriggerFilter
from tests.client import Store
from tests.clock import START, Clock
from tests.conformance.factory import Factory

MINUTE = timedelta(minutes=1)
FIRST = START + MINUTE
ZONES = "2026.6"
NOTHING: Document = {}


def schedule(planned: datetime = FIRST, **values: Any) -> Document:
    """A document of a schedule that is due a minute after the start."""
    times = {"next_run_at": planned.isoformat(), "due_at": planned.isoformat()}
    return {
        "label": "minutely",
        "definition_key": "d",
        "interval_seconds": 60,
        "zone_version": ZONES,
        **times,
        **values,
    }


class Scheduler:
    """Fires what is due by the plainest rule: one planned time, then the next a minute later."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def due(self) -> list[DueTrigger]:
        return (await self._store.due_triggers()).triggers

    def decide(self, trigger: Trigger, action: Action = Action.FIRE, **values: Any) -> Decision:
        planned = trigger.waiting_at if action is Action.RELEASE else trigger.next_run_at
        following = trigger.next_run_at and trigger.next_run_at + (timedelta() if action is Action.RELEASE else MINUTE)
        given: dict[str, Any] = {
            "planned_at": planned,
            "payload": {"n": 1},
            "next_run_at": following,
            "due_at": following,
            **values,
        }
        return Decision(trigger, action, **given)

    async def fire(self, *decisions: Decision) -> list[Fired]:
        return await self._store.fire(decisions, ZONES, "scheduler-1")

    async def tick(self, action: Action = Action.FIRE, **values: Any) -> list[Fired]:
        """Decide alike about all that is due."""
        return await self.fire(*[self.decide(found.trigger, action, **values) for found in await self.due()])


@pytest.fixture
def scheduler(store: Store) -> Scheduler:
    return Scheduler(store)


async def jobs_of(store: Store, tenant: UUID) -> list[Job]:
    return (await store.list_jobs(tenant, JobFilter(), limit=100)).items


async def fires_of(store: Store, tenant: UUID, trigger: UUID) -> list[Fire]:
    return (await store.list_fires(tenant, trigger)).items


async def the(store: Store, tenant: UUID, trigger: UUID) -> Trigger:
    [found] = (await store.list_triggers(tenant, TriggerFilter(ids=(trigger,)))).items
    return found


async def test_nothing_is_due_before_its_time(store: Store, make: Factory, clock: Clock) -> None:
    assert await store.due_triggers() == replace(await store.due_triggers(), triggers=[], next_seconds=None)
    await store.create_trigger(make.alice, schedule())

    early = await store.due_triggers()
    clock.advance(60)
    due = await store.due_triggers()

    assert (early.now, early.next_seconds, early.triggers) == (START, 60, [])
    assert (due.now, due.next_seconds, [found.tenant_slug for found in due.triggers]) == (FIRST, None, ["alice"])


async def test_what_is_late_comes_apart_from_the_rest(store: Store, make: Factory, clock: Clock) -> None:
    for minutes in (3, 1, 2):
        await store.create_trigger(make.alice, schedule(START + minutes * MINUTE, label=str(minutes)))
    clock.advance(180)

    both = await store.due_triggers(1, 1)
    late = await store.due_triggers(0, 9)

    assert [found.trigger.label for found in both.triggers] == ["3", "1"]
    assert [found.trigger.label for found in late.triggers] == ["1", "2"]


async def test_a_fire_makes_the_job_the_record_and_the_next_time(
    store: Store, make: Factory, clock: Clock, scheduler: Scheduler
) -> None:
    made = await store.create_trigger(make.alice, schedule())
    clock.advance(62)

    [fired] = await scheduler.tick(missed=3)

    [job] = await jobs_of(store, make.alice)
    after = await the(store, make.alice, made.id)
    assert (fired.outcome, fired.job_id, fired.reason) == ("fired", job.id, None)
    assert (job.source, job.source_ref, job.trigger_id, job.planned_at) == ("schedule", str(made.id), made.id, FIRST)
    assert (job.payload, job.status, job.definition_key) == ({"n": 1}, "queued", "d")
    assert job.triggered_by == {"type": "scheduler", "id": "scheduler-1", "name": "scheduler"}
    assert await fires_of(store, make.alice, made.id) == [
        Fire(FIRST, "schedule", "fired", clock.now(), 3, None, job.id, "queued")
    ]
    assert (after.next_run_at, after.due_at, after.version) == (FIRST + MINUTE, FIRST + MINUTE, 1)
    assert (after.last_run_at, after.last_fired_at, after.last_job_id, after.last_outcome) == (
        FIRST,
        clock.now(),
        job.id,
        "fired",
    )


async def test_a_planned_time_fires_once(store: Store, make: Factory, clock: Clock, scheduler: Scheduler) -> None:
    await store.create_trigger(make.alice, schedule())
    clock.advance(60)
    [found] = await scheduler.due()
    decision = scheduler.decide(found.trigger)

    answers = [(await scheduler.fire(decision))[0].outcome for _ in range(3)]

    assert answers == ["fired", "stale", "stale"]
    assert len(await jobs_of(store, make.alice)) == 1


async def test_a_decision_about_another_version_changes_nothing(
    store: Store, make: Factory, clock: Clock, scheduler: Scheduler
) -> None:
    made = await store.create_trigger(make.alice, schedule())
    clock.advance(60)
    [found] = await scheduler.due()
    await store.change_trigger(make.alice, made.id, {"label": "edited"})

    [fired] = await scheduler.fire(scheduler.decide(found.trigger))

    assert (fired.outcome, await jobs_of(store, make.alice)) == ("stale", [])
    assert (await the(store, make.alice, made.id)).next_run_at == FIRST


@pytest.mark.parametrize("change", ["disable", "delete"])
async def test_a_schedule_that_is_switched_off_or_deleted_meanwhile_does_not_fire(
    store: Store, make: Factory, clock: Clock, scheduler: Scheduler, change: str
) -> None:
    made = await store.create_trigger(make.alice, schedule())
    clock.advance(60)
    [found] = await scheduler.due()
    if change == "disable":
        await store.change_trigger(make.alice, made.id, {"is_enabled": False})
    else:
        await store.delete_trigger(make.alice, made.id)

    [fired] = await scheduler.fire(scheduler.decide(found.trigger))

    assert (fired.outcome, await jobs_of(store, make.alice), await scheduler.due()) == ("stale", [], [])


async def test_a_batch_fires_for_many_tenants_each_in_its_own(
    store: Store, make: Factory, clock: Clock, scheduler: Scheduler
) -> None:
    for tenant in (make.alice, make.charlie, make.alice):
        await store.create_trigger(tenant, schedule())
    clock.advance(60)

    fired = await scheduler.tick()

    assert [answer.outcome for answer in fired] == ["fired"] * 3
    assert len(await jobs_of(store, make.alice)) == 2
    assert [job.tenant_id for job in await jobs_of(store, make.charlie)] == [make.charlie]


async def test_the_jobs_of_a_trigger_have_what_the_trigger_says(
    store: Store, make: Factory, clock: Clock, scheduler: Scheduler
) -> None:
    await store.put_queues(["night"])
    await make.define(backoff={"base": 30, "jitter": 0})
    await store.create_trigger(
        make.alice, schedule(queue="night", priority=5, max_attempts=7, backoff={"base": 2, "factor": 1})
    )
    clock.advance(60)

    await scheduler.tick()

    [job] = await jobs_of(store, make.alice)
    assert (job.queue, job.priority, job.max_attempts) == ("night", 5, 7)
    [lease] = await make.claim(queue="night")
    await make.settle(lease, Outcome.FAILED)
    assert (await make.get(job.id)).scheduled_for == clock.now() + timedelta(seconds=2)


async def test_a_definition_that_is_off_refuses_the_fire_and_the_next_time_comes(
    store: Store, make: Factory, clock: Clock, scheduler: Scheduler
) -> None:
    made = await store.create_trigger(make.alice, schedule())
    await make.define(active=False)
    clock.advance(60)

    [fired] = await scheduler.tick()

    [fire] = await fires_of(store, make.alice, made.id)
    after = await the(store, make.alice, made.id)
    assert (fired.outcome, fired.job_id) == ("refused", None)
    assert (fire.outcome, fire.job_id, (fire.reason or "").split(":")[0]) == ("refused", None, "definition_inactive")
    assert (after.next_run_at, after.last_outcome, after.last_run_at) == (FIRST + MINUTE, "refused", None)


async def test_one_schedule_that_is_refused_sinks_no_other(
    store: Store, make: Factory, clock: Clock, scheduler: Scheduler
) -> None:
    await make.define("off", active=False)
    await store.create_trigger(make.alice, schedule(definition_key="off"))
    await store.create_trigger(make.alice, schedule())
    clock.advance(60)

    fired = await scheduler.tick()

    assert sorted(answer.outcome for answer in fired) == ["fired", "refused"]


@pytest.mark.parametrize(("action", "outcome"), [(Action.MISS, "missed"), (Action.REFUSE, "refused")])
async def test_what_makes_no_job_is_on_record(
    store: Store, make: Factory, clock: Clock, scheduler: Scheduler, action: Action, outcome: str
) -> None:
    made = await store.create_trigger(make.alice, schedule())
    clock.advance(60)

    [fired] = await scheduler.tick(action, payload=None, reason="because", missed=2)

    assert (fired.outcome, await jobs_of(store, make.alice)) == (outcome, [])
    assert await fires_of(store, make.alice, made.id) == [
        Fire(FIRST, "schedule", outcome, clock.now(), 2, "because", None, None)
    ]
    assert (await the(store, make.alice, made.id)).last_reason == "because"


async def test_a_move_sets_the_next_time_and_leaves_no_record(
    store: Store, make: Factory, clock: Clock, scheduler: Scheduler
) -> None:
    made = await store.create_trigger(make.alice, schedule(zone_version=""))
    clock.advance(60)

    [fired] = await scheduler.tick(Action.MOVE)

    after = await the(store, make.alice, made.id)
    assert (fired.outcome, after.next_run_at, after.zone_version) == ("moved", FIRST + MINUTE, ZONES)
    assert await fires_of(store, make.alice, made.id) == []


async def test_a_schedule_that_is_over_is_off_and_says_why(
    store: Store, make: Factory, clock: Clock, scheduler: Scheduler
) -> None:
    made = await store.create_trigger(
        make.alice, schedule(interval_seconds=None, once=True, starts_at=FIRST.isoformat())
    )
    clock.advance(60)

    [fired] = await scheduler.tick(next_run_at=None, due_at=None, over="done")

    after = await the(store, make.alice, made.id)
    assert fired.outcome == "fired"
    assert (after.is_enabled, after.disabled_reason, after.next_run_at, after.version) == (False, "done", None, 2)
    assert await scheduler.due() == []


async def end_job(make: Factory, outcome: Outcome = Outcome.SUCCEEDED) -> None:
    [lease] = await make.claim()
    await make.settle(lease, outcome)


async def test_overlap_skip_makes_no_job_while_one_is_active(
    store: Store, make: Factory, clock: Clock, scheduler: Scheduler
) -> None:
    made = await store.create_trigger(make.alice, schedule(overlap="skip"))
    outcomes: list[str] = []
    for _ in range(3):
        clock.advance(60)
        outcomes += [answer.outcome for answer in await scheduler.tick()]
    await end_job(make)
    clock.advance(60)
    outcomes += [answer.outcome for answer in await scheduler.tick()]

    assert outcomes == ["fired", "skipped", "skipped", "fired"]
    assert [fire.reason for fire in await fires_of(store, make.alice, made.id)] == [None, "overlap", "overlap", None]


async def test_overlap_looks_at_the_jobs_of_its_own_trigger_alone(
    store: Store, make: Factory, clock: Clock, scheduler: Scheduler
) -> None:
    await make.jobs(3)
    await store.create_trigger(make.alice, schedule(overlap="skip"))
    await store.create_trigger(make.alice, schedule(overlap="skip"))
    clock.advance(60)

    assert [answer.outcome for answer in await scheduler.tick()] == ["fired", "fired"]


async def test_overlap_queue_one_keeps_one_planned_time_until_the_job_before_has_ended(
    store: Store, make: Factory, clock: Clock, scheduler: Scheduler
) -> None:
    made = await store.create_trigger(make.alice, schedule(overlap="queue_one"))
    clock.advance(60)
    await scheduler.tick()
    clock.advance(60)
    [waits] = await scheduler.tick()
    waiting = await the(store, make.alice, made.id)
    clock.advance(2)
    [held] = await scheduler.tick(Action.RELEASE)
    await end_job(make)
    clock.advance(2)
    [released] = await scheduler.tick(Action.RELEASE)

    after = await the(store, make.alice, made.id)
    newest, _ = await jobs_of(store, make.alice)
    assert (waits.outcome, held.outcome, released.outcome) == ("waiting", "held", "fired")
    assert (waiting.waiting_at, waiting.due_at) == (FIRST + MINUTE, FIRST + MINUTE + timedelta(seconds=2))
    assert (after.waiting_at, after.next_run_at, after.due_at) == (None, FIRST + 2 * MINUTE, FIRST + 2 * MINUTE)
    assert (newest.planned_at, newest.id) == (FIRST + MINUTE, released.job_id)
    [last, _] = await fires_of(store, make.alice, made.id)
    assert (last.outcome, last.job_id) == ("fired", newest.id)


async def test_overlap_queue_one_skips_what_comes_while_one_waits(
    store: Store, make: Factory, clock: Clock, scheduler: Scheduler
) -> None:
    await store.create_trigger(make.alice, schedule(overlap="queue_one"))
    outcomes: list[str] = []
    for _ in range(3):
        clock.advance(60)
        outcomes += [answer.outcome for answer in await scheduler.tick()]

    assert outcomes == ["fired", "waiting", "skipped"]
    assert len(await jobs_of(store, make.alice)) == 1


async def test_the_last_time_of_a_schedule_may_wait_and_then_it_is_over(
    store: Store, make: Factory, clock: Clock, scheduler: Scheduler
) -> None:
    made = await store.create_trigger(make.alice, schedule(overlap="queue_one"))
    clock.advance(60)
    await scheduler.tick()
    clock.advance(60)
    last: dict[str, Any] = {"next_run_at": None, "due_at": None, "over": "ended"}
    await scheduler.tick(**last)
    waiting = await the(store, make.alice, made.id)
    await end_job(make)
    clock.advance(2)

    [released] = await scheduler.tick(Action.RELEASE, **last)

    after = await the(store, make.alice, made.id)
    assert (waiting.is_enabled, waiting.next_run_at, waiting.waiting_at) == (True, None, FIRST + MINUTE)
    assert (released.outcome, after.is_enabled, after.disabled_reason) == ("fired", False, "ended")


async def wait_behind_a_job(store: Store, make: Factory, clock: Clock, scheduler: Scheduler) -> Trigger:
    """A schedule whose second planned time waits for the job of the first."""
    made = await store.create_trigger(make.alice, schedule(overlap="queue_one"))
    for _ in range(2):
        clock.advance(60)
        await scheduler.tick()
    return await the(store, make.alice, made.id)


async def test_a_last_time_that_is_skipped_lets_the_one_that_waits_have_its_job(
    store: Store, make: Factory, clock: Clock, scheduler: Scheduler
) -> None:
    waits = await wait_behind_a_job(store, make, clock, scheduler)
    clock.advance(60)
    last: dict[str, Any] = {"next_run_at": None, "due_at": None, "over": "ended"}
    [skipped] = await scheduler.tick(**last)
    after = await the(store, make.alice, waits.id)
    await end_job(make)
    clock.advance(2)

    [released] = await scheduler.tick(Action.RELEASE, **last)

    over = await the(store, make.alice, waits.id)
    assert skipped.outcome == "skipped"
    assert (after.is_enabled, after.waiting_at) == (True, waits.waiting_at)
    assert (released.outcome, over.last_run_at, over.is_enabled) == ("fired", waits.waiting_at, False)


async def test_a_schedule_that_the_scheduler_switches_off_waits_for_nothing(
    store: Store, make: Factory, clock: Clock, scheduler: Scheduler
) -> None:
    waits = await wait_behind_a_job(store, make, clock, scheduler)

    await scheduler.fire(Decision(waits, Action.DISABLE, over="failures"))

    after = await the(store, make.alice, waits.id)
    assert (after.is_enabled, after.next_run_at, after.due_at, after.waiting_at) == (False, None, None, None)


async def test_a_change_of_the_times_does_not_delay_what_waits(
    store: Store, make: Factory, clock: Clock, scheduler: Scheduler
) -> None:
    waits = await wait_behind_a_job(store, make, clock, scheduler)
    tomorrow = (clock.now() + timedelta(days=1)).isoformat()

    changed = await store.change_trigger(make.alice, waits.id, {"next_run_at": tomorrow, "due_at": tomorrow})

    assert (changed.waiting_at, changed.due_at) == (waits.waiting_at, clock.now() + timedelta(seconds=2))


async def test_overlap_cancel_previous_cancels_what_waits_and_asks_what_runs_to_stop(
    store: Store, make: Factory, clock: Clock, scheduler: Scheduler
) -> None:
    await store.create_trigger(make.alice, schedule(overlap="cancel_previous"))
    for _ in range(2):
        clock.advance(60)
        await scheduler.tick()
    waiting, canceled = await jobs_of(store, make.alice)
    await make.claim()
    clock.advance(60)
    await scheduler.tick()

    running = await make.get(waiting.id)
    assert canceled.status == "canceled"
    assert (running.status, running.cancel_reason) == ("running", "The next run of its schedule has come.")
    assert [job.status for job in await jobs_of(store, make.alice)] == ["queued", "running", "canceled"]


@pytest.mark.parametrize("outcomes", [[Outcome.FATAL, Outcome.FATAL], [Outcome.FATAL, Outcome.SUCCEEDED]], ids=str)
async def test_failures_in_a_row_are_counted_since_it_was_switched_on(
    store: Store, make: Factory, clock: Clock, scheduler: Scheduler, outcomes: list[Outcome]
) -> None:
    made = await store.create_trigger(make.alice, schedule(pause_after_failures=2))
    for outcome in outcomes:
        clock.advance(60)
        await scheduler.tick()
        await end_job(make, outcome)
    clock.advance(60)
    failures = [found.failures for found in await scheduler.due()]
    await store.change_trigger(make.alice, made.id, {"is_enabled": False})
    on: Document = {"is_enabled": True, "next_run_at": FIRST.isoformat(), "due_at": FIRST.isoformat()}
    await store.change_trigger(make.alice, made.id, on)

    assert failures == [outcomes.count(Outcome.FATAL)]
    assert [found.failures for found in await scheduler.due()] == [0]


async def test_a_tenant_with_a_limit_on_waiting_jobs_is_named(
    store: Store, make: Factory, clock: Clock, scheduler: Scheduler
) -> None:
    limited = await make.tenant("limited", max_pending=1)
    for tenant in (make.alice, limited, limited):
        await store.create_trigger(tenant, schedule())
    clock.advance(60)
    due = await scheduler.due()

    fired = await scheduler.fire(*[scheduler.decide(found.trigger) for found in due if found.is_limited])

    assert sorted((found.tenant_slug, found.is_limited) for found in due) == [
        ("alice", False),
        ("limited", True),
        ("limited", True),
    ]
    assert sorted(answer.outcome for answer in fired) == ["fired", "refused"]
    assert {(answer.reason or "").split(":")[0] for answer in fired} == {"", "quota_exceeded"}


async def test_a_person_fires_a_trigger_now(store: Store, make: Factory, clock: Clock) -> None:
    made = await store.create_trigger(make.alice, schedule(priority=5))

    [fired] = await store.fire_trigger(make.alice, made.id, 1, "manual", [clock.now()], [{"by": "hand"}])

    assert fired.job_id is not None
    job = await make.get(fired.job_id)
    after = await the(store, make.alice, made.id)
    assert (fired.planned_at, fired.outcome) == (clock.now(), "fired")
    assert (job.payload, job.trigger_id, job.planned_at, job.priority) == ({"by": "hand"}, made.id, clock.now(), 5)
    assert (job.triggered_by or {})["type"] == "login"
    assert (after.next_run_at, after.version, after.last_run_at) == (FIRST, 1, None)
    assert [fire.kind for fire in await fires_of(store, make.alice, made.id)] == ["manual"]


async def test_a_backfill_makes_no_job_twice(store: Store, make: Factory, clock: Clock, scheduler: Scheduler) -> None:
    made = await store.create_trigger(make.alice, schedule())
    clock.advance(60)
    await scheduler.tick()
    clock.advance(60)
    await scheduler.tick(Action.MISS, payload=None)
    times = [START, FIRST, FIRST + MINUTE]

    first = await store.fire_trigger(make.alice, made.id, 1, "backfill", times, [{}, {}, {}])
    second = await store.fire_trigger(make.alice, made.id, 1, "backfill", times, [{}, {}, {}])

    assert [answer.outcome for answer in first] == ["fired", "existing", "fired"]
    assert [answer.outcome for answer in second] == ["existing"] * 3
    assert [answer.job_id for answer in first] == [answer.job_id for answer in second]
    assert len(await jobs_of(store, make.alice)) == 3
    kinds = [(fire.outcome, fire.kind) for fire in await fires_of(store, make.alice, made.id)]
    assert kinds == [("fired", "backfill"), ("fired", "schedule"), ("fired", "backfill")]


@pytest.mark.parametrize("action", [Action.MISS, Action.REFUSE])
async def test_a_time_that_a_backfill_has_fired_is_neither_missed_nor_refused(
    store: Store, make: Factory, clock: Clock, scheduler: Scheduler, action: Action
) -> None:
    made = await store.create_trigger(make.alice, schedule())
    clock.advance(60)
    [first] = await store.fire_trigger(make.alice, made.id, 1, "backfill", [FIRST], [{}])

    [passed] = await scheduler.tick(action, payload=None, reason="because")
    [second] = await store.fire_trigger(make.alice, made.id, 1, "backfill", [FIRST], [{}])

    [fire] = await fires_of(store, make.alice, made.id)
    assert (passed.outcome, fire.outcome, fire.job_id) == ("moved", "fired", first.job_id)
    assert (second.outcome, second.job_id, len(await jobs_of(store, make.alice))) == ("existing", first.job_id, 1)


async def test_a_time_that_a_backfill_could_not_fire_is_the_schedules_own(
    store: Store, make: Factory, clock: Clock, scheduler: Scheduler
) -> None:
    made = await store.create_trigger(make.alice, schedule())
    clock.advance(60)
    await make.define(active=False)
    [refused] = await store.fire_trigger(make.alice, made.id, 1, "backfill", [FIRST], [{}])
    await make.define(active=True)

    [fired] = await scheduler.tick()

    [fire] = await fires_of(store, make.alice, made.id)
    assert (refused.outcome, fired.outcome, fire.outcome, fire.kind) == ("refused", "fired", "fired", "schedule")


async def test_the_scheduler_passes_over_what_a_backfill_has_fired(
    store: Store, make: Factory, clock: Clock, scheduler: Scheduler
) -> None:
    made = await store.create_trigger(make.alice, schedule())
    clock.advance(60)
    await store.fire_trigger(make.alice, made.id, 1, "backfill", [FIRST], [{}])

    [fired] = await scheduler.tick()

    assert (fired.outcome, len(await jobs_of(store, make.alice))) == ("moved", 1)
    assert (await the(store, make.alice, made.id)).next_run_at == FIRST + MINUTE


async def test_a_person_fires_the_version_that_was_read(store: Store, make: Factory) -> None:
    made = await store.create_trigger(make.alice, schedule())

    with pytest.raises(RevisionMismatch):
        await store.fire_trigger(make.alice, made.id, 2, "manual", [START], [{}])
    with pytest.raises(Invalid):
        await store.fire_trigger(make.alice, made.id, 1, "magic", [START], [{}])
    with pytest.raises(Invalid):
        await store.fire_trigger(make.alice, made.id, 1, "manual", [START], [])
    assert await jobs_of(store, make.alice) == []


async def test_fires_are_listed_page_by_page_and_by_outcome(
    store: Store, make: Factory, clock: Clock, scheduler: Scheduler
) -> None:
    made = await store.create_trigger(make.alice, schedule())
    for number in range(5):
        clock.advance(60)
        await scheduler.tick(Action.MISS if number == 2 else Action.FIRE)

    first = await store.list_fires(make.alice, made.id, limit=2)
    second = await store.list_fires(make.alice, made.id, limit=2, before=first.next_cursor)
    missed = await store.list_fires(make.alice, made.id, ["missed"])

    planned = [FIRST + number * MINUTE for number in range(5)]
    assert [fire.planned_at for fire in (*first.items, *second.items)] == [*reversed(planned)][:4]
    assert [fire.planned_at for fire in missed.items] == [planned[2]]


async def test_other_rules_of_time_zones_make_crons_due(store: Store, make: Factory, clock: Clock) -> None:
    cron = await store.create_trigger(make.alice, schedule(interval_seconds=None, cron_expr="1 12 * * *"))
    await store.create_trigger(make.alice, schedule())
    await store.create_trigger(make.alice, schedule(is_enabled=False))

    same = await store.refresh_zones(ZONES)
    moved = await store.refresh_zones("2027.1")

    due = await store.due_triggers()
    assert (same, moved) == (0, 1)
    assert [(found.trigger.id, found.trigger.next_run_at) for found in due.triggers] == [(cron.id, FIRST)]


async def test_old_fires_go_trigger_by_trigger(store: Store, make: Factory, clock: Clock) -> None:
    one = await store.create_trigger(make.alice, schedule())
    two = await store.create_trigger(make.charlie, schedule())
    old, young = START - timedelta(days=401), START - timedelta(days=399)
    await store.fire_trigger(make.alice, one.id, 1, "backfill", [old, young], [{}, {}])
    await store.fire_trigger(make.charlie, two.id, 1, "backfill", [old], [{}])

    counted = await store.prune_fires(dry_run=True)
    first = await store.prune_fires(limit=1)
    second = await store.prune_fires(first.last, limit=1)
    third = await store.prune_fires(second.last, limit=1)

    assert (counted.removed, counted.last) == (2, None)
    assert sorted([first.removed, second.removed, third.removed]) == [0, 1, 1]
    assert third.last is None
    assert [fire.planned_at for fire in await fires_of(store, make.alice, one.id)] == [young]
    assert await fires_of(store, make.charlie, two.id) == []
