from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest

from jobplane.control.access import Access, Caller, Role
from jobplane.control.problems import Problems, TenantProblems
from jobplane.core.errors import Forbidden, SchemaOutOfDate
from jobplane.core.model import Outcome
from jobplane.core.problems import Problem
from jobplane.store.verbs.verb import Verb
from tests.client import Store
from tests.clock import START, Clock
from tests.conformance.backend import Audit
from tests.conformance.factory import Factory
from tests.database import Database

OPERATORS = {"worker_silent", "held_snapshot", "clock_skew", "schema_behind"}


async def of_all(store: Store) -> list[Problem]:
    return await Problems(Access(store)).list()


async def of(store: Store, tenant: UUID) -> list[Problem]:
    return await TenantProblems(Access(store), tenant).list()


def codes(problems: list[Problem]) -> list[str]:
    return [problem.code for problem in problems]


async def seen_by_all(store: Store, make: Factory) -> Problem:
    """The only problem that there is: the operator's, which alice sees as well, and charlie does not."""
    [mine], [problem] = await of(store, make.alice), await of_all(store)
    assert (mine.code, mine.detail, mine.facts) == (problem.code, problem.detail, problem.facts)
    assert (mine.tenants, problem.tenants) == ([], ["alice"])
    assert await of(store, make.charlie) == []
    return problem


async def test_an_installation_in_good_health_has_no_problems(store: Store, make: Factory, clock: Clock) -> None:
    await make.worker("w1", "d")
    await make.over("succeeded")
    await make.over("failed")
    await make.lease()
    await make.job(delay_seconds=60)
    await make.jobs(2, tenant=make.charlie)
    await store.put_queues(["empty"])
    await store.pause_queues(["empty"])

    assert [await of_all(store), await of(store, make.alice), await of(store, make.charlie)] == [[], [], []]


async def test_a_queue_that_nobody_serves_is_a_problem(store: Store, make: Factory, clock: Clock) -> None:
    await make.jobs(2, priority=7)
    clock.advance(10)

    problem = await seen_by_all(store, make)

    assert (problem.code, problem.kind, problem.severity, problem.since) == ("no_worker", "stuck", "critical", START)
    assert problem.subject == {"type": "queue", "id": "default", "name": "default"}
    assert problem.detail == 'No live worker serves queue "default". 2 jobs wait since 2026-01-01 12:00 UTC.'
    assert problem.link == "/api/v1/jobs?status=queued&queue=default"


async def test_a_definition_that_nobody_knows_is_a_problem(store: Store, make: Factory, clock: Clock) -> None:
    await make.define("other")
    await make.worker("w1", "other")
    await make.job()
    assert await make.claim() == []

    problem = await seen_by_all(store, make)

    assert (problem.code, problem.facts["count"]) == ("no_worker", 1)
    assert problem.detail == 'No live worker knows definition "d". 1 job waits since 2026-01-01 12:00 UTC.'


async def test_a_paused_queue_with_a_backlog_is_a_problem(
    store: Store, make: Factory, clock: Clock, audit: Audit
) -> None:
    await make.worker("w1", "d")
    await make.jobs(3)
    await store.pause_queues(["default"])
    audit.meddle("update jobplane.queues set paused_by = 'key:ops', paused_reason = 'deploy' where name = 'default'")

    problem = await seen_by_all(store, make)

    assert problem.detail == 'Queue "default" is paused since 2026-01-01 12:00 UTC by key:ops (deploy): 3 jobs wait.'
    assert problem.facts == {"count": 3, "by": "key:ops", "reason": "deploy"}


async def test_a_paused_tenant_with_a_backlog_is_a_problem(store: Store, make: Factory, clock: Clock) -> None:
    await make.worker("w1", "d")
    await make.jobs(2)
    await store.pause_tenants([make.alice, make.charlie])

    problem = await seen_by_all(store, make)

    start, _, end = problem.detail.partition(" by login:")
    assert start == 'Tenant "alice" is paused since 2026-01-01 12:00 UTC'
    assert end.endswith(": 2 jobs wait.")


async def test_a_lane_that_waits_for_more_than_five_minutes_is_slow(store: Store, make: Factory, clock: Clock) -> None:
    await make.jobs(2)
    clock.advance(299)
    await make.worker("w1", "d")
    assert await of_all(store) == []
    clock.advance(2)

    problem = await seen_by_all(store, make)

    assert (problem.code, problem.kind) == ("slow_queue", "late")
    assert problem.detail == 'Queue "default" is slow: 2 jobs wait, the oldest since 2026-01-01 12:00 UTC.'


async def test_a_job_that_was_due_long_ago_waits_since_it_is_there(store: Store, make: Factory, clock: Clock) -> None:
    await make.worker("w1", "d")
    await make.job(scheduled_for=START - timedelta(days=1))

    assert await of_all(store) == []


async def test_dead_letters_of_the_last_hour_are_a_problem(store: Store, make: Factory, clock: Clock) -> None:
    for error in ("first", "ValueError: no\n  at line 3"):
        lease = await make.lease(max_attempts=1)
        await make.settle(lease, Outcome.FAILED, error=error)
        clock.advance(1)

    problem = await seen_by_all(store, make)

    assert (problem.code, problem.kind, problem.since) == ("dead_letters", "failing", START)
    assert problem.detail == (
        '2 jobs of definition "d" became dead letters since 2026-01-01 12:00 UTC. The newest: ValueError: no'
    )
    assert problem.facts["job_id"] == str(lease.job_id)
    assert problem.link == "/api/v1/jobs?status=dead_letter&definition_key=d"
    clock.advance(3600)
    assert await of_all(store) == []


async def test_a_silent_worker_is_the_operators_problem(store: Store, make: Factory, clock: Clock) -> None:
    await make.worker("w1", "d")
    await make.lease()
    clock.advance(61)

    [problem] = await of_all(store)

    assert (problem.code, problem.severity, problem.link) == ("worker_silent", "critical", "/api/v1/workers/w1")
    assert problem.detail == 'Worker "w1" was last seen at 2026-01-01 12:00 UTC. It holds 1 lease.'
    assert await of(store, make.alice) == []


async def test_a_silent_worker_without_leases_is_forgotten_after_an_hour(
    store: Store, make: Factory, clock: Clock
) -> None:
    await make.worker("w1", "d")
    clock.advance(61)
    assert [(each.code, each.severity) for each in await of_all(store)] == [("worker_silent", "warning")]
    clock.advance(3600)

    assert await of_all(store) == []


async def test_the_most_severe_comes_first(store: Store, make: Factory, clock: Clock) -> None:
    await store.put_queues(["mail"])
    await make.job()
    await store.pause_queues(["default"])
    clock.advance(60)
    await make.job(queue="mail")

    assert codes(await of_all(store)) == ["no_worker", "queue_paused"]


async def test_charlie_sees_nothing_of_alices_and_nothing_of_the_operators(
    store: Store, make: Factory, clock: Clock
) -> None:
    await make.worker("silent", "other")
    await make.over("dead_letter")
    await make.lease()
    await make.job()
    await store.pause_tenants([make.alice])
    await store.pause_queues(["default"])
    clock.advance(400)

    found = await of_all(store)

    assert set(codes(found)) >= {"queue_paused", "tenant_paused", "dead_letters", "worker_silent"}
    assert await of(store, make.charlie) == []
    assert OPERATORS & set(codes(await of(store, make.alice))) == set()


async def test_only_an_operator_asks_for_all(store: Store, make: Factory) -> None:
    access = Access(store, Caller(None, Role.TENANT_ADMIN, make.alice))

    with pytest.raises(Forbidden):
        await Problems(access).list()
    assert await TenantProblems(access, make.alice).list() == []


@pytest.mark.needs("roles")
@pytest.mark.parametrize(("seconds", "side"), [(10, "behind"), (-10, "ahead of")])
async def test_clocks_that_differ_are_a_problem(store: Store, seconds: int, side: str) -> None:
    def clock() -> datetime:
        return datetime.now(UTC) + timedelta(seconds=seconds)

    [problem] = await Problems(Access(store), clock=clock).list()

    assert problem.code == "clock_skew"
    assert problem.detail.startswith("The clock of the database is 10 s " + side) or "9 s" in problem.detail


@pytest.mark.needs("roles")
async def test_a_snapshot_that_is_far_behind_is_a_problem(store: Store, db: Database, make: Factory) -> None:
    with psycopg.connect(db.url("owner", direct=True)) as holder:
        holder.execute("select pg_current_xact_id()")
        for _ in range(3):
            await make.over("succeeded")

        found = await Problems(Access(store)).list(transactions=1)
        usual, pid = await of_all(store), holder.info.backend_pid

    [problem] = [each for each in found if each.code == "held_snapshot" and each.facts.get("pid") == pid]
    assert f"Session {pid} of login" in problem.detail
    assert codes(usual) == []


async def test_an_old_schema_is_the_only_problem_that_can_be_seen() -> None:
    class Behind:
        async def run(self, verb: Verb[Any], *, conn: Any = None, actor: Any = None) -> Any:
            raise SchemaOutOfDate("The database has schema 7. Run jobplane migrate up.")

    [problem] = await Problems(Access(Behind())).list()

    assert (problem.code, problem.severity) == ("schema_behind", "critical")
    assert problem.detail == "The database has schema 7. Run jobplane migrate up."
