"""database_facts: how large the file is, and how many rows its tables have."""

from __future__ import annotations

from pathlib import Path

from jobplane.core.database import DatabaseFacts, Journal, TableFacts
from jobplane.store.base import Conn
from jobplane.store.sqlite import statements
from jobplane.store.sqlite.migrations import migrations
from jobplane.store.sqlite.moment import Moment
from jobplane.store.verbs.operator import InspectDatabase


def database_facts(db: Conn, _: Moment, __: InspectDatabase) -> DatabaseFacts:
    sql = statements.load_verb("database_facts")
    [(version, found, size, path, mode)] = db.rows(sql["file"], ())
    names = [row[0] for row in db.rows(sql["tables"], ())]
    counts = [db.rows(sql["count"].format(table=name), ())[0][0] for name in names]
    return DatabaseFacts(
        store="sqlite",
        version=version,
        schema_found=found,
        schema_wanted=migrations()[-1][0],
        size_bytes=size,
        tables=[TableFacts(name.removeprefix("jobplane_"), count) for name, count in zip(names, counts, strict=True)],
        journal=Journal(mode, _size(Path(f"{path}-wal")) if path else 0),
    )


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
