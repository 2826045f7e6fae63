"""A small noun takes a table and a list of columns."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from jobplane.core.decoding import texts
from jobplane.core.errors import Invalid, TenantNotFound
from jobplane.core.model import DEFAULT_TENANT, SYSTEM_TENANT, Document
from jobplane.core.paging import Page
from jobplane.store.sqlite import checks
from jobplane.store.sqlite.drivers import Link, connect
from jobplane.store.sqlite.migrations import ensure
from jobplane.store.sqlite.moment import Moment
from jobplane.store.sqlite.verbs.nouns import Noun

TABLE = """
create table pets (
  id integer primary key, name text not null unique, age integer not null default 1, owner text,
  tricks text not null default '[]', created_at integer not null
) strict
"""
TENANTS_TABLE = """
create table toys (
  tenant_no integer not null, name text not null, color text not null, created_at integer not null,
  primary key (tenant_no, name)
) strict
"""
ALICE, CHARLIE = DEFAULT_TENANT, SYSTEM_TENANT
NOW = Moment(1_000_000, lambda: 0.5)


@dataclass(frozen=True, slots=True)
class Pet:
    name: str
    age: int
    owner: str | None
    tricks: list[str]
    undecodable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Toy:
    name: str
    color: str
    undecodable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PutToys:
    tenant: UUID
    documents: Sequence[str | Document]


@dataclass(frozen=True, slots=True)
class ListToys:
    tenant: UUID
    limit: int = 100
    after: str = ""


@dataclass(frozen=True, slots=True)
class DeleteToys:
    tenant: UUID
    ids: Sequence[str]


@dataclass(frozen=True, slots=True)
class PutPets:
    documents: Sequence[str | Document]


@dataclass(frozen=True, slots=True)
class ListPets:
    limit: int = 100
    after: str = ""


@dataclass(frozen=True, slots=True)
class DeletePets:
    ids: Sequence[str]


PETS = Noun(
    Pet,
    "pets",
    {
        "name": checks.text,
        "age": lambda name, value: checks.whole_or_none(name, value, 0, 99),
        "owner": lambda name, value: None if value is None else checks.text(name, value),
        "tricks": checks.texts,
    },
    tricks=texts,
)


TOYS = Noun(Toy, "toys", {"name": checks.text, "color": checks.text}, required=["color"], has_tenant=True)


@pytest.fixture
def db(path: Path) -> Generator[Link]:
    """The tenants are alice and charlie."""
    link = connect("apsw", path)
    ensure(link)
    link.rows(TABLE)
    link.rows(TENANTS_TABLE)
    yield link
    link.close()


def listed(db: Link) -> list[Pet]:
    return PETS.page(db, NOW, ListPets()).items


def test_what_is_put_is_listed_in_the_order_of_the_key(db: Link) -> None:
    new = PETS.put(db, NOW, PutPets(["rex", {"name": "ada", "age": 7, "owner": "bob", "tricks": ["roll", "sit"]}]))

    assert sorted(new) == ["ada", "rex"]
    assert listed(db) == [Pet("ada", 7, "bob", ["roll", "sit"]), Pet("rex", 1, None, [])]


def test_a_value_that_a_document_does_not_name_stays_and_null_takes_one_away(db: Link) -> None:
    PETS.put(db, NOW, PutPets([{"name": "ada", "age": 7, "owner": "bob"}]))

    assert PETS.put(db, NOW, PutPets([{"name": "ada", "age": 8}, "ada"])) == []
    assert listed(db) == [Pet("ada", 8, "bob", [])]
    PETS.put(db, NOW, PutPets([{"name": "ada", "owner": None}]))
    assert listed(db) == [Pet("ada", 8, None, [])]


@pytest.mark.parametrize("document", [{"name": "ada", "age": 100}, {"name": "ada", "id": 5}, {"name": "\x00"}])
def test_a_value_that_cannot_be_and_a_column_that_is_none_are_refused(db: Link, document: Document) -> None:
    with pytest.raises(Invalid):
        PETS.put(db, NOW, PutPets(["rex", document]))

    assert listed(db) == []


def test_pages_follow_each_other_also_behind_a_name_that_is_not_utf8(db: Link) -> None:
    PETS.put(db, NOW, PutPets(["ada", "bad", "rex"]))
    db.rows("update pets set name = cast(x'62ff' as text) where name = 'bad'")

    first = PETS.page(db, NOW, ListPets(2))
    second = PETS.page(db, NOW, ListPets(2, first.next_cursor or ""))

    assert [pet.undecodable for pet in first.items] == [(), ("name",)]
    assert second == Page([Pet("rex", 1, None, [])])


def test_what_is_deleted_is_answered(db: Link) -> None:
    PETS.put(db, NOW, PutPets(["ada", "rex"]))

    assert PETS.delete(db, NOW, DeletePets(["ada", "nobody", "ada"])) == ["ada"]
    assert [pet.name for pet in listed(db)] == ["rex"]


def test_a_tenants_noun_is_its_own(db: Link) -> None:
    assert TOYS.put(db, NOW, PutToys(ALICE, [{"name": "ball", "color": "red"}])) == ["ball"]
    assert TOYS.page(db, NOW, ListToys(CHARLIE)) == Page([])
    assert TOYS.delete(db, NOW, DeleteToys(CHARLIE, ["ball"])) == []
    assert TOYS.put(db, NOW, PutToys(CHARLIE, [{"name": "ball", "color": "blue"}])) == ["ball"]
    assert TOYS.put(db, NOW, PutToys(CHARLIE, [{"name": "ball", "color": "pink"}])) == []

    assert TOYS.page(db, NOW, ListToys(ALICE)) == Page([Toy("ball", "red")])
    assert TOYS.delete(db, NOW, DeleteToys(ALICE, ["ball"])) == ["ball"]
    assert TOYS.page(db, NOW, ListToys(CHARLIE)) == Page([Toy("ball", "pink")])


def test_a_new_document_must_have_what_is_required(db: Link) -> None:
    with pytest.raises(Invalid, match="must have color"):
        TOYS.put(db, NOW, PutToys(ALICE, ["ball"]))
    TOYS.put(db, NOW, PutToys(ALICE, [{"name": "ball", "color": "red"}]))

    assert TOYS.put(db, NOW, PutToys(ALICE, ["ball"])) == []


def test_a_tenant_that_is_not_there_puts_nothing(db: Link) -> None:
    with pytest.raises(TenantNotFound):
        TOYS.put(db, NOW, PutToys(uuid4(), [{"name": "ball", "color": "red"}]))
