"""What one worker was told, read once: its queues with their weights, its size and its times."""

from __future__ import annotations

import os
import secrets
import socket
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from jobplane.config import Config, LogFormat
from jobplane.wiring import Deadlines


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerSettings:
    """`queues` by weight, none: those of the definitions. `name` is shared by restarts, `worker_id` by nobody."""

    imports: Sequence[str]
    queues: Mapping[str, int] = field(default_factory=dict[str, int])
    name: str = ""
    processes: int = 1
    concurrency: int = 16
    prefetch: int = 1000
    http: tuple[str, int] | None = None
    poll_seconds: float = 1.0
    lease_seconds: int = 30
    grace_seconds: float = 25.0
    sys_path: Sequence[str] = ()
    url: str | None = None
    artifacts_dir: str | None = None
    log_level: str = "info"
    log_format: LogFormat = "auto"
    worker_id: str = ""

    @classmethod
    def of(cls, config: Config, *, url: str | None = None) -> Self:
        """From the configuration; `url` is what executors enqueue with where they have none of their own."""
        name = config.worker_name or socket.gethostname()
        return cls(
            imports=config.worker_imports,
            queues=dict(map(_weighted, config.worker_queues)),
            name=name,
            processes=config.worker_processes or _cores(),
            concurrency=config.worker_concurrency,
            prefetch=config.worker_prefetch,
            http=_address(config.worker_http),
            poll_seconds=config.poll_seconds,
            lease_seconds=config.lease_seconds,
            grace_seconds=config.grace_seconds,
            sys_path=_sys_path(),
            url=url,
            artifacts_dir=None if config.artifacts_dir is None else str(config.artifacts_dir.absolute()),
            log_level=config.log_level,
            log_format=config.log_format,
            worker_id=f"{name}-{secrets.token_hex(4)}",
        )

    @property
    def slots(self) -> int:
        return self.processes * self.concurrency

    @property
    def deadlines(self) -> Deadlines:
        """What a lease leaves for each kind of call.

        A renewal is due after a third of it and may stand behind one chore: with both at their longest it still comes
        through before nine tenths, when handlers are killed. A claim's answer is not begun on after a third.
        """
        lease = float(self.lease_seconds)
        return Deadlines(
            claims=min(5.0, lease / 3),
            settles=min(10.0, max(2.0, lease / 4)),
            keeps=min(3.0, lease / 4),
            upkeep=min(30.0, lease / 4),
        )


def _weighted(text: str) -> tuple[str, int]:
    name, _, weight = text.partition("=")
    return name, int(weight or 1)


def _address(text: str) -> tuple[str, int] | None:
    host, _, port = text.rpartition(":")
    return (host.strip("[]"), int(port)) if text else None


def _cores() -> int:
    """Those that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _sys_path() -> list[str]:
    """Where `app.jobs` is looked for: the working directory as `python -m` does it, then all that is known here."""
    return list(dict.fromkeys([str(Path.cwd()), *(path for path in sys.path if path)]))
