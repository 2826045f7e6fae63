"""What the tests enqueue, and what they look at with a connection of nobody's."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from jobplane.core.model import DEFAULT_TENANT, Enqueued, JobFilter, NewJob, OnDuplicate
from tests.client import BlockingPostgresStore
from tests.database import Database

ORDER: Final = "insert into shop.orders (id, total) values (7, 12.5)"
ORDERS: Final = "select id from shop.orders"
SETTING: Final = "select current_setting('jobplane.tenant_id', true)"
NOBODY: Final = UUID(int=404)

# Everything that an array's literal, a driver or JSON could stumble over.
STRANGE: Final = "a \"quoted\" \\back\\slash {brace},comma 'apostrophe' NULL $1 %s %(x)s ?:y é漢🙂\n\t"
FULL: Final = NewJob(
    definition="d",
    payload={"text": STRANGE, STRANGE: [1, 2.5, None, True, {"id": "no uuid", "created_at": "no time"}], "n": 2**80},
    priority=7,
    scheduled_for=datetime(2035, 1, 2, 3, 4, 5, 120000, tzinfo=UTC),
    expires_at=datetime(2036, 1, 1, tzinfo=UTC),
    dedupe_key="NULL",
    on_duplicate=OnDuplicate.RETURN,
    idempotency_key=STRANGE,
    correlation_id='"',
    tags=["null", STRANGE],
    metadata={"job_id": STRANGE},
    source="event",
    source_ref="{}",
    created_by="\\",
    trace_context="?",
    max_attempts=9,
    timeout_seconds=60,
)


def new(n: int = 1, *, dedupe_key: str | None = None, idempotency_key: str | None = None) -> NewJob:
    return NewJob(definition="d", payload={"n": n}, dedupe_key=dedupe_key, idempotency_key=idempotency_key)


def ids(answers: list[Enqueued]) -> list[UUID]:
    """The jobs of an enqueue in which nothing was refused."""
    assert not [answer for answer in answers if answer.refused]
    return [answer.job_id for answer in answers if answer.job_id]


def committed(store: BlockingPostgresStore) -> set[UUID]:
    """The jobs that everybody can see."""
    return {job.id for job in store.list_jobs(DEFAULT_TENANT, JobFilter(), limit=100).items}


def claimable(store: BlockingPostgresStore) -> set[UUID]:
    return {lease.job_id for lease in store.claim("default", "w1", limit=100).leases}


def spoil(db: Database, job_id: UUID) -> None:
    """Write into a waiting job what PostgreSQL keeps and Python cannot hold."""
    db.peek(
        "update jobplane.jobs set payload = %s, metadata = %s, created_at = 'infinity' where id = %s",
        '{"n": 1' + "0" * 5000 + "}",
        "[" * 3000 + "]" * 3000,
        job_id,
    )
    db.peek("update jobplane.ready set scheduled_for = '20000-01-01' where seq = (select min(seq) from jobplane.jobs)")
