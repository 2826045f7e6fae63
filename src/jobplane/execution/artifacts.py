"""Results that are too large for a store: files named by their digest, and references to them."""

from __future__ import annotations

import errno
import hashlib
import json
import os
from pathlib import Path
from typing import Final, cast
from uuid import uuid4

from jobplane.core.artifacts import MARK, digest_of, path_of
from jobplane.core.errors import Invalid, StoreUnavailable
from jobplane.core.model import Json

_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_NO_SYNC: Final = (errno.EINVAL, errno.ENOTSUP)  # of a file system that keeps names without being asked, or not at all


class Artifacts:
    """A directory of results. The same content is stored once, and each read checks the digest."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def keep(self, result: Json) -> dict[str, Json]:
        """Write a result and return a reference to it; raises Invalid if it cannot be JSON.

        Raises StoreUnavailable if the disk fails: it may have space again for the next attempt.
        """
        content = _encode(result)
        digest = hashlib.sha256(content).hexdigest()
        try:
            self._write(path_of(self._directory, digest), content)
        except OSError as error:
            why = error.strerror or error
            raise StoreUnavailable(f"The result cannot be written to {self._directory}: {why}.") from None
        return {MARK: {"sha256": digest, "bytes": len(content), "media_type": "application/json"}}

    def read(self, digest: str) -> Json:
        """The result with that digest; raises Invalid if it is missing or was changed."""
        try:
            content = path_of(self._directory, digest).read_bytes()
        except OSError as error:
            raise Invalid(f"The artifact {digest} cannot be read: {error.strerror or error}.") from error
        if hashlib.sha256(content).hexdigest() != digest:
            raise Invalid(f"The artifact {digest} was changed after it was written: its digest differs.")
        return cast("Json", json.loads(content))

    def _write(self, path: Path, content: bytes) -> None:
        """Write the whole file and its name to the disk before the outcome that refers to it is stored.

        The umask decides who may read it: results are often read by another user than the worker's.
        """
        if _touch(path):
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        written = path.with_name(f"{uuid4().hex}.part")
        try:
            with written.open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            written.replace(path)
        except BaseException:
            written.unlink(missing_ok=True)
            raise
        for directory in (path.parent, self._directory):
            _sync(directory)


def _touch(path: Path) -> bool:
    """Update the time of an existing file, so that retention keeps it for a day. False: write it."""
    try:
        os.utime(path)
    except (FileNotFoundError, PermissionError):
        return False
    return True


def _sync(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_SYNC:
            raise
    finally:
        os.close(descriptor)


def resolve(result: Json, directory: Path | None) -> Json:
    """The result behind a reference; any other result unchanged. Raises Invalid without a directory."""
    digest = digest_of(result)
    if digest is None:
        return result
    if directory is None:
        raise Invalid(
            f"The result is in the artifact {digest}. Set artifacts_dir to the worker's directory, or read job.result."
        )
    return Artifacts(directory).read(digest)


def _encode(result: Json) -> bytes:
    try:
        return _ENCODER.encode(result).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise Invalid(f"It is not JSON: {error}") from None
