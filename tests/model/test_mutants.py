"""The comparison has teeth: for every kind of mistake there is a short history that it does not survive."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

from jobplane.core.model import Lease, NewJob, Outcome, Settlement
from tests.database import Database
from tests.model import stores
from tests.model.mutants import MUTANTS, mutate
from tests.model.world import World

History = Callable[[World], None]


def run(world: World) -> Lease:
    [lease] = world.claim("default", "anybody", 1, 30)
    world.check()
    return lease


def end(world: World, lease: Lease, outcome: Outcome, reason: str | None = None) -> None:
    world.settle([Settlement(lease=lease, outcome=outcome, reason=reason)])
    world.check()


def enqueue(world: World, *jobs: NewJob) -> None:
    world.enqueue(world.tenants[0], jobs or [NewJob(definition="mail")])
    world.check()


def lose(world: World) -> Lease:
    """A worker takes a job and is not heard of again; another one runs it."""
    enqueue(world)
    stale = run(world)
    world.advance(31)
    world.reap()
    world.check()
    world.advance(1)
    world.promote()
    run(world)
    return stale


def a_lost_worker_comes_back(world: World) -> None:
    end(world, lose(world), Outcome.SUCCEEDED)


def a_lost_worker_renews(world: World) -> None:
    world.renew([lose(world)], 30, None)
    world.check()


def a_job_fails_until_it_is_buried(world: World) -> None:
    enqueue(world)
    for _ in range(2):
        end(world, run(world), Outcome.FAILED)
        world.advance(60)
        world.promote()


def a_limit_meets_a_lease_that_ran_out(world: World) -> None:
    enqueue(world, NewJob(definition="mail"), NewJob(definition="mail"))
    world.change_definition("mail", "max_running", 1)
    run(world)
    world.advance(31)
    world.claim("default", "anybody", 1, 30)
    world.check()


def a_duplicate_comes_while_the_first_runs(world: World) -> None:
    enqueue(world, NewJob(definition="mail", dedupe_key="k"))
    run(world)
    enqueue(world, NewJob(definition="mail", dedupe_key="k"))


def a_job_is_canceled_and_fails(world: World) -> None:
    enqueue(world)
    lease = run(world)
    world.cancel(world.spec.lives[0], "stop")
    end(world, lease, Outcome.FAILED)


def a_job_is_canceled_and_succeeds(world: World) -> None:
    enqueue(world)
    lease = run(world)
    world.cancel(world.spec.lives[0], "stop")
    end(world, lease, Outcome.SUCCEEDED)


def a_job_is_released(world: World) -> None:
    enqueue(world)
    end(world, run(world), Outcome.RELEASED, "shutdown")


def a_settle_is_repeated(world: World) -> None:
    enqueue(world)
    lease = run(world)
    end(world, lease, Outcome.FAILED)
    end(world, lease, Outcome.FAILED)


def a_tenant_is_paused(world: World) -> None:
    enqueue(world)
    world.pause_tenant(world.tenants[0])
    world.claim("default", "anybody", 1, 30)
    world.check()


def a_buried_job_is_retried(world: World) -> None:
    enqueue(world, NewJob(definition="mail", max_attempts=1))
    end(world, run(world), Outcome.FAILED)
    world.retry(world.spec.lives[0], None)
    world.check()


def a_job_waits_for_its_second_attempt(world: World) -> None:
    enqueue(world, world.dated(NewJob(definition="mail"), 60))
    end(world, run(world), Outcome.FAILED)
    world.advance(60)
    world.expire()
    world.check()


def the_reaper_comes_early(world: World) -> None:
    enqueue(world)
    run(world)
    world.reap()
    world.check()


CAUGHT_BY: Final[dict[str, History]] = {
    "settle drops the fence": a_lost_worker_comes_back,
    "renew drops the fence": a_lost_worker_renews,
    "an attempt is counted when it fails": a_job_fails_until_it_is_buried,
    "a limit counts unexpired leases only": a_limit_meets_a_lease_that_ran_out,
    "a claim frees the dedupe key": a_duplicate_comes_while_the_first_runs,
    "a requeue forgets the cancel": a_job_is_canceled_and_fails,
    "a success gives way to a cancel": a_job_is_canceled_and_succeeds,
    "a release is not refunded": a_job_is_released,
    "a repeated settle is refused": a_settle_is_repeated,
    "a pause does not stop a claim": a_tenant_is_paused,
    "retry keeps the spent budget": a_buried_job_is_retried,
    "a job expires after it has started": a_job_waits_for_its_second_attempt,
    "reap takes leases that have not run out": the_reaper_comes_early,
}


@pytest.mark.parametrize("history", CAUGHT_BY.values(), ids=lambda history: history.__name__)
def test_a_right_store_survives_the_history(world: World, history: History) -> None:
    history(world)
    world.check_whole()


@pytest.mark.parametrize("mistake", MUTANTS)
def test_a_mistake_is_caught(db: Database, mistake: str) -> None:
    mutate(db, *MUTANTS[mistake])

    with stores.over(db) as world, pytest.raises(AssertionError):
        CAUGHT_BY[mistake](world)
