"""A pgbouncer in transaction mode, two server connections for each role and database: no session to rely on."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs, urlsplit

if TYPE_CHECKING:
    from tests.database import Cluster

PORT: Final = 6432
ROLES: Final = ("owner", "app", "worker", "scheduler", "admin", "maintenance")
MISSING: Final = "pgbouncer is not installed, so nothing can run through a pooler; on Debian: apt-get install pgbouncer"

# `*`: also what is created later. A server connection that nobody needs goes away by itself.
_CONFIG: Final = """\
[databases]
* = host={server} port={server_port}

[pgbouncer]
listen_addr =
listen_port = {port}
unix_socket_dir = {directory}
auth_type = trust
auth_file = {directory}/users.txt
pool_mode = transaction
default_pool_size = 2
max_client_conn = 500
server_idle_timeout = 5
autodb_idle_timeout = 5
ignore_startup_parameters = {ignored}
logfile = {directory}/pgbouncer.log
log_connections = 0
log_disconnections = 0
"""


class PoolerMissing(RuntimeError):
    """There is no pgbouncer on this machine."""


@contextmanager
def pooled(cluster: Cluster, *, ignored: str = "extra_float_digits,options") -> Generator[str]:
    """Start a pooler as the operating system's user whom the server trusts, and give the directory of its socket.

    `ignored`: the parameters of a session that it takes and drops; what else it does not know it refuses.
    """
    program = find()
    user = cluster.server.os_user if os.geteuid() == 0 else None
    # Beside the server's own socket, whose path is short enough for another one.
    with tempfile.TemporaryDirectory(prefix="jobplane-pooler-", dir=cluster.server.socket_dir.parent) as name:
        directory = Path(name)
        _write_config(directory, cluster, ignored)
        if user:
            _give(directory, user)
        process = subprocess.Popen([program, "-q", str(directory / "pgbouncer.ini")], user=user, stderr=subprocess.PIPE)
        try:
            _wait(process, directory / f".s.PGSQL.{PORT}")
            yield name
        finally:
            process.terminate()
            process.communicate(timeout=20)


def find() -> str:
    """The program; Debian puts it where an ordinary user's PATH does not lead."""
    path = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"])
    program = shutil.which("pgbouncer", path=path)
    if program is None:
        raise PoolerMissing(MISSING)
    return program


def _write_config(directory: Path, cluster: Cluster, ignored: str) -> None:
    port = parse_qs(urlsplit(cluster.server.url("jobplane_app")).query).get("port", ["5432"])[0]
    config = _CONFIG.format(
        server=cluster.server.socket_dir, server_port=port, directory=directory, port=PORT, ignored=ignored
    )
    (directory / "pgbouncer.ini").write_text(config)
    (directory / "users.txt").write_text("".join(f'"jobplane_{role}" ""\n' for role in ROLES))


def _give(directory: Path, user: str) -> None:
    entry = pwd.getpwnam(user)
    for path in (directory, *directory.iterdir()):
        os.chown(path, entry.pw_uid, entry.pw_gid)


def _wait(process: subprocess.Popen[bytes], socket: Path, seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not socket.exists():
        if process.poll() is not None:
            raise RuntimeError(f"pgbouncer did not start: {process.communicate()[1].decode()}")
        if time.monotonic() > deadline:
            raise TimeoutError("pgbouncer does not open its socket")
        time.sleep(0.01)
