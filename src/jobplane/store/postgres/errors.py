"""A database error becomes one of jobplane's own, by its SQLSTATE."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

import psycopg
from psycopg_pool import PoolClosed

from jobplane.core import errors
from jobplane.core.decoding import document, readable

JobplaneErrors = dict[str, type[errors.JobplaneError]]

TYPED: Final[JobplaneErrors] = {
    "JP001": errors.TenantRequired,
    "JP002": errors.Invalid,
    "JP003": errors.InvalidPayload,
    "JP004": errors.UnknownDefinition,
    "JP005": errors.DefinitionInactive,
    "JP006": errors.UnknownQueue,
    "JP007": errors.IdempotencyMismatch,
    "JP008": errors.DuplicateJob,
    "JP009": errors.IllegalMove,
    "JP010": errors.JobNotFound,
    "JP011": errors.TenantNotFound,
    "JP012": errors.DefinitionNotFound,
    "JP013": errors.QueueNotFound,
    "JP014": errors.QuotaExceeded,
    "JP015": errors.TenantBusy,
    "JP016": errors.AlreadyExists,
    "JP017": errors.Forbidden,
    "JP018": errors.InvalidSchema,
    "JP019": errors.QueueInUse,
    "JP020": errors.KeyNotFound,
    "JP021": errors.WorkerNotFound,
    "JP022": errors.WorkerIsLive,
    "JP030": errors.RevisionMismatch,
    "JP031": errors.DefinitionInUse,
    "JP032": errors.DefinitionOwned,
    "JP033": errors.TriggerNotFound,
}
# Errors by SQLSTATE and by its class: invalid data, an unreachable server, a conflict with another transaction.
_BY_STATE: Final[JobplaneErrors] = {
    "23505": errors.AlreadyExists,
    "42501": errors.Forbidden,
    "42804": errors.Invalid,
    "42846": errors.Invalid,
    "28P01": errors.Unauthenticated,
    "28000": errors.Unauthenticated,
    "53100": errors.StorageFull,
    "54001": errors.InvalidPayload,
    "40001": errors.StoreBusy,
    "40P01": errors.StoreBusy,
    "55P03": errors.StoreBusy,
    "57014": errors.StoreBusy,
    "25006": errors.StoreUnavailable,
    "3F000": errors.SchemaOutOfDate,
    "42703": errors.SchemaOutOfDate,
    "42883": errors.SchemaOutOfDate,
    "42P01": errors.SchemaOutOfDate,
}
_BY_CLASS: Final[JobplaneErrors] = {
    "22": errors.Invalid,
    "23": errors.Invalid,
    "54": errors.Invalid,
    "08": errors.StoreUnavailable,
    "53": errors.StoreUnavailable,
    "57": errors.StoreUnavailable,
}

_NUL: Final = "A text has a NUL character, which no database can store."
UNKNOWN: Final = (
    "Whether the call took effect is unknown. Check before you repeat it."
    " An enqueue with an idempotency_key can be repeated at once."
)

# Errors that a call may raise: of the driver, of its pool, and of a text that cannot be sent.
FAULTS: Final = (PoolClosed, psycopg.Error, UnicodeEncodeError)


@contextmanager
def translate_errors() -> Generator[None]:
    """Raise an error of the database as one of jobplane's own."""
    try:
        yield
    except FAULTS as error:
        raise translate(error) from error


def translate(error: Exception) -> errors.JobplaneError:
    """The error that a caller sees, with the primary message of the database."""
    match error:
        case PoolClosed():
            return errors.StoreUnavailable("The store is closed.")
        case psycopg.Error(sqlstate=None):
            return _without_state(error)
        case psycopg.Error(diag=said, sqlstate=str(state)):
            return error_of(state, said.message_primary or str(error), said.message_hint, said.message_detail)
        case _:
            return errors.Invalid("A text has a lone surrogate, which no database can store.")


def error_of(state: str, message: str, hint: str | None, detail: str | None = None) -> errors.JobplaneError:
    """The error that stands for a SQLSTATE."""
    kind = TYPED.get(state) or _BY_STATE.get(state) or _BY_CLASS.get(state[:2]) or errors.StoreError
    if kind is errors.SchemaOutOfDate:
        message = f"The schema does not fit this program ({message}). Run `jobplane migrate up`."
    return kind(message, sqlstate=state, hint=hint, **(_facts(detail) if state in TYPED else {}))


def _facts(detail: str | None) -> dict[str, object]:
    """The facts of a refusal. Functions of jobplane put a JSON object into the detail of their errors."""
    return {**(readable(detail, document) or {})}


def _without_state(error: psycopg.Error) -> errors.JobplaneError:
    """An error of the driver itself: it could not send the values, or the connection is lost."""
    if isinstance(error, psycopg.DataError | psycopg.ProgrammingError):
        return errors.Invalid(_NUL if "NUL" in str(error) else str(error))
    reason = str(error).splitlines()[0].rstrip(".")
    return errors.StoreUnavailable(f"The connection to the database failed: {reason}. {UNKNOWN}", outcome="unknown")


def unanswered(seconds: float) -> errors.StoreUnavailable:
    """A call was sent, and no answer came by its deadline."""
    return errors.StoreUnavailable(f"PostgreSQL did not answer within {seconds:g} s. {UNKNOWN}", outcome="unknown")
