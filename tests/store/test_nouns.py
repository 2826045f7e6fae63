"""A small noun of tenants on PostgreSQL: a table, three functions, and a line for each verb."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar
from uuid import UUID

import psycopg
import pytest

from jobplane.core.errors import Invalid
from jobplane.core.model import DEFAULT_TENANT, SYSTEM_TENANT, Document
from jobplane.core.paging import Page
from jobplane.store.postgres.calls import nouns
from jobplane.store.postgres.calls.call import Call
from jobplane.store.postgres.errors import translate_errors
from tests.database import Database

Answer = TypeVar("Answer")
Connection = psycopg.Connection[tuple[Any, ...]]
PETS: Final = """
create table jobplane.pets (
  tenant_id  uuid not null,
  name       text not null check (length(name) < 9),
  age        int not null default 1,
  owner      text not null,
  primary key (tenant_id, name)
);
create function jobplane.put_pets(p_documents jsonb) returns setof text
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
#variable_conflict use_column
declare
  v_tenant constant uuid := jobplane.current_tenant();
  v_documents constant jsonb[] := array(select jobplane.documents(p_documents, 'name', '{name,age,owner}'));
begin
  return query insert into jobplane.pets (tenant_id, name, owner) select v_tenant, d ->> 'name', d ->> 'owner'
    from unnest(v_documents) d where not exists (select from jobplane.pets p where (p.tenant_id, p.name) = (v_tenant, d ->> 'name'))
    on conflict do nothing returning name;
  perform from jobplane.pets p where p.tenant_id = v_tenant and p.name in (select d ->> 'name' from unnest(v_documents) d) order by p.name for update;
  update jobplane.pets p set age = n.age, owner = n.owner
    from unnest(v_documents) d join jobplane.pets o on (o.tenant_id, o.name) = (v_tenant, d ->> 'name'), lateral jsonb_populate_record(o, d) n
   where (p.tenant_id, p.name) = (o.tenant_id, o.name);
end $$;
create function jobplane.list_pets(p_limit int default 100, p_after text default '') returns table (name text, age int, owner text)
language sql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
  select p.name, p.age, p.owner from jobplane.pets p where p.tenant_id = jobplane.current_tenant() and p.name > p_after
   order by p.name limit least(greatest(p_limit, 1), 1000)
$$;
create function jobplane.delete_pets(p_names text[]) returns setof text
language sql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
  delete from jobplane.pets p where p.tenant_id = jobplane.current_tenant() and p.name = any (p_names) returning p.name
$$;
grant execute on function jobplane.put_pets, jobplane.list_pets, jobplane.delete_pets to jobplane_app;
"""  # noqa: E501 as in a file of SQL
ALICE, CHARLIE = DEFAULT_TENANT, SYSTEM_TENANT


@dataclass(frozen=True, slots=True)
class Pet:
    name: str
    age: int
    owner: str
    undecodable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PutPets:
    tenant: UUID
    documents: Sequence[str | Document]


@dataclass(frozen=True, slots=True)
class ListPets:
    tenant: UUID
    limit: int = 100
    after: str = ""


@dataclass(frozen=True, slots=True)
class DeletePets:
    tenant: UUID
    ids: Sequence[str]


put = nouns.put("app", "put_pets")
page = nouns.page("app", "list_pets", Pet)
delete = nouns.delete("app", "delete_pets")


@pytest.fixture
def app(db: Database) -> Connection:
    db.own(PETS)
    return db.connect("app")


def run(app: Connection, call: Call[Answer]) -> Answer:
    with translate_errors():
        return call.read(app.execute(call.statement, call.parameters).fetchall())


def test_what_is_put_is_listed_page_by_page_and_a_value_that_is_not_named_stays(app: Connection) -> None:
    pets = [{"name": name, "owner": "bob"} for name in ("rex", "ada", "eve")]
    assert sorted(run(app, put(PutPets(ALICE, [*pets, {"name": "ada", "age": 7}])))) == ["ada", "eve", "rex"]
    assert run(app, put(PutPets(ALICE, [{"name": "ada", "owner": "eve"}, "rex"]))) == []

    first = run(app, page(ListPets(ALICE, 2)))
    assert first == Page([Pet("ada", 7, "eve"), Pet("eve", 1, "bob")], "eve")
    assert run(app, page(ListPets(ALICE, 2, "eve"))) == Page([Pet("rex", 1, "bob")])


def test_a_constraint_or_an_unknown_column_refuses_the_whole_call(app: Connection) -> None:
    good = {"name": "ada", "owner": "bob"}
    for bad in ("rex", {**good, "name": "much too long"}, {**good, "tenant_id": str(CHARLIE)}, {**good, "age": None}):
        with pytest.raises(Invalid):
            run(app, put(PutPets(ALICE, [{"name": "eve", "owner": "bob"}, bad])))

    assert run(app, page(ListPets(ALICE))) == Page([])


def test_charlie_sees_changes_and_deletes_nothing_of_alice(app: Connection) -> None:
    run(app, put(PutPets(ALICE, [{"name": "ada", "owner": "bob"}])))

    assert run(app, page(ListPets(CHARLIE))) == Page([])
    assert run(app, put(PutPets(CHARLIE, [{"name": "ada", "owner": "charlie"}]))) == ["ada"]
    assert run(app, delete(DeletePets(CHARLIE, ["ada", "nobody"]))) == ["ada"]

    assert run(app, page(ListPets(ALICE))) == Page([Pet("ada", 1, "bob")])
    assert run(app, delete(DeletePets(ALICE, ["ada"]))) == ["ada"]
