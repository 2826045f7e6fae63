"""What a store answered, as what the manager's users get or as the error that they see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

from jobplane.control.answers import moved, refusal
from jobplane.core.decoding import undecodable
from jobplane.core.errors import StaleLease
from jobplane.core.model import Document, Enqueued, Job, JobStatus, Lease, Moved, Outcome, Settled, Settlement


def enqueued(answer: Enqueued, definition: str) -> UUID:
    """The job, new or already there."""
    if answer.refused or answer.job_id is None:
        raise refusal(answer, definition)
    return answer.job_id


def settled(job_id: UUID, answer: Settled) -> JobStatus:
    """Where the outcome led. An attempt that has ended otherwise, or is another worker's by now, stays as it is."""
    if not answer.accepted:
        raise StaleLease(f"the lease on job {job_id} is gone, and nothing was changed; leave the job to who has it now")
    return JobStatus(answer.status)


def canceled(answer: Moved) -> bool:
    """False: it was over before."""
    return moved(answer).outcome != "ended"


def unreadable(lease: Lease) -> Settlement:
    """The end of a job that cannot be decoded."""
    error = undecodable(lease.undecodable)
    return Settlement(lease=lease, outcome=Outcome.FATAL, reason=error.code, error=error.message)


def choice(leases: Sequence[Lease], jobs: Mapping[UUID, Job], owned: Document) -> Lease | None:
    """The most urgent of the leased jobs that belongs to whom it is asked for."""
    fitting = [lease for lease in leases if owned.items() <= (jobs[lease.job_id].metadata or {}).items()]
    return min(fitting, key=lambda lease: (jobs[lease.job_id].priority, lease.seq), default=None)
