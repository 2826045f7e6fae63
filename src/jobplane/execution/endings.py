"""Every way in which a handler can end."""

from __future__ import annotations

import importlib
import traceback
from collections.abc import Iterator
from contextlib import suppress
from io import IOBase
from pathlib import Path
from types import TracebackType
from typing import Final, cast

from pydantic_core import PydanticSerializationError, to_json, to_jsonable_python

from jobplane.core.errors import Invalid, InvalidPayload, JobplaneError, SecretMissing, SecretRefused
from jobplane.core.leases import SUCCEEDED, Ending
from jobplane.core.masking import Masker
from jobplane.core.model import Json, Outcome
from jobplane.core.payload import result_text, storable
from jobplane.execution.artifacts import Artifacts
from jobplane.execution.exceptions import (
    Canceled,
    DeadlinePassed,
    Fail,
    Interrupted,
    LeaseLost,
    Retry,
    Snooze,
    describe_timeout,
    seconds_of,
)
from jobplane.execution.json_keys import SameKey, has_plain_keys, refuse_same_keys
from jobplane.execution.known_secrets import KNOWN
from jobplane.execution.masked_values import has_headers, mask_values

# The frames above the user's: our own, and those of Python's import when a module of theirs is imported.
_OURS: Final = (str(Path(__file__).parents[2]), str(importlib.__file__), "<frozen importlib")
_MAX_ERROR: Final = 16 * 1024
_MAX_HEAD: Final = 4 * 1024  # of these, for where it began
_MAX_REASON: Final = 500
_HINT: Final = "Return JSON values."
_HINT_LARGE: Final = "Return less, or set artifacts_dir to store large results as files."


def end_with_result(result: object, artifacts: Artifacts | None = None, masker: Masker | None = None) -> Ending:
    """A success. A result that cannot be stored fails the job without a retry: another attempt would return it too.

    `masker` is that of the attempt; without one every known secret is masked.
    """
    if result is None:
        return SUCCEEDED
    masker = KNOWN.all if masker is None else masker
    try:
        return _keep_result(_to_json(result), artifacts, masker)
    except SameKey as error:
        fault = f"The handler's result cannot be kept: {masker.mask(error.message)}. Rename one of them."
        return Ending(Outcome.FATAL, reason="invalid_result", error=fault)
    except (PydanticSerializationError, Invalid, ValueError, RecursionError) as error:
        why = message_of(error, masker).rstrip(".")
        fault = f"The handler's result cannot be kept: {why}. {_hint(error, artifacts)}"
        return Ending(Outcome.FATAL, reason="invalid_result", error=fault)
    except BaseException as error:  # noqa: BLE001 a result that is made while it is written is the handler's code still
        return end_with_error(error, masker=masker)


def _to_json(result: object) -> Json:
    """The result as JSON; raises SameKey where a value would be lost."""
    if not has_plain_keys(result):
        result = _read_once(result)
        with suppress(ValueError):  # what is wrong then is found below
            refuse_same_keys(to_json(result).decode())
    kept: Json = to_jsonable_python(result)
    return kept


def _read_once(result: object) -> object:
    """The result with lists in place of iterators, which can be read only once."""
    try:
        return _with_lists(result)
    except RecursionError:
        return result


def _with_lists(value: object) -> object:
    match value:
        case IOBase():
            return value
        case dict():
            return {key: _with_lists(each) for key, each in cast("dict[object, object]", value).items()}
        case list() | tuple() | Iterator():
            return [_with_lists(each) for each in cast("Iterator[object]", value)]
        case _:
            return value


def _hint(error: Exception, artifacts: Artifacts | None) -> str:
    """A hint for a result that is too large: set `artifacts_dir`, which has no limit."""
    is_large = isinstance(error, InvalidPayload) and "limit" in error.facts
    return _HINT_LARGE if is_large and artifacts is None else _HINT


def _keep_result(result: Json, artifacts: Artifacts | None, masker: Masker) -> Ending:
    """Store a result; one that the store cannot keep becomes an artifact, or raises InvalidPayload."""
    if masker:
        result = mask_values(result, masker)
    try:
        text = result_text(result)
        if has_headers(text):
            text = result_text(mask_values(result, masker))
        return Ending(Outcome.SUCCEEDED, result=text)
    except InvalidPayload:
        if artifacts is None:
            raise
        reference = artifacts.keep(mask_values(result, masker))
        return Ending(Outcome.SUCCEEDED, result=result_text(reference))


def end_unfit(error: BaseException, masker: Masker | None = None) -> Ending:
    """The ending if the handler was not called. A bad payload is not retried; an error of a validator is."""
    if isinstance(error, InvalidPayload):
        shown = (KNOWN.all if masker is None else masker).mask(error.message)
        return Ending(Outcome.FATAL, reason=error.code, error=shown)
    return end_with_error(error, masker=masker)


def end_timed_out(seconds: int | None) -> Ending:
    """The ending of an attempt that ran past its timeout and has ended."""
    return Ending(Outcome.TIMEOUT, reason="timeout", error=describe_timeout(seconds))


def is_own(error: BaseException) -> bool:
    """Whether the handler says itself how its attempt ends: this counts after its deadline too."""
    return isinstance(error, Snooze | Retry | Fail)


def end_with_error(error: BaseException, timeout_seconds: int | None = None, masker: Masker | None = None) -> Ending:
    """The ending for an exception of the handler, even if the exception's own methods raise."""
    masker = KNOWN.all if masker is None else masker
    try:
        return _end_with_error(error, timeout_seconds, masker)
    except BaseException as fault:  # noqa: BLE001 a class of the handler's own may lack what ours have, or raise anything
        shown = masker.mask(f"{type(error).__name__}, which cannot be read: {message_of(fault, masker)}")
        return Ending(Outcome.FAILED, error=shown)


def _end_with_error(error: BaseException, timeout_seconds: int | None, masker: Masker) -> Ending:
    match error:
        case Snooze():
            return Ending(Outcome.RELEASED, reason="snooze", retry_after=seconds_of(error.after, "a snooze"))
        case Retry():
            after = None if error.after is None else seconds_of(error.after, "a retry")
            return Ending(Outcome.FAILED, error=_details_of(error, masker), retry_after=after)
        case Fail():
            reason = masker.mask(storable(error.reason) or "")[:_MAX_REASON] or "failed"
            return Ending(Outcome.FATAL, reason=reason, error=_details_of(error, masker))
        case Canceled():
            return Ending(Outcome.CANCELED)
        case LeaseLost():
            return Ending(Outcome.LOST, error=message_of(error, masker))
        case DeadlinePassed():
            return end_timed_out(timeout_seconds)
        case Interrupted():
            return Ending(Outcome.RELEASED, reason="shutdown")
        case _:
            return _end_with_fault(error, traceback_of(error, masker))


def _end_with_fault(error: BaseException, shown: str) -> Ending:
    match error:
        case SystemExit():
            return Ending(Outcome.FAILED, reason="system_exit", error=shown, exit_code=_exit_code(error))
        case KeyboardInterrupt():
            return Ending(Outcome.FAILED, reason="keyboard_interrupt", error=shown)
        case SecretMissing():  # the file may not be mounted yet
            return Ending(Outcome.FAILED, reason=error.code, error=shown)
        case SecretRefused():
            return Ending(Outcome.FATAL, reason=error.code, error=shown)
        case _:
            return Ending(Outcome.FAILED, error=shown)


def _exit_code(error: SystemExit) -> int:
    """The exit code as a shell sees it: None is 0, a text is 1."""
    code = error.code
    if code is None:
        return 0
    return code & 0xFF if isinstance(code, int) else 1


def end_refused(ending: Ending, error: Invalid) -> Ending:
    """The ending in place of one that the store refused."""
    shown = KNOWN.all.mask(f"The outcome {ending.outcome} cannot be stored: {error.message}")
    return Ending(Outcome.FAILED, error=shown)


def message_of(error: BaseException, masker: Masker) -> str:
    """The message of an exception, whatever its methods do."""
    try:
        return storable(masker.mask(str(error))) or masker.mask(type(error).__name__)
    except BaseException:  # noqa: BLE001 a handler's exception may raise anything when it is looked at
        return masker.mask(f"{type(error).__name__}, which cannot be shown")


def _details_of(error: BaseException, masker: Masker) -> str:
    """The message of the handler's exception; if it has a cause, with the whole traceback."""
    return message_of(error, masker) if error.__cause__ is None else traceback_of(error, masker)


def _inner(trace: TracebackType | None) -> TracebackType | None:
    """Without the frames of the runner."""
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(_OURS):
        trace = trace.tb_next
    return trace


def traceback_of(error: BaseException, masker: Masker | None = None) -> str:
    """The traceback from the handler on, masked, its begin and its end where it is long."""
    masker = KNOWN.all if masker is None else masker
    try:
        shown = traceback.TracebackException(type(error), error, _inner(error.__traceback__))
        if isinstance(error, JobplaneError):  # how we found out is no news to who made the mistake
            shown.stack[:] = [frame for frame in shown.stack if not frame.filename.startswith(_OURS)]
        text = "".join(shown.format()) if shown.stack or not isinstance(error, JobplaneError) else error.message
    except BaseException:  # noqa: BLE001 the same
        text = f"{type(error).__name__}: {message_of(error, masker)}"
    return storable(_cut(masker.mask(text))) or masker.mask(type(error).__name__)


def _cut(text: str) -> str:
    """Cut the middle. The mark stays inside a line, so that it is not mistaken for the line with the exception."""
    if len(text) <= _MAX_ERROR:
        return text
    mark = f" [… {len(text) - _MAX_ERROR:,} characters left out …] "
    return text[:_MAX_HEAD] + mark + text[_MAX_HEAD - _MAX_ERROR :]
