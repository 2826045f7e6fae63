"""`jp.worker(…)`: what the worker inside an application is told by the Jobplane that it belongs to."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self, TypedDict, cast

from jobplane.core.errors import Invalid
from jobplane.execution.definition import CodeDefinition


class WorkerFields(TypedDict, total=False):
    """As the flags of `jobplane worker`; what is left out comes from the configuration."""

    queues: Sequence[str] | Mapping[str, int]
    imports: Sequence[str]
    name: str
    concurrency: int
    processes: int
    prefetch: int
    http: str
    lease_seconds: int
    grace_seconds: float


class RunningWorker(Protocol):
    """A worker that runs as long as its `async with` block."""

    @property
    def worker_id(self) -> str: ...

    async def wait(self) -> None:
        """Until something dies that it cannot work without; raises WorkerFailed."""
        ...

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...


def open_worker(url: str | None, definitions: Iterable[CodeDefinition], fields: WorkerFields) -> RunningWorker:
    """Not started yet; `url` is where the executors' Jobplane finds the same database."""
    from jobplane import config

    settings = config.load({"worker_imports": _modules(definitions) or None, "database_url": url, **_settings(fields)})
    # By name: the worker is built on this package, which knows nothing of it but the door.
    inside = import_module("jobplane.worker.inside").InsideWorker
    return cast("RunningWorker", inside(settings, url=url))


def _settings(fields: WorkerFields) -> dict[str, object]:
    given: dict[str, object] = {**fields}
    queues = given.pop("queues", None)
    if isinstance(queues, str):
        raise Invalid("The queues must be a list of names, not one name.")
    if isinstance(queues, Mapping):
        weights = cast("Mapping[str, int]", queues)
        queues = [f"{name}={weight}" for name, weight in weights.items()]
    own = ("lease_seconds", "grace_seconds")
    return {"worker_queues": queues} | {key if key in own else f"worker_{key}": value for key, value in given.items()}


def _modules(definitions: Iterable[CodeDefinition]) -> list[str]:
    """Where the handlers are defined; a script's own by the name that another process imports it with."""
    names = {definition.function.__module__ for definition in definitions}
    return sorted({_main() if name == "__main__" else name for name in names})


def _main() -> str:
    main = sys.modules["__main__"]
    spec, file = getattr(main, "__spec__", None), getattr(main, "__file__", None)
    if spec is not None:
        return str(spec.name)
    if file is None:
        raise Invalid(
            "The worker's processes cannot import handlers that were typed at a prompt. Write them to a module."
        )
    return Path(file).stem
