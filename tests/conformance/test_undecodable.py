"""What another program wrote into a row: no verb fails because of it, and every reader sees what cannot be decoded."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from jobplane.core.errors import InvalidPayload
from jobplane.core.logs import NewLogLine
from jobplane.core.model import NewWorker, Outcome
from tests.client import Store, WorkerStore
from tests.clock import START, Clock, FileClock
from tests.conformance.backend import Backend
from tests.conformance.factory import Factory
from tests.conformance.scene import Scene, told
from tests.conformance.vandal import LONG, Vandal


@pytest.fixture
def vandal(backend: Backend) -> Vandal:
    return Vandal(backend)


@pytest.fixture
def one_state() -> None:
    """Whoever writes past the verbs may break any rule."""


@pytest.mark.parametrize("number", range(6))
async def test_no_verb_fails_because_of_what_a_row_holds(
    store: Store, worker_store: WorkerStore, make: Factory, clock: Clock | FileClock, vandal: Vandal, number: int
) -> None:
    scene = await Scene.set(store, worker_store, make, clock)
    spoilt = vandal.spoil(number)

    failures = await scene.every_verb()

    assert len(spoilt) > 40
    assert told(failures) == [], spoilt


@pytest.mark.parametrize("definitions", [None, ["d"]])
async def test_a_gate_of_no_definition_keeps_no_worker_out(
    store: Store, make: Factory, vandal: Vandal, definitions: list[str] | None
) -> None:
    await make.worker("w1")
    await make.jobs(2)
    assert await make.claim(worker="w1") == []
    [first, _] = (await store.list_jobs(make.alice)).items
    vandal.write("held", "gate", "'w/x'", f"seq = (select seq from jobplane.jobs where id = '{first.id}')")

    await store.register_worker(NewWorker(worker_id="w2", queues=["default"], definitions=definitions))

    assert len(await make.claim(2, worker="w2")) == 1


async def test_a_column_that_cannot_be_decoded_is_null_with_a_mark_and_its_neighbours_are_whole(
    store: Store, make: Factory, vandal: Vandal
) -> None:
    ids = [await make.job(payload={"n": n}, metadata={"m": n}, tags=["t"]) for n in range(3)]
    bad = f"id = '{ids[1]}'"
    vandal.write("jobs", "payload", f"'{LONG}'", bad)
    vandal.write("jobs", "metadata", "'[1]'", bad)
    vandal.write("jobs", "created_at", vandal.dialect.forever, bad)

    for jobs in (await store.get_jobs(make.alice, ids), (await store.list_jobs(make.alice)).items[::-1]):
        assert [job.id for job in jobs] == ids
        assert [job.payload for job in jobs] == [{"n": 0}, None, {"n": 2}]
        assert [job.metadata for job in jobs] == [{"m": 0}, None, {"m": 2}]
        assert [job.undecodable for job in jobs] == [(), ("payload", "metadata", "created_at", "updated_at"), ()]
        assert jobs[1].created_at is None
        assert jobs[1].tags == ["t"]


async def test_every_kind_of_answer_has_the_mark(store: Store, make: Factory, vandal: Vandal) -> None:
    lease = await make.lease()
    ticket = lease
    await store.log_lines([NewLogLine(ticket, 1, START, "info", "said", {"f": 1})])
    await make.settle(lease, Outcome.SUCCEEDED, result={"r": 1})
    await make.worker("w")
    forever = vandal.dialect.forever
    vandal.write("attempts", "started_at", forever)
    vandal.write("logs", "at", forever)
    vandal.write("logs", "fields", f"'{LONG}'")
    vandal.write("results", "result", f"'{LONG}'")
    vandal.write("definitions", "arg_schema", f"'{LONG}'")
    vandal.write("workers", "metadata", "'[1]'")
    vandal.write("workers", "mismatched", vandal.dialect.nulls)
    vandal.write("queues", "paused_at", forever)
    vandal.write("tenants", "updated_at", forever)

    [attempt] = await store.attempts(make.alice, lease.job_id)
    [line] = await store.read_logs(make.alice, lease.job_id)
    [found] = (await store.search_logs(make.alice, "said")).lines
    [definition] = await store.definitions(["d"])
    [worker] = await store.workers()
    queue = (await store.queues())[0]
    tenant = await store.get_tenant(make.alice)
    job = await make.get(lease.job_id)

    assert (attempt.started_at, attempt.undecodable) == (None, ("started_at",))
    assert (line.at, line.fields, line.undecodable) == (None, None, ("at", "fields"))
    assert found.line == line
    assert (definition.arg_schema, definition.undecodable) == (None, ("arg_schema",))
    assert (worker.metadata, worker.mismatched, worker.undecodable) == (None, None, ("metadata", "mismatched"))
    assert (queue.paused_at, queue.undecodable) == (None, ("paused_at",))
    assert (tenant.updated_at, tenant.undecodable) == (None, ("updated_at",))
    assert (job.result, job.undecodable) == (None, ("started_at", "first_started_at", "result"))
    assert await store.result(make.alice, lease.job_id) is None


@pytest.mark.parametrize("value", [LONG, "[1]", "null", '"text"'])
async def test_a_lease_says_that_its_payload_cannot_be_decoded(
    store: Store, make: Factory, vandal: Vandal, value: str
) -> None:
    job_id = await make.job()
    vandal.write("jobs", "payload", f"'{value}'")

    [lease] = await make.claim()

    assert (lease.job_id, lease.undecodable) == (job_id, [])
    with pytest.raises(InvalidPayload, match="The payload cannot be decoded"):
        _ = lease.payload
    assert (await make.settle(lease, Outcome.FATAL, reason="invalid_payload")).status == "failed"


async def test_a_line_passes_a_payload_on_as_it_is_and_names_what_else_cannot_be_decoded(
    worker_store: WorkerStore, make: Factory, vandal: Vandal
) -> None:
    ids = await make.jobs(3, correlation_id="c")
    vandal.write("jobs", "payload", f"'{LONG}'", f"id = '{ids[0]}'")
    vandal.write(
        "ready", "scheduled_for", vandal.dialect.forever, f"seq = (select seq from jobplane.jobs where id = '{ids[1]}')"
    )

    taken = await worker_store.claim_encoded("default", "w1", limit=3, lease_seconds=30)

    frames = [line.split(b"\t", 10) for line in taken.jobs.split(b"\n")]
    assert [frame[5].decode() for frame in frames] == [str(job_id) for job_id in ids]
    assert [int(frame[0]) for frame in frames] == [ticket.seq for ticket in taken.leases]
    assert json.loads(frames[0][9]) == json.loads(frames[2][9]) == {"correlation_id": "c"}
    assert b"0" * 5000 in frames[0][10]
    assert json.loads(frames[1][9]) == {"correlation_id": "c", "undecodable": ["scheduled_for"]}
    assert (frames[1][7], frames[1][10], frames[2][10]) == (b"", b"{}", b"{}")


@pytest.mark.parametrize("column", ["backoff_base", "backoff_factor", "backoff_cap", "backoff_jitter"])
async def test_a_policy_of_any_numbers_delays_a_job_for_a_year_at_most(
    store: Store, make: Factory, clock: Clock | FileClock, vandal: Vandal, column: str
) -> None:
    for value in vandal.dialect.garbage["real" if "real" in vandal.dialect.garbage else "REAL"]:
        lease = await make.lease()
        vandal.write("jobs", column, value, f"seq = {lease.seq}")

        assert (await make.settle(lease, Outcome.FAILED)).status == "queued"

        job = await make.get(lease.job_id)
        assert clock.now() <= job.scheduled_for <= clock.now() + timedelta(days=365)


async def test_a_document_of_megabytes_is_not_decoded(
    store: Store, worker_store: WorkerStore, make: Factory, vandal: Vandal
) -> None:
    ids = await make.jobs(2)
    vandal.write("jobs", "payload", f"'{json.dumps({'a': 'x' * 17_000_000})}'", f"id = '{ids[0]}'")

    assert [job.undecodable for job in await store.get_jobs(make.alice, ids)] == [("payload",), ()]
    taken = await worker_store.claim_encoded("default", "w1", limit=2, lease_seconds=30)
    huge, small = (line.split(b"\t", 10)[10] for line in taken.jobs.split(b"\n"))
    assert (len(huge), small) == (16 * 1024 * 1024, b"{}")
    with pytest.raises(ValueError, match="Unterminated"):
        json.loads(huge)


@pytest.mark.parametrize("gate", ["nobody/knows", "", "d/x", "t/1/2", "dt/99999999999999999999"])
async def test_what_no_gate_holds_is_let_back_and_judged_again(
    store: Store, make: Factory, vandal: Vandal, gate: str
) -> None:
    job_id = await make.held()
    vandal.write("definitions", "active", "true", "key = 'off'")
    vandal.write("held", "gate", f"'{gate}'")

    await store.sweep()

    assert await make.claim_ids() == [job_id]
