"""Paths that only root and the user of this process can change, from the root directory to the file."""

from __future__ import annotations

import os
import pwd
import stat
from pathlib import Path
from typing import Final

_MOST_LINKS: Final = 40
_OPEN_TO_OTHERS: Final = stat.S_IWGRP | stat.S_IWOTH
# Does not wait for a writer where somebody has put a FIFO in place of the file.
_FLAGS: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY


class Untrusted(ValueError):
    """Somebody else can change what is at a path. The message is a sentence that names the directory or file."""


def resolve_trusted(path: Path) -> Path:
    """The path without symbolic links; raises Untrusted, and OSError where it does not exist.

    Every directory, link and file on the way belongs to root or to the user of this process, and neither its group nor
    others may write to it. A directory such as /tmp, which is sticky, is accepted: in it nobody can replace or rename
    the next part of the path, which belongs to root or this user. A directory is judged before what is in it is looked
    at, so nobody else can change the path while it is followed.
    """
    waiting, links = list(reversed(path.absolute().parts[1:])), 0
    here = Path("/")
    _judge(here, here.lstat())
    while waiting:
        part = waiting.pop()
        if part == "..":
            here = here.parent
            continue
        here /= part
        status = here.lstat()
        _judge(here, status)
        if stat.S_ISLNK(status.st_mode):
            links += 1
            here = _follow(here, waiting, links)
    return here


def open_trusted(path: Path) -> int:
    """A descriptor of the regular file at a path that `resolve_trusted` accepts; raises Untrusted and OSError."""
    found = resolve_trusted(path)
    if not stat.S_ISREG(found.stat().st_mode):
        raise Untrusted(f"{found} is no regular file.")
    descriptor = os.open(found, _FLAGS)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise Untrusted(f"{found} is no regular file.")
        _judge(found, status)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def user_name(uid: int) -> str:
    """The name of a user for people; the number where it has none."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"


def _judge(path: Path, status: os.stat_result) -> None:
    if status.st_uid not in (0, os.geteuid()):
        owners = "root" if os.geteuid() == 0 else f"root or {user_name(os.geteuid())}"
        raise Untrusted(f"{path} belongs to {user_name(status.st_uid)}. It must belong to {owners}.")
    if not status.st_mode & _OPEN_TO_OTHERS or stat.S_ISLNK(status.st_mode):
        return
    if not (stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX):
        mode = stat.S_IMODE(status.st_mode)
        raise Untrusted(f"Others than the owner may write to {path} (mode {mode:04o}). Run: chmod go-w {path}")


def _follow(link: Path, waiting: list[str], links: int) -> Path:
    """The directory from which a link is followed. Its parts are put before those that wait."""
    if links > _MOST_LINKS:
        raise Untrusted(f"{link} is the end of more than {_MOST_LINKS} symbolic links.")
    target = link.readlink()
    waiting.extend(reversed(target.parts[1:] if target.is_absolute() else target.parts))
    return Path("/") if target.is_absolute() else link.parent
