"""Write a policy file in one step: whoever reads it finds the old text or the new one, never a part."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from jobplane.core.wording import reason_of
from jobplane.execution.policy_file import InvalidPolicy, read_policy_text
from jobplane.execution.trusted_paths import Untrusted, resolve_trusted
from jobplane.worker.policy.drafting import Draft


def save(draft: Draft) -> None:
    """Replace the file by its draft, and keep its owner and mode; a new one has mode 0600.

    Raises InvalidPolicy where it cannot be written, where others may change its directory, or where it has changed
    since it was read.
    """
    try:
        path = resolve_trusted(draft.path.parent) / draft.path.name if draft.is_new else resolve_trusted(draft.path)
        _refuse_changed(draft, path)
        _replace(path, draft.text, None if draft.is_new else path.stat())
    except (OSError, Untrusted) as error:
        why = str(error) if isinstance(error, Untrusted) else f"{reason_of(error)}."
        raise InvalidPolicy(f"The policy file {draft.path} cannot be written. {why}", file=str(draft.path)) from None


def _refuse_changed(draft: Draft, path: Path) -> None:
    is_same = not os.path.lexists(path) if draft.is_new else read_policy_text(path) == draft.original
    if not is_same:
        message = f"The policy file {draft.path} was changed while the command ran. Nothing was written: try again."
        raise InvalidPolicy(message, file=str(draft.path))


def _replace(path: Path, text: str, status: os.stat_result | None) -> None:
    written = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(written, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            if status is not None:
                _give(file.fileno(), status)
            file.flush()
            os.fsync(file.fileno())
        written.replace(path)
    except BaseException:
        written.unlink(missing_ok=True)
        raise
    _sync(path.parent)


def _give(descriptor: int, status: os.stat_result) -> None:
    """Give a file the owner, the group and the mode of the one that it replaces."""
    now = os.fstat(descriptor)
    if (now.st_uid, now.st_gid) != (status.st_uid, status.st_gid):
        os.fchown(descriptor, status.st_uid, status.st_gid)
    os.fchmod(descriptor, status.st_mode & 0o7777)


def _sync(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
