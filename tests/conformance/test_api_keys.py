"""create_key, list_keys, revoke_keys, rotate_key, authenticate."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from jobplane.control.plane import OperatorPlane
from jobplane.core.actors import Actor
from jobplane.core.errors import AlreadyExists, Invalid, KeyNotFound, TenantNotFound
from jobplane.core.keys import PlainKey, mint
from jobplane.core.model import Authenticated, Key
from jobplane.store.verbs.api_keys import CreateKey
from tests.client import Store
from tests.clock import START, Clock
from tests.conformance.backend import Audit, Backend
from tests.conformance.factory import Factory

DAY = 86_400
_POSTGRES_TABLES = "select 'jobplane.' || tablename from pg_tables where schemaname = 'jobplane'"
_SQLITE_TABLES = "select name from sqlite_master where type = 'table'"


async def created(store: Store, tenant: UUID | None, role: str = "viewer", **facts: Any) -> PlainKey:
    plain = mint()
    await store.create_key(plain.key_id, plain.digest, role, tenant, **facts)
    return plain


async def works(store: Store, plain: PlainKey) -> bool:
    return await store.authenticate(plain.key_id, plain.digest) is not None


async def test_a_key_is_created_and_listed_without_its_digest(store: Store, make: Factory, clock: Clock) -> None:
    plain, until = mint(), START + timedelta(days=30)
    actor = Actor("key", "abc", "ops", "10.0.0.1", "r-1")

    key = await store.run(
        CreateKey(plain.key_id, plain.digest, "responder", make.alice, "on call", "u-1", until), actor=actor
    )

    by = {"type": "key", "id": "abc", "name": "ops"}
    assert key == Key(plain.key_id, make.alice, "responder", "on call", "u-1", START, by, until, None, None, None)
    assert await store.keys(make.alice) == [key]
    assert await store.keys() == [key]
    assert await store.keys(make.charlie) == []
    assert await store.keys(make.alice, owner_user_id="u-1") == [key]
    assert await store.keys(make.alice, owner_user_id="u-2") == []


async def test_a_key_stands_for_its_tenant_and_role(store: Store, make: Factory) -> None:
    plain = await created(store, make.alice, "enqueue", name="app", owner_user_id="u-1")

    found = await store.authenticate(plain.key_id, plain.digest)

    assert found == Authenticated(plain.key_id, make.alice, "alice", "enqueue", "app", "u-1", None)


@pytest.mark.parametrize("role", ["super_admin", "worker"])
async def test_a_platform_key_has_no_tenant(store: Store, role: str) -> None:
    plain = await created(store, None, role)

    found = await store.authenticate(plain.key_id, plain.digest)

    assert found == Authenticated(plain.key_id, None, None, role, "", None, None)
    assert [key.tenant_id for key in await store.keys()] == [None]


async def test_unknown_wrong_revoked_and_expired_keys_are_answered_alike(
    store: Store, make: Factory, clock: Clock
) -> None:
    good = await created(store, make.alice)
    revoked = await created(store, make.alice)
    expired = await created(store, make.alice, expires_at=START + timedelta(seconds=10))
    assert await works(store, revoked)
    assert await works(store, expired)

    assert await store.revoke_keys([revoked.key_id]) == [revoked.key_id]
    clock.advance(10)

    assert await works(store, good)
    assert not await works(store, revoked)
    assert not await works(store, expired)
    assert not await works(store, mint())
    assert not await works(store, PlainKey(good.key_id, revoked.secret))
    assert await store.authenticate(good.key_id, b"") is None


async def test_a_key_of_a_paused_tenant_still_works(store: Store, make: Factory) -> None:
    plain = await created(store, make.alice)

    await store.pause_tenants([make.alice])

    assert await works(store, plain)


async def test_the_use_of_a_key_is_noted_once_a_minute(store: Store, make: Factory, clock: Clock) -> None:
    plain = await created(store, make.alice)

    seen: list[object] = []
    for seconds in (0, 59, 1, 30):
        clock.advance(seconds)
        assert await works(store, plain)
        seen.append((await store.keys())[0].last_used_at)

    assert seen == [START, START, START + timedelta(seconds=60), START + timedelta(seconds=60)]


async def test_a_refused_secret_is_no_use_of_the_key(store: Store, make: Factory) -> None:
    plain = await created(store, make.alice)

    assert not await works(store, PlainKey(plain.key_id, mint().secret))

    assert (await store.keys())[0].last_used_at is None


async def test_a_rotated_key_has_a_successor_and_works_until_the_overlap_is_over(
    store: Store, make: Factory, clock: Clock
) -> None:
    until = START + timedelta(days=90)
    old, new = await created(store, make.alice, "responder", name="n", owner_user_id="u", expires_at=until), mint()

    successor = await store.rotate_key(old.key_id, new.key_id, new.digest)

    facts = (successor.tenant_id, successor.role, successor.name, successor.owner_user_id, successor.expires_at)
    assert facts == (make.alice, "responder", "n", "u", until)
    [before] = [key for key in await store.keys() if key.key_id == old.key_id]
    assert (before.replaced_by, before.expires_at) == (new.key_id, START + timedelta(days=1))
    assert await works(store, old)
    assert await works(store, new)
    clock.advance(DAY)
    assert not await works(store, old)
    assert await works(store, new)


async def test_an_overlap_never_prolongs_a_key(store: Store, make: Factory, clock: Clock) -> None:
    soon = START + timedelta(seconds=5)
    old, new = await created(store, make.alice, expires_at=soon), mint()

    await store.rotate_key(old.key_id, new.key_id, new.digest, overlap_seconds=DAY)

    assert [key.expires_at for key in await store.keys()] == [soon, soon]


async def test_a_rotation_without_overlap_ends_the_old_key_at_once(store: Store, make: Factory, clock: Clock) -> None:
    old, new = await created(store, make.alice), mint()

    await store.rotate_key(old.key_id, new.key_id, new.digest, overlap_seconds=0)

    assert not await works(store, old)
    assert await works(store, new)


async def test_a_rotation_that_is_repeated_answers_the_same(store: Store, make: Factory) -> None:
    old, new = await created(store, make.alice), mint()

    answers = [await store.rotate_key(old.key_id, new.key_id, new.digest) for _ in range(2)]

    assert answers[0] == answers[1]
    assert len(await store.keys()) == 2


@pytest.mark.parametrize("state", ["unknown", "revoked", "expired", "rotated", "another tenant's", "another owner's"])
async def test_a_key_that_is_not_active_cannot_be_rotated(
    store: Store, make: Factory, clock: Clock, state: str
) -> None:
    old, new = await created(store, make.alice, owner_user_id="u", expires_at=START + timedelta(seconds=5)), mint()
    tenant, owner = (make.alice, "u")
    if state == "unknown":
        old = mint()
    elif state == "revoked":
        await store.revoke_keys([old.key_id])
    elif state == "expired":
        clock.advance(5)
    elif state == "rotated":
        await store.rotate_key(old.key_id, mint().key_id, new.digest)
    elif state == "another tenant's":
        tenant = make.charlie
    else:
        owner = "v"
    before = await store.keys()

    with pytest.raises(KeyNotFound):
        await store.rotate_key(old.key_id, new.key_id, new.digest, tenant=tenant, owner_user_id=owner)

    assert await store.keys() == before


async def test_charlie_neither_sees_nor_revokes_a_key_of_alices(store: Store, make: Factory) -> None:
    plain = await created(store, make.alice)

    assert await store.keys(make.charlie) == []
    assert await store.revoke_keys([plain.key_id], make.charlie) == []
    assert await store.revoke_keys([plain.key_id], uuid4()) == []
    assert await store.revoke_keys([plain.key_id], make.alice, owner_user_id="u") == []

    assert await works(store, plain)


async def test_a_revoked_key_stays_revoked(store: Store, make: Factory, clock: Clock) -> None:
    plain = await created(store, make.alice)

    for _ in range(2):
        assert await store.revoke_keys([plain.key_id, "nowhere"], make.alice) == [plain.key_id]
        clock.advance(5)

    assert (await store.keys())[0].revoked_at == START


async def test_a_list_has_pages(store: Store, make: Factory) -> None:
    made = sorted([(await created(store, make.alice)).key_id for _ in range(5)])

    first = await store.keys(make.alice, limit=3)
    second = await store.keys(make.alice, limit=3, after=first[-1].key_id)

    assert [key.key_id for key in first + second] == made


async def test_each_change_of_a_key_is_in_the_audit_log_and_no_digest_or_secret(
    store: Store, make: Factory, audit: Audit
) -> None:
    old, new = await created(store, make.alice, name="app"), mint()
    await store.rotate_key(old.key_id, new.key_id, new.digest)
    await store.revoke_keys([old.key_id])
    await store.revoke_keys([old.key_id])
    await works(store, new)

    rows = audit.look("select action, facts from jobplane.audit_log order by audit_id")

    keys = [(action, str(facts)) for action, facts in rows if "Key" in action]
    assert [action for action, _ in keys] == ["createKey", "rotateKey", "revokeKey"]
    assert "app" in keys[0][1]
    assert new.key_id in keys[1][1]


async def test_a_key_that_cannot_be_is_refused(store: Store, make: Factory) -> None:
    plain = mint()
    for tenant, role in ((None, "viewer"), (make.alice, "super_admin"), (make.alice, "worker"), (make.alice, "x")):
        with pytest.raises(Invalid):
            await store.create_key(plain.key_id, plain.digest, role, tenant)
    bad: list[dict[str, Any]] = [
        {"name": "n" * 201},
        {"owner_user_id": ""},
        {"expires_at": START - timedelta(days=9000)},
    ]
    for facts in bad:
        with pytest.raises(Invalid):
            await created(store, make.alice, **facts)
    for key_id, digest in (("short", plain.digest), ("ABCDEFGHIJ01", plain.digest), (plain.key_id, b"short")):
        with pytest.raises(Invalid):
            await store.create_key(key_id, digest, "viewer", make.alice)
    with pytest.raises(TenantNotFound):
        await created(store, uuid4())
    for seconds in (-1, 2_592_001):
        with pytest.raises(Invalid):
            await store.rotate_key(plain.key_id, mint().key_id, plain.digest, overlap_seconds=seconds)

    assert await store.keys() == []


async def test_an_id_is_taken_once(store: Store, make: Factory) -> None:
    plain = await created(store, make.alice)

    with pytest.raises(AlreadyExists):
        await store.create_key(plain.key_id, mint().digest, "viewer", make.charlie)
    with pytest.raises(AlreadyExists):
        await store.rotate_key(plain.key_id, plain.key_id, mint().digest)

    assert await works(store, plain)


async def test_a_dump_of_the_database_has_no_secret(store: Store, make: Factory, backend: Backend) -> None:
    keys = OperatorPlane(store).keys
    created_, first = await keys.create("viewer", tenant=make.alice)
    _, second = await keys.rotate(created_.key_id)
    await store.authenticate(created_.key_id, mint().digest)

    dump = "\n".join(_dump(backend))

    assert created_.key_id in dump
    for text in (first, second):
        assert text not in dump
        assert text.split("_")[2][:43] not in dump


def _dump(backend: Backend) -> Iterator[str]:
    """Every row of every table."""
    tables, row = (_POSTGRES_TABLES, "t::text") if "rls" in backend.features else (_SQLITE_TABLES, "t.*")
    for (table,) in backend.audit.look(tables):
        yield from map(str, backend.audit.look(f"select {row} from {table} t"))
