"""The door of the library: definitions by decorator, verbs, inline runs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Self, cast

from jobplane.api.definition import CodeDefinition, Isolation, OnLostContact, Policy
from jobplane.api.job import Decorator, JobFunction
from jobplane.api.verbs import Verbs
from jobplane.api.verbs_async import AsyncVerbs
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


def _undecorated(function: Callable[..., object]) -> Callable[..., object]:
    """A function that is a job of another Jobplane, or under another key, may be one here too."""
    return function.definition.function if isinstance(function, JobFunction) else function


def _locals(frame: FrameType | None) -> dict[str, object]:
    """The names of the function that calls; those of a module the handler knows itself."""
    caller = frame and frame.f_back
    return {} if caller is None or caller.f_locals is caller.f_globals else dict(caller.f_locals)
