"""The order in which a queue hands out: no row is left behind the low mark, and no priority starves."""

from __future__ import annotations

from collections import Counter

from tests.clock import Clock
from tests.races.hands import Lease, Worker
from tests.races.stage import Stage
from tests.races.waiting import at_once

PRIORITIES = "select seq, priority from jobplane.jobs where seq = any(%s)"


def _priorities(stage: Stage, leases: list[Lease]) -> Counter[int]:
    found = dict(stage.probe.run(PRIORITIES, [lease.seq for lease in leases]))
    return Counter(found[lease.seq] for lease in leases)


def _move_on(stage: Stage, clock: Clock, worker: Worker) -> None:
    """The clock of the lane goes on, and its low mark follows."""
    charlie = stage.app(stage.charlie)
    for _ in range(3):
        charlie.enqueue_many(50)
        clock.advance(1)
        worker.settle(worker.claim(1000))
        worker.call("tick", False)


def test_a_row_committed_below_the_low_mark_is_found_after_a_full_tick(stage: Stage, clock: Clock) -> None:
    worker, app = stage.worker(), stage.app(in_transaction=True)
    job = app.enqueue().job_id
    _move_on(stage, clock, worker)
    tag = stage.probe.run("select low from jobplane.clocks where low > 0")
    app.commit()
    assert stage.probe.run("select tag from jobplane.ready") < tag, "the row is not below the mark, this shows nothing"
    assert worker.claim() == []

    worker.call("tick", True)

    assert [lease.job_id for lease in worker.claim()] == [job]


def test_a_row_held_below_the_low_mark_is_found_when_its_gate_opens(stage: Stage, clock: Clock) -> None:
    worker = stage.worker()
    stage.admin.set_tenant(stage.alice, max_in_flight=1)
    stage.app().enqueue_many(3)
    leases = worker.claim(3)
    assert (len(leases), stage.count("held")) == (1, 2)
    _move_on(stage, clock, worker)

    worker.settle(leases)

    assert len(worker.claim(3)) == 1


def test_one_job_in_sixteen_comes_from_a_lower_priority_in_turn(stage: Stage) -> None:
    worker, app = stage.worker(), stage.app()
    for priority in (0, 500, 900):
        app.enqueue_many(400, priorities=[priority] * 400)
    worker.call("tick", True)

    one_by_one = _priorities(stage, [lease for _ in range(320) for lease in worker.claim()])
    by_tens = _priorities(stage, [lease for _ in range(32) for lease in worker.claim(10)])

    assert one_by_one == {0: 300, 500: 10, 900: 10}
    assert by_tens[0] == 100, "what is left of priority 0"
    assert by_tens[900] >= 10


def test_an_empty_priority_gives_its_turn_to_the_next(stage: Stage) -> None:
    worker, app = stage.worker(), stage.app()
    for priority in (100, 200, 300, 400, 500, 600):
        app.enqueue(priority=priority)
    worker.settle(worker.claim(100))
    app.enqueue_many(400)
    app.enqueue_many(40, priorities=[500] * 40)

    got = _priorities(stage, [lease for _ in range(160) for lease in worker.claim()])

    assert got == {100: 150, 500: 10}


def test_a_job_of_the_lowest_priority_starts_within_sixteen_jobs_for_each_priority_in_use(stage: Stage) -> None:
    app, workers = stage.app(), [stage.worker() for _ in range(4)]
    app.enqueue_many(30, priorities=list(range(300, 330)))
    workers[0].settle(workers[0].claim(100))
    app.enqueue_many(1000, priorities=[0, 500] * 500)
    app.enqueue(priority=400)
    workers[0].call("tick", True)
    job = app.enqueue(priority=900).job_id
    workers[0].call("tick", True)

    claimed = at_once([lambda w=worker: [lease for _ in range(16) for lease in w.claim()] for worker in workers])

    assert sum(map(len, claimed)) == 16 * 4
    assert job in {lease.job_id for leases in claimed for lease in leases}


def test_a_claim_looks_past_rows_that_only_others_know(stage: Stage) -> None:
    stage.admin.define("theirs")
    worker = stage.worker()
    worker.run("select jobplane.register_worker('w', '{default}', '{d}')")
    worker.run("select jobplane.register_worker('other', '{default}', '{theirs}')")
    tenants = [stage.admin.tenant(f"t{n}") for n in range(4)]
    for tenant in tenants[:3]:
        stage.app(tenant).enqueue("theirs")
    job = stage.app(tenants[3]).enqueue().job_id

    assert [lease.job_id for lease in worker.claim()] == [job]
