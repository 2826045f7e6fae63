"""Short histories, each of which one kind of mistake does not survive."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from jobplane.core.model import NewJob, OnDuplicate, Outcome
from tests.leases import Held, settlement
from tests.model.comparison import same
from tests.model.world import World

History = Callable[[World], None]


def run(world: World) -> Held:
    [lease] = world.claim("default", "anybody", 1, 30)
    world.check()
    return lease


def end(world: World, lease: Held, outcome: Outcome, reason: str | None = None) -> None:
    world.settle([settlement(lease=lease, outcome=outcome, reason=reason)])
    world.check()


def enqueue(world: World, *jobs: NewJob) -> None:
    world.enqueue(world.tenants[0], jobs or [NewJob(definition="mail")])
    world.check()


def lose(world: World) -> Held:
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


def a_key_is_used_for_another_payload(world: World) -> None:
    enqueue(world, NewJob(definition="mail", idempotency_key="k", payload={"n": 1}))
    enqueue(world, NewJob(definition="mail", idempotency_key="k", payload={"n": 2}))


def a_key_is_held_by_another_definition(world: World) -> None:
    enqueue(world, NewJob(definition="sync", dedupe_key="k", payload={"n": 1}))
    enqueue(world, NewJob(definition="mail", dedupe_key="k", payload={"n": 2}, on_duplicate=OnDuplicate.REPLACE))


def a_tenant_comes_to_a_backlog(world: World) -> None:
    for _ in range(6):
        enqueue(world)
    world.enqueue(world.tenants[1], [NewJob(definition="mail")])
    world.check()
    for _ in range(2):
        run(world)


def a_job_is_canceled_twice(world: World) -> None:
    enqueue(world)
    run(world)
    for reason in ("wrong file", "too late"):
        world.cancel(world.spec.lives[0], reason)
        world.check()


def a_job_is_brought_forward(world: World) -> None:
    enqueue(world, NewJob(definition="mail", delay_seconds=60))
    world.reschedule(world.spec.lives[0], 1)
    world.check()


def a_job_gets_more_attempts(world: World) -> None:
    enqueue(world)
    world.edit(world.spec.lives[0], {"max_attempts": 4})
    world.check()


def a_job_is_snoozed(world: World) -> None:
    enqueue(world)
    world.release([settlement(lease=run(world), outcome=Outcome.RELEASED, reason="snooze", retry_after=7)])
    world.check()


def a_job_is_nearly_due(world: World) -> None:
    enqueue(world, NewJob(definition="mail", delay_seconds=0.5))
    world.promote()
    world.check()


def a_pause_is_swept(world: World) -> None:
    a_tenant_is_paused(world)
    world.sweep()
    world.check()


def a_limit_in_use_is_tidied(world: World) -> None:
    world.change_definition("mail", "max_running", 1)
    enqueue(world)
    run(world)
    world.tidy()
    world.check()


def a_tenant_is_resumed(world: World) -> None:
    a_tenant_is_paused(world)
    world.resume_tenant(world.tenants[0])
    world.check()


def a_queue_is_paused(world: World) -> None:
    enqueue(world)
    world.pause_queue("default", paused=True)
    world.claim("default", "anybody", 1, 30)
    world.check()


def a_tenant_is_limited_while_its_job_runs(world: World) -> None:
    enqueue(world, NewJob(definition="mail"), NewJob(definition="mail"))
    run(world)
    world.limit_tenant(world.tenants[0], "max_in_flight", 1)
    world.claim("default", "anybody", 1, 30)
    world.check()


def a_definition_is_limited_while_its_job_runs(world: World) -> None:
    enqueue(world, NewJob(definition="mail"), NewJob(definition="mail"))
    run(world)
    world.change_definition("mail", "max_running", 1)
    world.claim("default", "anybody", 1, 30)
    world.check()


def a_worker_comes_that_knows_the_definition(world: World) -> None:
    world.register("generalist", ["default"], ["sync"])
    enqueue(world)
    world.claim("default", "generalist", 1, 30)
    world.check()
    world.register("mailer", ["default"], ["mail"])
    world.check()


def a_command_waits_for_a_worker_that_names_it(world: World) -> None:
    enqueue(world, NewJob(definition="script"))
    world.claim("default", "anybody", 1, 30)
    world.check()


def a_command_changes(world: World) -> None:
    world.register("mailer", ["default"], ["script"])
    world.change_command("script")
    enqueue(world, NewJob(definition="script"))
    world.claim("default", "mailer", 1, 30)
    world.check()


def a_command_differs_from_a_policy(world: World) -> None:
    world.register("mailer", ["default"], ["mail"], ["script"])
    enqueue(world, NewJob(definition="script"))
    world.claim("default", "anybody", 1, 30)
    world.check()


def a_worker_leaves(world: World) -> None:
    world.register("mailer", ["default"], ["mail"])
    world.deregister("mailer")


def a_lost_worker_renews_all(world: World) -> None:
    stale = lose(world)
    world.advance(1)
    world.renew_all([stale], None, begun=True)
    world.check()


def a_worker_dies_before_a_job_begins(world: World) -> None:
    enqueue(world)
    world.claim("default", "anybody", 1, 30, begun=False)
    world.lose()


def a_worker_dies_after_a_job_has_begun(world: World) -> None:
    enqueue(world)
    leases = world.claim("default", "anybody", 1, 30, begun=False)
    world.renew_all(leases, None, begun=True)
    world.renew_all(leases, None, begun=False)
    world.lose()


def a_job_takes_its_workers_down(world: World) -> None:
    enqueue(world)
    for _ in range(21):
        world.claim("default", "anybody", 1, 30, begun=False)
        world.lose()
        world.promote()


def a_job_that_may_start_once_is_released(world: World) -> None:
    enqueue(world, NewJob(definition="mail", max_attempts=1))
    end(world, run(world), Outcome.RELEASED, "neighbour")


def a_job_is_stuck_in_its_timeout(world: World) -> None:
    enqueue(world, NewJob(definition="mail", max_attempts=2))
    end(world, run(world), Outcome.TIMEOUT, "stuck")
    world.advance(60)
    world.promote()
    lease = run(world)
    same(lease.alone, world.spec.lives[0].alone)
    end(world, lease, Outcome.TIMEOUT, "stuck")


def a_lost_worker_releases_its_job(world: World) -> None:
    enqueue(world)
    [lease] = world.claim("default", "anybody", 1, 30, begun=False)
    world.lose()
    end(world, lease, Outcome.RELEASED, "lost_contact")


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
    "an idempotency key lets another payload pass": a_key_is_used_for_another_payload,
    "replace changes another definition's job": a_key_is_held_by_another_definition,
    "one by one, jobs do not stand behind their tenant's others": a_tenant_comes_to_a_backlog,
    "the last cancel's reason stays": a_job_is_canceled_twice,
    "reschedule brings nothing forward": a_job_is_brought_forward,
    "edit adds no attempts": a_job_gets_more_attempts,
    "release does not wait": a_job_is_snoozed,
    "promote is early": a_job_is_nearly_due,
    "sweep opens a pause": a_pause_is_swept,
    "tidy forgets what runs": a_limit_in_use_is_tidied,
    "resume lets nobody back": a_tenant_is_resumed,
    "a paused queue hands out jobs": a_queue_is_paused,
    "a tenant's new limit counts nothing that runs": a_tenant_is_limited_while_its_job_runs,
    "a definition's new limit counts nothing that runs": a_definition_is_limited_while_its_job_runs,
    "a new worker opens no gate": a_worker_comes_that_knows_the_definition,
    "who names nothing gets commands": a_command_waits_for_a_worker_that_names_it,
    "a changed command keeps its workers": a_command_changes,
    "a command says nothing of the policies": a_command_differs_from_a_policy,
    "a worker that left is still there": a_worker_leaves,
    "renew_all drops the fence": a_lost_worker_renews_all,
    "what had not begun is lost": a_worker_dies_before_a_job_begins,
    "what has begun is forgotten": a_worker_dies_after_a_job_has_begun,
    "a reaper's refund has no end": a_job_takes_its_workers_down,
    "a job that may start once starts again": a_job_that_may_start_once_is_released,
    "a stuck job runs among others": a_job_is_stuck_in_its_timeout,
    "a timeout hides behind its reason": a_job_is_stuck_in_its_timeout,
    "a release after the reaper is accepted": a_lost_worker_releases_its_job,
    "an ended job forgets its worker": a_job_is_canceled_and_succeeds,
    "a success shows the last progress": a_job_is_canceled_and_succeeds,
    "a canceled job does not say when": a_job_is_canceled_and_fails,
}
