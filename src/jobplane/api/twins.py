"""One asynchronous method as two: one that blocks, and one to await."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from types import MethodType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, cast

from jobplane.control.immediate import finish

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")


class Twin(Generic[Arguments, Answer]):
    """A method of a class whose objects have `blocking_calls` and `awaited_calls`."""

    def __init__(self, function: Callable[..., Any], method: Callable[..., Any]) -> None:
        functools.update_wrapper(function, method)
        self._function = function
        self.__doc__ = method.__doc__

    def __get__(self, owner: object, kind: type | None = None) -> Callable[Arguments, Answer]:
        return cast(
            "Callable[Arguments, Answer]", self._function if owner is None else MethodType(self._function, owner)
        )


def blocking(
    method: Callable[Concatenate[Any, Arguments], Coroutine[Any, Any, Answer]],
) -> Twin[Arguments, Answer]:
    """The method on a blocking store, run to its end."""

    def call(owner: Any, *args: Any, **kwargs: Any) -> Any:
        return finish(method(owner.blocking_calls, *args, **kwargs))

    return Twin(call, method)


def awaited(
    method: Callable[Concatenate[Any, Arguments], Coroutine[Any, Any, Answer]],
) -> Twin[Arguments, Coroutine[Any, Any, Answer]]:
    """The method on the store of the running event loop."""

    def call(owner: Any, *args: Any, **kwargs: Any) -> Any:
        return method(owner.awaited_calls, *args, **kwargs)

    return Twin(call, method)


def iterated(
    method: Callable[Concatenate[Any, Arguments], AsyncIterator[Answer]],
) -> Twin[Arguments, Iterator[Answer]]:
    """An asynchronous generator on a blocking store, as a plain iterator."""

    def call(owner: Any, *args: Any, **kwargs: Any) -> Any:
        return _steps(method(owner.blocking_calls, *args, **kwargs))

    return Twin(call, method)


def awaited_iteration(
    method: Callable[Concatenate[Any, Arguments], AsyncIterator[Answer]],
) -> Twin[Arguments, AsyncIterator[Answer]]:
    """An asynchronous generator on the store of the running event loop."""

    def call(owner: Any, *args: Any, **kwargs: Any) -> Any:
        return method(owner.awaited_calls, *args, **kwargs)

    return Twin(call, method)


def _steps(items: AsyncIterator[Answer]) -> Iterator[Answer]:
    try:
        while True:
            yield finish(cast("Coroutine[None, None, Answer]", anext(items)))
    except StopAsyncIteration:
        return
    finally:
        finish(cast("Any", items).aclose())
