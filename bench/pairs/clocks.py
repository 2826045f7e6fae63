"""What a probe spends: seconds, its own CPU time, and that of the server's processes for its database."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import psycopg

from bench.cpu import cpu_seconds
from bench.pairs.ratios import RATE, Reading

WARM_UP_SECONDS: Final = 0.3
PIDS: Final = "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"

# Does some jobs and returns how many. One that only prepares the next step returns 0 and is not timed.
Step = Callable[[], int]


class Exhausted(Exception):
    """There are no jobs left to measure with: the reading ends early."""


@dataclass
class Spent:
    """The sum of the steps that did jobs."""

    jobs: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0

    def run(self, step: Step, seconds: float) -> None:
        """Repeat the step for so many seconds, or until there are no jobs left."""
        with suppress(Exhausted):
            while self.seconds < seconds:
                self._add(step)

    def _add(self, step: Step) -> None:
        wall, cpu = time.perf_counter(), time.process_time()
        done = step()
        if done:
            self.jobs += done
            self.seconds += time.perf_counter() - wall
            self.cpu_seconds += time.process_time() - cpu

    def reading(self, server_seconds: float) -> Reading:
        return {
            RATE: self.jobs / self.seconds,
            "client µs/job": self.cpu_seconds / self.jobs * 1e6,
            "server µs/job": server_seconds / self.jobs * 1e6,
        }


def read(step: Step, seconds: float, url: str | None = None) -> Reading:
    """Warm up, then measure. With a URL, also the CPU time of the server's processes for that database."""
    Spent().run(step, WARM_UP_SECONDS)
    spent = Spent()
    if url is None:
        spent.run(step, seconds)
        return spent.reading(0.0)
    with psycopg.connect(url, autocommit=True) as conn:
        before = _server_seconds(conn)
        spent.run(step, seconds)
        return spent.reading(_server_seconds(conn) - before)


def _server_seconds(conn: psycopg.Connection[tuple[Any, ...]]) -> float:
    return sum(cpu_seconds(pid) for (pid,) in conn.execute(PIDS).fetchall())
