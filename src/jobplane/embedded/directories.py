"""Directories and files that only the server's user and root can read."""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from jobplane.embedded.account import Account
from jobplane.embedded.errors import UnsafeDirectory
from jobplane.embedded.locks import CHANGING, SERVING, USING

SHARED_TEMPORARY = Path("/tmp")  # noqa: S108 what is made below it is checked for its owner and mode
SOCKET = ".s.PGSQL.5432"
LONGEST_SOCKET = 103  # the kernel's limit, without the final NUL: 103 bytes on macOS, 107 on Linux
VERSION = "PG_VERSION"
STAGING = ".jobplane-new"
DONE = "jobplane.bootstrap"
OURS = frozenset({STAGING, CHANGING, SERVING, USING, "lost+found"})


def fingerprint(data_dir: Path) -> str:
    """A short name for a data directory, however long its path."""
    return hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:16]


def prepare_data_dir(data_dir: Path, account: Account) -> None:
    """Make the directory private and the server's user its owner. One with other things in it is left as it is."""
    data_dir.parent.mkdir(parents=True, exist_ok=True)
    if data_dir.is_dir() and not (data_dir / VERSION).exists() and not (data_dir / STAGING / DONE).exists():
        strangers = sorted(entry.name for entry in data_dir.iterdir() if entry.name not in OURS)
        if strangers:
            raise _unsafe(data_dir, f'holds no PostgreSQL data but "{strangers[0]}". Name an empty directory.')
    _make_private(data_dir, account, may_be_open=True)


def prepare_socket_dir(data_dir: Path, account: Account) -> Path:
    """The short private directory of the socket. One that another user made there beforehand is refused."""
    name = f"jobplane-{account.uid}-{fingerprint(data_dir)}"
    directory = _runtime_base(account, name) / name
    _make_private(directory, account, may_be_open=False)
    return directory


def write_private(path: Path, text: str, account: Account, *, sync: bool = True) -> None:
    """Replace a file in one step, never through a link: root need not trust the directory's owner."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            if account.is_other:
                os.fchown(descriptor, account.uid, account.gid)
            file.write(text)
            file.flush()
            if sync:
                os.fsync(descriptor)
        draft.rename(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _runtime_base(account: Account, name: str) -> Path:
    base = Path(os.environ.get("XDG_RUNTIME_DIR", ""))
    fits = len(os.fsencode(base / name / SOCKET)) <= LONGEST_SOCKET
    usable = base.is_absolute() and fits and not account.is_other and os.access(base, os.W_OK | os.X_OK)
    return base if usable else SHARED_TEMPORARY


def _make_private(directory: Path, account: Account, *, may_be_open: bool) -> None:
    with suppress(FileExistsError):
        directory.mkdir(mode=0o700)
    try:
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        raise _unsafe(directory, f"is not a directory that can be opened: {error.strerror}.") from error
    try:
        _check(directory, os.fstat(descriptor), account, may_be_open=may_be_open)
        if account.is_other:
            os.fchown(descriptor, account.uid, account.gid)
        os.fchmod(descriptor, 0o700)
    finally:
        os.close(descriptor)


def _check(directory: Path, status: os.stat_result, account: Account, *, may_be_open: bool) -> None:
    """An empty data directory may be given to us open; in a socket directory that was open someone else may listen."""
    if status.st_uid not in (account.uid, os.geteuid()):
        raise _unsafe(directory, f"belongs to user id {status.st_uid}, not to {account.name}. Name another directory.")
    if not may_be_open and stat.S_IMODE(status.st_mode) & 0o077:
        raise _unsafe(directory, "is open to other users. Remove it: it is created again at the next start.")


def _unsafe(directory: Path, reason: str) -> UnsafeDirectory:
    return UnsafeDirectory(" ".join([str(directory), reason]), path=str(directory))
