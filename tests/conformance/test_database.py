"""database_facts."""

from __future__ import annotations

from jobplane.store.postgres import source
from jobplane.store.sqlite.migrations import migrations
from tests.client import PostgresStore, Store
from tests.conformance.factory import Factory


async def test_a_database_tells_its_size_and_its_schema(store: Store, make: Factory) -> None:
    found = await store.database_facts()
    is_postgres = isinstance(store, PostgresStore)

    assert found.store == ("postgresql" if is_postgres else "sqlite")
    assert found.version[:1].isdigit()
    assert found.schema_found == found.schema_wanted == (source.load().number if is_postgres else len(migrations()))
    assert found.size_bytes > 100_000
    assert (found.connections is None, found.journal is None) == (not is_postgres, is_postgres)


async def test_each_table_is_told_of_once(store: Store, make: Factory) -> None:
    await make.jobs(1000)

    found = await store.database_facts()

    names = [table.name for table in found.tables]
    assert {"jobs", "ready", "held", "upcoming", "leases", "endings", "attempts", "logs", "audit_log"} <= set(names)
    assert len(names) == len(set(names))
    assert not any(name.startswith("logs_") for name in names)
