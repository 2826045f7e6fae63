"""The open file: one connection that writes, one that reads, both shared by the threads of one process."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, TypeVar

from jobplane.core.errors import Invalid, StoreBusy, StoreUnavailable
from jobplane.store.sqlite import forks, migrations
from jobplane.store.sqlite.backup import back_up
from jobplane.store.sqlite.drivers import Driver, Link, connect
from jobplane.store.sqlite.errors import DRIVERS, code_of, translate_errors
from jobplane.store.sqlite.filesystem import Place, absolute, refuse_second_name

Answer = TypeVar("Answer")
Verb = Callable[[Link], Answer]

LOG_BOUND = 64 * 1024 * 1024  # of the write-ahead log; more means that somebody keeps it
log = logging.getLogger("jobplane.sqlite")
# A checkpoint that waits for a reader keeps every writer waiting too.
_CHECKPOINT_MS: Final = 250
# Who waits to write looks up so often, to see whether it is still wanted.
_STEP_MS: Final = 250
_BUSY: Final = 5
_SETTINGS: Final = (
    "pragma journal_mode = wal",
    "pragma synchronous = full",
    "pragma wal_autocheckpoint = 1000",
    "pragma journal_size_limit = 8388608",
    "pragma cache_size = -32000",
    "pragma temp_store = memory",
    "pragma foreign_keys = on",
)
_left_behind: Final[list[Link]] = []  # of a parent process: to close them could wait for ever
_MOVED: Final = (
    "{} was removed or replaced while it was open. Call close() to continue with the file that is there now."
)


def _commit(link: Link, verb: Verb[Answer]) -> Answer:
    answer = verb(link)
    link.rows("commit")
    return answer


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file has this name now."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


class SqliteFile:
    """Opens at first use, and again after a close."""

    def __init__(self, path: str | Path, driver: Driver, busy_seconds: float) -> None:
        if not 0 < busy_seconds <= 3600:
            raise Invalid(f"The busy_seconds must be between 0 and 3600, not {busy_seconds}.")
        self._asked = absolute(path)
        self._driver: Driver = driver
        self._busy_ms = round(busy_seconds * 1000)
        self._place: Place | None = None
        self._links: dict[str, Link] = {}
        self._opened: tuple[int, int] | None = None
        self._renew_locks()
        self._given_up = False
        forks.watch(self)

    def _renew_locks(self) -> None:
        # Ctrl-C may come between taking a lock and noting that it is taken: its thread can still close the file.
        self._locks = {use: threading.RLock() for use in ("write", "read", "copy")}
        self._opening = threading.Lock()

    @property
    def path(self) -> Path:
        """Where the file is; a private one gets its place at first use."""
        if self._place is None:
            self._place = Place(self._asked)
        return self._place.path

    def write(self, verb: Verb[Answer]) -> Answer:
        """Run a verb alone in the whole file, all of it or nothing."""
        until = time.monotonic() + self._busy_ms / 1000
        with self._link("write") as link, self._all_or_nothing(link):
            self._begin(link, until)
            return _commit(link, verb)

    def try_write(self, verb: Verb[object]) -> bool:
        """The same without waiting for other threads and processes; whether it was done."""
        lock = self._locks["write"]
        if not lock.acquire(blocking=False):
            return False
        try:
            with self._link("write") as link, self._all_or_nothing(link):
                if not self._begin_now(link):
                    return False
                _commit(link, verb)
                return True
        finally:
            lock.release()

    @contextmanager
    def _all_or_nothing(self, link: Link) -> Generator[None]:
        """Leave no transaction open, also where an exception comes from outside, such as Ctrl-C."""
        try:
            yield
        except BaseException:
            self._roll_back(link)
            raise

    def read(self, verb: Verb[Answer]) -> Answer:
        """Run a verb that changes nothing, on one state of the file."""
        with self._link("read") as link:
            link.rows("begin")
            try:
                return verb(link)
            finally:
                self._roll_back(link)

    def checkpoint(self) -> None:
        """Move the write-ahead log into the file and empty it; left to the next time while somebody reads."""
        with self._link("write") as link:
            link.rows(f"pragma busy_timeout = {_CHECKPOINT_MS}")
            try:
                [(busy, *_)] = link.rows("pragma wal_checkpoint(truncate)")
            finally:
                link.rows(f"pragma busy_timeout = {min(self._busy_ms, _STEP_MS)}")
        if busy:
            self._warn()

    def _warn(self) -> None:
        """A reader that does not end keeps all that is written since from leaving the log."""
        wal = self.path.with_name(self.path.name + "-wal")
        if wal.exists() and wal.stat().st_size > LOG_BOUND:
            log.warning(
                "%s has %d bytes. End the transaction that has the file open for reading.", wal, wal.stat().st_size
            )

    def backup(self, target: Path) -> None:
        """Copy the file as it is now, while others write; the copy is whole or not there."""
        with self._turn("copy"):  # reads go on meanwhile
            forks.refuse_inherited(self.path)
            refuse_second_name(self.path)
            back_up(self._driver, self.path, target, self._busy_ms)

    def give_up(self) -> None:
        """Let nobody wait for the file any more, until it is closed: they are told that it was busy."""
        self._given_up = True

    def close(self) -> None:
        """Give both connections back, and a private file with them."""
        with self._locks["write"], self._locks["read"]:
            self._close_links()
            self._place = None
            self._given_up = False

    def _close_links(self) -> None:
        links, self._links = self._links, {}
        for link in links.values():
            link.close()

    def inherit(self) -> Path | None:
        """In the child of a fork: leave the parent's connections alone; the file, if it was open."""
        self._renew_locks()
        if not self._links:
            return None
        _left_behind.extend(self._links.values())
        self._links = {}
        return self.path.resolve()

    @contextmanager
    def _link(self, use: str) -> Generator[Link]:
        with self._turn(use), translate_errors(self.path):
            if self._links and _identity(self.path) != self._opened:
                raise StoreUnavailable(_MOVED.format(self.path))
            yield self._links.get(use) or self._open(use)

    @contextmanager
    def _turn(self, use: str) -> Generator[None]:
        """One thread at a time; the wait for the others has the same bound as that for other processes."""
        lock, until = self._locks[use], time.monotonic() + self._busy_ms / 1000
        while not lock.acquire(timeout=max(0, min(_STEP_MS / 1000, until - time.monotonic()))):
            if self._is_over(until):
                raise StoreBusy("Other threads held the file for too long. Try again.")
        try:
            yield
        finally:
            lock.release()

    def _begin(self, link: Link, until: float) -> None:
        """Wait for other processes step by step: SQLite itself cannot be told to stop waiting."""
        while True:
            try:
                link.rows("begin immediate")
            except tuple(DRIVERS) as error:
                if code_of(error) & 0xFF != _BUSY or self._is_over(until):
                    raise
            else:
                return

    def _begin_now(self, link: Link) -> bool:
        link.rows("pragma busy_timeout = 0")
        try:
            link.rows("begin immediate")
        except tuple(DRIVERS) as error:
            if code_of(error) & 0xFF != _BUSY:
                raise
            return False
        else:
            return True
        finally:
            link.rows(f"pragma busy_timeout = {min(self._busy_ms, _STEP_MS)}")

    def _is_over(self, until: float) -> bool:
        return self._given_up or time.monotonic() >= until

    def _open(self, use: str) -> Link:
        with self._opening:
            forks.refuse_inherited(self.path)
            refuse_second_name(self.path)
            link = connect(self._driver, self.path)
            try:
                self._set_up(link)
                if use == "read":
                    link.rows("pragma query_only = on")
                else:
                    link.rows(f"pragma busy_timeout = {min(self._busy_ms, _STEP_MS)}")
            except BaseException:
                link.close()
                raise
            self._opened = self._opened if self._links else _identity(self.path)
            self._links[use] = link
            return link

    def _set_up(self, link: Link) -> None:
        link.rows(f"pragma busy_timeout = {self._busy_ms}")
        for setting in _SETTINGS:
            link.rows(setting)
        if migrations.is_current(link):
            return
        link.rows("begin immediate")
        try:
            migrations.ensure(link)
            link.rows("commit")
        except BaseException:
            self._roll_back(link)
            raise

    def _roll_back(self, link: Link) -> None:
        """What was refused may have been rolled back by SQLite itself, as on a full disk."""
        if link.in_transaction():
            with suppress(Exception):
                link.rows("rollback")
