"""Executables of commands: judged, opened and hashed. What was hashed is the open file, so that is what can be run."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from jobplane.core.bounds import show
from jobplane.core.errors import Invalid
from jobplane.core.wording import reason_of
from jobplane.execution.trusted_paths import Untrusted, open_trusted

_MOST_DIGESTS: Final = 1000
# A change within one tick of the kernel's clock leaves the times as they were: a file is remembered only when its last
# change is older than this.
_SETTLED_SECONDS: Final = 2.0
_Mark = tuple[int, int, int, int, int]
_digests: dict[_Mark, str] = {}


class ExecutableRefused(Invalid):
    """The executable of a command may not be run; `executable` names it."""

    code = "executable_refused"


class ExecutableMissing(ExecutableRefused):
    """There is no such file on this machine."""

    code = "executable_missing"


class ExecutableUnsafe(ExecutableRefused):
    """The file is no program that only root and the worker's user can change."""

    code = "executable_unsafe"


class ExecutableRelative(ExecutableRefused):
    """The path of the executable does not begin at the root directory."""

    code = "executable_relative"


@dataclass(frozen=True, slots=True)
class Executable:
    """An open executable. `digest` is the SHA-256 of its content in hex."""

    fd: int
    digest: str

    def close(self) -> None:
        os.close(self.fd)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self.close()


def open_executable(path: str) -> Executable:
    """Open and hash an executable. The caller closes it, and runs it by its descriptor. Raises ExecutableRefused."""
    if not path.startswith("/") or "\0" in path:
        message = f"The executable {show(path, 200)} must be an absolute path, like /usr/bin/true."
        raise ExecutableRelative(message, executable=path)
    try:
        descriptor = open_trusted(Path(path))
    except (FileNotFoundError, NotADirectoryError):
        message = f"There is no file {path} on this machine. Install it, or change the definition."
        raise ExecutableMissing(message, executable=path) from None
    except Untrusted as error:
        raise ExecutableUnsafe(f"The executable {path} is not safe. {error}", executable=path) from None
    except (OSError, ValueError) as error:
        message = f"The executable {path} cannot be opened: {reason_of(error)}."
        raise ExecutableUnsafe(message, executable=path) from None
    try:
        return Executable(descriptor, _digest(descriptor, path))
    except OSError as error:
        os.close(descriptor)
        message = f"The executable {path} cannot be read: {reason_of(error)}."
        raise ExecutableUnsafe(message, executable=path) from None
    except BaseException:
        os.close(descriptor)
        raise


def _digest(descriptor: int, path: str) -> str:
    status = os.fstat(descriptor)
    if not status.st_mode & (stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH):
        message = f"The file {path} is not executable. Make it so with chmod +x."
        raise ExecutableUnsafe(message, executable=path)
    mark = _mark(status)
    if (known := _digests.get(mark)) is not None:
        return known
    with os.fdopen(os.dup(descriptor), "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    os.lseek(descriptor, 0, os.SEEK_SET)
    after = os.fstat(descriptor)
    if _mark(after) != mark:
        message = f"The executable {path} was changed while it was read. Try again when it is installed."
        raise ExecutableUnsafe(message, executable=path)
    if time.time() - max(after.st_mtime, after.st_ctime) > _SETTLED_SECONDS:
        _remember(mark, digest)
    return digest


def _mark(status: os.stat_result) -> _Mark:
    """What changes with the content of a file."""
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _remember(mark: _Mark, digest: str) -> None:
    if len(_digests) >= _MOST_DIGESTS:
        _digests.clear()
    _digests[mark] = digest
