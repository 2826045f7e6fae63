"""What the embedded server adds to the error tree.

StoreError
  EmbeddedError   NoBinaries  UnsafeDirectory  EmbeddedVersion
"""

from __future__ import annotations

import errno
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from jobplane.core.errors import StorageFull, StoreError
from jobplane.core.wording import reason_of

FULL = (errno.ENOSPC, errno.EDQUOT)


class EmbeddedError(StoreError):
    """The embedded server could not be made, started or stopped; the message has the end of its log."""

    code = "embedded_error"


class NoBinaries(EmbeddedError):
    code = "embedded_binaries"


class UnsafeDirectory(EmbeddedError):
    """A directory that belongs to someone else or holds something else."""

    code = "embedded_directory"


class EmbeddedVersion(EmbeddedError):
    """The data belong to another major version; `commands` are the two that move them."""

    code = "embedded_version"


def failure(what: str, output: str) -> StoreError:
    """The error for a program that failed, with the end of what it printed."""
    message = "\n".join([f"{what}:", output.strip()[-2000:]])
    full = any(os.strerror(number) in output for number in FULL)
    return StorageFull(message) if full else EmbeddedError(message)


@contextmanager
def explain_errors(data_dir: Path) -> Generator[None]:
    """Raise errors of the operating system as errors of the embedded server."""
    try:
        yield
    except PermissionError as error:
        raise UnsafeDirectory(
            f"There is no permission to use {data_dir}: {reason_of(error)}.", path=str(data_dir)
        ) from error
    except OSError as error:
        kind = StorageFull if error.errno in FULL else EmbeddedError
        raise kind(f"The embedded server in {data_dir} failed: {reason_of(error)}.", path=str(data_dir)) from error
