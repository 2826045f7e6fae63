"""Every way in which a handler can end, as a settlement."""

from __future__ import annotations

import traceback
from pathlib import Path
from types import TracebackType
from typing import Final

from pydantic_core import PydanticSerializationError, to_jsonable_python

from jobplane.api.signals import Canceled, DeadlinePassed, Fail, LeaseLost, Retry, Snooze
from jobplane.core.errors import Invalid, InvalidPayload
from jobplane.core.model import Json, Lease, Outcome, Settlement
from jobplane.core.payload import result_text, storable

_HERE: Final = str(Path(__file__).parent)
_MAX_ERROR: Final = 16 * 1024
_MAX_REASON: Final = 500


def succeeded(lease: Lease, result: object, progress: float | None = None) -> Settlement:
    """A success; a result that JSON cannot carry fails the job for good, since its next attempt would return it too."""
    try:
        kept: Json = to_jsonable_python(result)
        result_text(kept)  # a store would put a note in its place; from a handler it is a fault
    except (PydanticSerializationError, Invalid, ValueError, RecursionError) as error:
        fault = f"the handler's result cannot be kept: {said(error)}; return what JSON has"
        return Settlement(lease=lease, outcome=Outcome.FATAL, reason="invalid_result", error=fault, progress=progress)
    except Exception as error:  # noqa: BLE001 a result that is made while it is written is the handler's code still
        return raised(lease, error, progress)
    return Settlement(lease=lease, outcome=Outcome.SUCCEEDED, result=kept, progress=progress)


def misfit(lease: Lease, error: InvalidPayload) -> Settlement:
    """The payload does not fit the handler's schema; no attempt will change that."""
    return Settlement(lease=lease, outcome=Outcome.FATAL, reason=error.code, error=error.message)


def timed_out(lease: Lease, progress: float | None = None) -> Settlement:
    error = f"Job exceeded timeout of {lease.timeout_seconds}s"
    return Settlement(lease=lease, outcome=Outcome.TIMEOUT, reason="timeout", error=error, progress=progress)


def raised(lease: Lease, error: BaseException, progress: float | None = None) -> Settlement:
    """Whatever came out of the handler."""
    match error:
        case Snooze():
            return Settlement(
                lease=lease, outcome=Outcome.RELEASED, reason="snooze", retry_after=error.after, progress=progress
            )
        case Retry():
            return Settlement(
                lease=lease, outcome=Outcome.FAILED, error=said(error), retry_after=error.after, progress=progress
            )
        case Fail():
            reason = (storable(error.reason) or "")[:_MAX_REASON] or "failed"
            return Settlement(lease=lease, outcome=Outcome.FATAL, reason=reason, error=said(error), progress=progress)
        case Canceled():
            return Settlement(lease=lease, outcome=Outcome.CANCELED, progress=progress)
        case LeaseLost():
            return Settlement(lease=lease, outcome=Outcome.LOST, error=said(error), progress=progress)
        case DeadlinePassed():
            return timed_out(lease, progress)
        case _:
            return Settlement(lease=lease, outcome=Outcome.FAILED, error=told(error), progress=progress)


def unsettled(settlement: Settlement, error: Invalid) -> Settlement:
    """What stands for an outcome that the store refused."""
    fault = f"the outcome {settlement.outcome} could not be kept: {error.message}"
    return Settlement(lease=settlement.lease, outcome=Outcome.FAILED, error=fault)


def said(error: BaseException) -> str:
    """The message of an exception, whatever its methods do."""
    try:
        return storable(str(error)) or type(error).__name__
    except Exception:  # noqa: BLE001 a handler's exception may raise anything when it is looked at
        return f"{type(error).__name__}, which cannot be shown"


def _inner(trace: TracebackType | None) -> TracebackType | None:
    """Without the frames of the runner."""
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(_HERE):
        trace = trace.tb_next
    return trace


def told(error: BaseException) -> str:
    """The traceback from the handler on, its end where it is long."""
    try:
        text = "".join(traceback.format_exception(type(error), error, _inner(error.__traceback__)))
    except Exception:  # noqa: BLE001 the same
        text = f"{type(error).__name__}: {said(error)}"
    kept = text if len(text) <= _MAX_ERROR else "…" + text[-_MAX_ERROR:]
    return storable(kept) or type(error).__name__
