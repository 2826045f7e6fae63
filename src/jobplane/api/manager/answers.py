"""What a store answered, as what the manager's users get or as the error that they see."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from jobplane.control.answers import refusal, require_moved
from jobplane.core.claimed import ClaimedJob
from jobplane.core.decoding import refuse_undecodable
from jobplane.core.errors import InvalidPayload, StaleLease
from jobplane.core.leases import Ending, Settled
from jobplane.core.model import Document, Enqueued, Job, JobStatus, Moved, Outcome


def require_enqueued(answer: Enqueued, definition: str) -> UUID:
    """The job, new or already there."""
    if answer.refused or answer.job_id is None:
        raise refusal(answer, definition)
    return answer.job_id


def require_settled(job_id: UUID, answer: Settled) -> JobStatus:
    """Where the outcome led. An attempt that has ended otherwise, or is another worker's by now, stays as it is."""
    if not answer.accepted:
        raise StaleLease(
            f"The lease on job {job_id} has expired or was taken over, and nothing changed. Stop working on it."
        )
    return JobStatus(answer.status)


def was_canceled(answer: Moved) -> bool:
    """False: it was over before."""
    return require_moved(answer).outcome != "ended"


def fault_of(job: ClaimedJob) -> Ending | None:
    """The end of a job that cannot be decoded; None: it can."""
    try:
        refuse_undecodable(job.undecodable)
        _ = job.payload
    except InvalidPayload as error:
        return Ending(Outcome.FATAL, error.code, error.message)
    return None


def choose(jobs: Sequence[Job], owned: Document) -> Job | None:
    """The most urgent of the leased jobs that belongs to whom it is asked for; the first of equals."""
    fitting = [job for job in jobs if owned.items() <= (job.metadata or {}).items()]
    return min(fitting, key=lambda job: job.priority, default=None)
