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
    """A directory of results. The same content is kept once; whoever reads checks the digest."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def keep(self, result: Json) -> dict[str, Json]:
        """Write a result and say where; raises Invalid where JSON cannot hold it.

        Raises StoreUnavailable where the disk cannot: it may have room again for the next attempt.
        """
        content = _encode(result)
        digest = hashlib.sha256(content).hexdigest()
        try:
            self._write(path_of(self._directory, digest), content)
        except OSError as error:
            why = error.strerror or error
            raise StoreUnavailable(f"the result could not be kept in {self._directory}: {why}") from None
        return {MARK: {"sha256": digest, "bytes": len(content), "media_type": "application/json"}}

    def read(self, digest: str) -> Json:
        """The result with that digest; raises Invalid where it is not there, or not what was kept."""
        try:
            content = path_of(self._directory, digest).read_bytes()
        except OSError as error:
            raise Invalid(f"the artifact {digest} cannot be read: {error.strerror or error}") from error
        if hashlib.sha256(content).hexdigest() != digest:
            raise Invalid(f"the artifact {digest} is not what was kept: its digest differs")
        return cast("Json", json.loads(content))

    def _write(self, path: Path, content: bytes) -> None:
        """Whole or not at all, and on the disk, name and all, before the outcome that names it.

        Who may read it is the umask's matter: whoever asks for results is often another user than the worker.
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
    """Make a file young that is there already: the retention leaves it alone for a day. False: it is to be written."""
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
    """What a reference stands for; a result that is none, as it is. Raises Invalid where there is nowhere to look."""
    digest = digest_of(result)
    if digest is None:
        return result
    if directory is None:
        raise Invalid(
            f"the result is the artifact {digest}; set artifacts_dir as the worker has it, or read job.result"
        )
    return Artifacts(directory).read(digest)


def _encode(result: Json) -> bytes:
    try:
        return _ENCODER.encode(result).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise Invalid(f"it is no JSON: {error}") from None
