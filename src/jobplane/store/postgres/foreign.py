"""An error of a lent connection becomes one of jobplane's own, whatever driver or framework it came through."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Final

from jobplane.core import errors
from jobplane.store.postgres.errors import error_of

_ABORTED: Final = "25P02"
# What else may be wrong with a connection that is not ours.
_ADVICE: Final = {
    "42501": ". Let your login in with `jobplane migrate roles --grant app=YOUR_LOGIN`.",
    "3F000": ", or your connection goes to another database than the one with the jobs",
}
# What the drivers and frameworks call their errors where the server said nothing.
_GONE: Final = frozenset({"OperationalError", "InternalClientError", "OSError"})
_MISUSED: Final = frozenset(
    {"InterfaceError", "ProgrammingError", "DataError", "InvalidRequestError", "TransactionManagementError"}
)
_THEIRS: Final = frozenset({"psycopg", "psycopg2", "asyncpg", "sqlalchemy", "django"})


@contextmanager
def translate_lent_errors() -> Generator[None]:
    """Raise an error of the caller's connection as one of jobplane's own, with the original as its cause."""
    try:
        yield
    except UnicodeEncodeError as error:
        message = "A text has a character that your connection cannot send. Set its client_encoding to UTF8."
        raise errors.Invalid(message) from error
    except Exception as error:
        found = translate_lent(error)
        if found is None:
            raise
        raise found from error


def translate_lent(error: Exception) -> errors.JobplaneError | None:
    """The error as one of jobplane's own. None: it is not a database error."""
    for link in _links(error):
        if state := _state(link):
            return _error_with_state(state, *_words(link))
    return _error_without_state(error)


def _links(error: BaseException | None) -> Iterator[BaseException]:
    """The error, what SQLAlchemy has wrapped, what Django raised it from; a driver's own is the innermost."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        wrapped = getattr(error, "orig", None)
        error = wrapped if isinstance(wrapped, BaseException) else error.__cause__


def _state(error: BaseException) -> str | None:
    """psycopg and asyncpg say sqlstate, psycopg2 says pgcode."""
    for name in ("sqlstate", "pgcode"):
        state = getattr(error, name, None)
        if isinstance(state, str):
            return state
    return None


def _words(error: BaseException) -> tuple[str, str | None]:
    """The message and the hint; psycopg and psycopg2 have them in `diag`, asyncpg on the error or on its cause."""
    diag = getattr(error, "diag", None)
    if diag is not None:
        return getattr(diag, "message_primary", None) or _first_line(error), getattr(diag, "message_hint", None)
    innermost = list(_links(error))[-1]
    return getattr(innermost, "message", None) or _first_line(error), getattr(innermost, "hint", None)


def _error_with_state(state: str, message: str, hint: str | None) -> errors.JobplaneError:
    if state == _ABORTED:
        advice = "Your transaction has failed already. Roll it back, or put a savepoint around calls that may fail."
        return errors.Conflict(advice, sqlstate=state)
    return error_of(state, message + _ADVICE.get(state, ""), hint)


def _error_without_state(error: Exception) -> errors.JobplaneError | None:
    """The connection is gone, or it is in a state in which it cannot be used."""
    kinds = type(error).__mro__
    names = {kind.__name__ for kind in kinds}
    if not isinstance(error, OSError) and not _THEIRS & {kind.__module__.partition(".")[0] for kind in kinds}:
        return None
    if names & _MISUSED:
        return errors.Invalid(f"Your connection cannot be used now: {_first_line(error)}")
    if names & _GONE:
        return errors.StoreUnavailable(f"Your connection to the database failed: {_first_line(error)}")
    return errors.StoreError(f"Your connection to the database failed: {_first_line(error)}")


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
