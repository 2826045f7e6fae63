"""Steps that call the SQL functions directly: a change of the Python code does not move them."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Final

import psycopg
from psycopg.types.json import Jsonb

from bench.pairs.clocks import Exhausted, Step
from bench.pairs.jobs import BATCH, payload

TENANT: Final = "(select set_config('jobplane.tenant_id', '00000000-0000-7000-8000-000000000001', true)) s"
KEYS: Final = "array_fill('noop'::text, array[%s::int])"
ENQUEUE: Final = f"select e.job_id from {TENANT}, lateral jobplane.enqueue('noop', %s) e".encode()
ENQUEUE_MANY: Final = (
    f"select e.job_id, e.error from {TENANT}, lateral jobplane.enqueue_many({KEYS}, %s::jsonb[]) e".encode()
)
CLAIM: Final = b"select seqs, attempt_nos, token from jobplane.claim_encoded('default', 'bench', 500)"
SETTLE: Final = (
    b"select seq from jobplane.settle(%s::bigint[], %s::int[], %s::uuid[],"
    b" %s::text[]::jobplane.attempt_outcome[], p_quiet => true)"
)

Connection = psycopg.Connection[tuple[Any, ...]]


@contextmanager
def enqueue(url: str) -> Generator[Step]:
    with _connected(url) as conn:

        def step() -> int:
            conn.execute(ENQUEUE, [Jsonb(payload(1))], prepare=True)
            return 1

        yield step


@contextmanager
def enqueue_many(url: str) -> Generator[Step]:
    with _connected(url) as conn:
        yield lambda: send_many(conn, BATCH)


@contextmanager
def claim_and_settle(url: str) -> Generator[Step]:
    """On a database with a backlog."""
    with _connected(url) as conn:

        def step() -> int:
            [(seqs, numbers, token)] = conn.execute(CLAIM, prepare=True, binary=True).fetchall()
            if not seqs:
                raise Exhausted
            ended = [seqs, numbers, [token] * len(seqs), ["succeeded"] * len(seqs)]
            refused = conn.execute(SETTLE, ended, prepare=True, binary=True).fetchall()
            return len(seqs) - len(refused)

        yield step


def fill(url: str, jobs: int) -> None:
    """Enqueue so many jobs that are due."""
    with _connected(url) as conn:
        for start in range(0, jobs, BATCH):
            send_many(conn, min(BATCH, jobs - start))


def send_many(conn: Connection, jobs: int) -> int:
    rows = conn.execute(ENQUEUE_MANY, [jobs, [Jsonb(payload(number)) for number in range(jobs)]], prepare=True)
    if faults := [fault for _job, fault in rows.fetchall() if fault]:
        raise RuntimeError(f"A job was refused: {faults[0]}")
    return jobs


def _connected(url: str) -> Connection:
    return psycopg.connect(url, autocommit=True)
