"""Run a handler here and now as one attempt: a worker's checks and a real context, and no database."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final, Literal, ParamSpec, TypeVar, cast, get_args
from uuid import UUID, uuid4

from jobplane.api.inline.lines import Done
from jobplane.api.inline.run import Run, prepare
from jobplane.core.bounds import shown
from jobplane.core.errors import Invalid
from jobplane.core.model import DEFAULT_TENANT, Document, Lease, Outcome
from jobplane.execution import endings
from jobplane.execution.desk import seated

if TYPE_CHECKING:
    from jobplane.api.job import JobFunction
    from jobplane.api.plane import Plane
    from jobplane.execution.definition import CodeDefinition

Whole = ParamSpec("Whole")
Args = ParamSpec("Args")
Returned = TypeVar("Returned")
Answer = Literal["renewed", "cancel", "gone"]
_WORKER: Final = "test"


def run(job: JobFunction[Whole, Args, Returned], *args: Args.args, **kwargs: Args.kwargs) -> Returned:
    """Run a job's first attempt; what the handler raises comes out. Of an `async def` handler this is to be awaited."""
    return Attempt().run(job, *args, **kwargs)


@dataclass(slots=True, kw_only=True)
class Attempt:
    """What a handler's context says, for a test to choose; and afterwards how far the handler said that it has come.

    `answer` is what a checkpoint hears: `cancel` raises Canceled there, `gone` LeaseLost.
    """

    number: int = 1
    attempts_left: int = 2
    tenant_id: UUID = DEFAULT_TENANT
    job_id: UUID = field(default_factory=uuid4)
    priority: int | None = None  # the definition's
    scheduled_for: datetime = field(default_factory=lambda: datetime.now(UTC))
    correlation_id: str | None = None
    trace_context: str | None = None
    source: str = "manual"
    source_ref: str | None = None
    artifact_ref: str | None = None
    answer: Answer = "renewed"
    shares: list[float] = field(default_factory=list[float])

    def __post_init__(self) -> None:
        if self.answer not in get_args(Answer):
            raise Invalid(f"answer is {', '.join(get_args(Answer))}, not {shown(self.answer, 80)}")

    def run(self, job: JobFunction[Whole, Args, Returned], *args: Args.args, **kwargs: Args.kwargs) -> Returned:
        """Judge the arguments as an enqueue does, take them through JSON, and call the handler in its middlewares.

        A result that could not be kept raises Invalid: it would fail the job.
        """
        handler = cast("Plane", job.plane).handler(job.key)
        lease = self._lease(job.definition, job.definition.signature.payload(args, kwargs))
        line = _AwaitedLine(self) if handler.is_async else _Line(self)
        prepared = prepare(handler, lease, line, worker=_WORKER)
        return cast("Returned", _awaited(prepared) if handler.is_async else _called(prepared))

    def hear(self, share: float | None) -> Answer:
        """What a renewal does to a lease."""
        if share is not None:
            self.shares.append(share)
        return self.answer

    def _lease(self, definition: CodeDefinition, payload: Document) -> Lease:
        return Lease(
            seq=0,
            job_id=self.job_id,
            tenant_id=self.tenant_id,
            definition_id=0,
            definition_key=definition.key,
            attempt_no=self.number,
            attempts_left=self.attempts_left,
            token=uuid4(),
            lease_expires_at=datetime.now(UTC) + timedelta(seconds=30),
            scheduled_for=self.scheduled_for,
            timeout_seconds=definition.policy.timeout_seconds,
            priority=definition.policy.priority if self.priority is None else self.priority,
            alone=False,
            payload=payload,
            artifact_ref=self.artifact_ref,
            correlation_id=self.correlation_id,
            trace_context=self.trace_context,
            source=self.source,
            source_ref=self.source_ref,
        )


@dataclass(frozen=True, slots=True)
class _Line:
    attempt: Attempt

    def renew(self, progress: float | None, message: str | None = None) -> Awaitable[str]:
        return Done(self.attempt.hear(progress))


@dataclass(frozen=True, slots=True)
class _AwaitedLine:
    """Nothing happens before it is awaited, so that a handler which forgets that fails here too."""

    attempt: Attempt

    async def renew(self, progress: float | None, message: str | None = None) -> str:
        return self.attempt.hear(progress)


def _called(run: Run) -> object:
    with seated(run.desk):
        return _checked(run.start())


async def _awaited(run: Run) -> object:
    async with asyncio.timeout(run.lease.timeout_seconds):
        with seated(run.desk):
            return _checked(await cast("Awaitable[object]", run.start()))


def _checked(result: object) -> object:
    ending = endings.succeeded(result)
    if ending.outcome is not Outcome.SUCCEEDED:
        raise Invalid(ending.error or "the handler's result cannot be kept")
    return result
