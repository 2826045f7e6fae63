"""list_all_jobs, count_jobs, count_all_jobs, find_jobs, summarize_all, tenant_slugs."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest

from jobplane.core.errors import Invalid
from jobplane.core.model import JobFilter, JobStatus, NewJob
from jobplane.core.paging import Count
from tests.client import Store
from tests.clock import Clock
from tests.conformance.factory import ENDS, Factory

S = JobStatus
FILTERS = [
    JobFilter(),
    JobFilter(statuses=[S.QUEUED]),
    JobFilter(statuses=[S.RUNNING, S.FAILED]),
    JobFilter(worker_id="w1"),
    JobFilter(worker_id="w2"),
    JobFilter(correlation_id="c"),
    JobFilter(correlation_id="c", statuses=[S.SUCCEEDED]),
    JobFilter(metadata={"owner_user_id": "u1"}),
    JobFilter(metadata={"project_id": 7}, statuses=[S.QUEUED]),
    JobFilter(metadata={"owner_user_id": "u1", "project_id": 7}),
    JobFilter(metadata={"x": 1}),
    JobFilter(tags=["t"]),
    JobFilter(tags=["t"], correlation_id="c"),
    JobFilter(definitions=["d"]),
    JobFilter(definitions=["nothing"]),
    JobFilter(source_ref="s"),
    JobFilter(triggered_by="login"),
    JobFilter(triggered_by="key"),
    JobFilter(text="U1"),
    JobFilter(text="C", statuses=[S.SUCCEEDED]),
]


async def seeded(store: Store, make: Factory) -> list[UUID]:
    """Jobs of three tenants in every state, the oldest first."""
    tenants = [make.alice, make.charlie, await make.tenant("dora")]
    made: list[UUID] = []
    for tenant in tenants:
        for status in ENDS:
            job = await make.lease(tenant=tenant, max_attempts=1, correlation_id="c", tags=["t"], source_ref="s")
            await make.settle(job, ENDS[status])
            made.append(job.job_id)
    for tenant in reversed(tenants):
        lease = await make.lease(tenant=tenant, metadata={"owner_user_id": "u1", "project_id": 7, "x": 1})
        made.append(lease.job_id)
    for tenant in tenants:
        made.append(await make.job(tenant=tenant, metadata={"owner_user_id": "u1"}, correlation_id="c"))
        made.append(await make.job(tenant=tenant, delay_seconds=60, metadata={"project_id": 7}, tags=["t"]))
    return made


async def test_all_tenants_jobs_are_listed_the_newest_first(store: Store, make: Factory) -> None:
    made = await seeded(store, make)

    page = await store.list_all_jobs()

    assert [job.id for job in page.items] == made[::-1]
    assert (page.next_cursor, page.scanned_all) == (None, True)
    assert len({job.tenant_id for job in page.items}) == 3


@pytest.mark.parametrize("limit", [1, 2, 5, 1000])
async def test_every_filter_finds_what_the_tenants_lists_find_page_by_page(
    store: Store, make: Factory, limit: int
) -> None:
    made = await seeded(store, make)
    tenants = [tenant.tenant_id for tenant in await store.tenants()]
    for where in FILTERS:
        of_each = [job for tenant in tenants for job in (await store.list_jobs(tenant, where, limit=1000)).items]
        wanted = sorted(of_each, key=lambda job: -made.index(job.id))

        found = await walked(store, where, limit)

        assert found == wanted, where


async def walked(store: Store, where: JobFilter, limit: int) -> list[object]:
    found: list[object] = []
    cursor: int | None = None
    while True:
        page = await store.list_all_jobs(where, limit, cursor)
        assert len(page.items) <= limit
        assert page.next_cursor is None or cursor is None or page.next_cursor < cursor
        found += page.items
        cursor = page.next_cursor
        if cursor is None:
            return found


async def test_jobs_are_found_by_id_whosever_they_are(store: Store, make: Factory) -> None:
    hers, his = await make.job(), await make.job(tenant=make.charlie)

    found = await store.find_jobs([his, uuid4(), hers, his])

    assert [(job.id, job.tenant_id) for job in found] == [(his, make.charlie), (hers, make.alice)]
    assert found[1] == await make.get(hers)
    assert await store.find_jobs([]) == []


async def test_an_id_that_two_tenants_have_chosen_is_found_twice(store: Store, make: Factory) -> None:
    chosen = uuid4()
    for tenant in (make.charlie, make.alice):
        await make.job(tenant=tenant, id=chosen)

    assert [job.tenant_id for job in await store.find_jobs([chosen])] == [make.charlie, make.alice]


async def test_two_hundred_ids_are_found_at_a_time(store: Store, make: Factory) -> None:
    assert await store.find_jobs([uuid4() for _ in range(200)]) == []

    with pytest.raises(Invalid, match="at most 200"):
        await store.find_jobs([uuid4() for _ in range(201)])


async def test_the_summary_of_all_is_the_sum_of_each(store: Store, make: Factory, clock: Clock) -> None:
    nothing = await store.summarize_all()
    await seeded(store, make)
    await make.define("off", active=True)
    await make.job(definition="off", tenant=make.charlie)
    await make.define("off", active=False)
    clock.advance(30)

    found = await store.summarize_all()

    each = [await store.summary(tenant.tenant_id) for tenant in await store.tenants()]
    for name in ("queued", "running", *ENDS, "ready", "held", "upcoming"):
        assert getattr(nothing, name) == 0
        assert getattr(found, name) == sum(getattr(one, name) for one in each), name
    assert (nothing.oldest_due_seconds, nothing.is_capped) == (None, False)
    assert (found.oldest_due_seconds, found.is_capped) == (30, False)


async def test_a_list_that_cannot_be_is_refused(store: Store, make: Factory) -> None:
    for limit in (0, 1001):
        with pytest.raises(Invalid):
            await store.list_all_jobs(limit=limit)


async def test_a_status_that_is_asked_for_twice_counts_once(store: Store, make: Factory) -> None:
    made = await seeded(store, make)
    where = JobFilter(statuses=[S.FAILED, S.QUEUED, S.FAILED])

    found = (await store.list_all_jobs(where)).items

    assert len(found) == len({job.id for job in found}) == 9
    assert {job.id for job in found} < set(made)
    assert (await store.count_all_jobs(where)).total == 9


async def test_counts_are_those_of_the_lists(store: Store, make: Factory) -> None:
    await seeded(store, make)
    tenants = [tenant.tenant_id for tenant in await store.tenants()]
    for where in (each for each in FILTERS if each.text is None):
        all_jobs = await store.list_all_jobs(where, 1000)
        assert await store.count_all_jobs(where) == Count(len(all_jobs.items), is_capped=False), where
        for tenant in tenants:
            listed = await store.list_jobs(tenant, where, limit=1000)
            assert await store.count_jobs(tenant, where) == Count(len(listed.items), is_capped=False), where


async def test_a_count_stops_at_ten_thousand(store: Store, make: Factory) -> None:
    await make.define("many")
    for tenant, jobs in ((make.alice, 10_000), (make.charlie, 1)):
        for _ in range(0, jobs, 1000):
            new = [NewJob(definition="many") for _ in range(min(jobs, 1000))]
            assert not [each for each in await store.enqueue(tenant, new) if each.refused]
    queued, succeeded = JobFilter(statuses=[S.QUEUED]), JobFilter(statuses=[S.SUCCEEDED])
    narrow = JobFilter(definitions=["many"])

    assert await store.count_jobs(make.alice) == await store.count_jobs(make.alice, queued) == Count(10_000, False)
    assert await store.count_all_jobs() == await store.count_all_jobs(queued) == Count(10_000, True)
    assert await store.count_all_jobs(succeeded) == Count(0, False)
    assert await store.count_jobs(make.alice, narrow) == await store.count_all_jobs(narrow) == Count(10_000, True)
    await make.job(definition="many")
    assert await store.count_jobs(make.alice) == Count(10_000, True)


async def test_jobs_with_a_text_are_not_counted(store: Store, make: Factory) -> None:
    """A store also finds the text in masked values: a count would tell a viewer about them."""
    await make.job(payload={"password": "hunter2"})
    where = JobFilter(text="hunter2")

    for count in (store.count_jobs(make.alice, where), store.count_all_jobs(where)):
        with pytest.raises(Invalid, match="A total cannot be counted together with q"):
            await count


async def test_nobody_counts_jobs_of_others(store: Store, make: Factory) -> None:
    await make.job(correlation_id="c", metadata={"owner_user_id": "u1"})

    for where in (JobFilter(), JobFilter(correlation_id="c"), JobFilter(metadata={"owner_user_id": "u1"})):
        assert await store.count_jobs(make.charlie, where) == Count(0, False)


async def test_tenants_have_slugs_by_their_ids(store: Store, make: Factory) -> None:
    known = {tenant.tenant_id: tenant.slug for tenant in await store.tenants()}

    assert await store.tenant_slugs([*known, uuid4(), *known]) == known
    assert await store.tenant_slugs([]) == {}
