"""Hooks of a program: at the start and the end of a process, and around each attempt."""

from __future__ import annotations

import inspect
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager, contextmanager
from typing import TypeVar, cast

from jobplane.core.bounds import show
from jobplane.core.errors import Invalid
from jobplane.execution.context import Context

Hook = Callable[[], object]
Middleware = Callable[[Context], "Generator[object, None, object] | AsyncGenerator[object, None]"]
Around = Callable[[Context], AbstractContextManager[object]]
AroundAsync = Callable[[Context], AbstractAsyncContextManager[object]]
AnyHook = TypeVar("AnyHook", bound=Hook)
AnyMiddleware = TypeVar("AnyMiddleware", bound=Middleware)

_log = logging.getLogger("jobplane.run")


class Hooks:
    """The hooks of one program, in the order in which they were declared."""

    def __init__(self) -> None:
        self._startups: list[Hook] = []
        self._shutdowns: list[Hook] = []
        self.around: list[Around | AroundAsync] = []

    def add_startup(self, function: Hook) -> None:
        self._startups.append(_check(function, "startup"))

    def add_shutdown(self, function: Hook) -> None:
        self._shutdowns.append(_check(function, "shutdown"))

    def add_middleware(self, function: Middleware) -> None:
        try:
            inspect.signature(function).bind(None)
        except (TypeError, ValueError):  # what is written in C may have none
            raise Invalid(f"The middleware {_name(function)} must take one argument, the context.") from None
        if inspect.isasyncgenfunction(function):
            self.around.append(asynccontextmanager(cast("Callable[[Context], AsyncGenerator[object]]", function)))
        elif inspect.isgeneratorfunction(function):
            self.around.append(contextmanager(cast("Callable[[Context], Generator[object]]", function)))
        else:
            raise Invalid(f"The middleware {_name(function)} must yield once. The handler runs at the yield.")

    @property
    def needs_loop(self) -> bool:
        return any(inspect.iscoroutinefunction(hook) for hook in (*self._startups, *self._shutdowns))

    async def start(self) -> None:
        """Run the startup hooks. The first that fails raises."""
        for hook in self._startups:
            await _run(hook)

    async def stop(self) -> None:
        """Run the shutdown hooks, the last declared first. One that fails does not stop the others."""
        for hook in reversed(self._shutdowns):
            try:
                await _run(hook)
            except Exception:  # noqa: BLE001 a hook is code of the user
                _log.exception("The shutdown hook %s failed.", _name(hook))


async def _run(hook: Hook) -> None:
    answer = hook()
    if isinstance(answer, Awaitable):
        await answer


def _check(function: Hook, kind: str) -> Hook:
    try:
        inspect.signature(function).bind()
    except (TypeError, ValueError):
        raise Invalid(f"The {kind} hook {_name(function)} must be a function without arguments.") from None
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise Invalid(f"The {kind} hook {_name(function)} must not yield. Declare a generator as a middleware.")
    return function


def _name(function: Callable[..., object]) -> str:
    return getattr(function, "__qualname__", None) or show(function, 80)
