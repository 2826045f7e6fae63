"""An error of SQLite becomes one of jobplane's own, by its result code; the driver does not matter."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from jobplane.core import errors

# result code: what it is, and what to do
_BY_CODE: Final[dict[int, tuple[type[errors.JobplaneError], str]]] = {
    5: (errors.StoreBusy, "Another process held the lock on the file for too long. Try again."),
    6: (errors.StoreBusy, "Another connection held the lock on a table. Try again."),
    8: (errors.StoreUnavailable, "The file or its directory is read-only. Give this process write access to both."),
    10: (errors.StoreUnavailable, "Reading or writing the disk failed. Check the disk, then open the store again."),
    11: (errors.StoreError, "The file is damaged. Stop every process that uses it and restore a backup."),
    13: (errors.StorageFull, "The disk is full, and nothing of this call was written. Free some space."),
    14: (errors.StoreUnavailable, "The file cannot be opened. Its directory must exist and be writable."),
    15: (errors.StoreBusy, "Too many processes opened the file at once. Try again."),
    18: (errors.Invalid, "A value is larger than SQLite can store."),
    19: (errors.Invalid, "A constraint of the database forbids this value."),
    26: (errors.StoreError, "The file is not a SQLite database. Name another file, or move it away."),
}
_CANNOT_OPEN: Final = 14
DRIVERS: Final[list[type[Exception]]] = [sqlite3.Error]

try:
    import apsw
except ImportError:  # pragma: no cover the package is an extra; without it the driver is the standard library's
    pass
else:
    DRIVERS.append(apsw.Error)


@contextmanager
def translate_errors(path: Path) -> Generator[None]:
    """Raise an error of the driver as one of jobplane's own."""
    try:
        yield
    except tuple(DRIVERS) as error:
        raise translate(error, path) from error
    except UnicodeEncodeError as error:
        raise errors.Invalid("A text has a lone surrogate, which no database can store.") from error


def translate(error: Exception, path: Path) -> errors.JobplaneError:
    """The error that a caller sees."""
    code = code_of(error)
    if "no such table: jobplane_" in str(error) or "no such column" in str(error):
        return errors.SchemaOutOfDate(f"The schema of {path} does not fit this program ({error}).")
    kind, advice = _BY_CODE.get(code & 0xFF, (errors.StoreError, "SQLite refused the statement."))
    if code & 0xFF == _CANNOT_OPEN and _is_directory(path):
        advice = "It is a directory. Name a file in it."
    if issubclass(kind, errors.StoreBusy):  # the advice is the whole message
        return kind(advice, result=code)
    said = error if issubclass(kind, errors.Invalid) else f"{path}: {error}"  # the path does not help with a bad value
    return kind(f"{advice} SQLite says: {said}.", result=code)


def _is_directory(path: Path) -> bool:
    with suppress(OSError):  # a name may be too long to ask for
        return path.is_dir()
    return False


def code_of(error: Exception) -> int:
    """SQLite's own result code, extended where the driver tells; 1 is any error."""
    for name in ("extendedresult", "sqlite_errorcode"):
        if isinstance(found := getattr(error, name, None), int):
            return found
    return 1
