from __future__ import annotations

from uuid import UUID, uuid4

import pytest

from jobplane.core.errors import AlreadyExists, Invalid, TenantNotFound
from jobplane.core.model import DEFAULT_TENANT, SYSTEM_TENANT, Json, Tenant, TenantDepth
from tests.client import Store
from tests.clock import Clock
from tests.conformance.factory import STATES, Factory


async def test_a_new_tenant_reads_back_by_id_and_by_slug(store: Store, clock: Clock) -> None:
    tenant_id = uuid4()

    made = await store.create_tenant(
        "acme-2",
        name="Acme & Söhne",
        weight=3,
        max_in_flight=5,
        max_pending=7,
        tenant_id=tenant_id,
        timezone="Europe/Vienna",
    )

    assert made == Tenant(
        tenant_id=tenant_id,
        slug="acme-2",
        name="Acme & Söhne",
        timezone="Europe/Vienna",
        weight=3,
        max_in_flight=5,
        max_pending=7,
        paused_at=None,
        paused_by=None,
        paused_reason=None,
        created_at=made.created_at,
        updated_at=made.updated_at,
    )
    assert await store.get_tenant(tenant_id) == await store.get_tenant("acme-2") == made
    assert await store.tenant_id("acme-2") == tenant_id


async def test_a_plain_tenant_has_the_defaults(store: Store) -> None:
    made = await store.create_tenant("plain")

    assert (made.name, made.weight, made.max_in_flight, made.max_pending) == ("", 1, None, None)
    assert made.tenant_id.version == 7


async def test_two_tenants_are_there_from_the_start(store: Store) -> None:
    assert await store.tenant_id("default") == DEFAULT_TENANT
    assert await store.tenant_id("system") == SYSTEM_TENANT


async def test_a_slug_and_an_id_are_taken_once(store: Store, make: Factory) -> None:
    with pytest.raises(AlreadyExists):
        await store.create_tenant("alice")
    with pytest.raises(AlreadyExists):
        await store.create_tenant("another", tenant_id=make.alice)


async def test_a_tenant_that_is_not_there_is_an_error(store: Store) -> None:
    for nobody in (uuid4(), "nobody", ""):
        with pytest.raises(TenantNotFound):
            await store.get_tenant(nobody)
    with pytest.raises(TenantNotFound):
        await store.tenant_id("nobody")
    with pytest.raises(TenantNotFound):
        await store.set_tenant(uuid4(), {"weight": 2})


async def test_a_tenant_that_cannot_be_is_refused(store: Store) -> None:
    before = await store.tenants()
    for slug in ("", "Acme", "a b", "-a", "a-", "a" * 64, "ä", "a\x00", "\ud800"):
        with pytest.raises(Invalid):
            await store.create_tenant(slug)
    for weight in (0, -1, 1001, 2**31, 2**70):
        with pytest.raises(Invalid):
            await store.create_tenant("ok", weight=weight)
    for limit in (-1, 2**31):
        with pytest.raises(Invalid):
            await store.create_tenant("ok", max_in_flight=limit)
        with pytest.raises(Invalid):
            await store.create_tenant("ok", max_pending=limit)

    assert await store.tenants() == before


async def test_a_change_leaves_what_it_does_not_name(store: Store, clock: Clock) -> None:
    made = await store.create_tenant("acme", name="Acme", weight=2, max_in_flight=3, max_pending=4)

    changed = await store.set_tenant(made.tenant_id, {"weight": 9})
    assert (changed.name, changed.weight, changed.max_in_flight, changed.max_pending) == ("Acme", 9, 3, 4)
    assert changed.updated_at == clock.now()

    changed = await store.set_tenant(made.tenant_id, {"name": "New", "max_in_flight": None, "max_pending": 0})
    assert (changed.name, changed.weight, changed.max_in_flight, changed.max_pending) == ("New", 9, None, 0)
    assert await store.get_tenant("acme") == changed


async def test_a_change_that_cannot_be_is_refused(store: Store, make: Factory) -> None:
    before = await store.get_tenant(make.alice)
    bad: list[dict[str, Json]] = [
        {"weight": 0},
        {"weight": 1001},
        {"weight": "heavy"},
        {"weight": 1.5},
        {"weight": 2**70},
        {"max_in_flight": -1},
        {"max_pending": -1},
        {"max_pending": []},
        {"name": "nul\x00"},
        {"name": "\ud800"},
        {"slug": "Other"},
        {"timezone": ""},
        {"timezone": "x" * 65},
        {"wieght": 2},
    ]
    for changes in bad:
        with pytest.raises(Invalid):
            await store.set_tenant(make.alice, {"name": "half", **changes})

    assert await store.get_tenant(make.alice) == before


async def test_a_pause_has_its_first_time_and_is_over_with_the_resume(
    store: Store, make: Factory, clock: Clock
) -> None:
    paused_at = clock.now()
    assert await store.pause_tenants([make.alice, uuid4()]) == [make.alice]
    clock.advance(60)
    await store.pause_tenants([make.alice])
    assert (await store.get_tenant(make.alice)).paused_at == paused_at

    assert await store.resume_tenants([make.alice, uuid4()]) == [make.alice]
    assert (await store.get_tenant(make.alice)).paused_at is None
    assert await store.pause_tenants([]) == await store.resume_tenants([]) == []


async def test_what_runs_goes_on_through_a_pause(store: Store, make: Factory) -> None:
    lease = await make.lease()
    await store.pause_tenants([make.alice])

    assert (await store.renew([lease]))[0].answer == "renewed"


async def test_tenants_come_by_slug_page_by_page(store: Store, make: Factory) -> None:
    for slug in ("b", "d", "c"):
        await make.tenant(slug)
    pages: list[list[str]] = []
    after = ""
    while page := await store.tenants(limit=3, after=after):
        pages.append([tenant.slug for tenant in page])
        after = page[-1].slug

    assert pages == [["alice", "b", "c"], ["charlie", "d", "default"], ["system"]]


async def test_a_new_weight_counts_for_what_comes_after(store: Store, make: Factory) -> None:
    await store.set_tenant(make.charlie, {"weight": 4})
    await make.jobs(40)
    await make.jobs(40, tenant=make.charlie)

    served: list[UUID] = [lease.tenant_id for lease in await make.claim(40)]

    assert served.count(make.charlie) == 32


async def test_a_slug_and_a_timezone_change(store: Store, make: Factory) -> None:
    changed = await store.set_tenant(make.alice, {"slug": "alice-2", "timezone": "Europe/Vienna"})

    assert (changed.slug, changed.timezone) == ("alice-2", "Europe/Vienna")
    assert await store.tenant_id("alice-2") == make.alice
    with pytest.raises(TenantNotFound):
        await store.tenant_id("alice")


async def test_a_slug_that_is_taken_is_refused(store: Store, make: Factory) -> None:
    with pytest.raises(AlreadyExists):
        await store.set_tenant(make.alice, {"slug": "charlie"})

    assert (await store.get_tenant(make.alice)).slug == "alice"


@pytest.mark.parametrize("tenant", [DEFAULT_TENANT, SYSTEM_TENANT])
async def test_the_slugs_that_jobplane_needs_cannot_change(store: Store, tenant: UUID) -> None:
    with pytest.raises(Invalid, match="cannot change"):
        await store.set_tenant(tenant, {"slug": "other"})

    assert (await store.set_tenant(tenant, {"name": "Other"})).name == "Other"


async def test_a_tenants_depth_is_what_waits_runs_and_has_died(store: Store, make: Factory, clock: Clock) -> None:
    for state in reversed(STATES):
        await make.in_state(state)
    clock.advance(90)

    [hers, his] = await store.tenant_depths((make.alice, make.charlie, uuid4()))

    assert hers == TenantDepth(make.alice, 1, 1, 1, 1, 1, 90)
    assert his == TenantDepth(make.charlie)


async def test_a_tenants_depth_is_counted_up_to_ten_thousand(store: Store, make: Factory) -> None:
    await make.jobs(10_000)
    await make.job()

    [hers] = await store.tenant_depths((make.alice,))

    assert hers.ready == 10_000


async def test_a_thousand_tenants_at_most_are_counted_in_one_call(store: Store, make: Factory) -> None:
    with pytest.raises(Invalid, match=r"1001 tenants in one call\. Ask for at most 1000"):
        await store.tenant_depths(tuple(uuid4() for _ in range(1001)))
