"""The SQLite store: every verb in one transaction on one file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Self, TypeVar

from jobplane.core.actors import Actor
from jobplane.store.base import Conn
from jobplane.store.sqlite import migrations, moment
from jobplane.store.sqlite.bindings import Access, Binding, binding_of
from jobplane.store.sqlite.drivers import Driver
from jobplane.store.sqlite.errors import translate_errors
from jobplane.store.sqlite.file import SqliteFile
from jobplane.store.sqlite.lent import require_file, require_sqlite, run_all_or_nothing
from jobplane.store.verbs.verb import Verb

Answer = TypeVar("Answer")


class BlockingSqliteStore:
    """Safe to share between threads, and between processes that open it each for themselves; never across a fork.

    `path` may be `:memory:`: a private file in shared memory, gone with the close. `busy_seconds` bounds how long a
    call waits for another process. `clock` (microseconds UTC) and `dice` are for tests.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        driver: Driver = "apsw",
        busy_seconds: float = 10.0,
        clock: Callable[[], int] = moment.clock,
        dice: Callable[[], float] = moment.dice,
    ) -> None:
        self._file = SqliteFile(path, driver, busy_seconds)
        self._driver: Driver = driver
        self._access = Access(self._file, clock, dice)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self._file.path

    def close(self) -> None:
        """Give the file back; the store opens again at its next use."""
        self._file.close()

    def give_up(self) -> None:
        """Let no call wait for the file any more, until it is closed."""
        self._file.give_up()

    def check(self) -> None:
        """Open the file now, and bring it to this program's schema."""
        self._file.write(lambda _: None)

    def backup(self, target: Path) -> None:
        """A consistent copy, made while others write, into a file that is not there yet."""
        self._file.backup(target)

    def run(self, verb: Verb[Answer], *, conn: Conn | None = None, actor: Actor | None = None) -> Answer:
        binding, access = binding_of(verb), self._access if actor is None else self._access.by(actor)
        return binding.run(access, verb) if conn is None else self._run_lent(conn, verb, binding, access)

    def _run_lent(self, conn: Conn, verb: Verb[Answer], binding: Binding[Answer], access: Access) -> Answer:
        """Inside the caller's transaction, which may be the first that this file sees of us."""
        require_sqlite(conn, self._driver)
        with translate_errors(self.path):
            require_file(conn, self.path)
            with run_all_or_nothing(conn):
                migrations.ensure(conn)
                return binding.act(conn, access.moment(), verb)
