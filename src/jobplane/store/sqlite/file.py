"""The open file: one connection that writes, one that reads, both shared by the threads of one process."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final, TypeVar

from jobplane.core.errors import Invalid, StoreError
from jobplane.store.sqlite import schema
from jobplane.store.sqlite.drivers import Driver, Link, connect
from jobplane.store.sqlite.errors import translated
from jobplane.store.sqlite.place import Place

Answer = TypeVar("Answer")
Verb = Callable[[Link], Answer]

# A checkpoint that waits for a reader keeps every writer waiting too.
_CHECKPOINT_MS: Final = 250
_SETTINGS: Final = (
    "pragma journal_mode = wal",
    "pragma synchronous = full",
    "pragma wal_autocheckpoint = 1000",
    "pragma journal_size_limit = 8388608",
    "pragma cache_size = -32000",
    "pragma temp_store = memory",
    "pragma foreign_keys = on",
)
_left_behind: Final[list[Link]] = []  # of a parent process: closing them here would close its locks


class SqliteFile:
    """Opens at first use, and again after a close; never in a child of the process that opened it."""

    def __init__(self, path: str | Path, driver: Driver, busy_seconds: float) -> None:
        if not 0 < busy_seconds <= 3600:
            raise Invalid("busy_seconds must be between 0 and 3600")
        self._asked = path
        self._driver: Driver = driver
        self._busy_ms = round(busy_seconds * 1000)
        self._place: Place | None = None
        self._links: dict[str, Link] = {}
        self._locks = {"write": threading.Lock(), "read": threading.Lock()}
        self._opening = threading.Lock()
        self._pid = os.getpid()

    @property
    def path(self) -> Path:
        """Where the file is; a private one gets its place at first use."""
        if self._place is None:
            self._place = Place(self._asked)
        return self._place.path

    def write(self, verb: Verb[Answer]) -> Answer:
        """Run a verb alone in the whole file, all of it or nothing."""
        with self._link("write") as link:
            link.rows("begin immediate")
            try:
                answer = verb(link)
                link.rows("commit")
            except BaseException:
                self._roll_back(link)
                raise
            return answer

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
                link.rows("pragma wal_checkpoint(truncate)")
            finally:
                link.rows(f"pragma busy_timeout = {self._busy_ms}")

    def backup(self, target: Path) -> None:
        """Copy the file as it is now, while others write; the copy is whole or not there."""
        if target.exists():
            raise Invalid(f"{target} is there already: name a file that is not")
        if not self.path.exists():
            raise Invalid(f"there is no file {self.path} to copy")
        part = target.with_name(target.name + ".part")
        part.unlink(missing_ok=True)
        self._refuse_child()
        try:
            with translated(), closing(connect(self._driver, self.path)) as link:  # reads go on meanwhile
                link.rows(f"pragma busy_timeout = {self._busy_ms}")
                link.backup(part)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)

    def close(self) -> None:
        """Give both connections back, and a private file with them."""
        if self._pid != os.getpid():
            self._forget()
        with self._locks["write"], self._locks["read"]:
            links, self._links = self._links, {}
            for link in links.values():
                link.close()
            self._place = None

    def _forget(self) -> None:
        """In a child: leave the parent's connections as they are; its threads may have been in the locks."""
        _left_behind.extend(self._links.values())
        self._links = {}
        self._locks = {"write": threading.Lock(), "read": threading.Lock()}
        self._opening = threading.Lock()
        self._pid = os.getpid()

    @contextmanager
    def _link(self, use: str) -> Generator[Link]:
        self._refuse_child()
        with translated(), self._locks[use]:
            yield self._links.get(use) or self._open(use)

    def _refuse_child(self) -> None:
        if self._links and self._pid != os.getpid():
            raise StoreError("This store was opened before a fork: close() it in the child, or make one there.")

    def _open(self, use: str) -> Link:
        with self._opening:
            self._pid = os.getpid()
            link = connect(self._driver, self.path)
            try:
                self._set_up(link)
                if use == "read":
                    link.rows("pragma query_only = on")
            except BaseException:
                link.close()
                raise
            self._links[use] = link
            return link

    def _set_up(self, link: Link) -> None:
        link.rows(f"pragma busy_timeout = {self._busy_ms}")
        for setting in _SETTINGS:
            link.rows(setting)
        if schema.is_current(link):
            return
        link.rows("begin immediate")
        try:
            schema.ensure(link)
            link.rows("commit")
        except BaseException:
            self._roll_back(link)
            raise

    def _roll_back(self, link: Link) -> None:
        """What was refused may have been rolled back by SQLite itself, as on a full disk."""
        if link.in_transaction():
            with suppress(Exception):
                link.rows("rollback")
