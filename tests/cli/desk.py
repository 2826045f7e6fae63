"""A SQLite file with jobs, and the command line on it, inside this process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from uuid import UUID

from jobplane.core.model import DEFAULT_TENANT, Json, NewJob, Outcome
from tests.cli.command import Answer, within
from tests.client import BlockingSqliteStore
from tests.leases import settlement


class Desk:
    """What a test needs: jobs in every state, and commands."""

    def __init__(self, path: Path, store: BlockingSqliteStore) -> None:
        self.path = path
        self.store = store
        store.put_definitions([{"key": "report", "kind": "python", "arg_schema": True}])

    @property
    def url(self) -> str:
        return f"sqlite:///{self.path}"

    def run(self, *words: str, stdin: str = "", **env: str) -> Answer:
        """A command on the file."""
        return within(*words, stdin=stdin, **{"JOBPLANE_DATABASE_URL": self.url, **env})

    def json(self, *words: str) -> Any:
        """The answer of a command that must succeed, as JSON."""
        done = self.run(*words, "-o", "json")
        assert done.code == 0, done.err
        return json.loads(done.out)

    def job(self, tenant: UUID = DEFAULT_TENANT, **fields: Any) -> UUID:
        """A job that waits."""
        payload: dict[str, Json] = fields.pop("payload", {})
        [made] = self.store.enqueue(tenant, [NewJob(definition="report", payload=payload, **fields)])
        assert made.job_id is not None
        return made.job_id

    def end(self, outcome: Outcome = Outcome.SUCCEEDED, **facts: Any) -> None:
        """Run the next job to this outcome."""
        [lease] = self.store.claim("default", "worker-1").leases
        self.store.settle([settlement(lease=lease, outcome=outcome, **facts)])

    def status(self, job_id: UUID) -> str:
        [job] = self.store.get_jobs(DEFAULT_TENANT, [job_id])
        return job.status
