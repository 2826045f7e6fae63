"""Write a dump of each store with jobs in every state, by the jobplane that is on the path: `make.py DIRECTORY`.

Run once for each release that has a schema of its own, before the next one changes it.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

from jobplane.core.model import DEFAULT_TENANT, NewJob, NewWorker, Outcome
from jobplane.embedded import EmbeddedServer
from jobplane.store.postgres import migrate, source
from jobplane.store.postgres.calls.call import Role
from jobplane.store.postgres.settings import Settings
from jobplane.store.sqlite.migrations import migrations
from tests.client import BlockingPostgresStore, BlockingSqliteStore, BlockingStore
from tests.leases import Held, settlement

# Row-level security is forced, and keeps all but a superuser from a whole dump.
ROOT = "\ncreate role jobplane_root superuser nologin; grant jobplane_root to jobplane_owner;\n"
ROLES: tuple[Role, ...] = ("app", "worker", "admin")
ENDS = (Outcome.SUCCEEDED, Outcome.FATAL, Outcome.FAILED, Outcome.CANCELED)


def furnish(store: BlockingStore) -> None:
    """Two tenants, and jobs in every state."""
    alice = store.create_tenant("alice", weight=2).tenant_id
    store.put_queues(["sync"])
    store.put_definitions([
        {"key": "d", "kind": "python", "backoff": {"jitter": 0}},
        {"key": "off", "kind": "python", "origin": "code"},
        {"key": "few", "kind": "python", "queue": "sync", "max_running": 1, "tags": ["a", "ü"]},
    ])  # fmt: skip
    store.register_worker(NewWorker(worker_id="w1", queues=["default", "sync"], hostname="there"))
    for outcome in ENDS:
        _end(store, _lease(store, NewJob(definition="d", max_attempts=1)), outcome)
    _end(store, _lease(store, NewJob(definition="d", payload={"again": True})), Outcome.FAILED)
    store.enqueue(alice, [NewJob(definition="few", dedupe_key="k", payload={"text": "ü\n\t'\"\\"})])
    store.enqueue(alice, [NewJob(definition="few", idempotency_key="i", correlation_id="c", tags=["x"])])
    store.claim("sync", "w1", limit=5, lease_seconds=30)
    store.enqueue(DEFAULT_TENANT, [NewJob(definition="off", metadata={"owner_user_id": 7})])
    store.put_definitions([{"key": "off", "active": False}])
    running = [_lease(store, NewJob(definition="d", max_attempts=2)) for _ in range(2)]
    store.cancel(DEFAULT_TENANT, [running[1].job_id], reason="enough")
    store.renew(running, progress=[0.25, None])
    store.enqueue(DEFAULT_TENANT, [NewJob(definition="d", delay_seconds=86_400 * 3650)])
    store.enqueue(alice, [NewJob(definition="d", priority=priority) for priority in (5, 100, 100)])


def _lease(store: BlockingStore, job: NewJob) -> Held:
    store.enqueue(DEFAULT_TENANT, [job])
    [lease] = store.claim("default", "w1", limit=1, lease_seconds=30).leases
    return lease


def _end(store: BlockingStore, lease: Held, outcome: Outcome) -> None:
    result = {"files": 12} if outcome is Outcome.SUCCEEDED else None
    store.settle([settlement(lease=lease, outcome=outcome, error="it broke", result=result)])


def dump_postgres(programs: Path, target: Path) -> None:
    """By the oldest server that is supported: any later one reads it."""
    with (
        tempfile.TemporaryDirectory() as directory,
        EmbeddedServer(Path(directory) / "data", bin_dir=programs, bootstrap_sql=source.load().roles + ROOT) as server,
    ):
        migrate.up(server.url("jobplane_owner"))
        urls: dict[Role, str] = {role: server.url(f"jobplane_{role}") for role in ROLES}
        with BlockingPostgresStore(Settings(urls=urls)) as store:
            furnish(store)
        command = [programs / "pg_dump", "--inserts", "--schema=jobplane*", "--role=jobplane_root"]
        done = subprocess.run([*command, server.url("jobplane_owner")], check=True, capture_output=True, text=True)
    target.write_text("\n".join(line for line in done.stdout.splitlines() if not line.startswith("\\")) + "\n")


def dump_sqlite(target: Path) -> None:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "jobs.db"
        with BlockingSqliteStore(path) as store:
            furnish(store)
        with sqlite3.connect(path) as conn:
            target.write_text("\n".join(conn.iterdump()) + "\n")


if __name__ == "__main__":
    into = Path(sys.argv[1])
    dump_postgres(Path(os.environ["PG_BIN"]), into / f"postgres_{source.load().number}.sql")
    dump_sqlite(into / f"sqlite_{migrations()[-1][0]}.sql")
