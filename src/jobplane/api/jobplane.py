"""The door of the library: definitions by decorator, verbs, inline runs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Self, Unpack, cast

from jobplane.api.definition import CodeDefinition, Isolation, OnLostContact, Policy, checked_key
from jobplane.api.hooks import AnyHook, AnyMiddleware
from jobplane.api.job import Decorator, JobFunction
from jobplane.api.verbs import Verbs
from jobplane.api.verbs_async import AsyncVerbs
from jobplane.api.working import RunningWorker, WorkerFields, open_worker
from jobplane.core.model import Backoff

_BACKOFF = Backoff()


class Jobplane(Verbs, AsyncVerbs):
    """A program's jobs on one database. Nothing is connected before the first use, and nothing is global.

    `url` is `sqlite:///path`, `postgresql://…` or `embedded:`; without one the configuration says it.
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def job(
        self,
        key: str,
        *,
        queue: str = "default",
        priority: int = 100,
        max_attempts: int = 3,
        timeout_seconds: int | None = 3600,
        backoff: Backoff = _BACKOFF,
        max_running: int | None = None,
        max_running_per_tenant: int | None = None,
        retention_days: int | None = None,
        description: str | None = None,
        tags: Sequence[str] = (),
        isolation: Isolation = "shared",
        on_lost_contact: OnLostContact = "stop",
    ) -> Decorator:
        """Make a function the handler of a definition; its signature is the schema of the payload."""
        checked_key(key)  # now: without parentheses nothing would be decorated
        policy = Policy(
            queue=queue,
            priority=priority,
            max_attempts=max_attempts,
            timeout_seconds=timeout_seconds,
            backoff=backoff,
            max_running=max_running,
            max_running_per_tenant=max_running_per_tenant,
            retention_days=retention_days,
            description=description,
            tags=tags,
            isolation=isolation,
            on_lost_contact=on_lost_contact,
        )
        # A handler inside a function may have types of that function in its annotations.
        names = _locals(inspect.currentframe())

        def decorate(function: Callable[..., object]) -> JobFunction[..., ..., object]:
            definition = CodeDefinition(key, _undecorated(function), policy, names)
            self._registry.add(definition)
            return JobFunction(self, definition, definition.function)

        return cast("Decorator", decorate)

    def startup(self, function: AnyHook) -> AnyHook:
        """Run this in each process that runs handlers, before its first job: open pools, set up reporters.

        `def` or `async def`, without arguments; where one fails the process takes no jobs.
        """
        self.hooks.add_startup(function)
        return function

    def shutdown(self, function: AnyHook) -> AnyHook:
        """Run this in each such process after its last job, the last declared first. A killed process runs none."""
        self.hooks.add_shutdown(function)
        return function

    def middleware(self, function: AnyMiddleware) -> AnyMiddleware:
        """Surround every attempt with a function of its context that yields once, where the handler runs.

        The first declared is the outermost. What the handler raises is raised at the `yield`, and goes on whatever
        happens there, or another exception instead. One with `async def` surrounds `async def` handlers alone.
        """
        self.hooks.add_middleware(function)
        return function

    def worker(self, **settings: Unpack[WorkerFields]) -> RunningWorker:
        """A worker inside this program: `async with jp.worker():` runs jobs while the block lasts."""
        definitions = [self.definition(key) for key in self.keys]
        return open_worker(self._stores.address(), definitions, settings)


def _undecorated(function: Callable[..., object]) -> Callable[..., object]:
    """A function that is a job of another Jobplane, or under another key, may be one here too."""
    return function.definition.function if isinstance(function, JobFunction) else function


def _locals(frame: FrameType | None) -> dict[str, object]:
    """The names of the function that calls; those of a module the handler knows itself."""
    caller = frame and frame.f_back
    return {} if caller is None or caller.f_locals is caller.f_globals else dict(caller.f_locals)
