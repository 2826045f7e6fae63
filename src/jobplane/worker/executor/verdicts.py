"""The endings of attempts that an executor reports to the supervisor."""

from __future__ import annotations

from collections.abc import Mapping
from time import monotonic
from typing import Final

from jobplane.core.errors import InvalidPayload
from jobplane.core.leases import SUCCEEDED, Ending
from jobplane.core.model import Outcome
from jobplane.execution import endings
from jobplane.execution.artifacts import Artifacts
from jobplane.worker.executor.assignment import Assignment
from jobplane.worker.frames import UNKNOWN, EndedRow

PATIENCE_SECONDS: Final = 1.0  # for an attempt to end after it was told to
STOPPED: Final[Mapping[str, Ending]] = {
    "cancel": Ending(Outcome.CANCELED),
    "shutdown": Ending(Outcome.RELEASED, reason="shutdown"),
}


def row(attempt: Assignment, ending: Ending) -> EndedRow:
    spent_ms = round((monotonic() - attempt.started) * 1000) if attempt.started else 0
    return attempt.seq, *ending._replace(progress=attempt.share, message=attempt.message, spent_ms=spent_ms)


def end_unknown(attempt: Assignment) -> Ending:
    """The ending of a job without a handler here: a replaced executor may have imported other files."""
    error = f'The modules of this worker have no definition "{attempt.definition_key}".'
    return Ending(Outcome.FAILED, reason=UNKNOWN, error=error)


def end_with_result(attempt: Assignment, result: object, artifacts: Artifacts | None) -> Ending:
    """The ending of a handler that returned. After its deadline it is no success."""
    ending = SUCCEEDED if result is None else endings.end_with_result(result, artifacts, attempt.masker)
    # The clock is read last: writing the result down is the handler's time still.
    return ending if monotonic() < attempt.until else end_timed_out(attempt)


def end_with_error(attempt: Assignment, error: BaseException) -> Ending:
    """The ending of a handler that raised.

    After a stop request or the deadline any error counts as that, unless it is one of jobplane's own exceptions by
    which a handler says how it ends.
    """
    ending = endings.end_with_error(error, attempt.timeout_seconds, attempt.masker)
    if endings.is_own(error):
        return ending
    if attempt.stop == "cancel":
        return STOPPED["cancel"]
    if attempt.stop == "timeout" or monotonic() >= attempt.until:
        return end_timed_out(attempt)
    return ending if attempt.stop is None else STOPPED.get(attempt.stop, ending)


def end_unfit(attempt: Assignment, error: BaseException) -> Ending:
    """The ending of an attempt whose handler was not called."""
    if isinstance(error, InvalidPayload):
        return endings.end_unfit(error, attempt.masker)
    return end_with_error(attempt, error)


def end_timed_out(attempt: Assignment) -> Ending:
    """One that did not stop within its time to stop runs alone the next time."""
    ending = endings.end_timed_out(attempt.timeout_seconds)
    return ending._replace(reason="stuck") if attempt.late_at + PATIENCE_SECONDS <= monotonic() else ending
