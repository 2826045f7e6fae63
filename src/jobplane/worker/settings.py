"""The settings of one worker: its queues with their weights, its size and its times."""

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
    """The configuration, and the values that one worker derives from it.

    `queues` has the weights by name; an empty one means the queues of the definitions. `worker_id` is new at each
    start. `url` is the database for modules that name none. `adopts`: reap the orphans of handlers as PID 1 or
    subreaper; an application with children of its own turns it off. Without modules there are no `processes` for
    handlers, without a policy no `commands` at a time.
    """

    config: Config
    worker_id: str
    queues: Mapping[str, int] = field(default_factory=dict[str, int])
    processes: int = 1
    commands: int = 0
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
            processes=(config.worker_processes or _cores()) if config.worker_imports else 0,
            commands=(config.worker_commands or 2 * _cores()) if config.worker_policy else 0,
            sys_path=_sys_path(),
            url=url,
            adopts=adopts,
        )

    @property
    def name(self) -> str:
        """The name of the worker, which stays the same after a restart."""
        return _name(self.config)

    @property
    def http(self) -> tuple[str, int] | None:
        return split_address(self.config.worker_http) if self.config.worker_http else None

    @property
    def slots(self) -> int:
        return self.processes * self.config.worker_concurrency + self.commands

    @property
    def deadlines(self) -> Deadlines:
        """The deadline of each kind of call, derived from the lease.

        A renewal is due after a third of a lease and may wait for one chore. With both at their longest it is done
        before nine tenths of the lease, when handlers are killed. A claim that takes longer than a third is given back.
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
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _sys_path() -> list[str]:
    """The import path of executors: the working directory, as with `python -m`, then this process's own path."""
    return list(dict.fromkeys([str(Path.cwd()), *(path for path in sys.path if path)]))
