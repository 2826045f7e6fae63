"""Make a consistent copy of the file while others write. The copy appears under its name only when it is complete."""

from __future__ import annotations

import os
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from jobplane.core.errors import Invalid, StoreUnavailable
from jobplane.store.sqlite import scratch
from jobplane.store.sqlite.drivers import Driver, connect
from jobplane.store.sqlite.errors import translate_errors

PREFIX: Final = ".jobplane-copy-"


def back_up(driver: Driver, source: Path, target: Path, busy_ms: int) -> None:
    """Copy a file to a path that does not exist yet."""
    if not source.exists():
        raise Invalid(f"There is no file {source} to copy. Check the path.")
    try:
        if os.path.lexists(target):
            raise FileExistsError
        with scratch.make_for_block(target.absolute().parent, PREFIX) as directory:
            part = directory / "copy.db"
            with translate_errors(source), closing(connect(driver, source)) as link:
                link.rows(f"pragma busy_timeout = {busy_ms}")
                link.backup(part)
            _name(part, target)
    except FileExistsError:
        raise Invalid(f"{target} exists already. Name a file that does not exist.") from None
    except OSError as error:
        raise StoreUnavailable(f"The copy {target} cannot be written: {error.strerror}.") from error


def _name(part: Path, target: Path) -> None:
    """Give the copy its name without replacing another file. Not every filesystem has hard links."""
    try:
        os.link(part, target)
    except FileExistsError:
        raise
    except OSError:
        if os.path.lexists(target):
            raise FileExistsError from None
        part.rename(target)
    else:
        part.unlink()  # a file with two names cannot be opened
    with suppress(OSError):  # some filesystems know no sync of a directory
        _sync(target.absolute().parent)


def _sync(directory: Path) -> None:
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
