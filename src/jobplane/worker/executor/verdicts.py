"""What becomes of an attempt, as the rows that the supervisor hears."""

from __future__ import annotations

from collections.abc import Mapping
from time import monotonic
from typing import Final

from pydantic_core import from_json

from jobplane.core.decoding import refuse_undecodable
from jobplane.core.errors import InvalidPayload
from jobplane.core.model import Outcome
from jobplane.execution import endings
from jobplane.execution.endings import Ending
from jobplane.execution.signals import Fail, Retry, Snooze
from jobplane.worker.executor.assignment import Assignment
from jobplane.worker.wire import UNKNOWN, EndedRow

_NO_ARGUMENTS: Final[Mapping[str, object]] = {}
STOPPED: Final[Mapping[str, Ending]] = {
    "cancel": Ending(Outcome.CANCELED),
    "shutdown": Ending(Outcome.RELEASED, reason="shutdown"),
}


def arguments_of(attempt: Assignment) -> Mapping[str, object]:
    """Raises InvalidPayload, or what a type's own validator raises."""
    handler, rest, payload = attempt.handler, attempt.fields[9], attempt.fields[10]
    if rest:
        refuse_undecodable(attempt.undecodable)
    if payload == b"{}" and handler.takes_nothing:
        return _NO_ARGUMENTS
    try:
        document = from_json(payload, allow_inf_nan=False)
    except ValueError as error:
        raise InvalidPayload(f"The payload cannot be decoded: {error}.", pointer="") from None
    return handler.arguments(document)


def row(attempt: Assignment, ending: Ending) -> EndedRow:
    return (
        attempt.seq,
        ending.outcome.value,
        ending.reason,
        ending.error,
        ending.exit_code,
        ending.retry_after,
        ending.text,
        attempt.share,
        round((monotonic() - attempt.started) * 1000) if attempt.started else 0,
        attempt.message,
    )


def unknown(attempt: Assignment) -> Ending:
    """Nobody claims what he does not know; but an executor that was replaced may have imported other files."""
    error = f"this worker's program has no definition {attempt.definition_key!r}"
    return Ending(Outcome.FAILED, reason=UNKNOWN, error=error)


def raised(attempt: Assignment, error: BaseException) -> Ending:
    """What a handler raises after it was told to stop is the stop, unless it says outright how it ends."""
    if attempt.stop is None or isinstance(error, Snooze | Retry | Fail):
        return endings.raised(error, attempt.timeout_seconds)
    return STOPPED.get(attempt.stop) or endings.timed_out(attempt.timeout_seconds)
