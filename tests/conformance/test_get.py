from __future__ import annotations

from uuid import uuid4

import pytest

from jobplane.core.errors import Invalid
from tests.client import Store
from tests.conformance.factory import STATES, Factory


async def test_jobs_come_in_the_order_asked_for(store: Store, make: Factory) -> None:
    ids = await make.jobs(5)
    asked = [ids[3], ids[0], ids[4]]

    assert [job.id for job in await store.get_jobs(make.alice, asked)] == asked


async def test_an_id_that_is_asked_for_again_is_answered_once(store: Store, make: Factory) -> None:
    first, second = await make.jobs(2)

    found = await store.get_jobs(make.alice, [second, first, second, first, first])

    assert [job.id for job in found] == [second, first]


async def test_a_call_gets_a_thousand_jobs_at_most(store: Store, make: Factory) -> None:
    job_id = await make.job()
    strange = [uuid4() for _ in range(999)]

    assert [job.id for job in await store.get_jobs(make.alice, [*strange, job_id, *strange])] == [job_id]
    with pytest.raises(Invalid, match="Cannot get 1001 jobs in one call"):
        await store.get_jobs(make.alice, [*strange, job_id, uuid4()])


async def test_what_is_not_there_is_left_out(store: Store, make: Factory) -> None:
    job_id = await make.job()

    assert [job.id for job in await store.get_jobs(make.alice, [uuid4(), job_id, uuid4()])] == [job_id]
    assert await store.get_jobs(make.alice, []) == []


async def test_a_job_is_found_in_every_state(store: Store, make: Factory) -> None:
    ids = {state: await make.in_state(state) for state in reversed(STATES)}

    found = {job.id: job.status for job in await store.get_jobs(make.alice, list(ids.values()))}

    waiting = dict.fromkeys((ids["ready"], ids["upcoming"], ids["held"]), "queued")
    assert found == {**{job_id: state for state, job_id in ids.items()}, **waiting}


async def test_charlie_gets_nothing_of_alices(store: Store, make: Factory) -> None:
    mine = await make.job()
    theirs = await make.job(tenant=make.charlie)

    assert [job.id for job in await store.get_jobs(make.charlie, [mine, theirs])] == [theirs]
