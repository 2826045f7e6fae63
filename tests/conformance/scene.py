"""Jobs in every state, and every verb over them: none may fail because of what somebody wrote into a row."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final
from uuid import UUID, uuid4

from jobplane.core.errors import NotFound, UnknownQueue
from jobplane.core.logs import NewLogLine
from jobplane.core.model import JobFilter, JobStatus, NewJob, NewWorker, OnDuplicate, Outcome
from jobplane.core.outputs import CommandOutput, NewOutput
from tests.client import Store, WorkerStore
from tests.clock import START, Clock, FileClock
from tests.conformance.factory import Factory, ended, new
from tests.conformance.vandal import SPARE, VICTIM
from tests.leases import Held, end

OWNED: Final = {"owner_user_id": "u1", "project_id": 7}
_LOOKS: Final = 50
_SPARES: Final = [f"{SPARE}-{number}" for number in range(5)]  # that hold no job


@dataclass
class Scene:
    """Jobs of two tenants in every state. Those of the victim have every column filled, and are there to be spoilt."""

    store: Store
    worker_store: WorkerStore
    make: Factory
    clock: Clock | FileClock
    victim: UUID
    jobs: list[UUID] = field(default_factory=list[UUID])
    leases: list[Held] = field(default_factory=list[Held])
    failures: dict[str, BaseException] = field(default_factory=dict[str, BaseException])

    @classmethod
    async def set(cls, store: Store, worker_store: WorkerStore, make: Factory, clock: Clock | FileClock) -> Scene:
        victim = await store.create_tenant(VICTIM, name="Victim", max_in_flight=100, max_pending=1000)
        scene = cls(store, worker_store, make, clock, victim.tenant_id)
        await store.put_queues([SPARE, *_SPARES])
        for name in _SPARES:
            await store.create_tenant(name)
            await make.define(name, tags=["a"])
            await make.worker(name, "d", queues=["default"])
        await make.define(SPARE, queue=SPARE, max_running=100, max_running_per_tenant=100, tags=["a"])
        await make.define("off", tags=["a"])
        await make.worker(SPARE, "d", "off", queues=["default", SPARE])
        for tenant in (make.alice, scene.victim):
            await scene._run(tenant)
            await scene._hold(tenant)
        for tenant in (make.alice, scene.victim):
            await scene._wait(tenant)
        await store.tidy()
        return scene

    async def _run(self, tenant: UUID) -> None:
        """Jobs that have ended in every way, and some that run."""
        run = await self._enqueue(tenant, 6)
        leases = await self.make.claim(6)
        assert {lease.job_id for lease in leases} == set(run)
        await self.store.renew(leases, progress=[0.5] * 6, messages=["half"] * 6)
        await self.store.log_lines([_line(lease, n) for lease in leases for n in (1, 2)])
        await self.store.write_outputs([NewOutput(lease, CommandOutput(1, 9, 1, 1, 1, "o", "e")) for lease in leases])
        outcomes = [Outcome.SUCCEEDED, Outcome.FATAL, Outcome.FAILED, Outcome.CANCELED]
        await self.store.settle(
            [
                ended(lease, outcome, reason="r", error="e", exit_code=1, result={"r": 1}, progress=0.7)
                for lease, outcome in zip(leases, outcomes, strict=False)
            ]
        )
        self.leases += leases[4:]
        self._note(tenant, run)

    async def _hold(self, tenant: UUID) -> None:
        await self.make.define("off", active=True)
        held = await self._enqueue(tenant, 2, definition="off")
        await self.make.define("off", active=False)
        assert await self.make.claim(10) == []
        self._note(tenant, held)

    async def _wait(self, tenant: UUID) -> None:
        self._note(tenant, await self._enqueue(tenant, 2))
        self._note(tenant, await self._enqueue(tenant, 2, delay_seconds=3600))
        self._note(tenant, await self._enqueue(tenant, 2, definition=SPARE, queue=SPARE))

    def _note(self, tenant: UUID, jobs: Sequence[UUID]) -> None:
        if tenant == self.victim:
            self.jobs += jobs

    def _new(self, definition: str = "d", queue: str = "default", delay_seconds: float | None = None) -> NewJob:
        return NewJob(
            definition=definition,
            queue=queue,
            delay_seconds=delay_seconds,
            payload={},
            expires_at=START + timedelta(days=1),
            dedupe_key=str(uuid4()),
            idempotency_key=str(uuid4()),
            correlation_id="c",
            tags=["t"],
            metadata=OWNED,
            source="event",
            source_ref="s",
            created_by="b",
            trace_context="00-" + "a" * 32 + "-" + "b" * 16 + "-01",
            artifact_ref="a",
            max_attempts=2,
        )

    async def _enqueue(
        self,
        tenant: UUID,
        n: int,
        definition: str = "d",
        queue: str = "default",
        delay_seconds: float | None = None,
    ) -> list[UUID]:
        jobs = [self._new(definition, queue, delay_seconds) for _ in range(n)]
        answers = await self.make.enqueue(*jobs, tenant=tenant)
        return [answer.job_id for answer in answers if answer.job_id]

    # Every verb

    async def every_verb(self) -> dict[str, BaseException]:
        """What failed, by the name of the call; that what was spoilt cannot be found any more is an answer."""
        await self._readers()
        await self._operators()
        await self._engine()
        await self._tenants_verbs()
        await self._engine()
        await self._readers()
        await self._good_jobs_run()
        return self.failures

    async def _try(self, name: str, call: Awaitable[object]) -> None:
        try:
            await call
        except (NotFound, UnknownQueue):
            pass
        except Exception as error:  # noqa: BLE001 all of them are findings
            self.failures.setdefault(name, error)

    async def _readers(self) -> None:
        store = self.store
        filters = [
            JobFilter(),
            *(JobFilter(statuses=[status]) for status in JobStatus),
            JobFilter(tags=["t"]),
            JobFilter(metadata={"owner_user_id": "u1"}),
            JobFilter(metadata={"project_id": 7}, worker_id="w1"),
            JobFilter(metadata={"x": 1}),
            JobFilter(correlation_id="c"),
            JobFilter(worker_id="w1"),
            JobFilter(source="event", queues=["default"], definitions=["d"]),
            JobFilter(created_after=START - timedelta(days=1), created_before=START + timedelta(days=1)),
        ]
        for tenant in (self.make.alice, self.victim):
            for where in filters:
                await self._try("list_jobs", store.list_jobs(tenant, where, limit=1000))
            await self._try("get_jobs", store.get_jobs(tenant, self.jobs))
            await self._try("summary", store.summary(tenant))
            await self._try("tenant_problems", store.tenant_problems(tenant))
            await self._try("search_logs", store.search_logs(tenant, "said"))
            for job_id in self.jobs:
                await self._try("attempts", store.attempts(tenant, job_id))
                await self._try("get_output", store.get_output(tenant, job_id, 1))
                await self._try("explain", store.explain(tenant, job_id))
                await self._try("result", store.result(tenant, job_id))
                await self._try("read_logs", store.read_logs(tenant, job_id, follow=True))
                await self._try("search_logs of a job", store.search_logs(tenant, "said", job=job_id))
        for where in filters:
            await self._try("list_all_jobs", store.list_all_jobs(where, limit=1000))
        await self._try("find_jobs", store.find_jobs(self.jobs))
        await self._try("summarize_all", store.summarize_all())
        await self._try("keys", store.keys())
        await self._try("tenants", store.tenants(limit=1000))
        await self._try("definitions", store.definitions(limit=1000))
        await self._try("definitions by key", store.definitions([SPARE, "d"]))
        await self._try("queues", store.queues())
        await self._try("workers", store.workers(limit=1000))
        await self._try("list_problems", store.list_problems())
        await self._try("get_tenant", store.get_tenant(self.victim))
        await self._try("get_tenant by slug", store.get_tenant(VICTIM))
        await self._try("tenant_id", store.tenant_id(VICTIM))

    async def _operators(self) -> None:
        store = self.store
        for key in ("d", SPARE, "off"):
            document = {"key": key, "max_running": 99, "max_running_per_tenant": 99, "description": "again"}
            await self._try("put_definitions", store.put_definitions([document]))
        for tenant in (self.make.alice, self.victim):
            await self._try("set_tenant", store.set_tenant(tenant, {"max_in_flight": 99}))
            await self._try("pause_tenants", store.pause_tenants([tenant]))
            await self._try("claim while paused", store.claim("default", "anyone", limit=_LOOKS))
            await self._try("resume_tenants", store.resume_tenants([tenant]))
        await self._try("create_tenant", store.create_tenant(f"t-{uuid4()}"))
        for queue in ("default", SPARE):
            await self._try("put_queues", store.put_queues([queue]))
            await self._try("pause_queues", store.pause_queues([queue]))
            await self._try("resume_queues", store.resume_queues([queue]))
        await self._try("want_work", store.want_work(["default", SPARE]))

    async def _engine(self) -> None:
        """The life of a worker that serves both queues, and the upkeep."""
        store, worker_store = self.store, self.worker_store
        await self._try("see_worker", store.see_worker(SPARE))
        await self._try("renew", store.renew(self.leases, progress=[0.6] * len(self.leases)))
        await self._try("settle again", store.settle([ended(lease) for lease in self.leases[:2]]))
        await self._try("release", store.release(self.leases[2:3]))
        for outcome in (Outcome.FAILED, Outcome.RELEASED, Outcome.SUCCEEDED, Outcome.FATAL):
            await self._upkeep()
            for queue in ("default", SPARE):
                for worker in (SPARE, "anyone"):
                    await self._try("claim", self._claim(queue, worker, outcome))
                    await self._try("claim_encoded", self._claim_encoded(queue, worker, outcome))
        await self._try("claim and leave", worker_store.claim_encoded("default", "w1", limit=3, lease_seconds=5))
        await self._try("claim and leave", store.claim("default", "w1", limit=3, lease_seconds=5))
        self.clock.advance(4000)
        await self._try("reap", store.reap())
        await self._upkeep()

    async def _claim(self, queue: str, worker: str, outcome: Outcome) -> None:
        leases = (await self.store.claim(queue, worker, limit=3)).leases
        await self.store.renew(leases)
        await self.store.log_lines([_line(lease, 1) for lease in leases])
        for lease in leases:
            await self._try("settle", self.store.settle([ended(lease, outcome)]))
        await self.store.settle([ended(lease, outcome) for lease in leases])

    async def _claim_encoded(self, queue: str, worker: str, outcome: Outcome) -> None:
        taken = await self.worker_store.claim_encoded(queue, worker, limit=3, lease_seconds=30)
        frames = taken.jobs.split(b"\n") if taken.leases else []
        assert [int(line.split(b"\t")[0]) for line in frames] == [ticket.seq for ticket in taken.leases]
        await self.worker_store.renew_all(taken.leases, lease_seconds=30, begun=[x.seq for x in taken.leases])
        await self.worker_store.settle_all([end(ticket, outcome) for ticket in taken.leases])

    async def _upkeep(self) -> None:
        store = self.store
        self.clock.advance(400)
        await self._try("promote", store.promote())
        await self._try("reap_all", self.worker_store.reap_all())
        await self._try("expire", store.expire())
        await self._try("sweep", store.sweep())
        await self._try("tick", store.tick())
        await self._try("tidy", store.tidy())
        await self._try("prune_logs", store.prune_logs(retention_days=0))
        await self._try("prune_jobs dry", store.prune_jobs(retention_days=0, dry_run=True))
        await self._try("prune_jobs", store.prune_jobs(retention_days=30, retention_count=1000))
        await self._try("prune_receipts", store.prune_receipts())
        await self._try("find_artifacts", store.find_artifacts())
        await self._try("vacuum", store.vacuum())

    async def _tenants_verbs(self) -> None:
        store = self.store
        for tenant in (self.make.alice, self.victim):
            for outcome in OnDuplicate:
                await self._try("enqueue", self._duplicates(tenant, outcome))
            await self._try("enqueue many", store.enqueue(tenant, [new(), self._new(), self._new(SPARE)]))
            for job_id in self.jobs:
                await self._try("reschedule", store.reschedule(tenant, [job_id], delay_seconds=1))
                await self._try("edit", store.edit(tenant, job_id, {"priority": 50, "tags": ["t"]}))
                await self._try("cancel", store.cancel(tenant, [job_id], reason="why"))
                await self._try("retry", store.retry(tenant, [job_id], max_attempts=3))
            await self._try("cancel many", store.cancel(tenant, self.jobs[:4]))
            await self._try("retry many", store.retry(tenant, self.jobs))
        await self._try("deregister_worker", store.deregister_worker(SPARE))
        worker = NewWorker(worker_id=SPARE, queues=["default"], definitions=["d", SPARE])
        await self._try("register_worker", store.register_worker(worker))

    async def _duplicates(self, tenant: UUID, on_duplicate: OnDuplicate) -> None:
        """The keys of every job that is there, as far as they can be read."""
        jobs = await self.store.get_jobs(tenant, self.jobs)
        asked = [
            new(dedupe_key=job.dedupe_key, on_duplicate=on_duplicate) for job in jobs if job.dedupe_key is not None
        ]
        asked += [new(idempotency_key=job.idempotency_key) for job in jobs if job.idempotency_key is not None]
        await self.store.enqueue(tenant, [*asked, new(), new(id=self.jobs[0])])

    async def _good_jobs_run(self) -> None:
        """A job of the tenant that nobody spoilt comes to its end, whatever stands before it."""
        job_id = await self.make.job()
        for _ in range(_LOOKS):
            await self._upkeep()
            claimed = await self.store.claim("default", "anyone", limit=10)
            await self.store.settle([ended(lease) for lease in claimed.leases])
            if (await self.make.get(job_id)).status is JobStatus.SUCCEEDED:
                return
        raise AssertionError("a good job does not run")


def _line(lease: Held, number: int) -> NewLogLine:
    ticket = lease
    return NewLogLine(ticket, number, START, "info", f"said {number}", {"f": 1})


def told(failures: dict[str, BaseException]) -> Sequence[str]:
    return [f"{name}: {type(error).__name__}: {str(error)[:300]}" for name, error in failures.items()]
