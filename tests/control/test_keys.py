"""Who may make, see and end which keys."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Final
from uuid import UUID

import pytest

from jobplane.control.access import Caller, Role
from jobplane.control.keys import Keys
from jobplane.control.plane import OperatorPlane
from jobplane.core.actors import Actor
from jobplane.core.errors import Forbidden, Invalid, KeyNotFound
from jobplane.core.keys import parse
from jobplane.core.model import Key
from tests.client import SqliteStore

TENANTS_ROLES: Final = (Role.VIEWER, Role.RESPONDER, Role.TENANT_ADMIN, Role.ENQUEUE)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncGenerator[SqliteStore]:
    async with SqliteStore(tmp_path / "jobs.db") as store:
        yield store


@pytest.fixture
async def alice(store: SqliteStore) -> UUID:
    return (await store.create_tenant("alice")).tenant_id


@pytest.fixture
async def charlie(store: SqliteStore) -> UUID:
    return (await store.create_tenant("charlie")).tenant_id


def keys_of(store: SqliteStore, role: Role, tenant: UUID | None = None, owner: str | None = None) -> Keys:
    return OperatorPlane(store, Caller(Actor("key", "me"), role, tenant, owner)).keys


async def ids(keys: Keys) -> set[str]:
    return {key.key_id async for key in keys.walk()}


async def test_the_key_itself_is_shown_once(store: SqliteStore, alice: UUID) -> None:
    keys = keys_of(store, Role.SUPER_ADMIN)

    key, text = await keys.create("viewer", "dashboard", tenant=alice)

    plain = parse(text)
    assert plain is not None
    assert (plain.key_id, key.name, key.created_by) == (
        key.key_id,
        "dashboard",
        {"type": "key", "id": "me", "name": ""},
    )
    found = await store.authenticate(plain.key_id, plain.digest)
    assert found is not None
    assert found.tenant_id == alice


@pytest.mark.parametrize("role", Role)
async def test_a_super_admin_makes_keys_of_every_role(store: SqliteStore, alice: UUID, role: Role) -> None:
    tenant = alice if role in TENANTS_ROLES else None

    key, _ = await keys_of(store, Role.SUPER_ADMIN).create(role, tenant=tenant)

    assert (key.role, key.tenant_id) == (role, tenant)


@pytest.mark.parametrize("role", Role)
async def test_a_tenant_admin_makes_keys_up_to_its_own_role(store: SqliteStore, alice: UUID, role: Role) -> None:
    keys = keys_of(store, Role.TENANT_ADMIN, alice)

    if role in TENANTS_ROLES:
        key, _ = await keys.create(role)
        assert (key.role, key.tenant_id) == (role, alice)
    else:
        with pytest.raises(Forbidden):
            await keys.create(role)
        assert await store.keys() == []


@pytest.mark.parametrize("role", [Role.VIEWER, Role.RESPONDER, Role.ENQUEUE, Role.WORKER])
async def test_other_roles_do_nothing_with_keys(store: SqliteStore, alice: UUID, role: Role) -> None:
    key, _ = await keys_of(store, Role.SUPER_ADMIN).create(Role.VIEWER, tenant=alice)
    keys = keys_of(store, role, None if role is Role.WORKER else alice)

    with pytest.raises(Forbidden):
        await keys.create(Role.VIEWER)
    with pytest.raises(Forbidden):
        await keys.list()
    with pytest.raises(Forbidden):
        await keys.revoke(key.key_id)
    with pytest.raises(Forbidden):
        await keys.rotate(key.key_id)

    assert await store.keys() == [key]


async def test_charlie_reaches_no_key_of_alices(store: SqliteStore, alice: UUID, charlie: UUID) -> None:
    key, _ = await keys_of(store, Role.TENANT_ADMIN, alice).create(Role.VIEWER)
    platform, _ = await keys_of(store, Role.SUPER_ADMIN).create(Role.WORKER)
    keys = keys_of(store, Role.TENANT_ADMIN, charlie)

    for other in (key, platform):
        with pytest.raises(KeyNotFound):
            await keys.revoke(other.key_id)
        with pytest.raises(KeyNotFound):
            await keys.rotate(other.key_id)
    with pytest.raises(Forbidden):
        await keys.create(Role.VIEWER, tenant=alice)
    with pytest.raises(Forbidden):
        await keys.list(tenant=alice)

    assert await ids(keys) == set()
    assert {found.key_id: found for found in await store.keys()} == {k.key_id: k for k in (key, platform)}


async def test_a_tenant_admin_without_a_tenant_has_no_keys(store: SqliteStore, alice: UUID) -> None:
    with pytest.raises(Forbidden):
        await keys_of(store, Role.TENANT_ADMIN).list()


async def test_a_key_that_is_narrowed_to_an_owner_makes_and_sees_only_such_keys(
    store: SqliteStore, alice: UUID
) -> None:
    admin, narrowed = keys_of(store, Role.TENANT_ADMIN, alice), keys_of(store, Role.TENANT_ADMIN, alice, "u-1")
    whole, _ = await admin.create(Role.VIEWER)

    made = [(await narrowed.create(Role.VIEWER, owner_user_id=owner))[0] for owner in (None, "u-1")]
    with pytest.raises(Forbidden):
        await narrowed.create(Role.VIEWER, owner_user_id="u-2")
    for change in (narrowed.revoke, narrowed.rotate):
        with pytest.raises(KeyNotFound):
            await change(whole.key_id)

    assert [key.owner_user_id for key in made] == ["u-1", "u-1"]
    assert await ids(narrowed) == {key.key_id for key in made}
    assert await ids(admin) == {whole.key_id, *(key.key_id for key in made)}


async def test_a_rotation_answers_the_successor_and_its_secret(store: SqliteStore, alice: UUID) -> None:
    keys = keys_of(store, Role.TENANT_ADMIN, alice)
    old, _ = await keys.create(Role.RESPONDER, "app")

    new, text = await keys.rotate(old.key_id, overlap_seconds=60)

    plain = parse(text)
    assert plain is not None
    assert (plain.key_id, new.role, new.name, new.tenant_id) == (new.key_id, "responder", "app", alice)
    assert (await _named(store, old.key_id)).replaced_by == new.key_id


async def test_an_unknown_role_is_invalid(store: SqliteStore) -> None:
    with pytest.raises(Invalid, match='Unknown role "root"'):
        await keys_of(store, Role.SUPER_ADMIN).create("root")


async def _named(store: SqliteStore, key_id: str) -> Key:
    return next(key for key in await store.keys() if key.key_id == key_id)
