"""Leases as tests like to have them: with all that is known of their jobs, and an answer for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from jobplane.core.claimed import ClaimedJob
from jobplane.core.leases import Claimed, Ending, Lease, Reaped, Renewal, Renewed, Settled, Settlement, settle_released
from jobplane.core.model import Json, Outcome
from jobplane.core.payload import encode_result
from jobplane.store.verbs.engine import Claim, Reap, Renew, Settle
from jobplane.store.verbs.verb import Verb


class Held(Lease):
    """A lease that shows the facts of its job, too."""

    job: ClaimedJob
    lease_expires_at: datetime
    alone: bool

    @property
    def job_id(self) -> UUID:
        return self.job.job_id

    @property
    def tenant_id(self) -> UUID:
        return self.job.tenant_id

    def __getattr__(self, name: str) -> Any:
        return getattr(vars(self)["job"], name)


class Claims(NamedTuple):
    leases: list[Held]
    more: bool


class Answered(NamedTuple):
    """What a renewal says of one lease."""

    seq: int
    answer: str
    lease_expires_at: datetime | None


def held(claimed: Claimed) -> Claims:
    leases: list[Held] = []
    for lease, job in zip(claimed.leases, claimed.read(), strict=True):
        found = Held(*lease)
        assert claimed.expires_at is not None
        found.job, found.lease_expires_at, found.alone = job, claimed.expires_at, lease.seq in claimed.alone
        leases.append(found)
    return Claims(leases, claimed.more)


def settlement(
    lease: Lease,
    outcome: Outcome = Outcome.SUCCEEDED,
    reason: str | None = None,
    error: str | None = None,
    *,
    exit_code: int | None = None,
    retry_after: float | None = None,
    result: Json = None,
    progress: float | None = None,
) -> Settlement:
    """The end of an attempt with a result that is not JSON text yet."""
    text = None if result is None else encode_result(result)
    return Settlement(lease, Ending(outcome, reason, error, exit_code, retry_after, text, progress))


def end(
    lease: Lease,
    outcome: Outcome = Outcome.SUCCEEDED,
    reason: str | None = None,
    error: str | None = None,
    exit_code: int | None = None,
    retry_after: float | None = None,
    result: str | None = None,
    progress: float | None = None,
    spent_ms: int | None = None,
    message: str | None = None,
) -> Settlement:
    """The end of an attempt as a worker knows it."""
    return Settlement(
        lease, Ending(outcome, reason, error, exit_code, retry_after, result, progress, message, spent_ms)
    )


# A verb, and how its answer is read.


def claim(
    queue: str, worker_id: str, limit: int = 1, lease_seconds: int = 30
) -> tuple[Verb[Claimed], Callable[[Claimed], Claims]]:
    return Claim(queue, worker_id, limit, lease_seconds), held


def claim_encoded(
    queue: str,
    worker_id: str,
    limit: int,
    lease_seconds: int,
) -> tuple[Verb[Claimed], Callable[[Claimed], Claimed]]:
    return Claim(queue, worker_id, limit, lease_seconds, begun=False), lambda claimed: claimed


def renew(
    leases: Sequence[Lease],
    lease_seconds: int = 30,
    progress: Sequence[float | None] | None = None,
    messages: Sequence[str | None] | None = None,
) -> tuple[Verb[Renewed], Callable[[Renewed], list[Answered]]]:
    nothing = [None] * len(leases)
    said = zip(leases, progress or nothing, messages or nothing, strict=True)
    verb = Renew(leases, lease_seconds, progress={lease.seq: (share, text) for lease, share, text in said})
    return verb, lambda renewed: _answers(leases, renewed)


def _answers(leases: Sequence[Lease], renewed: Renewed) -> list[Answered]:
    found = {seq: answer for seq, answer in renewed.exceptions if answer != "followed"}
    answers = [(lease.seq, found.get(lease.seq, "renewed")) for lease in leases]
    return [Answered(seq, answer, None if answer == "gone" else renewed.expires_at) for seq, answer in answers]


def renew_all(
    leases: Sequence[Lease],
    lease_seconds: int,
    begun: Sequence[int] = (),
    progress: Mapping[int, tuple[float | None, str | None]] | None = None,
) -> tuple[Verb[Renewed], Callable[[Renewed], list[Renewal]]]:
    return Renew(leases, lease_seconds, begun, progress), lambda renewed: renewed.exceptions


def settle_all(
    settlements: Sequence[Settlement | Lease], max_interruptions: int = 20
) -> tuple[Verb[list[Settled]], Callable[[list[Settled]], list[Settled]]]:
    """A lease alone is a plain success."""
    ends = [each if isinstance(each, Settlement) else Settlement(each) for each in settlements]
    return Settle(ends, max_interruptions, exceptions_only=True), lambda settled: settled


def release(
    leases: Sequence[Lease], reason: str = "shutdown", after: float = 0
) -> tuple[Verb[list[Settled]], Callable[[list[Settled]], list[Settled]]]:
    return Settle([settle_released(lease, reason, after) for lease in leases]), lambda settled: settled


def reap(limit: int = 500) -> tuple[Verb[list[Reaped]], Callable[[list[Reaped]], int]]:
    return Reap(limit), len
