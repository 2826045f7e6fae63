"""The endings of attempts that an executor reports to the supervisor."""

from __future__ import annotations

from collections.abc import Mapping
from time import monotonic
from typing import Final

from jobplane.core.leases import Ending
from jobplane.core.model import Outcome
from jobplane.execution import endings
from jobplane.execution.exceptions import Fail, Retry, Snooze
from jobplane.worker.executor.assignment import Assignment
from jobplane.worker.frames import UNKNOWN, EndedRow

STOPPED: Final[Mapping[str, Ending]] = {
    "cancel": Ending(Outcome.CANCELED),
    "shutdown": Ending(Outcome.RELEASED, reason="shutdown"),
}


def row(attempt: Assignment, ending: Ending) -> EndedRow:
    spent_ms = round((monotonic() - attempt.started) * 1000) if attempt.started else 0
    return attempt.seq, *ending._replace(progress=attempt.share, message=attempt.message, spent_ms=spent_ms)


def end_unknown(attempt: Assignment) -> Ending:
    """Nobody claims what he does not know; but an executor that was replaced may have imported other files."""
    error = f"this worker's program has no definition {attempt.definition_key!r}"
    return Ending(Outcome.FAILED, reason=UNKNOWN, error=error)


def end_with_error(attempt: Assignment, error: BaseException) -> Ending:
    """An error after a stop request counts as the stop, unless the handler raised one of jobplane's own exceptions."""
    if attempt.stop is None or isinstance(error, Snooze | Retry | Fail):
        return endings.end_with_error(error, attempt.timeout_seconds)
    return STOPPED.get(attempt.stop) or endings.end_timed_out(attempt.timeout_seconds)
