"""A job as code defines it: a function, its signature and its policy."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal, get_args

from jobplane.core import bounds
from jobplane.core.errors import Invalid
from jobplane.core.model import Backoff, Json
from jobplane.execution.signature import Signature

Isolation = Literal["shared", "process"]
OnLostContact = Literal["stop", "continue"]

_UNSAID: Final = ("max_attempts", "max_running", "max_running_per_tenant", "retention_days")


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What the decorator was told. None leaves a limit or a retention to the database, and attempts to the settings."""

    queue: str = "default"
    priority: int = 100
    max_attempts: int | None = None
    timeout_seconds: int | None = 3600
    backoff: Backoff = field(default_factory=Backoff)
    max_running: int | None = None
    max_running_per_tenant: int | None = None
    retention_days: int | None = None
    description: str | None = None
    tags: Sequence[str] = ()
    isolation: Isolation = "shared"
    on_lost_contact: OnLostContact = "stop"


class CodeDefinition:
    """One decorated function."""

    def __init__(self, key: str, function: Callable[..., object], policy: Policy, names: Mapping[str, object]) -> None:
        self.key = check_key(key)
        self.function = _check_handler(key, function)
        self.policy = policy
        self.is_async = inspect.iscoroutinefunction(self.function)
        self._names: Mapping[str, object] = names
        _check_policy(key, policy)
        with suppress(NameError):  # of a type that the module defines further down: looked at again when it is needed
            self.__dict__["signature"] = self._read()
            self._names = {}  # nothing of the caller is kept alive

    @cached_property
    def signature(self) -> Signature:
        try:
            return self._read()
        except NameError as error:
            message = (
                f"Job {self.key}: {error}. Import the types of its annotations at run time, not only for type checkers."
            )
            raise Invalid(message) from None

    def _read(self) -> Signature:
        return Signature(self.function, self.key, self._names)

    def document(self) -> dict[str, Json]:
        """As a store's sync takes it."""
        policy, backoff = self.policy, self.policy.backoff
        said: dict[str, Json] = {name: value for name in _UNSAID if (value := getattr(policy, name)) is not None}
        return {
            "key": self.key,
            "kind": "python",
            "origin": "code",
            "description": _description(self) if policy.description is None else policy.description,
            "arg_schema": self.signature.schema,
            "queue": policy.queue,
            "priority": policy.priority,
            "timeout_seconds": policy.timeout_seconds,
            "backoff": {
                "base": backoff.base,
                "factor": backoff.factor,
                "cap": backoff.cap,
                "jitter": backoff.jitter,
            },
            "tags": list(policy.tags),
            "isolation": policy.isolation,
            "on_lost_contact": policy.on_lost_contact,
            **said,
        }


def check_key(key: object) -> str:
    if inspect.isroutine(key):
        raise Invalid(f'A job needs a key. Write @jp.job("{key.__name__}") above {key.__name__}.')
    if not isinstance(key, str) or not bounds.KEY.fullmatch(key):
        raise Invalid(
            f"{bounds.show(key, 250)} cannot be a key."
            " A key has letters, digits, dot, dash and underscore, up to 200 characters."
        )
    return key


def _check_handler(key: str, function: Callable[..., object]) -> Callable[..., object]:
    """The function itself; raises Invalid for a callable that cannot be a handler."""
    inner: Callable[..., object] = function.__func__ if isinstance(function, staticmethod) else function
    if not inspect.isroutine(inner) or not hasattr(inner, "__annotations__"):
        raise Invalid(f"Job {key}: {_describe_callable(inner)} is not a function. Write a def that calls it.")
    if inspect.isgeneratorfunction(inner) or inspect.isasyncgenfunction(inner):
        raise Invalid(f"Job {key}: a handler must return its result, not yield it.")
    return inner


def _describe_callable(inner: object) -> str:
    if isinstance(inner, type):
        return f"the class {inner.__qualname__}"
    if inspect.isbuiltin(inner):
        return f"the built-in {inner.__name__}"
    return (
        bounds.show(inner) if isinstance(inner, str | int | None) else f"an object of the class {type(inner).__name__}"
    )


def _check_policy(key: str, policy: Policy) -> None:
    """Check the policy where it is declared; a store would refuse most of it only when the first job is enqueued."""
    if type(policy.queue) is not str or not bounds.QUEUE.fullmatch(policy.queue):
        raise Invalid(f"Job {key}: {bounds.show(policy.queue, 120)} cannot be a queue. {bounds.QUEUE_RULE}")
    _check_numbers(key, policy)
    for name, words in (("isolation", get_args(Isolation)), ("on_lost_contact", get_args(OnLostContact))):
        if getattr(policy, name) not in words:
            raise Invalid(f"Job {key}: {name} must be {' or '.join(words)}.")
    if isinstance(policy.tags, str) or any(type(tag) is not str for tag in policy.tags):
        raise Invalid(f"Job {key}: tags must be a list of strings.")


def _check_numbers(key: str, policy: Policy) -> None:
    bounds.whole(f"priority of job {key}", policy.priority, *bounds.POLICY["priority"])
    for name in ("timeout_seconds", *_UNSAID):
        if (value := getattr(policy, name)) is not None:
            bounds.whole(f"{name} of job {key}", value, *bounds.POLICY[name])
    if type(policy.backoff) is not Backoff:
        kind = type(policy.backoff).__name__
        raise Invalid(f"Job {key}: backoff must be a Backoff(…) or the name of a preset, not {kind}.")
    for name, between in bounds.BACKOFF.items():
        bounds.number(f"backoff.{name} of job {key}", getattr(policy.backoff, name), *between)


def _description(definition: CodeDefinition) -> str:
    """The first paragraph of the docstring."""
    text = inspect.getdoc(definition.function) or ""
    return " ".join(text.partition("\n\n")[0].split())
