"""Who is in every history: three tenants, one of double weight, two queues, and definitions with unlike policies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from typing import Final

from jobplane.core.model import Backoff, Json
from tests.model.plane import Policy

TENANTS: Final[Mapping[str, int]] = {"alice": 1, "charlie": 1, "dora": 2}
QUEUES: Final = ("bulk",)
DEFINITIONS: Final[Mapping[str, Callable[[], Policy]]] = {
    "mail": partial(Policy, max_attempts=2, backoff=Backoff(base=4, factor=2, cap=12, jitter=0.5)),
    "sync": partial(Policy, priority=50, timeout_seconds=60, backoff=Backoff(base=1, factor=1, cap=60, jitter=0)),
    "report": partial(Policy, queue="bulk", kind=None, max_attempts=1),
    "script": partial(Policy, kind="command", command={"executable": "/bin/true", "argv": []}),
}


def document(key: str, policy: Callable[[], Policy]) -> dict[str, Json]:
    return {"key": key, **asdict(policy())}
