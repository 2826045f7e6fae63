"""Run a handler here and now as one attempt: a worker's checks and a real context, and no database."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Literal, ParamSpec, TypeVar, cast, get_args
from uuid import UUID, uuid4

from jobplane.api.inline.renewals import Done
from jobplane.api.inline.run import Run, prepare
from jobplane.core.bounds import show
from jobplane.core.claimed import ClaimedJob, JobFacts, encode
from jobplane.core.errors import Invalid
from jobplane.core.leases import Lease
from jobplane.core.model import DEFAULT_TENANT, Document, Outcome
from jobplane.core.payload import encode as payload_text
from jobplane.execution import endings
from jobplane.execution.exceptions import DeadlinePassed, describe_timeout
from jobplane.execution.running import as_current
from jobplane.testing.given_secrets import GivenSecrets

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

    `answer` is what a checkpoint hears: `cancel` raises Canceled there, `gone` LeaseLost. `secrets` are the values that
    `ctx.secret` finds, by reference.
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
    created_by: str | None = None
    trigger_id: UUID | None = None
    planned_at: datetime | None = None
    answer: Answer = "renewed"
    shares: list[float] = field(default_factory=list[float])
    secrets: Mapping[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        if self.answer not in get_args(Answer):
            raise Invalid(f"The answer must be one of {', '.join(get_args(Answer))}, not {show(self.answer, 80)}.")

    def run(self, job: JobFunction[Whole, Args, Returned], *args: Args.args, **kwargs: Args.kwargs) -> Returned:
        """Judge the arguments as an enqueue does, take them through JSON, and call the handler in its middlewares.

        A result that could not be kept raises Invalid: it would fail the job. One that comes after the definition's
        timeout raises DeadlinePassed.
        """
        handler = cast("Plane", job.plane).handler(job.key)
        claimed = self._make_claimed(job.definition, job.definition.signature.payload(args, kwargs))
        lease, source = Lease(0, self.number, uuid4()), GivenSecrets(self.secrets)
        prepared = prepare(handler, lease, claimed, self._hear_now, worker=_WORKER, source=source)
        return cast("Returned", _await(prepared) if handler.is_async else _call(prepared))

    def hear(self, share: float | None) -> Answer:
        """What a renewal does to a lease."""
        if share is not None:
            self.shares.append(share)
        return self.answer

    def _hear_now(self, share: float | None, _: str | None) -> Done:
        return Done(self.hear(share))

    def _make_claimed(self, definition: CodeDefinition, payload: Document) -> ClaimedJob:
        policy = definition.policy
        facts = JobFacts(
            seq=0,
            attempt_no=self.number,
            definition_key=definition.key,
            timeout_seconds=policy.timeout_seconds,
            attempts_left=self.attempts_left,
            job_id=self.job_id,
            tenant_id=self.tenant_id,
            scheduled_for=self.scheduled_for,
            source=self.source,
            artifact_ref=self.artifact_ref,
            correlation_id=self.correlation_id,
            trace_context=self.trace_context,
            source_ref=self.source_ref,
            created_by=self.created_by,
            trigger_id=self.trigger_id,
            planned_at=self.planned_at,
            priority=policy.priority if self.priority is None else self.priority,
        )
        return ClaimedJob(encode(facts, payload_text(payload).encode()))


def _call(run: Run) -> object:
    try:
        with as_current(run.attempt):
            return _check_result(run, run.start())
    finally:
        run.attempt.secrets.release()


async def _await(run: Run) -> object:
    try:
        async with asyncio.timeout(run.timeout_seconds) as limit:
            with as_current(run.attempt):
                try:
                    result = await cast("Awaitable[object]", run.start())
                except asyncio.CancelledError:
                    if limit.expired():
                        raise DeadlinePassed(describe_timeout(run.timeout_seconds)) from None
                    raise
                return _check_result(run, result)
    finally:
        run.attempt.secrets.release()


def _check_result(run: Run, result: object) -> object:
    if run.attempt.is_late:
        raise DeadlinePassed(describe_timeout(run.timeout_seconds))
    ending = endings.end_with_result(result)
    if ending.outcome is not Outcome.SUCCEEDED:
        raise Invalid(ending.error or "The handler's result cannot be kept.")
    return result
