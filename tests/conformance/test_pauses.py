"""A pause says who paused, and why."""

from __future__ import annotations

from datetime import timedelta

import pytest

from jobplane.core.actors import Actor
from jobplane.core.errors import Invalid
from jobplane.core.model import Queue
from jobplane.store.verbs.operator import PauseQueues, PauseTenants
from tests.client import Store
from tests.clock import Clock
from tests.conformance.backend import Backend
from tests.conformance.factory import Factory

BOT = Actor("key", "abc", "deploy bot")


async def default(store: Store) -> Queue:
    return next(queue for queue in await store.queues() if queue.name == "default")


async def test_a_pause_has_its_caller_and_its_reason_until_it_is_over(
    store: Store, make: Factory, clock: Clock
) -> None:
    assert await store.run(PauseQueues(["default"], "a release"), actor=BOT) == ["default"]
    assert await store.run(PauseTenants([make.alice], "unpaid"), actor=BOT) == [make.alice]

    queue, tenant = await default(store), await store.get_tenant(make.alice)
    assert (queue.paused_at, queue.paused_by, queue.paused_reason) == (clock.now(), "key:abc (deploy bot)", "a release")
    assert (tenant.paused_at, tenant.paused_by, tenant.paused_reason) == (clock.now(), "key:abc (deploy bot)", "unpaid")

    assert await store.resume_queues(["default"]) == ["default"]
    assert await store.resume_tenants([make.alice]) == [make.alice]

    queue, tenant = await default(store), await store.get_tenant(make.alice)
    assert (queue.paused_at, queue.paused_by, queue.paused_reason) == (None, None, None)
    assert (tenant.paused_at, tenant.paused_by, tenant.paused_reason) == (None, None, None)


async def test_without_an_actor_the_login_has_paused(store: Store, backend: Backend) -> None:
    await store.pause_queues(["default"])

    login = "jobplane_admin" if "roles" in backend.features else backend.login
    assert (await default(store)).paused_by == f"login:{login}"


async def test_another_reason_replaces_the_first_and_none_keeps_it(store: Store, clock: Clock) -> None:
    start = clock.now()
    await store.run(PauseQueues(["default"], "first"), actor=BOT)
    clock.advance(timedelta(hours=1))

    await store.run(PauseQueues(["default"]), actor=Actor("key", "other"))
    kept = await default(store)
    await store.run(PauseQueues(["default"], "second"), actor=Actor("key", "other"))
    replaced = await default(store)

    assert (kept.paused_at, kept.paused_by, kept.paused_reason) == (start, "key:abc (deploy bot)", "first")
    assert (replaced.paused_at, replaced.paused_by, replaced.paused_reason) == (start, "key:other", "second")


async def test_a_reason_that_is_too_long_is_refused(store: Store, make: Factory) -> None:
    for verb in (PauseQueues(["default"], "x" * 1001), PauseTenants([make.alice], "x" * 1001)):
        with pytest.raises(Invalid, match="The reason has 1001 characters"):
            await store.run(verb)

    assert (await default(store)).paused_at is None
