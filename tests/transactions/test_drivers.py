"""What an application has taught its driver or framework neither matters nor changes."""

from __future__ import annotations

from typing import Any, Final

import psycopg
import psycopg2
import pytest
import sqlalchemy
from psycopg.adapt import Loader
from psycopg.rows import RowFactory, dict_row, scalar_row
from psycopg2.extras import RealDictCursor

from tests.client import BlockingPostgresStore
from tests.database import Database
from tests.transactions.blocking_stacks import app_url
from tests.transactions.jobs import committed
from tests.transactions.round_trip import written_and_read
from tests.transactions.site import atomic, serve

OLD: Final[Any] = psycopg2  # its types are partly unknown


class Shouting(Loader):
    """What an application may do to its texts."""

    def load(self, data: Any) -> str:
        return bytes(data).decode().upper()


@pytest.mark.parametrize("factory", [dict_row, scalar_row])
def test_a_row_factory_of_psycopg_stays_the_connections_own(
    db: Database, blocking: BlockingPostgresStore, factory: RowFactory[Any]
) -> None:
    with psycopg.connect(app_url(db), row_factory=factory) as conn:
        written_and_read(blocking, conn)

        assert conn.row_factory is factory


def test_adapters_of_psycopg_are_left_to_the_application(db: Database, blocking: BlockingPostgresStore) -> None:
    with psycopg.connect(app_url(db)) as conn:
        for name in ("text", "jsonb", "json", "uuid", "timestamptz"):
            conn.adapters.register_loader(name, Shouting)

        written_and_read(blocking, conn)

        assert conn.execute("select 'mine'::text").fetchone() == ("MINE",)


@pytest.mark.parametrize("kind", [psycopg.RawCursor, psycopg.ClientCursor])
def test_a_cursor_factory_of_psycopg_does_not_matter(db: Database, blocking: BlockingPostgresStore, kind: Any) -> None:
    with psycopg.connect(app_url(db), cursor_factory=kind) as conn:
        written_and_read(blocking, conn)


def test_a_pipeline_of_psycopg_works(db: Database, blocking: BlockingPostgresStore) -> None:
    with psycopg.connect(app_url(db)) as conn, conn.pipeline():
        conn.execute("select 1")
        job = written_and_read(blocking, conn)

    assert committed(blocking) == {job.id}


def test_psycopg2_with_and_without_its_uuids(db: Database, blocking: BlockingPostgresStore) -> None:
    conn = psycopg2.connect(app_url(db), cursor_factory=RealDictCursor)
    first = written_and_read(blocking, conn)
    conn.rollback()
    OLD.extras.register_uuid(conn_or_curs=conn)
    second = written_and_read(blocking, conn)
    conn.commit()

    assert conn.cursor_factory is RealDictCursor
    conn.close()
    assert committed(blocking) == {second.id} != {first.id}


@pytest.mark.parametrize("options", [{"server_side_binding": True}, {"isolation_level": 3}])
def test_options_of_a_django_database_do_not_matter(
    db: Database, blocking: BlockingPostgresStore, options: dict[str, object]
) -> None:
    with serve(app_url(db), **options), atomic():
        job = written_and_read(blocking, "default")

    assert committed(blocking) == {job.id}


@pytest.mark.parametrize("options", [{"stream_results": True}, {"isolation_level": "AUTOCOMMIT"}, {"yield_per": 1}])
def test_options_of_an_engine_do_not_matter(
    db: Database, blocking: BlockingPostgresStore, options: dict[str, Any]
) -> None:
    engine = sqlalchemy.create_engine(app_url(db, "+psycopg"), execution_options=options)
    with engine.begin() as conn:
        job = written_and_read(blocking, conn)
    engine.dispose()

    assert committed(blocking) == {job.id}


def test_bytes_for_texts_in_psycopg2(db: Database, blocking: BlockingPostgresStore) -> None:
    conn = psycopg2.connect(app_url(db))
    OLD.extensions.register_type(OLD.extensions.new_type((25, 114, 3802, 2950), "BYTES", OLD.extensions.BYTES), conn)
    written_and_read(blocking, conn)
    conn.close()
