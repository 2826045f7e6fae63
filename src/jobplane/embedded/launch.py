"""Starting, joining and leaving, one process at a time."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from jobplane.embedded import locks, postmaster, settings
from jobplane.embedded.account import Account, launcher
from jobplane.embedded.binaries import Binaries
from jobplane.embedded.bootstrap import ROLES, Bootstrap
from jobplane.embedded.cluster import Maker
from jobplane.embedded.cluster_place import ClusterPlace, enter
from jobplane.embedded.copies import find_reachable
from jobplane.embedded.directories import VERSION, fingerprint, prepare_data_dir, prepare_socket_dir
from jobplane.embedded.errors import explain_errors
from jobplane.embedded.postmaster import Postmaster, Watch
from jobplane.embedded.versions import record_programs, refuse

START_SECONDS = 120.0
STOP_SECONDS = 60.0
CHANGED = "another process has been starting or stopping the embedded server"
SERVED = "processes of a server that was killed, or that runs in another container, have been holding the data"


@dataclass(frozen=True, slots=True)
class Launch:
    """The facts of a server before it runs."""

    data_dir: Path
    binaries: Binaries
    account: Account
    bootstrap: Bootstrap
    settings: Mapping[str, str]

    def join_or_start(self) -> tuple[Postmaster, int]:
        """The server, and the descriptor that counts us among its users until it is closed."""
        with explain_errors(self.data_dir):
            prepare_data_dir(self.data_dir, self.account)
            with self._lock(locks.CHANGING, CHANGED):
                self._check_version()
                running = self._join() or self._start()
                return running, locks.lock_shared(self.data_dir / locks.USING, self.account)

    def leave(self, use: int) -> None:
        """Stop the server if we were its last user."""
        os.close(use)
        with explain_errors(self.data_dir), self._lock(locks.CHANGING, CHANGED):
            running = self._watch.find()
            if running and locks.is_free(self.data_dir / locks.USING, self.account):
                postmaster.stop(running, STOP_SECONDS)

    @property
    def _watch(self) -> Watch:
        return Watch(self.data_dir, self.account, f"jobplane-{fingerprint(self.data_dir)}")

    def _lock(self, name: str, message: str) -> AbstractContextManager[int]:
        return locks.lock_exclusive(self.data_dir / name, self.account, START_SECONDS, message)

    def _check_version(self) -> None:
        version = self.data_dir / VERSION
        if version.exists() and version.read_text().strip() != str(self.binaries.major):
            raise refuse(self.data_dir, find_reachable(self.binaries, self.account, self.data_dir), self.account)

    def _join(self) -> Postmaster | None:
        found = self._watch.find()
        if found and found.is_cut_off:
            postmaster.stop(found, STOP_SECONDS)
        running = self._watch.wait(found.pid, START_SECONDS) if found else None
        if running:
            self._admit(running)
        return running

    def _admit(self, running: Postmaster) -> None:
        """Root may join a server that its user has launched, and the other way round."""
        users = settings.read_users(self.data_dir)
        if launcher().name not in users:
            self._write_access(users | {launcher().name})
            os.kill(running.pid, signal.SIGHUP)

    def _start(self) -> Postmaster:
        """All processes of a server, and of the making of one, hold its lock: it is free when none of them is left."""
        binaries = find_reachable(self.binaries, self.account, self.data_dir)
        with self._lock(locks.SERVING, SERVED) as lock:
            (self.data_dir / postmaster.LOCK_FILE).unlink(missing_ok=True)
            Maker(binaries, self.account, self.bootstrap).make(self.data_dir, lock)
            with enter(self.data_dir, self.account, lock) as place:
                return postmaster.start(self._command(binaries, place), place, self._watch, START_SECONDS)

    def _command(self, binaries: Binaries, place: ClusterPlace) -> list[str]:
        settings.write_defaults(self.data_dir, self.account)
        self._write_access({launcher().name, self.account.name})
        record_programs(self.data_dir, binaries, self.account)
        words = settings.arguments(self.settings, self._empty_socket_dir(), self._watch.cluster_name)
        return [binaries.program("postgres"), "-D", place.name, *words]

    def _write_access(self, users: set[str]) -> None:
        roles = [role for role in (self.data_dir / ROLES).read_text().split() if role.startswith("jobplane_")]
        settings.write_access(self.data_dir, self.account, users, roles)

    def _empty_socket_dir(self) -> Path:
        socket_dir = prepare_socket_dir(self.data_dir, self.account)
        for stale in socket_dir.glob(".s.PGSQL.*"):
            stale.unlink()
        return socket_dir
