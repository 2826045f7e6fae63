import os
import shutil
import subprocess
import tempfile
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

import pytest

from jobplane.store.postgres import migrate
from tests.migrations.cluster import Database
from tests.migrations.processes import finished, migrator, until
from tests.migrations.tree import Tree

PGBOUNCER = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin:/usr/local/sbin")
CONFIG = """
[databases]
* = host={server}
[pgbouncer]
listen_addr =
listen_port = 6432
unix_socket_dir = {directory}
auth_type = trust
auth_file = {directory}/users
pool_mode = transaction
default_pool_size = 2
"""
pytestmark = pytest.mark.skipif(PGBOUNCER is None, reason="there is no pgbouncer on this machine")


@dataclass(frozen=True)
class Pooled(Database):
    """The same database, behind a pooler."""

    host: Path

    def url(self, role: str = "owner") -> str:
        return f"postgresql://jobplane_{role}@/{self.name}?host={self.host}&port=6432"


@pytest.fixture
def pooled(database: Database) -> Generator[Pooled]:
    user = database.server.os_user if os.geteuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="jobplane-pooler-") as name:
        directory = Path(name)
        (directory / "ini").write_text(CONFIG.format(server=database.server.socket_dir, directory=directory))
        (directory / "users").write_text('"jobplane_owner" ""\n"jobplane_app" ""\n')
        if user:
            shutil.chown(directory, user)
        process = subprocess.Popen(
            [PGBOUNCER or "", "-q", str(directory / "ini")], user=user, stderr=subprocess.DEVNULL
        )
        try:
            until((directory / ".s.PGSQL.6432").exists)
            yield Pooled(database.server, database.name, directory)
        finally:
            process.terminate()
            process.wait(timeout=20)


def test_migrators_share_a_pool_of_two_and_leave_nothing_on_its_sessions(pooled: Pooled, tree: Tree) -> None:
    migrators = [migrator(pooled, tree.root) for _ in range(4)]
    done = [step for each in migrators for step in finished(each)]

    assert sorted(done) == ["0001_things.sql", "0002_label.sql", "functions and policies", "schema"]
    assert migrate.status(pooled.url("app"), root=tree.root).up_to_date
    for _ in range(2):
        assert pooled.value("select current_user || current_setting('lock_timeout')") == "jobplane_owner0"
    assert pooled.value("select count(*) from pg_locks where locktype = 'advisory'") == 0
