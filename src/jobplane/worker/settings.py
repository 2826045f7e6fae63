"""What one worker was told, read once: its queues with their weights, its size and its times."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from jobplane.config import Config
from jobplane.core.ids import new_worker_id
from jobplane.opening import Deadlines
from jobplane.process.sockets import split_address


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerSettings:
    """The configuration as a whole, and what one worker makes of it.

    `queues` by weight; none: those of the definitions. `worker_id` belongs to this start alone. `url` is what
    executors enqueue with where they have none of their own. `adopts`: as PID 1 or subreaper, reap the orphans of
    handlers; an application that starts children of its own turns it off.
    """

    config: Config
    worker_id: str
    queues: Mapping[str, int] = field(default_factory=dict[str, int])
    processes: int = 1
    sys_path: Sequence[str] = ()
    url: str | None = None
    adopts: bool = True
    alone_limit: int = 4
    startup_seconds: float = 120.0
    linger_ms: float = 2.0

    @classmethod
    def of(cls, config: Config, *, url: str | None = None, adopts: bool = True) -> Self:
        return cls(
            config=config,
            worker_id=new_worker_id(config.worker_name),
            queues=dict(map(_parse_weighted, config.worker_queues)),
            processes=config.worker_processes or _cores(),
            sys_path=_sys_path(),
            url=url,
            adopts=adopts,
        )

    @property
    def name(self) -> str:
        """The same after a restart."""
        return _name(self.config)

    @property
    def http(self) -> tuple[str, int] | None:
        return split_address(self.config.worker_http) if self.config.worker_http else None

    @property
    def slots(self) -> int:
        return self.processes * self.config.worker_concurrency

    @property
    def deadlines(self) -> Deadlines:
        """What a lease leaves for each kind of call.

        A renewal is due after a third of it and may stand behind one chore: with both at their longest it still comes
        through before nine tenths, when handlers are killed. A claim's answer is not begun on after a third.
        """
        lease = float(self.config.lease_seconds)
        return Deadlines(
            claims=min(5.0, lease / 3),
            settles=min(10.0, max(2.0, lease / 4)),
            keeps=min(3.0, lease / 4),
            upkeep=min(30.0, lease / 4),
        )


def _name(config: Config) -> str:
    return config.worker_name or socket.gethostname()


def _parse_weighted(text: str) -> tuple[str, int]:
    name, _, weight = text.partition("=")
    return name, int(weight or 1)


def _cores() -> int:
    """Those that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _sys_path() -> list[str]:
    """Where `app.jobs` is looked for: the working directory as `python -m` does it, then all that is known here."""
    return list(dict.fromkeys([str(Path.cwd()), *(path for path in sys.path if path)]))
