from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobplane.api.manager.holding import Holding, Memory
from jobplane.core.errors import StaleLease
from jobplane.core.leases import Lease

WORKERS = st.text(min_size=1, max_size=200)


def held(job_id: UUID, worker_id: str = "w1") -> Holding:
    return Holding(job_id, Lease(7, 1, uuid4()), worker_id)


@given(st.uuids(), st.integers(1, 2**62), st.integers(1, 2**31 - 1), st.uuids(), WORKERS)
def test_an_id_says_all_about_its_lease(job_id: UUID, seq: int, attempt_no: int, token: UUID, worker_id: str) -> None:
    holding = Holding(job_id, Lease(seq, attempt_no, token), worker_id)

    assert Holding.read(holding.lease_id) == holding
    assert Memory().find(job_id, worker_id, holding.lease_id) == holding


@given(st.text())
def test_any_other_text_is_no_lease(text: str) -> None:
    with pytest.raises(StaleLease):
        Memory().find(uuid4(), None, text)


def test_the_latest_lease_on_a_job_is_remembered() -> None:
    memory, job_id = Memory(), uuid4()
    first, second = held(job_id, "w1"), held(job_id, "w2")
    memory.keep(first)
    memory.keep(second)

    assert memory.find(job_id, None, None) == memory.find(job_id, "w2", None) == second
    assert memory.find(job_id, "w1", first.lease_id) == first
    with pytest.raises(StaleLease, match='not held by worker "w1"'):
        memory.find(job_id, "w1", None)


def test_a_memory_forgets_the_oldest() -> None:
    memory = Memory()
    jobs = [uuid4() for _ in range(10_002)]

    def keep(job: UUID) -> None:
        memory.keep(held(job))

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(keep, jobs[:2]))
        list(threads.map(keep, jobs[2:]))

    for job in jobs[:2]:
        with pytest.raises(StaleLease):
            memory.find(job, None, None)
    assert all(memory.find(job, None, None) for job in jobs[2:])
