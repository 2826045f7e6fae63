"""What the how-to pages take for granted: a tenant, definitions, an application's own table."""

from typing import Final

import psycopg

from tests.database import Database

DEFINITIONS: Final = """
select jobplane.put_definitions(
  array['{"key": "resize", "kind": "python", "arg_schema": true}',
        '{"key": "send-receipt", "kind": "python", "arg_schema": true}']::jsonb[])
"""
ORDERS: Final = """
create schema shop;
grant usage on schema shop to public;
create table shop.orders (id int primary key, total numeric not null);
grant select, insert on shop.orders to public;
"""


def furnish(db: Database) -> str:
    """Make them, and return the id of tenant acme."""
    db.own(ORDERS)
    with psycopg.connect(db.url("admin"), autocommit=True) as conn:
        conn.execute(DEFINITIONS)
        [[acme]] = conn.execute("select tenant_id::text from jobplane.create_tenant('acme')").fetchall()
    return acme


def enqueue(db: Database, acme: str, definition: str) -> None:
    with psycopg.connect(db.url("app")) as conn:
        conn.execute("select set_config('jobplane.tenant_id', %s, true)", [acme])
        conn.execute("select jobplane.enqueue(%s)", [definition])
