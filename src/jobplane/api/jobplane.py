"""The door of the library: definitions by decorator, verbs, inline runs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from functools import cached_property
from types import FrameType
from typing import TYPE_CHECKING, Literal, Self, TypedDict, Unpack, cast, overload

from jobplane.api.batch import require_accepted
from jobplane.api.calls import Calls
from jobplane.api.handles import JobCall, JobHandle, Row
from jobplane.api.hints import explain_unknown_option
from jobplane.api.job import Decorator, JobFunction
from jobplane.api.plane import Plane
from jobplane.api.twins import awaited, awaited_iteration, blocking, iterated
from jobplane.api.working import RunningWorker, WorkerFields, open_worker
from jobplane.control.immediate import finish
from jobplane.core.model import Backoff
from jobplane.core.retry import BackoffName, preset
from jobplane.execution.definition import CodeDefinition, Isolation, OnLostContact, Policy, check_key
from jobplane.execution.hooks import AnyHook, AnyMiddleware

if TYPE_CHECKING:
    from builtins import list as list_

    from jobplane.api.inline.asynchronous import AsyncInline
    from jobplane.api.inline.blocking import BlockingInline
    from jobplane.api.schedules import Schedules

_BACKOFF = Backoff()
_POLICY = [field.name for field in fields(Policy)]


class _NoOptions(TypedDict):
    """The keyword arguments that `job` takes beside those that it names: none."""


class Jobplane(Plane):
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
        max_attempts: int | None = None,
        timeout_seconds: int | None = 3600,
        backoff: Backoff | BackoffName = _BACKOFF,
        max_running: int | None = None,
        max_running_per_tenant: int | None = None,
        retention_days: int | None = None,
        description: str | None = None,
        tags: Sequence[str] = (),
        isolation: Isolation = "shared",
        on_lost_contact: OnLostContact = "stop",
        **unknown: Unpack[_NoOptions],
    ) -> Decorator:
        """Make a function the handler of a definition; its signature is the schema of the payload.

        Without `max_attempts` a definition has as many as the setting `max_attempts_default` says.
        """
        if unknown:
            raise TypeError(explain_unknown_option(unknown, _POLICY))
        check_key(key)  # now: without parentheses nothing would be decorated
        policy = Policy(
            queue=queue,
            priority=priority,
            max_attempts=max_attempts,
            timeout_seconds=timeout_seconds,
            backoff=preset(backoff) if isinstance(backoff, str) else backoff,
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
            definition = CodeDefinition(key, _undecorate(function), policy, names)
            self._program.registry.add(definition)
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

    @overload
    def enqueue_many(
        self, calls: Iterable[JobCall], *, conn: object = None, raise_refused: Literal[True]
    ) -> list_[JobHandle]: ...

    @overload
    def enqueue_many(self, calls: Iterable[JobCall], *, conn: object = None) -> list_[Row]: ...

    def enqueue_many(
        self, calls: Iterable[JobCall], *, conn: object = None, raise_refused: bool = False
    ) -> Sequence[Row]:
        """One row for each call, in order; a refused one does not sink the others."""
        rows = finish(self.blocking_calls.enqueue_many(calls, conn=conn))
        return require_accepted(rows) if raise_refused else rows

    @overload
    async def enqueue_many_async(
        self, calls: Iterable[JobCall], *, conn: object = None, raise_refused: Literal[True]
    ) -> list_[JobHandle]: ...

    @overload
    async def enqueue_many_async(self, calls: Iterable[JobCall], *, conn: object = None) -> list_[Row]: ...

    async def enqueue_many_async(
        self, calls: Iterable[JobCall], *, conn: object = None, raise_refused: bool = False
    ) -> Sequence[Row]:
        """The same, without blocking the event loop."""
        rows = await self.awaited_calls.enqueue_many(calls, conn=conn)
        return require_accepted(rows) if raise_refused else rows

    def run_once(self, *, queues: Sequence[str] | None = None, limit: int = 100) -> int:
        """Run what is due here and now, up to `limit` jobs one after another; how many ran."""
        with self._inline(queues) as inline:
            return inline.round(limit)

    def drain(self, *, queues: Sequence[str] | None = None) -> int:
        """Run until nothing is due any more, what the handlers enqueue included; how many ran.

        A due job that another process is making ready counts as due. One that a transaction has locked for longer than
        10 seconds is left, with a warning.
        """
        with self._inline(queues) as inline:
            return inline.drain()

    async def run_once_async(self, *, queues: Sequence[str] | None = None, limit: int = 100) -> int:
        """The same on the running event loop."""
        async with await self._inline_async(queues) as inline:
            return await inline.round(limit)

    async def drain_async(self, *, queues: Sequence[str] | None = None) -> int:
        """The same on the running event loop."""
        async with await self._inline_async(queues) as inline:
            return await inline.drain()

    def _inline(self, queues: Sequence[str] | None) -> BlockingInline:
        from jobplane.api.inline.blocking import BlockingInline

        finish(self.blocking_calls.synced_store())
        return BlockingInline(self, self._stores.get_blocking(), self._program.find_queues(queues))

    async def _inline_async(self, queues: Sequence[str] | None) -> AsyncInline:
        from jobplane.api.inline.asynchronous import AsyncInline

        return AsyncInline(self, await self.awaited_calls.synced_store(), self._program.find_queues(queues))

    @cached_property
    def schedules(self) -> Schedules:
        """The schedules of the tenant: `jp.schedules.create(…)`, `.list()`, `.fire(…)`."""
        from jobplane.api.schedules import Schedules

        return Schedules(self.blocking_calls, self.awaited_calls)

    # Each is written once, in Calls.
    enqueue = blocking(Calls.enqueue)
    enqueue_async = awaited(Calls.enqueue)
    enqueue_call = blocking(Calls.enqueue_call)
    enqueue_call_async = awaited(Calls.enqueue_call)
    get = blocking(Calls.get)
    get_async = awaited(Calls.get)
    cancel = blocking(Calls.cancel)
    cancel_async = awaited(Calls.cancel)
    retry = blocking(Calls.retry)
    retry_async = awaited(Calls.retry)
    reschedule = blocking(Calls.reschedule)
    reschedule_async = awaited(Calls.reschedule)
    edit = blocking(Calls.edit)
    edit_async = awaited(Calls.edit)
    run_again = blocking(Calls.run_again)
    run_again_async = awaited(Calls.run_again)
    result = blocking(Calls.result)
    result_async = awaited(Calls.result)
    count = blocking(Calls.count)
    count_async = awaited(Calls.count)
    summary = blocking(Calls.summary)
    summary_async = awaited(Calls.summary)
    explain = blocking(Calls.explain)
    explain_async = awaited(Calls.explain)
    problems = blocking(Calls.problems)
    problems_async = awaited(Calls.problems)
    all_problems = blocking(Calls.all_problems)
    all_problems_async = awaited(Calls.all_problems)
    search_logs = blocking(Calls.search_logs)
    search_logs_async = awaited(Calls.search_logs)
    wait = blocking(Calls.wait)
    wait_async = awaited(Calls.wait)
    sync = blocking(Calls.sync)
    sync_async = awaited(Calls.sync)
    create_tenant = blocking(Calls.create_tenant)
    create_tenant_async = awaited(Calls.create_tenant)
    get_tenant = blocking(Calls.get_tenant)
    get_tenant_async = awaited(Calls.get_tenant)
    change_tenant = blocking(Calls.change_tenant)
    change_tenant_async = awaited(Calls.change_tenant)
    pause_tenant = blocking(Calls.pause_tenant)
    pause_tenant_async = awaited(Calls.pause_tenant)
    resume_tenant = blocking(Calls.resume_tenant)
    resume_tenant_async = awaited(Calls.resume_tenant)
    put_queues = blocking(Calls.put_queues)
    put_queues_async = awaited(Calls.put_queues)
    delete_queues = blocking(Calls.delete_queues)
    delete_queues_async = awaited(Calls.delete_queues)
    queues = blocking(Calls.queues)
    queues_async = awaited(Calls.queues)
    create_key = blocking(Calls.create_key)
    create_key_async = awaited(Calls.create_key)
    revoke_key = blocking(Calls.revoke_key)
    revoke_key_async = awaited(Calls.revoke_key)
    rotate_key = blocking(Calls.rotate_key)
    rotate_key_async = awaited(Calls.rotate_key)
    pause_queue = blocking(Calls.pause_queue)
    pause_queue_async = awaited(Calls.pause_queue)
    resume_queue = blocking(Calls.resume_queue)
    resume_queue_async = awaited(Calls.resume_queue)
    workers = blocking(Calls.workers)
    workers_async = awaited(Calls.workers)
    put_definitions = blocking(Calls.put_definitions)
    put_definitions_async = awaited(Calls.put_definitions)
    create_definition = blocking(Calls.create_definition)
    create_definition_async = awaited(Calls.create_definition)
    get_definition = blocking(Calls.get_definition)
    get_definition_async = awaited(Calls.get_definition)
    change_definition = blocking(Calls.change_definition)
    change_definition_async = awaited(Calls.change_definition)
    enable_definition = blocking(Calls.enable_definition)
    enable_definition_async = awaited(Calls.enable_definition)
    disable_definition = blocking(Calls.disable_definition)
    disable_definition_async = awaited(Calls.disable_definition)
    delete_definition = blocking(Calls.delete_definition)
    delete_definition_async = awaited(Calls.delete_definition)
    list = iterated(Calls.list)
    list_async = awaited_iteration(Calls.list)
    logs = iterated(Calls.logs)
    logs_async = awaited_iteration(Calls.logs)
    attempts = iterated(Calls.attempts)
    attempts_async = awaited_iteration(Calls.attempts)
    tenants = iterated(Calls.tenants)
    tenants_async = awaited_iteration(Calls.tenants)
    api_keys = iterated(Calls.api_keys)
    api_keys_async = awaited_iteration(Calls.api_keys)
    definitions = iterated(Calls.definitions)
    definitions_async = awaited_iteration(Calls.definitions)


def _undecorate(function: Callable[..., object]) -> Callable[..., object]:
    """A function that is a job of another Jobplane, or under another key, may be one here too."""
    return function.definition.function if isinstance(function, JobFunction) else function


def _locals(frame: FrameType | None) -> dict[str, object]:
    """The names of the function that calls; those of a module the handler knows itself."""
    caller = frame and frame.f_back
    return {} if caller is None or caller.f_locals is caller.f_globals else dict(caller.f_locals)
