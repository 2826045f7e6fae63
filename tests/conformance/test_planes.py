"""What the planes add to the verbs of the audit log, of tenants and of pauses."""

from __future__ import annotations

import pytest

from jobplane.control.access import Caller, Role
from jobplane.control.plane import OperatorPlane, TenantPlane
from jobplane.core.actors import Actor
from jobplane.core.errors import Forbidden, Invalid
from tests.client import Store
from tests.conformance.factory import Factory, new

ALICE = Actor("key", "alice", "Alice")


async def test_a_tenant_walks_its_own_entries_and_an_operator_all(store: Store, make: Factory) -> None:
    caller, root = Caller(ALICE, Role.TENANT_ADMIN, make.alice), Caller(Actor("key", "root"), Role.SUPER_ADMIN)
    plane, operator = TenantPlane(store, make.alice, caller), OperatorPlane(store, root)
    await plane.jobs.cancel(await make.job())
    await operator.queues.pause("default", reason="a release")

    own = [(entry.action, entry.actor["id"]) async for entry in plane.audit.walk() if entry.action != "createTenant"]
    every = [entry.action async for entry in operator.audit.walk() if entry.action != "createTenant"]

    assert own == [("cancelJob", "alice")]
    assert every == ["pauseQueue", "cancelJob"]


async def test_an_operator_chains_and_verifies(store: Store, make: Factory) -> None:
    audit = OperatorPlane(store).audit
    await store.cancel(make.alice, [await make.job()])

    chained = await audit.chain()
    check = await audit.verify()

    assert (check.checked, check.unchained, check.is_intact) == (chained, 0, True)


async def test_a_viewer_sees_no_entries_and_a_tenant_admin_not_all(store: Store, make: Factory) -> None:
    with pytest.raises(Forbidden):
        await TenantPlane(store, make.alice, Caller(ALICE, Role.VIEWER, make.alice)).audit.list()
    with pytest.raises(Forbidden):
        await OperatorPlane(store, Caller(ALICE, Role.TENANT_ADMIN, make.alice)).audit.list()


async def test_a_job_names_the_actor_that_enqueued_it(store: Store, make: Factory) -> None:
    plane = TenantPlane(store, make.alice, Caller(ALICE, Role.TENANT_ADMIN, make.alice))

    answers = [*await plane.jobs.enqueue([new()]), *await plane.jobs.enqueue([new(), new(tags=["red"])])]

    for answer in answers:
        assert answer.job_id
        assert (await plane.jobs.get(answer.job_id)).triggered_by == {"type": "key", "id": "alice", "name": "Alice"}


async def test_an_unknown_timezone_is_refused(store: Store, make: Factory) -> None:
    tenants = OperatorPlane(store).tenants

    assert (await tenants.create("vienna", timezone="Europe/Vienna")).timezone == "Europe/Vienna"
    for zone in ("Europe/Atlantis", "", "../etc/passwd"):
        with pytest.raises(Invalid, match="Unknown time zone"):
            await tenants.create("other", timezone=zone)
        with pytest.raises(Invalid, match="Unknown time zone"):
            await tenants.change(make.alice, {"timezone": zone})
