"""The users of the operating system that commands run as."""

from __future__ import annotations

import grp
import os
import pwd
from dataclasses import dataclass

from jobplane.core.bounds import show


@dataclass(frozen=True, slots=True)
class User:
    """A user with its main group and all its groups, as numbers."""

    name: str
    uid: int
    gid: int
    groups: tuple[int, ...]


def find_user(name: str | None, group: str | None) -> User:
    """The user that a policy names; raises ValueError with a sentence where this worker cannot run anything as it.

    A worker that is root needs a name. Any other one can run commands only as itself.
    """
    if os.geteuid() != 0:
        return _own(name, group)
    if name is None:
        raise ValueError(
            "It is required, because this worker is root. Set user at the top of the file, or in the command's table."
        )
    try:
        entry = pwd.getpwnam(name)
    except (KeyError, ValueError):
        raise ValueError(f"There is no user {show(name)} on this machine.") from None
    gid = entry.pw_gid if group is None else _gid(group)
    return User(name, entry.pw_uid, gid, tuple(os.getgrouplist(name, gid)))


def _own(name: str | None, group: str | None) -> User:
    """The user of this process."""
    uid, gid = os.geteuid(), os.getegid()
    try:
        own = pwd.getpwuid(uid).pw_name
    except KeyError:
        own = str(uid)
    if name not in (None, own):
        raise ValueError(f"This worker is not root, and runs commands only as itself, {own}. Leave user out.")
    if group is not None and _gid(group) != gid:
        raise ValueError("This worker is not root, and runs commands only with its own group. Leave group out.")
    return User(own, uid, gid, tuple(os.getgroups()))


def _gid(group: str) -> int:
    try:
        return grp.getgrnam(group).gr_gid
    except (KeyError, ValueError):
        raise ValueError(f"There is no group {show(group)} on this machine.") from None
