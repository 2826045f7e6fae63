"""What a super admin sees of the database."""

from __future__ import annotations

from tests.client import PostgresStore
from tests.server.site import Cast, Site


async def test_a_super_admin_sees_the_database(site: Site, cast: Cast) -> None:
    found = (await cast.root.get("/database")).json

    is_postgres = isinstance(site.store, PostgresStore)
    assert set(found) == {
        "store", "version", "schema", "size_bytes", "connections", "oldest_transaction_seconds", "tables", "journal",
    }  # fmt: skip
    assert found["schema"]["found"] == found["schema"]["wanted"]
    assert set(found["tables"][0]) == {"name", "rows_estimate", "size_bytes", "dead_rows", "last_vacuum_at"}
    if is_postgres:
        assert 0 < found["connections"]["used"] < found["connections"]["most"]
        sizes = [table["size_bytes"] for table in found["tables"]]
        assert sizes == sorted(sizes, reverse=True)
    else:
        assert found["journal"]["mode"] == "wal"


async def test_nobody_else_does_not_even_what_was_asked_before(site: Site, cast: Cast) -> None:
    await cast.root.get("/database")

    for voice in (cast.alice, cast.charlie, cast.wanda):
        assert (await voice.get("/database")).code == "forbidden"
