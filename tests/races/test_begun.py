"""A worker says that its jobs have begun while the reaper takes it for lost: each lease goes one way, and is told."""

from __future__ import annotations

from functools import partial

from tests.clock import Clock
from tests.races.hands import Ticket, Worker
from tests.races.stage import Stage
from tests.races.waiting import at_once

JOBS = 200


def _begin_one_by_one(worker: Worker, tickets: list[Ticket]) -> set[int]:
    """In small batches, and again what the reaper has locked; what it was told is gone."""
    gone: set[int] = set()
    for n in range(0, len(tickets), 5):
        waiting = tickets[n : n + 5]
        while waiting:
            answers = worker.begin(waiting)
            gone |= {seq for seq, answer in answers.items() if answer == "gone"}
            waiting = [ticket for ticket in waiting if answers.get(ticket.seq) == "busy"]
    return gone


def _reap_in_parts(worker: Worker) -> set[int]:
    for _ in range(JOBS):
        worker.call("reap", 3)
    return set()


def test_a_lease_is_refunded_or_has_begun_and_never_both(stage: Stage, clock: Clock) -> None:
    stage.app().enqueue_many(JOBS)
    first = stage.worker()
    tickets = first.claim_encoded(JOBS)
    clock.advance(31)

    gone, *_ = at_once([partial(_begin_one_by_one, first, tickets), partial(_reap_in_parts, stage.worker())])

    refunded = {seq for (seq,) in stage.probe.run("select seq from jobplane.upcoming where attempts_left = 3")}
    begun = {seq for (seq,) in stage.probe.run("select seq from jobplane.leases where begun")}
    assert refunded == gone
    assert begun == {ticket.seq for ticket in tickets} - gone
    assert stage.count("attempts", "outcome <> 'released'") == 0
    stage.assert_whole()


def test_the_reaper_waits_for_nobody_who_begins(stage: Stage, clock: Clock) -> None:
    """What a renewal has locked is left to it, and pays later if it is lost after all."""
    stage.app().enqueue_many(2)
    slow, reaper = stage.worker(in_transaction=True), stage.worker(never_waits=True)
    tickets = slow.claim_encoded(2)
    slow.commit()
    clock.advance(31)
    assert slow.begin(tickets[:1]) == {}

    assert reaper.call("reap") == 1
    slow.commit()
    clock.advance(31)
    assert reaper.call("reap") == 1

    outcomes = dict(stage.probe.run("select seq, outcome::text from jobplane.attempts"))
    assert outcomes == {tickets[0].seq: "lost", tickets[1].seq: "released"}
