"""The configuration files of the server: written again at each start, but for postgresql.conf, which is the user's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from jobplane.embedded.account import Account
from jobplane.embedded.directories import write_private

SUPERUSER: Final = "postgres"
MAP: Final = "jobplane"
MOVING_MAP: Final = "moving"
MOVING_HBA: Final = "pg_hba.moving.conf"
PORT: Final = 5432

DEFAULTS: Final = {
    "max_connections": "200",
    "superuser_reserved_connections": "0",  # the superuser cannot connect
    "shared_buffers": "128MB",
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "password_encryption": "scram-sha-256",
    "jit": "off",  # statements are short, and the programs of the wheel have none
    "timezone": "UTC",
    "lc_messages": "C",
    "logging_collector": "on",
    "log_directory": "log",
    "log_filename": "server-%Y%m%d-%H%M%S.log",
    "log_rotation_size": "10MB",
    "log_rotation_age": "0",
    "log_timezone": "UTC",
    "log_checkpoints": "off",
    "log_min_error_statement": "fatal",  # a refused statement may carry a payload
}

POSTGRESQL_CONF = """\
# Your own settings go below the include and win over it; jobplane does not touch this file again.
include 'jobplane.conf'
"""

PG_HBA = f"""\
# Written at each start. Only by the socket, and only the users of the operating system that pg_ident.conf lists.
local  all  {SUPERUSER}  reject
local  all  all  peer  map={MAP}
local  replication  all  reject
host   all  all  all  reject
"""

# No server reads it unless pg_upgrade tells it to, which only the owner of the files can do.
MOVING_PG_HBA = f"local  all  {SUPERUSER}  peer  map={MOVING_MAP}\n"


def write_first(cluster: Path, account: Account) -> None:
    """What a new cluster gets once."""
    write_private(cluster / "postgresql.conf", POSTGRESQL_CONF, account)
    write_defaults(cluster, account)


def write_defaults(cluster: Path, account: Account) -> None:
    head = "# Written at each start; your own settings go into postgresql.conf.\n"
    lines = [f"{name} = '{value}'\n" for name, value in DEFAULTS.items()]
    write_private(cluster / "jobplane.conf", head + "".join(lines), account, sync=False)


def write_access(cluster: Path, account: Account, users: Iterable[str], roles: Iterable[str]) -> None:
    """Let these users of the operating system be these roles, and nobody anything else."""
    names = sorted(roles)
    head = f"# Written at each start: map, user, role.\n{MOVING_MAP}  {_quote(account.name)}  {SUPERUSER}\n"
    rows = [f"{MAP}  {_quote(user)}  {_quote(role)}\n" for user in sorted(users) for role in names]
    write_private(cluster / "pg_hba.conf", PG_HBA, account, sync=False)
    write_private(cluster / MOVING_HBA, MOVING_PG_HBA, account, sync=False)
    write_private(cluster / "pg_ident.conf", head + "".join(rows), account, sync=False)


def read_users(cluster: Path) -> set[str]:
    """The users of the operating system that may connect now."""
    lines = (cluster / "pg_ident.conf").read_text().splitlines()
    return {line.split('"')[1] for line in lines if line.startswith(MAP)}


def arguments(settings: Mapping[str, str], socket_dir: Path, cluster_name: str) -> list[str]:
    """The command line: the caller's settings, then what nobody may change."""
    fixed = {
        "listen_addresses": "",
        "unix_socket_directories": str(socket_dir),
        "unix_socket_permissions": "0700",
        "cluster_name": cluster_name,
    }
    chosen = {"port": str(PORT)} | dict(settings) | fixed
    return [word for name, value in chosen.items() for word in ("-c", f"{name}={value}")]


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
