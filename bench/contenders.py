"""The queues whose workers run side by side: how each is filled, driven and counted."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import quote

from psycopg.conninfo import conninfo_to_dict

from bench import node, seed
from bench.peers import pgqueuer, procrastinate
from bench.rig import Database, Rig

ROOT: Final = Path(__file__).parents[1]
PATIENCE_SECONDS: Final = 120
OURS_LEFT: Final = "select " + " + ".join(
    f"(select count(*) from jobplane.{table})" for table in ("ready", "leases", "upcoming", "held")
)


@dataclass(frozen=True, slots=True)
class Contender:
    """A queue: the programs of its worker and its producer, and a count of the jobs that are not finished."""

    name: str
    base: Callable[[Rig], str]
    fill: Callable[[Contender, Database, int], None]
    left: str
    program: tuple[str, ...]
    work: tuple[str, ...] = ()
    roles: tuple[str, str] = ("owner", "owner")  # who works, who sends
    counted_by: str = "jobplane_owner"
    executors: int = 0  # that a worker starts, the spare among them
    slow: bool = False  # hundreds of jobs a second: a tenth of the backlog is plenty
    environment: Mapping[str, str] = field(default_factory=dict[str, str])

    def filled(self, rig: Rig, jobs: int) -> str:
        """A template with so many ready jobs."""
        base, jobs = self.base(rig), jobs // 10 if self.slow else jobs
        return rig.template(f"{base}_with_{jobs}", lambda database: self.fill(self, database, jobs), of=base)

    def worker(self, database: Database, log: Path, starts: Path | None) -> subprocess.Popen[bytes]:
        """A worker in a session of its own; where `starts` is given, its handlers write down when they start."""
        environ = self._environ(database, self.roles[0]) | {"BENCH_STARTS": str(starts or "")}
        with log.open("wb") as file:
            argv = self.work or (*self.program, "work")
            return subprocess.Popen(argv, cwd=ROOT, env=environ, stdout=file, stderr=file, start_new_session=True)

    def call(self, database: Database, *role: str) -> str:
        """Run the program in a role that ends by itself; what it printed."""
        environ = self._environ(database, self.roles[1])
        argv, patience = [*self.program, *role], PATIENCE_SECONDS
        done = subprocess.run(
            argv, cwd=ROOT, env=environ, capture_output=True, text=True, check=False, timeout=patience
        )
        if done.returncode:
            raise RuntimeError(f"{self.name} {' '.join(role)} failed: {done.stderr[-2000:]}")
        return done.stdout

    def _environ(self, database: Database, role: str) -> dict[str, str]:
        url = _url(database, role)
        return {**os.environ, "BENCH_URL": url, "JOBPLANE_DATABASE_URL": url, **self.environment}


def _url(database: Database, role: str) -> str:
    """With the socket's directory for a host, which every client can read."""
    parts = conninfo_to_dict(database.url(role))
    host, port = quote(str(parts["host"]), safe=""), parts.get("port") or 5432
    return f"postgresql://{parts['user']}@{host}:{port}/{parts['dbname']}"


def _seed(contender: Contender, database: Database, jobs: int) -> None:
    contender.call(database, "seed", str(jobs))


def _on_node(name: str, script: str, left: str) -> Contender:
    def install(database: Database) -> None:
        contender.call(database, "install")

    program, settings = node.program(script), node.ENVIRONMENT
    contender = Contender(name, lambda rig: rig.template(script, install), _seed, left, program, environment=settings)
    return contender


def _in_python(name: str, install: Callable[[Database], None], left: str, *, slow: bool = False) -> Contender:
    program = (sys.executable, "-m", f"bench.peers.{name}_program")
    return Contender(name, lambda rig: rig.template(name, install), _seed, left, program, slow=slow)


ON_NODE: Final = (
    _on_node("pg-boss", "pgboss", "select count(*) from pgboss.job where state < 'completed'"),
    _on_node("graphile-worker", "graphile", "select count(*) from graphile_worker._private_jobs"),
)
IN_PYTHON: Final = (
    _in_python("pgqueuer", pgqueuer.install, "select count(*) from pgqueuer"),
    _in_python(
        "procrastinate",
        procrastinate.install,
        "select count(*) from procrastinate_jobs where status in ('todo', 'doing')",
        slow=True,
    ),
)


def peers() -> tuple[Contender, ...]:
    """Those that are installed; says which are left out."""
    if node.installed():
        return ON_NODE + IN_PYTHON
    print(f"\nleft out, because npm could not install them: {', '.join(peer.name for peer in ON_NODE)}")
    return IN_PYTHON


def ours(*, handler: str = "async", processes: int = 2, slots: int = 16, prefetch: int = 1000) -> Contender:
    """Our worker with so many executors; in flight are at most their slots and what is fetched ahead."""
    settings = {
        "BENCH_HANDLER": handler,
        "JOBPLANE_WORKER_IMPORTS": "bench.noop",
        "JOBPLANE_WORKER_PROCESSES": str(processes),
        "JOBPLANE_WORKER_CONCURRENCY": str(slots),
        "JOBPLANE_WORKER_PREFETCH": str(prefetch),
    }
    return Contender(
        "jobplane",
        seed.ours,
        lambda _contender, database, jobs: seed.jobs(database, jobs),
        OURS_LEFT,
        (sys.executable, "-m", "bench.noop"),
        (str(Path(sys.prefix) / "bin" / "jobplane"), "worker"),
        ("worker", "app"),
        "jobplane_engine",  # no policy holds it back
        processes + 1,
        environment=settings,
    )
