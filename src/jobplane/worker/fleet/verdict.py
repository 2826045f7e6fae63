"""Decide how the attempts end that an executor held when it died."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from typing import Final, Literal

from jobplane.core.leases import Ending, Lease, Settlement, settle_released
from jobplane.core.model import Outcome
from jobplane.execution.exceptions import describe_timeout
from jobplane.worker.frames import StopReason

PAUSE_SECONDS: Final = 1.0  # before a job that could not run here may be claimed again
STRANGER_SECONDS: Final = 5.0  # before a job that was not for this worker may be claimed again

# Who killed it: nobody knows (crash), the watchdog, or the fleet, because of a timeout or a cancel of its one job,
# because one whose lease is gone did not stop (gone), because one past its timeout did not stop (stuck), because it did
# not listen (deaf), or because the worker ends (closed).
Cause = Literal["crash", "watchdog", "timeout", "cancel", "gone", "stuck", "deaf", "closed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Death:
    """The facts about the death of an executor. `how` and `exit_code` come from the system.

    `running` and `ended` come from the board: the handlers that ran, and the outcomes of those that had ended. `fault`
    says how the process broke the protocol, if it did. `late` has the jobs that ran past their timeouts and did not
    stop, `timeouts` the timeouts of all that ran, in seconds.
    """

    cause: Cause
    how: str
    exit_code: int | None
    alone: bool
    running: Set[int]
    ended: Mapping[int, Ending] = field(default_factory=dict[int, Ending])
    fault: str | None = None
    late: Set[int] = frozenset()
    timeouts: Mapping[int, float | None] = field(default_factory=dict[int, float | None])
    stops: Mapping[int, StopReason] = field(default_factory=dict[int, StopReason])


def ends(leases: Iterable[Lease], death: Death) -> list[Settlement]:
    """The settlements of these leases. A lost lease has none."""
    return [_end(lease, death) for lease in leases if death.stops.get(lease.seq) != "gone"]


def _end(lease: Lease, death: Death) -> Settlement:
    """The settlement of one lease. Only a job that ran alone spends an attempt: no other job can be the cause."""
    seq = lease.seq
    if (ending := death.ended.get(seq)) is not None:
        return Settlement(lease, ending)
    if seq not in death.running and death.cause != "cancel":
        return settle_unstarted(lease, PAUSE_SECONDS if death.alone else None)
    if death.cause == "watchdog":
        return settle_released(lease, "lost_contact")
    if death.alone and (death.cause == "crash" or _is_suspect(seq, death)):
        error = f"The process that ran this job alone ended before the job did: {_explain(death)}"
        return Settlement(lease, Ending(Outcome.LOST, "worker_crash", error, death.exit_code))
    if _is_suspect(seq, death):
        error = (
            f"The process that ran this job and other jobs ended: {_explain(death)} The job will run alone next time."
        )
        return Settlement(lease, Ending(Outcome.RELEASED, "suspect", error))
    return _settle_stopped(lease, death)


def _explain(death: Death) -> str:
    if death.fault is None:
        return f"{death.how}."
    return f"{death.how}, because {death.fault}. Check the handler for writes to descriptors that it did not open."


def _is_suspect(seq: int, death: Death) -> bool:
    """Whether this job may have caused the crash. A job past its timeout may not."""
    if seq in death.late:
        return False
    return death.cause == "crash" or (death.cause == "deaf" and seq not in death.stops)


def _settle_stopped(lease: Lease, death: Death) -> Settlement:
    """The settlement of a job in a process that the fleet killed, or of one past its timeout in a crash."""
    why = death.stops.get(lease.seq)
    if death.cause == "cancel" or why == "cancel":
        error = "The handler did not stop when the job was canceled. Its process was killed."
        return Settlement(lease, Ending(Outcome.CANCELED, error=error))
    if death.cause == "timeout" or lease.seq in death.late:
        error = describe_timeout(death.timeouts.get(lease.seq))
        return Settlement(lease, Ending(Outcome.TIMEOUT, "stuck", error))
    is_neighbour = death.cause in ("stuck", "gone") and why is None
    return settle_released(lease, "neighbour" if is_neighbour else "shutdown")


def settle_unstarted(lease: Lease, retry_after: float | None = None) -> Settlement:
    """Release a job that has not started, without spending an attempt."""
    return settle_released(lease, "unstarted", retry_after)


def stranger(lease: Lease) -> Settlement:
    """Release a job that the database gave to this worker after it had lost the worker's registration."""
    return settle_unstarted(lease, STRANGER_SECONDS)
