"""A PostgreSQL of somebody's own: without our roles, with passwords, and a DBA who is no superuser."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from jobplane.embedded import EmbeddedServer

LOGINS: Final = """
create role dba login createrole createdb password 'dba-secret';
create role shop login password 'shop-secret';
"""
_PASSWORDS: Final = "local all all scram-sha-256\n"


@contextmanager
def own_server(directory: Path, bin_dir: str | None, settings: Mapping[str, str]) -> Generator[EmbeddedServer]:
    with TemporaryDirectory() as open_to_all:
        access = Path(open_to_all) / "pg_hba.conf"
        access.write_text(_PASSWORDS)
        access.parent.chmod(0o755)
        given = {**settings, "hba_file": str(access)}
        found = Path(bin_dir) if bin_dir else None
        with EmbeddedServer(directory, bin_dir=found, bootstrap_sql=LOGINS, owner="dba", settings=given) as server:
            yield server


def with_password(url: str, password: str) -> str:
    return url.replace("@", f":{password}@", 1)
