"""A definition as it is called: its function, inside the middlewares of its program."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, AsyncExitStack, ExitStack
from typing import Final, cast

from jobplane.core.claimed import PAYLOAD, REST, ClaimedJob
from jobplane.core.decoding import refuse_undecodable
from jobplane.execution.context import Context
from jobplane.execution.definition import CodeDefinition
from jobplane.execution.hooks import Around, AroundAsync, Hooks
from jobplane.execution.running import RunningAttempt

Call = Callable[[RunningAttempt, Mapping[str, object]], object]
_NO_ARGUMENTS: Final[Mapping[str, object]] = {}


class Handler:
    """One definition of a program; `call` takes a attempt and the arguments, and is awaited where `is_async`."""

    __slots__ = ("_arguments", "_takes_nothing", "call", "definition", "is_async", "key", "plane")

    def __init__(self, definition: CodeDefinition, plane: object, hooks: Hooks) -> None:
        self.definition = definition
        self.key = definition.key
        self.plane = plane
        self.is_async = definition.is_async
        self._arguments = definition.signature.arguments
        self._takes_nothing = not definition.signature.schema.get("required")
        self.call = self._call(hooks)

    def arguments_of(self, job: ClaimedJob) -> Mapping[str, object]:
        """Judge and convert a payload. Raises InvalidPayload, or what a type's own validator raises."""
        if job.fields[REST]:
            refuse_undecodable(job.undecodable)
        if job.fields[PAYLOAD] == b"{}" and self._takes_nothing:
            return _NO_ARGUMENTS
        return self._arguments(job.payload)

    def _call(self, hooks: Hooks) -> Call:
        bare = _bare(self.definition)
        if self.is_async:
            return _wrap_async(hooks.around, bare) if hooks.around else bare
        # What awaits cannot surround a function that is called in a thread.
        around = [cast("Around", each) for each in hooks.around if not _awaits(each)]
        return _wrap(around, bare) if around else bare


def _bare(definition: CodeDefinition) -> Call:
    function = definition.function
    if definition.signature.takes_context:
        return lambda attempt, arguments: function(Context(attempt), **arguments)
    return lambda _, arguments: function(**arguments)


def _awaits(around: Around | AroundAsync) -> bool:
    """`contextmanager` and its twin keep the function that they were given."""
    return inspect.isasyncgenfunction(getattr(around, "__wrapped__", None))


def _wrap(around: list[Around], call: Call) -> Call:
    def call_inside(attempt: RunningAttempt, arguments: Mapping[str, object]) -> object:
        context, error = Context(attempt), None
        with ExitStack() as stack:
            try:
                for each in around:
                    stack.enter_context(each(context))
                return call(attempt, arguments)
            except BaseException as raised:
                error = raised
                raise
        raise error  # a middleware that keeps an exception for itself does not make a success of it

    return call_inside


def _wrap_async(around: list[Around | AroundAsync], call: Call) -> Call:
    async def call_inside(attempt: RunningAttempt, arguments: Mapping[str, object]) -> object:
        context, error = Context(attempt), None
        async with AsyncExitStack() as stack:
            try:
                for each in around:
                    manager = each(context)
                    if isinstance(manager, AbstractContextManager):
                        stack.enter_context(manager)
                    else:
                        await stack.enter_async_context(manager)
                return await cast("Awaitable[object]", call(attempt, arguments))
            except BaseException as raised:
                error = raised
                raise
        raise error

    return call_inside
