from dataclasses import replace
from typing import Any

import pytest

from jobplane.core.errors import Forbidden, JobplaneError, SchemaOutOfDate, UnsafeRole, UnsupportedServer
from jobplane.embedded import EmbeddedServer
from jobplane.store.postgres import migrate, startup
from jobplane.store.postgres.refusals import TrustMismatch, UnsafeDurability
from jobplane.store.postgres.startup import Login, Schema, judge
from tests.migrations.cluster import Database
from tests.migrations.tree import Tree

GOOD = Login(
    login="jobplane_app",
    server=180004,
    is_utf8=True,
    superuser=False,
    bypasses=False,
    powers=[],
    maintains=False,
    forgetful=[],
    installed=True,
    readable=True,
    member=True,
)
FITTING = Schema(trust="roles", number=3, oldest_program=2)


@pytest.mark.parametrize(
    ("login", "schema", "error"),
    [
        ({"server": 140020}, {}, UnsupportedServer),
        ({"is_utf8": False}, {}, UnsupportedServer),
        ({"superuser": True}, {}, UnsafeRole),
        ({"bypasses": True}, {}, UnsafeRole),
        ({"powers": ["jobplane_engine"]}, {}, UnsafeRole),
        ({"powers": ["jobplane_hot"], "maintains": True}, {}, UnsafeRole),
        ({"powers": ["jobplane_hot"], "server": 160010}, {}, UnsafeRole),
        ({"forgetful": ["fsync"]}, {}, UnsafeDurability),
        ({"readable": False}, {}, Forbidden),
        ({"member": False}, {}, Forbidden),
        ({}, {"number": 2}, SchemaOutOfDate),
        ({}, {"number": 5, "oldest_program": 4}, SchemaOutOfDate),
        ({}, {"trust": "single"}, TrustMismatch),
    ],
)
def test_what_is_refused(login: dict[str, Any], schema: dict[str, Any], error: type[JobplaneError]) -> None:
    with pytest.raises(error):
        judge(replace(GOOD, **login), replace(FITTING, **schema), wanted=3, trust="roles")


@pytest.mark.parametrize(
    ("login", "said"),
    [
        ({}, []),
        ({"server": 170006}, []),
        ({"server": 170005}, ["Update to 17.6"]),
        ({"server": 160009}, ["Update to 16.10"]),
        ({"server": 150013}, ["Update to 15.14"]),
        ({"server": 190000}, ["newer than 18"]),
        ({"server": 160010, "powers": ["jobplane_hot"], "maintains": True}, []),
    ],
)
def test_what_is_said(login: dict[str, Any], said: list[str]) -> None:
    found = judge(replace(GOOD, **login), replace(FITTING, number=7), wanted=3, trust="roles")

    assert len(found) == len(said)
    assert all(part in sentence for part, sentence in zip(said, found, strict=True))


def test_unsafe_durability_is_said_where_it_is_allowed() -> None:
    forgetful = replace(GOOD, forgetful=["fsync", "synchronous_commit"])

    [sentence] = judge(forgetful, FITTING, wanted=3, trust="roles", allow_unsafe_durability=True)

    assert sentence.startswith("fsync = off, synchronous_commit = off: ")


def check(database: Database, role: str, *, wanted: int = 2, trust: str = "roles", before: str = "") -> list[str]:
    with database.connect(role) as conn:
        conn.execute(before.encode())
        kind = "single" if trust == "single" else "roles"
        return startup.check(conn, wanted=wanted, trust=kind, allow_unsafe_durability=True)


@pytest.mark.parametrize("role", ["app", "worker", "scheduler", "admin", "maintenance"])
def test_the_roles_of_jobplane_may_start(database: Database, tree: Tree, role: str) -> None:
    migrate.up(database.url(), root=tree.root)

    [durability] = check(database, role)

    assert "fsync = off" in durability


@pytest.mark.parametrize(
    ("role", "before", "fault"),
    [
        ("owner", "", "is, or is a member of, jobplane_"),
        ("bypass", "", "has BYPASSRLS"),
        ("dba", "set role jobplane_root", "is a superuser"),
    ],
)
def test_powerful_roles_may_not(database: Database, tree: Tree, role: str, before: str, fault: str) -> None:
    migrate.up(database.url(), root=tree.root)

    with pytest.raises(UnsafeRole, match=f"jobplane_{role} {fault}"):
        check(database, role, before=before)


def test_a_member_of_the_owner_may_not_either(database: Database, tree: Tree) -> None:
    migrate.up(database.url(), root=tree.root)
    with database.connect("dba") as conn:
        conn.execute("set role jobplane_root")
        conn.execute("alter table jobplane.things owner to jobplane_stranger")

    with pytest.raises(UnsafeRole, match="is a member of, jobplane_stranger"):
        check(database, "stranger")


def test_a_stranger_is_not_admitted(database: Database, tree: Tree) -> None:
    migrate.up(database.url(), root=tree.root)

    with pytest.raises(Forbidden, match="jobplane_stranger may not use the schema jobplane"):
        check(database, "stranger")


def test_an_empty_database_names_the_command(database: Database) -> None:
    with pytest.raises(SchemaOutOfDate, match="Run `jobplane migrate up`") as refusal:
        check(database, "app")
    assert refusal.value.facts == {"found": 0, "wanted": 2}


def test_single_trust_is_said_at_every_start(database: Database, tree: Tree) -> None:
    migrate.up(database.url(), trust="single", root=tree.root)

    assert startup.SINGLE in check(database, "owner", trust="single")


def test_durability_settings_are_refused(database: Database, tree: Tree) -> None:
    migrate.up(database.url(), root=tree.root)

    with database.connect("app") as conn, pytest.raises(UnsafeDurability, match="fsync = off"):
        startup.check(conn, wanted=2)


def test_a_database_in_another_encoding_is_refused(server: EmbeddedServer) -> None:
    with Database(server, "jobplane").connect() as conn:
        conn.execute("create database ascii_only encoding 'SQL_ASCII' locale 'C' template template0")
    database = Database(server, "ascii_only")

    with pytest.raises(UnsupportedServer, match="encoding 'UTF8'"):
        migrate.up(database.url())
    with database.connect() as conn, pytest.raises(UnsupportedServer, match="encoding 'UTF8'"):
        startup.check(conn, wanted=1)
