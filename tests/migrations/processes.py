"""Migrators as processes of their own, and ways to see what they are at."""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests import programs
from tests.migrations.cluster import Database

_MIGRATE = """
import sys
from pathlib import Path
from jobplane.store.postgres import migrate
for step in migrate.up(sys.argv[1], root=Path(sys.argv[2])).steps:
    print(step)
"""
WAITING = (
    "select count(*) from pg_stat_activity where datname = current_database() and wait_event{} and query ilike '%{}%'"
)


def migrator(database: Database, root: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", _MIGRATE, f"{database.url()}&application_name=migrator", str(root)]
    return programs.start(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def finished(process: subprocess.Popen[str]) -> list[str]:
    """The steps that it did; it must have succeeded."""
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    return out.splitlines()


def until(probe: Callable[[], object], seconds: float = 20) -> None:
    ends_at = time.monotonic() + seconds
    while not probe():
        assert time.monotonic() < ends_at, "it never came to be"
        time.sleep(0.02)


def until_asleep(database: Database) -> None:
    """Until somebody is inside pg_sleep."""
    until(lambda: database.value(WAITING.format(" = 'PgSleep'", "")))


def until_blocked(database: Database, statement: str) -> None:
    """Until somebody waits for a lock in that statement."""
    until(lambda: database.value(WAITING.format("_type = 'Lock'", statement)))


def kill(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()
