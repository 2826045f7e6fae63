"""One state machine over the specification and every store: its rules are the verbs, compared after each step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from itertools import product
from typing import ClassVar, Final

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from jobplane.core.model import Document, Lease, NewJob, OnDuplicate, Outcome, Settlement
from tests.model.cast import DEFINITIONS, QUEUES, TENANTS
from tests.model.world import World

Opening = Callable[[], AbstractContextManager[World]]

# A choice among what a world has now: two stores may have claimed different jobs, so each finds its own.
picks: Final = st.integers(0, 40)
tenants: Final = st.integers(0, len(TENANTS) - 1)
definitions: Final = st.sampled_from(list(DEFINITIONS))
queues: Final = st.sampled_from(["default", "default", *QUEUES])
workers: Final = st.sampled_from(["anybody", "anybody", "mailer", "generalist"])
rarely: Final = st.sampled_from([False, False, True])
reasons: Final = st.sampled_from([None, "shutdown", "snooze", "suspect", "disk full"])
outcomes: Final = st.sampled_from(list(Outcome))
limits: Final = st.sampled_from([None, 2, 1, 3, 2, 0])
soon: Final = st.sampled_from([0.0, 0.5, 1.0, 7.0, 31.0, 60.0])


@st.composite
def rows(draw: st.DrawFn) -> NewJob:
    """A request. Few keys and payloads, so that they meet."""
    return NewJob(
        definition=draw(definitions),
        payload={"n": draw(st.integers(0, 1))},
        queue=draw(st.none() | queues),
        priority=draw(st.none() | st.sampled_from([0, 100, 500])),
        delay_seconds=draw(st.none() | soon),
        dedupe_key=draw(st.none() | st.sampled_from("ab")),
        on_duplicate=draw(st.none() | st.sampled_from(list(OnDuplicate))),
        idempotency_key=draw(st.none() | st.sampled_from("xyz")),
        max_attempts=draw(st.none() | st.integers(1, 3)),
    )


@st.composite
def changes(draw: st.DrawFn) -> Document:
    """What an edit changes."""
    every: Document = {
        "payload": {"n": 7},
        "priority": draw(st.sampled_from([0, 100])),
        "max_attempts": draw(st.integers(1, 4)),
        "queue": draw(queues),
    }
    names = draw(st.lists(st.sampled_from(sorted(every)), unique=True, max_size=3))
    return {name: every[name] for name in names}


def some_run(machine: Lives) -> bool:
    return any(life.run for world in machine.worlds for life in world.spec.lives)


def some_ended(machine: Lives) -> bool:
    return any(not life.active for world in machine.worlds for life in world.spec.lives)


class Lives(RuleBasedStateMachine):
    """Every rule is told to each world; a world is one store with its own specification."""

    openings: ClassVar[Sequence[Opening]] = ()

    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()
        self.worlds: list[World] = []
        self.said: dict[int, tuple[list[Settlement], int]] = {}

    @initialize(counts=st.lists(st.integers(1, 3), min_size=9, max_size=9))
    def open(self, counts: list[int]) -> None:
        """Some jobs are there at the start, so that a short history has something to move."""
        self.worlds = [self.stack.enter_context(opening()) for opening in self.openings]
        for world in self.worlds:
            for (tenant, definition), count in zip(product(world.tenants, DEFINITIONS), counts, strict=True):
                world.enqueue(tenant, [NewJob(definition=definition) for _ in range(count)])

    def teardown(self) -> None:
        with self.stack:
            for world in self.worlds:
                world.check_whole()

    @invariant()
    def the_stores_do_what_the_specification_says(self) -> None:
        for world in self.worlds:
            world.check()

    # A tenant's jobs

    @rule(tenant=tenants, batch=st.lists(rows(), min_size=1, max_size=3), expires_in=st.none() | soon)
    def enqueue(self, tenant: int, batch: list[NewJob], expires_in: float | None) -> None:
        for world in self.worlds:
            world.enqueue(world.tenants[tenant], [world.dated(row, expires_in) for row in batch])

    @rule(tenant=tenants, definition=definitions, count=st.integers(2, 12))
    def enqueue_plain_ones(self, tenant: int, definition: str, count: int) -> None:
        for world in self.worlds:
            world.enqueue(world.tenants[tenant], [NewJob(definition=definition) for _ in range(count)])

    @rule(pick=picks, n=st.integers(0, 1))
    def enqueue_an_id_again(self, pick: int, n: int) -> None:
        for world in self.worlds:
            for life in world.some(pick):
                world.enqueue(life.tenant_id, [NewJob(definition="mail", id=life.id, payload={"n": n})])

    @rule(pick=picks, reason=reasons)
    def cancel(self, pick: int, reason: str | None) -> None:
        for world in self.worlds:
            for life in world.some(pick):
                world.cancel(life, reason)

    @precondition(some_run)
    @rule(pick=picks)
    def cancel_what_runs(self, pick: int) -> None:
        for world in self.worlds:
            for lease in world.running(pick, 1):
                if life := world.spec.owner(lease):
                    world.cancel(life, "stop")

    @precondition(some_ended)
    @rule(pick=picks, ended=st.sampled_from([True, True, None]), max_attempts=st.none() | st.integers(1, 3))
    def retry(self, pick: int, ended: bool | None, max_attempts: int | None) -> None:
        for world in self.worlds:
            for life in world.some(pick, ended=ended):
                world.retry(life, max_attempts)

    @rule(pick=picks, delay=soon)
    def reschedule(self, pick: int, delay: float) -> None:
        for world in self.worlds:
            for life in world.some(pick):
                world.reschedule(life, delay)

    @rule(pick=picks, changed=changes(), expires_in=st.none() | soon)
    def edit(self, pick: int, changed: Document, expires_in: float | None) -> None:
        for world in self.worlds:
            for life in world.some(pick):
                world.edit(life, changed, expires_in)

    # Leases

    @rule(queue=queues, worker=workers, limit=st.integers(1, 6), lease_seconds=st.sampled_from([5, 30]))
    def claim(self, queue: str, worker: str, limit: int, lease_seconds: int) -> None:
        for world in self.worlds:
            world.promote()
            world.claim(queue, worker, limit, lease_seconds)

    @rule(queue=queues, limit=st.integers(1, 3), outcome=outcomes, reason=reasons)
    def work(self, queue: str, limit: int, outcome: Outcome, reason: str | None) -> None:
        """What comes due, a claim, and how it ended."""
        for world in self.worlds:
            world.promote()
            leases = world.claim(queue, "anybody", limit, 30)
            self._settle(world, [Settlement(lease=lease, outcome=outcome, reason=reason) for lease in leases])

    @rule(queue=queues, limit=st.integers(1, 20), ends=st.lists(outcomes, min_size=1, max_size=4))
    def work_through(self, queue: str, limit: int, ends: list[Outcome]) -> None:
        """A large claim, of which each ends in its own way and some run on."""
        for world in self.worlds:
            world.promote()
            leases = world.claim(queue, "anybody", limit, 30)
            self._settle(
                world, [Settlement(lease=lease, outcome=end) for lease, end in zip(leases, ends * 3, strict=False)]
            )

    @precondition(some_run)
    @rule(pick=picks, count=st.integers(1, 3), progress=st.sampled_from([None, 0.25, 0.5]))
    def renew(self, pick: int, count: int, progress: float | None) -> None:
        for world in self.worlds:
            if leases := world.running(pick, count):
                world.renew(leases, 30, progress)

    @precondition(some_run)
    @rule(
        pick=picks,
        count=st.integers(1, 3),
        outcome=outcomes,
        reason=reasons,
        retry_after=st.sampled_from([None, None, 0.0, 2.5]),
        result=st.sampled_from([None, {"files": 12}, 7]),
        most=st.sampled_from([20, 1]),
    )
    def settle(
        self,
        pick: int,
        count: int,
        outcome: Outcome,
        reason: str | None,
        retry_after: float | None,
        result: int | Document | None,
        most: int,
    ) -> None:
        for world in self.worlds:
            self._settle(
                world,
                [
                    Settlement(
                        lease=lease,
                        outcome=outcome,
                        reason=reason,
                        retry_after=retry_after,
                        result=result,
                        error="it broke" if outcome is Outcome.FAILED else None,
                        exit_code=3 if outcome is Outcome.FATAL else None,
                        progress=0.75 if result else None,
                    )
                    for lease in world.running(pick, count)
                ],
                most,
            )

    def _settle(self, world: World, said: list[Settlement], most: int = 20) -> None:
        if said:
            world.settle(said, most)
            self.said[id(world)] = (said, most)

    @precondition(lambda self: bool(self.said))
    @rule()
    def settle_again(self) -> None:
        """A worker that did not hear the answer asks again."""
        for world in self.worlds:
            if id(world) in self.said:
                world.settle(*self.said[id(world)])

    @precondition(lambda self: any(world.leases for world in self.worlds))
    @rule(pick=picks, outcome=outcomes)
    def come_late(self, pick: int, outcome: Outcome) -> None:
        """Any lease that there ever was: most are stale."""
        for world in self.worlds:
            late = world.ever_leased(pick)
            world.renew(late, 30, None)
            world.settle([Settlement(lease=lease, outcome=outcome) for lease in late])

    @precondition(some_run)
    @rule(pick=picks, count=st.integers(1, 3), reason=st.sampled_from(["shutdown", "snooze", "suspect"]), after=soon)
    def release(self, pick: int, count: int, reason: str, after: float) -> None:
        for world in self.worlds:
            leases = world.running(pick, count)
            if leases:
                world.release([_released(lease, reason, after) for lease in leases])

    # Upkeep

    @rule(verb=st.sampled_from(["promote", "reap", "expire", "sweep", "tidy"]))
    def keep_up(self, verb: str) -> None:
        for world in self.worlds:
            getattr(world, verb)()

    @rule(full=st.booleans())
    def tick(self, full: bool) -> None:
        for world in self.worlds:
            world.store.tick(full=full)

    @precondition(some_run)
    @rule()
    def lose_workers(self) -> None:
        """Nobody renews for a while."""
        for world in self.worlds:
            world.advance(30.001)
            world.reap()

    # What the operator sets

    @rule(tenant=tenants, paused=rarely)
    def pause_or_resume_a_tenant(self, tenant: int, paused: bool) -> None:
        for world in self.worlds:
            change = world.pause_tenant if paused else world.resume_tenant
            change(world.tenants[tenant])

    @rule(queue=queues, paused=rarely)
    def pause_or_resume_a_queue(self, queue: str, paused: bool) -> None:
        for world in self.worlds:
            world.pause_queue(queue, paused=paused)

    @rule(tenant=tenants, name=st.sampled_from(["max_in_flight", "max_in_flight", "max_pending"]), limit=limits)
    def limit_a_tenant(self, tenant: int, name: str, limit: int | None) -> None:
        for world in self.worlds:
            world.limit_tenant(world.tenants[tenant], name, limit)

    @rule(key=definitions, name=st.sampled_from(["max_running", "max_running_per_tenant"]), limit=limits)
    def limit_a_definition(self, key: str, name: str, limit: int | None) -> None:
        for world in self.worlds:
            world.change_definition(key, name, limit)

    @rule(key=definitions, inactive=rarely)
    def switch_a_definition(self, key: str, inactive: bool) -> None:
        for world in self.worlds:
            world.change_definition(key, "active", not inactive)

    @rule(
        worker=st.sampled_from(["mailer", "generalist"]),
        queue=queues,
        known=st.sampled_from([None, ["mail"], ["sync", "report"]]),
        gone=rarely,
    )
    def register_or_deregister(self, worker: str, queue: str, known: list[str] | None, gone: bool) -> None:
        for world in self.worlds:
            if gone:
                world.deregister(worker)
            else:
                world.register(worker, [queue], known)

    # Time and chance

    @rule(seconds=st.sampled_from([0.001, 0.5, 1.0, 5.0, 29.0, 61.0, 3600.0]), dice=st.sampled_from([0.0, 0.25, 0.75]))
    def let_time_pass(self, seconds: float, dice: float) -> None:
        for world in self.worlds:
            world.advance(seconds)
            world.load_dice(dice)


def _released(lease: Lease, reason: str, after: float) -> Settlement:
    return Settlement(lease=lease, outcome=Outcome.RELEASED, reason=reason, retry_after=after)
