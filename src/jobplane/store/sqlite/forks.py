"""What a fork does to open files: a child has the memory of its parent's locks, and none of the locks.

SQLite counts the locks on a file once for the whole process. A child that opened the file beside its parent's
connections would find them counted and take none; when the parent closed, what the child wrote would be lost. So a
fork waits until no call is under way, and the child first closes what came with it, which ends no lock of its parent.
"""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import Final, Protocol
from weakref import WeakSet

from jobplane.core.errors import StoreError

PATIENCE = 1.0  # seconds that a fork waits for the calls of other threads


class Open(Protocol):
    """A file that may have connections."""

    def hold_still(self, seconds: float) -> bool:
        """Keep every call out; False where one goes on for longer than that."""
        ...

    def go_on(self) -> None: ...

    def cross(self, *, still: bool) -> None:
        """In the child: close what came along, or leave it where a call was under way."""
        ...


_files: Final[WeakSet[Open]] = WeakSet()
_still: Final[list[Open]] = []
_gate: Final = threading.Lock()  # held during a fork
_torn: Final[set[Path]] = set()


def watch(file: Open) -> None:
    with _gate:
        _files.add(file)


def give_way() -> None:
    """Let a fork that waits for the calls go before the next one."""
    if _gate.locked():
        with _gate:
            return


def tear(path: Path) -> None:
    """A connection to this file came along in the middle of a call: it can be neither used nor closed here."""
    _torn.add(path.resolve())


def refuse_torn(path: Path) -> None:
    if _torn and path.resolve() in _torn:
        message = (
            f"This process was forked while another thread was at work in {path}: start it by spawn, or fork first."
        )
        raise StoreError(message)


def _before() -> None:
    _gate.acquire()
    until = time.monotonic() + PATIENCE
    _still[:] = [file for file in _files if file.hold_still(max(0, until - time.monotonic()))]


def _in_parent() -> None:
    while _still:
        _still.pop().go_on()
    _gate.release()


def _in_child() -> None:
    for file in _files:
        still = file in _still or file.hold_still(0)  # who forks in C may not have asked us before
        file.cross(still=still)
        if still:
            file.go_on()
    _still.clear()
    if _gate.locked():
        _gate.release()


os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
