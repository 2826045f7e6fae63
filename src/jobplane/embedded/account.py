"""The two users of the operating system: who launches the server, and who it runs as."""

from __future__ import annotations

import os
import pwd
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from jobplane.embedded.errors import EmbeddedError
from jobplane.embedded.programs import run_apart

ENVIRONMENT = "JOBPLANE_EMBEDDED_USER"
FALLBACKS = ("postgres", "nobody")
KEPT = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


class Credentials(TypedDict, total=False):
    user: int
    group: int
    extra_groups: Sequence[int]


@dataclass(frozen=True, slots=True)
class Account:
    """A user of the operating system that the server can run as."""

    name: str
    uid: int
    gid: int

    @property
    def is_other(self) -> bool:
        return self.uid != os.geteuid()

    @property
    def credentials(self) -> Credentials:
        """What makes `subprocess` run something as this user; empty where we are that user already."""
        return Credentials(user=self.uid, group=self.gid, extra_groups=()) if self.is_other else Credentials()

    def run(
        self, command: Sequence[str], *, stdin: str = "", keep: Sequence[int] = ()
    ) -> subprocess.CompletedProcess[str]:
        """Run to the end as this user, in the root directory, which everyone can enter."""
        return run_apart(
            command, stdin=stdin, cwd="/", env=environment(), umask=0o077, pass_fds=keep, **self.credentials
        )

    def can_enter(self, directory: Path) -> bool:
        """Whether this user gets there by its path, found by trying: modes and access lists of all parents decide."""
        return not self.is_other or self.run(["/bin/sh", "-c", 'cd -- "$1"', "sh", str(directory)]).returncode == 0


def environment() -> Mapping[str, str]:
    """The little that a server may know of its launcher: PGPORT, PGDATA and the like would change what it does."""
    return {name: os.environ[name] for name in KEPT if name in os.environ} | {"LC_ALL": "C"}


def launcher() -> Account:
    return _by_uid(os.geteuid())


def server_account(data_dir: Path) -> Account:
    """Ourselves; for root, whom initdb refuses, the user of the environment, the data's owner, postgres or nobody."""
    if os.geteuid() != 0:
        return launcher()
    if name := os.environ.get(ENVIRONMENT):
        return _require_unprivileged(_by_name(name), f"{ENVIRONMENT}={name}")
    owner = data_dir.stat().st_uid if data_dir.exists() else 0
    if owner != 0:
        return _by_uid(owner)
    return _require_unprivileged(_by_name(FALLBACKS[0]) or _by_name(FALLBACKS[1]), " or ".join(FALLBACKS))


def _require_unprivileged(account: Account | None, origin: str) -> Account:
    if account is None or account.uid == 0:
        message = (
            f"{origin} is not an unprivileged user of this machine. PostgreSQL does not run as root: set {ENVIRONMENT}."
        )
        raise EmbeddedError(message)
    return account


def _by_name(name: str) -> Account | None:
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        return None
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)


def _by_uid(uid: int) -> Account:
    try:
        entry = pwd.getpwuid(uid)
    except KeyError as error:
        message = f"The user id {uid} has no entry in the password database, which PostgreSQL needs. Add one."
        raise EmbeddedError(message, uid=uid) from error
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)
