"""The cast and its jobs: alice's tenant, charlie's tenant who must see nothing of it, and a plain definition, `d`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final, TypedDict, Unpack
from uuid import UUID

from jobplane.core.leases import Settled, Settlement
from jobplane.core.model import (
    Definition,
    Document,
    Enqueued,
    Job,
    JobFilter,
    Json,
    NewJob,
    NewWorker,
    OnDuplicate,
    Outcome,
)
from tests.client import Store
from tests.leases import Held, settlement

ENDS: Final = {
    "succeeded": Outcome.SUCCEEDED,
    "failed": Outcome.FATAL,
    "dead_letter": Outcome.FAILED,
    "canceled": Outcome.CANCELED,
}
COMMAND: Final[Document] = {"executable": "/bin/echo", "argv": ["hello"]}
WAITS: Final = ("ready", "upcoming", "held")
STATES: Final = (*WAITS, "running", *ENDS)


class Options(TypedDict, total=False):
    """The fields of a NewJob."""

    definition: str
    payload: Document
    id: UUID
    queue: str
    priority: int
    scheduled_for: datetime
    delay_seconds: float
    expires_at: datetime
    dedupe_key: str
    on_duplicate: OnDuplicate
    idempotency_key: str
    correlation_id: str
    tags: Sequence[str]
    metadata: Document
    source: str
    source_ref: str
    created_by: str
    trace_context: str
    artifact_ref: str
    max_attempts: int
    timeout_seconds: int


class Ending(TypedDict, total=False):
    """What a settlement says beside its outcome."""

    reason: str
    error: str
    exit_code: int
    retry_after: float
    result: Json
    progress: float


def new(**options: Unpack[Options]) -> NewJob:
    """A request for `d`, unless another definition is named."""
    asked: Options = {"definition": "d", **options}
    return NewJob(**asked)


def ended(lease: Held, outcome: Outcome = Outcome.SUCCEEDED, **ending: Unpack[Ending]) -> Settlement:
    return settlement(lease=lease, outcome=outcome, **ending)


class Factory:
    """Makes what a test starts from, through the store's own verbs; everything is alice's unless a tenant is named."""

    def __init__(self, store: Store, alice: UUID, charlie: UUID) -> None:
        self.store = store
        self.alice = alice
        self.charlie = charlie

    @classmethod
    async def cast(cls, store: Store) -> Factory:
        alice = await store.create_tenant("alice")
        charlie = await store.create_tenant("charlie")
        make = cls(store, alice.tenant_id, charlie.tenant_id)
        await make.define(backoff={"jitter": 0})
        return make

    async def define(self, key: str = "d", **document: Json) -> Definition:
        [definition] = await self.store.put_definitions([{"key": key, "kind": "python", **document}])
        return definition

    async def command(self, key: str = "c", **document: Json) -> Definition:
        return await self.store.create_definition({"key": key, "command": COMMAND, **document})

    async def tenant(self, slug: str, *, weight: int = 1, max_pending: int | None = None) -> UUID:
        return (await self.store.create_tenant(slug, weight=weight, max_pending=max_pending)).tenant_id

    async def worker(
        self,
        worker_id: str,
        *definitions: str,
        queues: Sequence[str] = ("default",),
        mismatched: Sequence[str] = (),
    ) -> None:
        """A registered worker that knows these definitions and no other, whether handlers or commands."""
        worker = NewWorker(
            worker_id=worker_id, queues=queues, definitions=definitions, commands=definitions, mismatched=mismatched
        )
        await self.store.register_worker(worker)

    async def enqueue(self, *jobs: NewJob, tenant: UUID | None = None) -> list[Enqueued]:
        return await self.store.enqueue(tenant or self.alice, jobs)

    async def jobs(self, n: int, *, tenant: UUID | None = None, **options: Unpack[Options]) -> list[UUID]:
        answers = await self.enqueue(*[new(**options)] * n, tenant=tenant)
        assert [answer.outcome for answer in answers] == ["created"] * n, answers
        return [answer.job_id for answer in answers if answer.job_id]

    async def job(self, *, tenant: UUID | None = None, **options: Unpack[Options]) -> UUID:
        [job_id] = await self.jobs(1, tenant=tenant, **options)
        return job_id

    async def get(self, job_id: UUID, *, tenant: UUID | None = None) -> Job:
        [job] = await self.store.get_jobs(tenant or self.alice, [job_id])
        return job

    async def count(self, tenant: UUID | None = None) -> int:
        """How many jobs the tenant has, in any state."""
        found = await self.store.list_jobs(tenant or self.alice, JobFilter(), limit=1000)
        assert found.next_cursor is None
        return len(found.items)

    async def claim(self, n: int = 1, *, queue: str = "default", worker: str = "w1") -> list[Held]:
        return (await self.store.claim(queue, worker, limit=n)).leases

    async def claim_ids(self, n: int = 1, *, queue: str = "default", worker: str = "w1") -> list[UUID]:
        return [lease.job_id for lease in await self.claim(n, queue=queue, worker=worker)]

    async def lease(self, *, tenant: UUID | None = None, **options: Unpack[Options]) -> Held:
        """A job that runs; nothing else may be waiting before it."""
        job_id = await self.job(tenant=tenant, **options)
        [lease] = await self.claim(queue=options.get("queue", "default"))
        assert lease.job_id == job_id
        return lease

    async def again(self, worker: str = "w1") -> Held:
        """The next attempt of what has just come back."""
        await self.store.promote()
        [lease] = await self.claim(worker=worker)
        return lease

    async def settle(self, lease: Held, outcome: Outcome, **ending: Unpack[Ending]) -> Settled:
        [answer] = await self.store.settle([ended(lease, outcome, **ending)])
        return answer

    async def over(self, status: str, *, tenant: UUID | None = None, **options: Unpack[Options]) -> UUID:
        """A job that has ended in this status after one attempt."""
        asked: Options = {"max_attempts": 1, **options}
        lease = await self.lease(tenant=tenant, **asked)
        answer = await self.settle(lease, ENDS[status])
        assert (answer.accepted, answer.status) == (True, status)
        return lease.job_id

    async def in_state(self, state: str) -> UUID:
        """A job in one of STATES; nothing else may be ready."""
        if state in ENDS:
            return await self.over(state)
        if state == "running":
            return (await self.lease()).job_id
        if state == "upcoming":
            return await self.job(delay_seconds=3600)
        return await self.held() if state == "held" else await self.job()

    async def held(self) -> UUID:
        """A job that is due and whose definition, `off`, is not active."""
        await self.define("off", active=True)
        job_id = await self.job(definition="off")
        await self.define("off", active=False)
        assert await self.claim() == []
        assert (await self.get(job_id)).held_by == "definition_inactive"
        return job_id
