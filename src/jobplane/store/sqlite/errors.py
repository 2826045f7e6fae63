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
    5: (errors.StoreBusy, "Another process kept the file to itself for too long; the same call may succeed now."),
    6: (errors.StoreBusy, "Another connection kept a table to itself; the same call may succeed now."),
    8: (errors.StoreUnavailable, "The file or its directory is read-only: let this process write to both."),
    10: (errors.StoreUnavailable, "The disk did not do its part: look at it, then open the store again."),
    11: (errors.StoreError, "The file is damaged: stop every process that uses it and restore a backup."),
    13: (errors.StorageFull, "The disk is full: make room; nothing of this call was written."),
    14: (errors.StoreUnavailable, "The file cannot be opened: its directory must exist, and be ours to write to."),
    15: (errors.StoreBusy, "Too many processes opened the file at once; the same call may succeed now."),
    18: (errors.Invalid, "A value is larger than SQLite can keep."),
    19: (errors.Invalid, "A constraint of the file forbids this value."),
    26: (errors.StoreError, "The file is no SQLite database: name another, or move it away."),
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
    """Raise what the driver says of a file in jobplane's own words."""
    try:
        yield
    except tuple(DRIVERS) as error:
        raise translate(error, path) from error
    except UnicodeEncodeError as error:
        raise errors.Invalid("a text has a lone surrogate, which no database can keep") from error


def translate(error: Exception, path: Path) -> errors.JobplaneError:
    """The error that a caller sees."""
    code = code_of(error)
    if "no such table: jobplane_" in str(error) or "no such column" in str(error):
        return errors.SchemaOutOfDate(f"The file has another schema than this program ({path}: {error}).")
    kind, advice = _BY_CODE.get(code & 0xFF, (errors.StoreError, "SQLite refused the statement."))
    if code & 0xFF == _CANNOT_OPEN and _is_directory(path):
        advice = "It is a directory: name a file in it."
    if issubclass(kind, errors.StoreBusy):  # whose advice says it all
        return kind(advice, result=code)
    said = error if issubclass(kind, errors.Invalid) else f"{path}: {error}"  # a bad value is no matter of the file
    return kind(f"{advice} ({said})", result=code)


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
