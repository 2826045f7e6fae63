"""The cost of a probe: seconds, its CPU time, and the CPU time of the server for its database."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import psycopg

from bench.cpu import cpu_seconds
from bench.pairs.ratios import RATE, Reading

PIDS: Final = "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"

# Does some jobs and returns how many. One that only prepares the next step returns 0 and is not timed.
Step = Callable[[], int]


class Exhausted(Exception):
    """There are no jobs left to measure with: the slice ends early."""


@dataclass
class Spent:
    """The sum of the steps that did jobs."""

    jobs: int = 0
    seconds: float = 0.0
    client_seconds: float = 0.0
    server_seconds: float = 0.0

    def __add__(self, other: Spent) -> Spent:
        return Spent(
            self.jobs + other.jobs,
            self.seconds + other.seconds,
            self.client_seconds + other.client_seconds,
            self.server_seconds + other.server_seconds,
        )

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
            self.client_seconds += time.process_time() - cpu

    @property
    def reading(self) -> Reading:
        return {
            RATE: self.jobs / self.seconds,
            "client µs/job": self.client_seconds / self.jobs * 1e6,
            "server µs/job": self.server_seconds / self.jobs * 1e6,
        }


def spend(step: Step, seconds: float, server: psycopg.Connection[tuple[Any, ...]] | None) -> Spent:
    """One slice of work. With a connection, also the CPU time of the server's other processes for that database."""
    spent, before = Spent(), _server_seconds(server)
    spent.run(step, seconds)
    spent.server_seconds = _server_seconds(server) - before
    return spent


def _server_seconds(conn: psycopg.Connection[tuple[Any, ...]] | None) -> float:
    return sum(cpu_seconds(pid) for (pid,) in conn.execute(PIDS).fetchall()) if conn else 0.0
