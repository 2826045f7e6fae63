"""The directory of `jobplane up`: who holds it, and the secrets in it."""

from __future__ import annotations

import fcntl
import os
import secrets
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from jobplane.core.errors import Conflict

_LOCK: Final = ".jobplane-up"


class AlreadyUp(Conflict):
    """Another `jobplane up` runs on the same directory."""

    code = "already_up"


@contextmanager
def held(directory: Path) -> Generator[None]:
    """Hold the directory until the block ends; raises AlreadyUp."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(directory / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            message = f"Another `jobplane up` uses {directory}. Stop it first, or name another directory with --dir."
            raise AlreadyUp(message, directory=str(directory)) from None
        yield
    finally:
        os.close(descriptor)


def read_secret(path: Path) -> str | None:
    """The text of a file; None where there is none."""
    with suppress(FileNotFoundError):
        return path.read_text("utf-8").strip() or None
    return None


def write_secret(path: Path, text: str) -> None:
    """Replace a file in one step. Nobody else can read it, not even for a moment."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
        draft.rename(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
