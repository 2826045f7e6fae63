"""Each call that changes something writes one entry of the audit log; a call that changes nothing writes none."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest

from jobplane.core.actors import Actor
from jobplane.core.audit import AuditEntry, AuditFilter
from jobplane.core.errors import Invalid
from jobplane.core.model import SYSTEM_TENANT, Document
from jobplane.store.verbs import jobs as j
from jobplane.store.verbs import operator as o
from jobplane.store.verbs.engine import PutQueues
from jobplane.store.verbs.verb import Verb
from tests.client import Store
from tests.clock import Clock
from tests.conformance.backend import Audit, Backend
from tests.conformance.factory import Factory, new

BOT = Actor("key", "abc", "deploy bot", "10.0.0.1", "r-1")


async def entries(store: Store, where: AuditFilter | None = None) -> list[AuditEntry]:
    """The newest first, without those of the test's own furniture."""
    page = await store.list_audit(None, where or AuditFilter(), 1000)
    return [entry for entry in page.items if entry.action != "createTenant"]


async def test_an_entry_has_who_did_what_to_which_job(
    store: Store, make: Factory, clock: Clock, backend: Backend
) -> None:
    job_id = await make.job()

    await store.run(j.Cancel(make.alice, [job_id, uuid4()], "no longer wanted"), actor=BOT)

    [entry] = await entries(store)
    assert entry == AuditEntry(
        audit_id=entry.audit_id,
        tenant_id=make.alice,
        at=clock.now(),
        actor={"type": "key", "id": "abc", "name": "deploy bot"},
        login=backend.login,
        address="10.0.0.1",
        request_id="r-1",
        action="cancelJob",
        targets=[str(job_id)],
        target_count=1,
        before_digest=None,
        after_digest=None,
        facts={"reason": "no longer wanted"},
    )


async def test_without_an_actor_it_is_the_login(store: Store, make: Factory, backend: Backend) -> None:
    await store.cancel(make.alice, [await make.job()])

    [entry] = await entries(store)
    assert entry.actor == {"type": "login", "id": backend.login}
    assert (entry.address, entry.request_id, entry.facts) == (None, None, {})


async def test_each_verb_that_people_call_writes_one_entry(store: Store, make: Factory) -> None:
    job_id, tenant = await make.job(), str(make.alice)
    steps: list[tuple[Verb[object], str, list[str]]] = [
        (j.Edit(make.alice, job_id, {"payload": {"n": 1}}), "editJob", [str(job_id)]),
        (j.Reschedule(make.alice, [job_id], delay_seconds=60), "rescheduleJob", [str(job_id)]),
        (j.Cancel(make.alice, [job_id]), "cancelJob", [str(job_id)]),
        (j.RetryJobs(make.alice, [job_id], 5), "retryJob", [str(job_id)]),
        (o.SetTenant(make.alice, {"weight": 3}), "changeTenant", [tenant]),
        (o.PauseTenants([make.alice], "unpaid"), "pauseTenant", [tenant]),
        (o.ResumeTenants([make.alice]), "resumeTenant", [tenant]),
        (PutQueues(["more"]), "putQueues", ["more"]),
        (PutQueues([{"name": "more", "description": "x"}]), "putQueues", ["more"]),
        (o.PauseQueues(["more", "default"]), "pauseQueue", ["default", "more"]),
        (o.ResumeQueues(["more"]), "resumeQueue", ["more"]),
        (o.DeleteQueues(["more"]), "deleteQueue", ["more"]),
        (PutQueues(["more"]), "putQueues", ["more"]),
    ]

    for verb, action, targets in steps:
        before = len(await entries(store))
        await store.run(verb, actor=BOT)
        newest, *rest = await entries(store)
        assert (newest.action, sorted(newest.targets)) == (action, targets)
        assert len(rest) == before


async def test_a_call_that_changes_nothing_writes_none(store: Store, make: Factory) -> None:
    done = await make.in_state("succeeded")
    waits = await make.job()
    await store.put_queues(["default"])
    before = len(await entries(store))

    for verb in (
        j.Cancel(make.alice, [uuid4(), done]),
        j.Cancel(make.charlie, [waits]),
        j.RetryJobs(make.alice, [done, waits]),
        j.RetryJobs(make.charlie, [waits]),
        j.Reschedule(make.alice, [done, uuid4()]),
        j.Edit(make.alice, done, {"priority": 1}),
        j.Edit(make.charlie, waits, {"priority": 1}),
        o.SetTenant(make.alice, {"weight": 1}),
        o.PauseTenants([uuid4()]),
        o.ResumeTenants([make.alice]),
        PutQueues(["default", "system"]),
        PutQueues([{"name": "default", "description": ""}]),
        o.PauseQueues(["nowhere"]),
        o.ResumeQueues(["default"]),
        o.DeleteQueues(["nowhere"]),
    ):
        await store.run(verb)

    assert len(await entries(store)) == before


async def test_asking_twice_for_the_same_is_one_entry(store: Store, make: Factory) -> None:
    running = await make.in_state("running")

    for _ in range(2):
        await store.cancel(make.alice, [running])
        await store.pause_queues(["default"])
        await store.pause_tenants([make.alice])

    assert [entry.action for entry in await entries(store)] == ["pauseTenant", "pauseQueue", "cancelJob"]


async def test_enqueue_claim_and_settle_write_none(store: Store, make: Factory) -> None:
    await make.in_state("succeeded")

    assert not await entries(store)


async def test_a_payload_is_in_no_entry_but_its_digest_is(store: Store, make: Factory, audit: Audit) -> None:
    job_id = await make.job(payload={"secret": "hush"})

    await store.edit(make.alice, job_id, {"payload": {"secret": "hush"}})
    await store.edit(make.alice, job_id, {"payload": {"secret": "silence"}})

    second, first = await entries(store)
    assert first.before_digest == first.after_digest == second.before_digest != second.after_digest
    assert first.facts == {"fields": ["payload"]}
    assert "hush" not in str(audit.look("select * from jobplane.audit_log"))


async def test_the_first_hundred_targets_are_kept_with_their_count(store: Store, make: Factory) -> None:
    answers = await store.enqueue(make.alice, [new()] * 150)

    await store.cancel(make.alice, [answer.job_id for answer in answers if answer.job_id])

    [entry] = await entries(store)
    assert (len(entry.targets), entry.target_count) == (100, 150)


async def test_entries_of_no_tenant_are_the_systems(store: Store, make: Factory) -> None:
    await store.pause_queues(["default"])
    await store.pause_tenants([make.alice, make.charlie])
    await store.pause_tenants([SYSTEM_TENANT])

    assert {entry.tenant_id for entry in await entries(store)} == {SYSTEM_TENANT}


async def test_charlie_sees_no_entry_of_alice(store: Store, make: Factory) -> None:
    await store.cancel(make.alice, [await make.job()])

    hers, his = await store.list_audit(make.alice), await store.list_audit(make.charlie)
    assert {entry.action for entry in hers.items} == {"createTenant", "cancelJob"}
    assert {entry.action for entry in his.items} == {"createTenant"}
    assert not (await store.list_audit(uuid4())).items


async def test_entries_are_found_by_action_actor_target_and_time(store: Store, make: Factory, clock: Clock) -> None:
    start, first, second = clock.now(), await make.job(), await make.job()
    await store.run(j.Cancel(make.alice, [first]), actor=BOT)
    clock.advance(timedelta(hours=1))
    await store.run(j.Edit(make.alice, second, {"priority": 3}), actor=Actor("job", "abc"))
    hour = start + timedelta(hours=1)

    for where, actions in {
        AuditFilter(action="editJob"): ["editJob"],
        AuditFilter(actor="abc"): ["editJob", "cancelJob"],
        AuditFilter(actor="key:abc"): ["cancelJob"],
        AuditFilter(actor="nobody"): [],
        AuditFilter(target=str(first)): ["cancelJob"],
        AuditFilter(since=hour): ["editJob"],
        AuditFilter(until=hour): ["cancelJob"],
        AuditFilter(since=start, until=hour, action="editJob"): [],
    }.items():
        assert [entry.action for entry in await entries(store, where)] == actions, where


async def test_pages_follow_each_other(store: Store, make: Factory) -> None:
    for _ in range(5):
        await store.cancel(make.alice, [await make.job()])
    every = [entry.audit_id for entry in (await store.list_audit(make.alice)).items]

    seen, cursor = list[int](), None
    while page := await store.list_audit(make.alice, limit=2, before=cursor):
        seen += [entry.audit_id for entry in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break

    assert seen == every == sorted(every, reverse=True)


async def test_a_filter_of_the_wrong_type_is_refused(store: Store) -> None:
    naive: Document = {}
    for where in (AuditFilter(since=naive), AuditFilter(action="\x00")):  # pyright: ignore[reportArgumentType]
        with pytest.raises(Invalid):
            await store.list_audit(None, where)
