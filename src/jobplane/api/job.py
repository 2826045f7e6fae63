"""A decorated function: callable as before, and typed ways to enqueue it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Concatenate, Generic, ParamSpec, Protocol, TypeVar, Unpack, overload

from jobplane.api.calls import Calls
from jobplane.api.handles import JobCall, JobHandle
from jobplane.api.hints import explain_unknown_argument
from jobplane.api.options import NO_OPTIONS, OPTION_NAMES, OptionFields, Options
from jobplane.control.immediate import finish
from jobplane.core.errors import InvalidPayload
from jobplane.execution.context import Context
from jobplane.execution.definition import CodeDefinition

Whole = ParamSpec("Whole")  # what the function takes
Args = ParamSpec("Args")  # the same without its context
Returned_co = TypeVar("Returned_co", covariant=True)


class Enqueues(Protocol):
    """What a decorated function needs of its Jobplane."""

    @property
    def blocking_calls(self) -> Calls: ...

    @property
    def awaited_calls(self) -> Calls: ...


class Enqueuer(Generic[Args]):
    """A definition with options, to be enqueued with the function's own arguments."""

    def __init__(self, plane: Enqueues, definition: CodeDefinition, options: Options = NO_OPTIONS) -> None:
        self._plane = plane
        self._definition = definition
        self._options = options

    @property
    def key(self) -> str:
        return self._definition.key

    @property
    def plane(self) -> Enqueues:
        """The Jobplane that it belongs to."""
        return self._plane

    def enqueue(self, *args: Args.args, **kwargs: Args.kwargs) -> JobHandle:
        """Take the job in; raises InvalidPayload where an argument does not fit."""
        return finish(self._plane.blocking_calls.enqueue_call(self._call(args, kwargs)))

    async def enqueue_async(self, *args: Args.args, **kwargs: Args.kwargs) -> JobHandle:
        """The same, without blocking the event loop."""
        return await self._plane.awaited_calls.enqueue_call(self._call(args, kwargs))

    def call(self, *args: Args.args, **kwargs: Args.kwargs) -> JobCall:
        """A row for `enqueue_many`; an argument that does not fit is found there, and costs this row only."""
        return self._call(args, kwargs)

    def options(self, **options: Unpack[OptionFields]) -> Enqueuer[Args]:
        """The same definition with options for the jobs that are enqueued through it."""
        return Enqueuer(self._plane, self._definition, self._options.replace(**options))

    def _call(self, args: tuple[object, ...], kwargs: dict[str, object]) -> JobCall:
        definition = self._definition
        try:
            return JobCall(definition.key, definition.signature.payload(args, kwargs), self._options)
        except InvalidPayload as error:
            fault = explain_unknown_argument(error, kwargs, definition.signature.names, OPTION_NAMES)
            return JobCall(definition.key, {}, self._options, fault)


class JobFunction(Enqueuer[Args], Generic[Whole, Args, Returned_co]):
    """A decorated function. Calling it runs it here and now, as if it were not decorated."""

    __name__: str
    __qualname__: str

    def __init__(self, plane: Enqueues, definition: CodeDefinition, function: Callable[Whole, Returned_co]) -> None:
        super().__init__(plane, definition)
        self._function = function
        functools.update_wrapper(self, function)

    def __call__(self, *args: Whole.args, **kwargs: Whole.kwargs) -> Returned_co:
        return self._function(*args, **kwargs)

    def __reduce__(self) -> str:
        """Pickled and copied as a function is: by its name."""
        return self.__qualname__

    @property
    def definition(self) -> CodeDefinition:
        return self._definition


class Decorator(Protocol):
    """What `jp.job(…)` returns."""

    @overload
    def __call__(
        self, function: Callable[Concatenate[Context, Args], Returned_co], /
    ) -> JobFunction[Concatenate[Context, Args], Args, Returned_co]: ...

    @overload
    def __call__(self, function: Callable[Args, Returned_co], /) -> JobFunction[Args, Args, Returned_co]: ...
