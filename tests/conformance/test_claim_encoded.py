from __future__ import annotations

import json
from datetime import timedelta
from typing import Final, cast
from uuid import UUID

import pytest

from jobplane.core.errors import Invalid, UnknownQueue
from jobplane.core.leases import Claimed
from jobplane.core.model import Outcome
from jobplane.store.sqlite.moment import micros
from tests.client import Store, WorkerStore
from tests.clock import Clock
from tests.conformance.factory import Factory, Options, ended, new

NAMES: Final = (
    "seq",
    "attempt_no",
    "definition",
    "timeout",
    "left",
    "id",
    "tenant",
    "due",
    "source",
    "rest",
    "payload",
)
TEXTS: Final = ("", "\t", "a\nb\r\n", "\x01\x1f\x7f", '\\t\\n"', "ü€😀", "\u2028\x85\x0b\x0c", "{}\t[]")


def read(taken: Claimed) -> list[dict[str, str]]:
    """The rows as an executor splits them."""
    return [dict(zip(NAMES, row.split("\t"), strict=True)) for row in taken.jobs.decode().split("\n")]


async def claim(worker_store: WorkerStore, n: int = 1, queue: str = "default") -> Claimed:
    return await worker_store.claim_encoded(queue, "w1", limit=n, lease_seconds=30)


async def test_a_row_has_what_a_lease_has(worker_store: WorkerStore, make: Factory, clock: Clock) -> None:
    facts = {"artifact_ref": "a\tb", "correlation_id": "c\n", "trace_context": "t", "source_ref": "ü\\", "priority": 7}
    asked = {"payload": {"a": "x\ty\nz"}, "timeout_seconds": 7, "max_attempts": 4, "source": "event", **facts}
    await make.enqueue(new(**cast("Options", asked)))

    taken = await claim(worker_store)

    [row] = read(taken)
    job = await make.get(UUID(row["id"]))
    assert row == {
        "seq": str(taken.leases[0].seq), "attempt_no": "1", "definition": "d", "timeout": "7", "left": "3",
        "id": str(job.id), "tenant": str(make.alice), "due": str(micros(job.scheduled_for)), "source": "event",
        "rest": row["rest"], "payload": row["payload"],
    }  # fmt: skip
    assert json.loads(row["rest"]) == facts
    assert json.loads(row["payload"]) == {"a": "x\ty\nz"}
    assert (job.status, job.worker_id) == ("running", "w1")
    assert job.lease_expires_at == clock.now() + timedelta(seconds=30)


async def test_what_a_job_does_not_have_is_empty(worker_store: WorkerStore, make: Factory) -> None:
    await make.define("endless", timeout_seconds=None)
    await make.job(definition="endless")

    [row] = read(await claim(worker_store))

    assert (row["timeout"], row["rest"], row["payload"], row["source"]) == ("", "", "{}", "manual")


async def test_an_unusual_priority_is_said(worker_store: WorkerStore, make: Factory) -> None:
    for priority in (0, 100, 1000):
        await make.job(priority=priority)

    said = [json.loads(row["rest"] or "{}") for row in read(await claim(worker_store, 3))]

    assert said == [{"priority": 0}, {}, {"priority": 1000}]


async def test_the_rows_are_in_the_order_of_the_tickets(worker_store: WorkerStore, make: Factory) -> None:
    await make.jobs(20)

    taken = await claim(worker_store, 50)

    assert [row["seq"] for row in read(taken)] == [str(ticket.seq) for ticket in taken.leases]
    assert len({ticket.token for ticket in taken.leases}) == 1
    assert len(taken.leases) == 20
    assert not taken.more


async def test_no_job_no_row(worker_store: WorkerStore, make: Factory) -> None:
    assert await claim(worker_store) == Claimed([])


async def test_any_text_comes_back_from_a_row(worker_store: WorkerStore, make: Factory) -> None:
    await make.enqueue(*(new(payload={"text": text}, correlation_id=text[:100] or "-") for text in TEXTS))

    taken = await claim(worker_store, 100)

    found = [(json.loads(row["payload"])["text"], json.loads(row["rest"])["correlation_id"]) for row in read(taken)]
    assert sorted(found) == sorted((text, text[:100] or "-") for text in TEXTS)


async def test_who_has_a_process_of_its_own_is_named(store: Store, worker_store: WorkerStore, make: Factory) -> None:
    await make.define("apart", isolation="process")
    await make.define("stays", on_lost_contact="continue")
    suspect = await make.lease()
    await store.settle([ended(suspect, Outcome.RELEASED, reason="suspect")])
    await store.promote()
    await make.enqueue(new(), new(definition="apart"), new(definition="stays"))

    taken = await claim(worker_store, 10)

    keys = {int(row["seq"]): row["definition"] for row in read(taken)}
    assert sorted(keys[seq] for seq in taken.alone) == ["apart", "d", "stays"]
    assert suspect.seq in taken.alone
    assert [keys[seq] for seq in taken.lasting] == ["stays"]


async def test_a_second_attempt_says_so(store: Store, worker_store: WorkerStore, make: Factory) -> None:
    first = await make.lease(max_attempts=3)
    await store.settle([ended(first, Outcome.FAILED, retry_after=0)])
    await store.promote()

    taken = await claim(worker_store)

    [row] = read(taken)
    assert (row["attempt_no"], row["left"], taken.leases[0].attempt_no) == ("2", "1", 2)


async def test_a_gate_shuts_for_encoded_claims_too(store: Store, worker_store: WorkerStore, make: Factory) -> None:
    await make.define(max_running=2)
    await make.jobs(5)

    assert len((await claim(worker_store, 5)).leases) == 2
    assert (await claim(worker_store, 5)).leases == []
    await store.pause_queues(["default"])
    assert (await claim(worker_store, 5)).leases == []


async def test_more_is_said_where_a_claim_could_not_look_at_all(worker_store: WorkerStore, make: Factory) -> None:
    await make.define("off")
    await make.jobs(15, definition="off")
    await make.job()
    await make.define("off", active=False)

    first = await claim(worker_store)

    assert (first.leases, first.more) == ([], True)
    while (taken := await claim(worker_store)).more:
        pass
    assert len(taken.leases) == 1


async def test_what_cannot_be_is_refused(worker_store: WorkerStore, make: Factory) -> None:
    for limit, seconds, worker in ((0, 30, "w"), (1001, 30, "w"), (1, 4, "w"), (1, 3601, "w"), (1, 30, "")):
        with pytest.raises(Invalid):
            await worker_store.claim_encoded("default", worker, limit=limit, lease_seconds=seconds)
    with pytest.raises(UnknownQueue):
        await claim(worker_store, queue="nowhere")
