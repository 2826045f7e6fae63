"""Whatever a handler returns or raises, its job ends as it should on either store, and the process goes on."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from jobplane.core.model import DEFAULT_TENANT, Job, JobStatus, NewJob
from jobplane.worker.fleet.reports import read_settlement
from tests.client import Store, WorkerStore
from tests.conformance.backend import Backend, PostgresBackend, SqliteBackend
from tests.faults.sizes import size
from tests.worker.executor.driver import Driver, row
from tests.worker.executor.hostile import BAD, FAULTS, GOOD

RUNS: Final = size(250, 2500)
AT_ONCE: Final = 250
FATAL: Final = ("fail", "forgetful", "exits")
ENDS: Final = {
    "bad": (JobStatus.FAILED, "invalid_result"),
    "good": (JobStatus.SUCCEEDED, None),
    "breaks": (JobStatus.DEAD_LETTER, "failed"),  # each has one attempt
}
KINDS: Final = [
    *(("bad", name) for name in BAD),
    *(("good", name) for name in GOOD),
    *(("raise", name) for name in FAULTS),
    ("breaks", ""),
]


class Plane(NamedTuple):
    """One database, as an application has it and as a supervisor has it."""

    store: Store
    worker_store: WorkerStore


@pytest.fixture
def hostile() -> Generator[Driver]:
    with Driver("tests.worker.executor.hostile") as driver:
        driver.ready()
        yield driver


@pytest.fixture(params=["postgres", "sqlite"])
async def plane(request: pytest.FixtureRequest, scratch: Path) -> AsyncGenerator[Plane]:
    backend: Backend = (
        SqliteBackend(scratch) if request.param == "sqlite" else PostgresBackend(request.getfixturevalue("db"))
    )
    async with backend.open() as store, backend.open_worker_store() as worker_store:
        yield Plane(store, worker_store)
    assert backend.audit.faults() == []


def _is_proper(job: Job) -> bool:
    kind, name = str(job.payload["kind"]), job.payload["name"]
    if kind == "raise":
        status = JobStatus.FAILED if name in FATAL else JobStatus.DEAD_LETTER
        return job.status is status and 0 < len(job.error or "") < 20_000
    return (job.status, job.reason) == ENDS[kind]


@pytest.mark.parametrize("key", ["act", "act-async"])
async def test_hostile_results_and_errors_end_their_jobs(hostile: Driver, plane: Plane, key: str) -> None:
    await plane.store.put_definitions([{"key": key}])

    kinds = list(islice(cycle(KINDS), RUNS))
    ended = [
        job for at in range(0, RUNS, AT_ONCE) for job in await _ended(hostile, plane, key, kinds[at : at + AT_ONCE])
    ]

    assert len(ended) == RUNS
    assert [(job.payload, job.status, job.reason, job.error) for job in ended if not _is_proper(job)] == []


async def _ended(hostile: Driver, plane: Plane, key: str, kinds: Sequence[tuple[str, str]]) -> list[Job]:
    """Jobs of these kinds, claimed, run and settled in one batch, as the store has them then."""
    new = [
        NewJob(definition=key, max_attempts=1, payload={"kind": kind, "name": name, "seed": seed})
        for seed, (kind, name) in enumerate(kinds)
    ]
    answers = await plane.store.enqueue(DEFAULT_TENANT, new)
    taken = await plane.worker_store.claim_encoded("default", "w", limit=AT_ONCE, lease_seconds=60)
    rows = hostile.run(*taken.jobs.splitlines())
    ends = [read_settlement(ticket, rows[ticket.seq]) if rows[ticket.seq] else ticket for ticket in taken.leases]
    assert await plane.worker_store.settle_all(ends) == []
    return await plane.store.get_jobs(DEFAULT_TENANT, [answer.job_id for answer in answers if answer.job_id])


def test_a_result_of_a_hundred_megabytes_is_refused(hostile: Driver) -> None:
    seq = next(hostile.seqs)

    [_, outcome, reason, error, *_] = hostile.run(row(seq, "enormous"))[seq]

    assert (outcome, reason) == ("fatal", "invalid_result")
    assert "artifacts_dir" in error
    assert len(error) < 1000
