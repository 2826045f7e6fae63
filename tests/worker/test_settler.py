from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from datetime import UTC, datetime
from typing import Any, cast
from uuid import UUID

import orjson
import pytest

from jobplane.core.errors import Invalid, StoreBusy, StoreUnavailable
from jobplane.core.leases import Claimed, Lease, Settlement
from jobplane.core.logs import NewLogLine
from jobplane.core.model import DEFAULT_TENANT, NewWorker, Outcome
from jobplane.process.contact import ConnectionLost, Contact
from jobplane.store.postgres.settings import Settings
from jobplane.store.verbs.engine import Settle, WriteLogs
from jobplane.worker import logbook
from jobplane.worker import settler as settler_module
from jobplane.worker.claim_records import ClaimRecords
from jobplane.worker.journal import Journal
from jobplane.worker.logbook import Logbook
from jobplane.worker.settler import Settler
from tests.client import PostgresWorkerStore, WorkerStore
from tests.conftest import ROLES
from tests.database import Database
from tests.leases import end

LOST = "could not be stored"


@pytest.fixture
async def store(db: Database) -> AsyncGenerator[WorkerStore]:
    settings = Settings(urls={role: db.url(role) for role in ROLES}, allow_unsafe_durability=True)
    store = PostgresWorkerStore(settings)
    await store.put_queues(["default"])
    await store.put_definitions([{"key": "d", "kind": "python", "max_attempts": 1}])
    await store.register_worker(NewWorker(worker_id="w", queues=["default"]))
    yield store
    await store.close()


@pytest.fixture
async def taken(db: Database, store: WorkerStore) -> Claimed:
    """Thirty leases."""
    with db.connect("app") as conn:
        conn.execute("select set_config('jobplane.tenant_id', %s, false)", [str(DEFAULT_TENANT)])
        for _ in range(30):
            conn.execute("select jobplane.enqueue('d')")
    return await store.claim_encoded("default", "w", limit=30, lease_seconds=30)


class Desk:
    """A settler and a logbook as a worker has them."""

    def __init__(self, store: WorkerStore, claim_records: ClaimRecords | None = None) -> None:
        journal = Journal("w", claim_records or ClaimRecords())
        self.line = Contact(journal).connection("settlements")
        self.credits: dict[int, int] = {}
        self.logbook = Logbook(self.line, store, journal, self.credits.update)
        self.settler = Settler(self.line, store, self.logbook, journal, lambda: None, lease_seconds=30)


async def test_an_outcome_that_cannot_be_stored_costs_only_its_own_job(
    db: Database, store: WorkerStore, taken: Claimed
) -> None:
    settler = Desk(store).settler
    bad, *good = taken.leases
    settler.add(
        [*map(Settlement, good[:14]), end(bad, result='"\\u0000"'), *(end(ticket, result="1") for ticket in good[14:])]
    )

    while settler.count:
        await settler.step()

    statuses = dict(db.peek("select seq, status::text from jobplane.endings"))
    assert statuses == {bad.seq: "failed", **{ticket.seq: "succeeded" for ticket in good}}
    [[reason]] = db.peek(f"select reason from jobplane.attempts where seq = {bad.seq}")
    assert reason == "outcome_not_stored"


class Narrow:
    """A store that loses the line over a call of more than so many outcomes, and over every log line."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.taken: list[int] = []

    async def run(self, verb: Settle | WriteLogs) -> list[object]:
        if isinstance(verb, WriteLogs):
            raise StoreBusy("canceling statement due to lock timeout")
        if len(verb.settlements) > self._most:
            raise StoreUnavailable("The database did not answer within 2 s.")
        self.taken.append(len(verb.settlements))
        return []

    async def check(self) -> None: ...


async def test_a_batch_that_is_too_much_for_one_call_is_sent_in_parts() -> None:
    store = Narrow(most=7)
    desk = Desk(cast("WorkerStore", store))
    desk.settler.add([Settlement(Lease(seq, 1, UUID(int=1))) for seq in range(20)])

    losses = await settled(desk)

    assert sum(store.taken) == 20
    assert losses < 8


async def test_large_results_go_in_calls_of_bounded_size(
    db: Database, store: WorkerStore, taken: Claimed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settler_module, "BATCH_BYTES", 100_000)
    desk, text = Desk(store), orjson.dumps({"x": 'a "quoted" \\ part, {braces}' * 1000}).decode()
    desk.settler.add([end(ticket, result=text) for ticket in taken.leases])

    await desk.settler.flush()

    assert desk.settler.count == len(taken.leases) - 100_000 // len(text)
    assert await settled(desk) == 0
    assert db.peek("select distinct result->>'x' from jobplane.results") == [(orjson.loads(text)["x"],)]


async def test_log_lines_that_cannot_be_stored_do_not_keep_outcomes_back_for_ever() -> None:
    store = Narrow(most=7)
    desk, ticket = Desk(cast("WorkerStore", store)), Lease(1, 1, UUID(int=1))
    desk.logbook.add([line(ticket, 1)], {1: 20})
    desk.settler.add([Settlement(ticket)])

    losses = await settled(desk)

    assert (losses, store.taken) == (logbook.TRIES, [1])
    assert desk.credits == {1: 20}


async def test_a_line_that_was_lost_is_asked_though_nothing_waits_for_it() -> None:
    desk = Desk(cast("WorkerStore", Narrow(most=7)))
    desk.line.record_failure(OSError("gone"))

    desk.settler.wake()
    await desk.settler.step()

    assert not desk.line.is_lost


@pytest.fixture
async def hasty(db: Database) -> AsyncGenerator[WorkerStore]:
    """A store whose log lines do not wait for locks; two seconds, as they do else, would be ten for all tries."""
    db.own("set role jobplane_engine; alter function jobplane.log_lines set lock_timeout = '10ms'")
    store = PostgresWorkerStore(Settings(urls={role: db.url(role) for role in ROLES}, allow_unsafe_durability=True))
    yield store
    await store.close()


async def given_up(desk: Desk) -> None:
    """As often as it is tried."""
    for _ in range(logbook.TRIES):
        with pytest.raises(ConnectionLost):
            await desk.logbook.flush()


async def test_what_was_given_up_is_marked_in_the_log_of_its_job_when_lines_are_taken_again(
    db: Database, hasty: WorkerStore, taken: Claimed
) -> None:
    desk, (ticket, other, *_) = Desk(hasty), taken.leases
    desk.logbook.add([line(ticket, 1), line(ticket, 2)], {ticket.seq: 8})
    with db.connect("owner", autocommit=False) as somebody:
        somebody.execute("lock table jobplane.logs in access exclusive mode")
        await given_up(desk)
        desk.settler.add([Settlement(other)])
        await desk.settler.flush()  # no outcome waits for a mark
        somebody.rollback()

    desk.logbook.add([line(ticket, 3)], {ticket.seq: 8})
    await desk.logbook.flush()

    assert [(number, text[:2]) for _, number, text in messages(db)] == [(1, "[2"), (3, "li")]
    assert db.peek("select fields from jobplane.logs where line = 1") == [({"lines_dropped": 2},)]
    assert db.peek("select count(*) from jobplane.endings") == [(1,)]


async def test_and_before_its_outcome_where_it_says_nothing_more(
    db: Database, hasty: WorkerStore, taken: Claimed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logbook, "MARK_SECONDS", 0)
    desk, ticket = Desk(hasty), taken.leases[0]
    desk.logbook.add([line(ticket, 1)], {ticket.seq: 8})
    with db.connect("owner", autocommit=False) as somebody:
        somebody.execute("lock table jobplane.logs in access exclusive mode")
        await given_up(desk)
        await desk.logbook.flush()
        somebody.rollback()

    desk.settler.add([Settlement(ticket)])
    await desk.settler.flush()
    await desk.logbook.flush()

    assert [(number, text[:2]) for _, number, text in messages(db)] == [(1, "[1")]
    assert desk.settler.count == 0


class Counting:
    """A store that takes all lines; how many came in each call."""

    def __init__(self) -> None:
        self.taken: list[int] = []

    async def run(self, verb: WriteLogs) -> list[int]:
        self.taken.append(len(verb.lines))
        return []


async def test_losses_are_remembered_of_a_bounded_number_of_attempts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logbook, "MOST_BYTES", 0)
    monkeypatch.setattr(logbook, "MARKS", 3)
    store = Counting()
    desk = Desk(cast("WorkerStore", store))
    desk.logbook.add([line(Lease(1, 1, UUID(int=1)), 1)], {1: 1})

    desk.logbook.add([line(Lease(seq, 1, UUID(int=1)), 2) for seq in range(20)], {1: 1})
    await desk.logbook.flush()

    assert store.taken == [1, 3]


async def settled(desk: Desk) -> int:
    """All of it, as a loop does it; how often the line was lost on the way."""
    losses = 0
    while desk.settler.count and losses < 100:
        try:
            await desk.settler.flush()
        except ConnectionLost:
            losses += 1
    return losses


async def test_a_row_that_somebody_has_locked_is_settled_when_it_is_free(
    db: Database, store: WorkerStore, taken: Claimed
) -> None:
    settler = Desk(store).settler
    with db.connect("app", autocommit=False) as application:
        application.execute("select set_config('jobplane.tenant_id', %s, true)", [str(DEFAULT_TENANT)])
        [[job]] = db.peek(f"select id from jobplane.jobs where seq = {taken.leases[0].seq}")
        application.execute("select jobplane.cancel(array[%s]::uuid[])", [job])
        settler.add([*map(Settlement, taken.leases)])
        await settler.step()

        assert [ticket.seq for ticket in settler.leases()] == [taken.leases[0].seq]
        application.rollback()

    async with asyncio.timeout(5):
        while settler.count:
            await settler.step()
    assert db.peek("select count(*) from jobplane.endings where status = 'succeeded'") == [(30,)]


async def test_an_attempt_that_was_taken_is_logged_though_an_earlier_one_of_its_job_was_not(
    store: WorkerStore, taken: Claimed, caplog: pytest.LogCaptureFixture
) -> None:
    desk, stale = Desk(store), taken.leases[0]
    await store.settle_all([end(stale, Outcome.RELEASED, "unstarted")])
    again: list[Lease] = []
    async with asyncio.timeout(5):
        while not again:
            await store.promote(limit=1)
            again = (await store.claim_encoded("default", "w", limit=1, lease_seconds=30)).leases
    [ticket] = again
    desk.settler.add([end(stale, Outcome.FAILED), end(ticket, Outcome.FAILED)])

    with caplog.at_level(logging.INFO, "jobplane.worker"):
        await desk.settler.flush()

    facts = [vars(record)["facts"] for record in caplog.records]
    said = [(each["event"], each["seq"], each["attempt_no"]) for each in facts]
    assert said == [("outcome_refused", stale.seq, 1), ("attempt_failed", stale.seq, 2)]


async def test_a_refused_success_names_its_tenant_by_the_slug(
    db: Database, store: WorkerStore, taken: Claimed, caplog: pytest.LogCaptureFixture
) -> None:
    desk, lease = Desk(store, records_of(taken)), taken.leases[0]
    await store.settle_all([end(lease, Outcome.RELEASED, "unstarted")])
    desk.settler.add([Settlement(lease)])

    with caplog.at_level(logging.INFO, "jobplane.worker"):
        await desk.settler.flush()

    [[slug]] = db.peek(f"select slug from jobplane.tenants where tenant_id = '{DEFAULT_TENANT}'")
    [facts] = [vars(record)["facts"] for record in caplog.records]
    assert (facts["event"], facts["tenant"]) == ("outcome_refused", slug)


class Picky:
    """A store that takes no log line."""

    def __init__(self, store: WorkerStore) -> None:
        self._store = store

    async def run(self, verb: Any) -> Any:
        if isinstance(verb, WriteLogs):
            raise Invalid("No such line.")
        return await self._store.run(verb)


async def test_a_line_that_cannot_be_stored_is_told_of_with_the_ids_of_its_attempt(
    db: Database, store: WorkerStore, taken: Claimed, caplog: pytest.LogCaptureFixture
) -> None:
    desk, lease = Desk(cast("WorkerStore", Picky(store)), records_of(taken)), taken.leases[0]
    desk.logbook.add([line(lease, 1)], {lease.seq: 20})

    with caplog.at_level(logging.INFO, "jobplane.worker"):
        await desk.logbook.flush()

    [[job, slug]] = db.peek(
        "select j.id::text, t.slug from jobplane.jobs j join jobplane.tenants t using (tenant_id)"
        f" where seq = {lease.seq}"
    )
    [facts] = [vars(record)["facts"] for record in caplog.records]
    known = {"event": "log_line_refused", "job_id": job, "tenant": slug, "definition_key": "d", "attempt_no": 1}
    assert facts.items() >= known.items()
    assert facts["error"].startswith("No such line.")


def records_of(claimed: Claimed) -> ClaimRecords:
    claim_records = ClaimRecords()
    claim_records.keep(claimed)
    return claim_records


async def test_lines_are_stored_before_the_end_of_their_attempt_and_give_their_credit_back(
    db: Database, store: WorkerStore, taken: Claimed
) -> None:
    desk, ticket = Desk(store), taken.leases[0]
    desk.logbook.add([line(ticket, 1), line(ticket, 2)], {ticket.seq: 20})
    desk.settler.add([Settlement(ticket)])

    await desk.settler.step()

    assert messages(db) == [(ticket.seq, 1, "line 1"), (ticket.seq, 2, "line 2")]
    assert desk.credits == {ticket.seq: 20}


async def test_no_outcome_waits_for_the_lines_of_others(
    db: Database, store: WorkerStore, taken: Claimed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logbook, "AT_ONCE", 10)
    desk, (loud, quiet, *_) = Desk(store), taken.leases
    desk.logbook.add([line(loud, number) for number in range(1, 31)], {loud.seq: 300})
    desk.settler.add([Settlement(loud), Settlement(quiet)])

    await desk.settler.step()
    first = db.peek("select seq from jobplane.endings"), len(messages(db))
    await settled(desk)

    assert first == ([(quiet.seq,)], 10)
    assert len(messages(db)) == 30
    assert sorted(db.peek("select seq from jobplane.endings")) == sorted([(loud.seq,), (quiet.seq,)])


async def test_what_comes_over_the_bound_is_lost_and_marked_in_its_place(
    db: Database, store: WorkerStore, taken: Claimed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logbook, "MOST_BYTES", 10)
    desk, ticket = Desk(store), taken.leases[0]
    for number in range(1, 5):
        desk.logbook.add([line(ticket, number)], {ticket.seq: 8})

    await desk.logbook.flush()
    desk.logbook.add([line(ticket, 5)], {ticket.seq: 8})
    await desk.logbook.flush()

    assert [(number, text[:2]) for _, number, text in messages(db)] == [(1, "li"), (2, "li"), (3, "[2"), (5, "li")]


async def test_a_stream_of_lines_cannot_put_the_flush_off(
    store: WorkerStore, taken: Claimed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logbook, "LAG_SECONDS", 0.1)
    desk, ticket = Desk(store), taken.leases[0]
    until = asyncio.get_running_loop().time() + 0.15

    for number in range(1, 90):
        desk.logbook.add([line(ticket, number)], {ticket.seq: 1})
        if asyncio.get_running_loop().time() > until:
            break
        await asyncio.sleep(0.005)

    assert desk.logbook.due_in == 0


def line(ticket: Lease, number: int) -> NewLogLine:
    return NewLogLine(ticket, number, datetime.now(UTC), "info", f"line {number}")


def messages(db: Database) -> Sequence[tuple[Any, ...]]:
    return db.peek("select seq, line, message from jobplane.logs order by seq, attempt_no, line")
