"""One embedded server, shared by all processes that name its data directory."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Self
from urllib.parse import quote

from jobplane.core.errors import StoreUnavailable, UnsafeRole
from jobplane.embedded.account import server_account
from jobplane.embedded.binaries import find_binaries
from jobplane.embedded.bootstrap import DATABASE, Bootstrap
from jobplane.embedded.launch import Launch
from jobplane.embedded.location import absolute
from jobplane.embedded.postmaster import Postmaster
from jobplane.embedded.settings import PORT, SUPERUSER
from jobplane.embedded.versions import running_version

NO_SETTINGS: Mapping[str, str] = MappingProxyType({})


class EmbeddedServer:
    """Starts the server of a data directory or joins the running one; the last one out, of all processes, stops it.

    `bootstrap_sql` runs as the superuser when the cluster is made, and again before a start when its text has changed.
    A child made by fork is one more user, with its own stop() to call.
    """

    def __init__(
        self,
        data_dir: Path,
        *,
        bin_dir: Path | None = None,
        bootstrap_sql: str = "",
        owner: str = "jobplane_owner",
        settings: Mapping[str, str] = NO_SETTINGS,
    ) -> None:
        self.data_dir = absolute(data_dir)
        self._bin_dir = bin_dir
        self._bootstrap = Bootstrap(bootstrap_sql, owner, durable=settings.get("fsync") != "off")
        self._settings = dict(settings)
        self._guard = threading.Lock()
        self._launch: Launch | None = None
        self._running: Postmaster | None = None
        self._use = -1

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Return when the server takes connections. A second call does nothing."""
        with self._guard:
            if self._running is None:
                binaries, account = find_binaries(self._bin_dir), server_account(self.data_dir)
                self._launch = Launch(self.data_dir, binaries, account, self._bootstrap, self._settings)
                self._running, self._use = self._launch.join_or_start()

    def stop(self) -> None:
        """Leave; the server stops if nobody else uses it. A second call does nothing."""
        with self._guard:
            if self._running and self._launch:
                self._running = None
                self._launch.leave(self._use)

    def url(self, role: str, database: str = DATABASE) -> str:
        """The URL for one of the roles; there is none for the superuser."""
        if role == SUPERUSER:
            raise UnsafeRole(f"Nobody can connect as {role}. Use one of the jobplane roles.", role=role)
        user, name, host = (quote(word, safe="") for word in (role, database, str(self.socket_dir)))
        port = self._server.port
        # A client that is given no port takes the one in its environment.
        suffix = "" if port == PORT and "PGPORT" not in os.environ else f"&port={port}"
        return f"postgresql://{user}@/{name}?host={host}{suffix}"

    @property
    def socket_dir(self) -> Path:
        return self._server.socket_dir

    @property
    def version(self) -> tuple[int, int]:
        """The version of the running server, else of the programs that would start it."""
        return running_version(self.data_dir) if self._running else find_binaries(self._bin_dir).version

    @property
    def os_user(self) -> str:
        """The user of the operating system that the server runs as."""
        return server_account(self.data_dir).name

    @property
    def _server(self) -> Postmaster:
        if self._running is None:
            raise StoreUnavailable("The embedded server is not started. Use a `with` block, or call start().")
        return self._running
