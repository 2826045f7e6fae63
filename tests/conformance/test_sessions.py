"""create_session, find_session, end_sessions, create_session_link."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Final

import pytest

from jobplane.control.access import Caller, Role
from jobplane.control.authentication import Authentication
from jobplane.control.sessions import Sessions
from jobplane.core.actors import Actor
from jobplane.core.errors import Invalid
from jobplane.core.keys import PlainKey, mint
from jobplane.core.sessions import Session, Token, new_token
from jobplane.store.verbs.sessions import CreateSession, CreateSessionLink, EndSessions
from tests.client import Store
from tests.clock import START, Clock
from tests.conformance.backend import Audit, Backend
from tests.conformance.factory import Factory
from tests.conformance.test_api_keys import created

HOUR: Final = 3600
DAY: Final = 24 * HOUR
OPERATOR: Final = "jobplane_admin"  # a login of every database of the tests
_TABLES: Final = ("jobplane.sessions", "jobplane.session_links")


async def opened(
    store: Store, plain: PlainKey, *, seconds: int = 7 * DAY, idle: int = 12 * HOUR, **more: Any
) -> tuple[Token, Session | None]:
    token = new_token("jps")
    found = await store.create_session(token.digest, seconds, idle, plain.key_id, plain.digest, **more)
    return token, found


async def signed_in(store: Store, plain: PlainKey, **more: Any) -> Token:
    token, found = await opened(store, plain, **more)
    assert found is not None
    return token


async def by_link(store: Store, link: Token) -> Session | None:
    return await store.create_session(new_token("jps").digest, 7 * DAY, 12 * HOUR, link=link.digest)


async def linked(store: Store, kind: Any, name: str) -> Token:
    link = new_token("jpl")
    assert await store.create_session_link(link.digest, kind, name) is not None
    return link


async def lives(store: Store, token: Token, idle: int = 12 * HOUR) -> bool:
    return await store.find_session(token.digest, idle) is not None


async def test_a_session_stands_for_its_key(store: Store, make: Factory, clock: Clock) -> None:
    plain = await created(store, make.alice, "responder", name="on call", owner_user_id="u-1")

    token, found = await opened(store, plain)

    until = START + timedelta(days=7)
    key = ("key", plain.key_id, "on call", "responder", make.alice, "alice", "u-1")
    assert found == Session(*key, START, until)
    assert await store.find_session(token.digest, 60) == found


async def test_a_session_of_a_platform_key_has_no_tenant(store: Store) -> None:
    _, found = await opened(store, await created(store, None, "super_admin"))

    assert found is not None
    assert (found.role, found.tenant_id, found.tenant_slug) == ("super_admin", None, None)


async def test_a_session_ends_when_nobody_uses_it(store: Store, make: Factory, clock: Clock) -> None:
    token = await signed_in(store, await created(store, make.alice), idle=HOUR)

    for _ in range(5):
        clock.advance(HOUR - 1)
        assert await lives(store, token, HOUR)
    clock.advance(HOUR)

    assert not await lives(store, token, HOUR)


async def test_a_session_ends_though_it_is_used(store: Store, make: Factory, clock: Clock) -> None:
    token = await signed_in(store, await created(store, make.alice), seconds=3 * HOUR, idle=HOUR)

    for _ in range(7):
        clock.advance(25 * 60)
        assert await lives(store, token, HOUR)
    clock.advance(5 * 60)

    assert not await lives(store, token, HOUR)


async def test_the_use_of_a_session_is_noted_once_a_minute(
    store: Store, make: Factory, clock: Clock, audit: Audit
) -> None:
    token = await signed_in(store, await created(store, make.alice), idle=HOUR)

    seen: list[object] = []
    for seconds in (0, 59, 1, 59):
        clock.advance(seconds)
        assert await lives(store, token, HOUR)
        seen += [row[0] for row in audit.look("select idle_until from jobplane.sessions")]

    assert seen[0] == seen[1] != seen[2] == seen[3]


@pytest.mark.parametrize("end", ["revoked", "expired", "rotated"])
async def test_a_session_ends_with_its_key(store: Store, make: Factory, clock: Clock, end: str) -> None:
    plain = await created(store, make.alice, expires_at=START + timedelta(hours=2))
    token, found = await opened(store, plain)
    assert found is not None
    assert found.expires_at == START + timedelta(hours=2)
    link = await linked(store, "key", plain.key_id)
    new = mint()

    if end == "revoked":
        await store.revoke_keys([plain.key_id])
    elif end == "rotated":
        await store.rotate_key(plain.key_id, new.key_id, new.digest, overlap_seconds=300)
        assert await lives(store, token)
        clock.advance(300)
    else:
        clock.advance(2 * HOUR)

    assert not await lives(store, token)
    assert await by_link(store, link) is None
    assert await store.create_session_link(new_token("jpl").digest, "key", plain.key_id) is None


async def test_only_a_valid_key_signs_in(store: Store, make: Factory, audit: Audit) -> None:
    good, revoked = await created(store, make.alice), await created(store, make.alice)
    await store.revoke_keys([revoked.key_id])

    for plain in (revoked, mint(), PlainKey(good.key_id, revoked.secret)):
        assert (await opened(store, plain))[1] is None

    assert await store.create_session(new_token("jps").digest, 60, 60) is None
    assert audit.look("select 1 from jobplane.sessions") == []


async def test_a_sign_in_is_a_use_of_the_key(store: Store, make: Factory, clock: Clock) -> None:
    await opened(store, await created(store, make.alice))

    assert (await store.keys())[0].last_used_at == START


async def test_a_link_signs_in_once_and_within_ten_minutes(store: Store, make: Factory, clock: Clock) -> None:
    plain = await created(store, make.alice)
    first, second = [await linked(store, "key", plain.key_id) for _ in range(2)]

    found = await by_link(store, first)

    assert found is not None
    assert (found.principal_id, found.tenant_id) == (plain.key_id, make.alice)
    assert await by_link(store, first) is None
    assert await by_link(store, new_token("jpl")) is None
    clock.advance(600)
    assert await by_link(store, second) is None


async def test_of_sixteen_who_use_a_link_at_once_one_gets_in(store: Store, make: Factory) -> None:
    plain = await created(store, make.alice)
    for _ in range(5):
        link = await linked(store, "key", plain.key_id)

        found = await asyncio.gather(*(by_link(store, link) for _ in range(16)))

        assert sum(session is not None for session in found) == 1


async def test_a_call_that_is_repeated_answers_the_same(store: Store, make: Factory, audit: Audit) -> None:
    """The answer may have been lost on its way: the link is used, and the caller is in."""
    plain = await created(store, make.alice)
    link, token = new_token("jpl"), new_token("jps")

    ends = [await store.create_session_link(link.digest, "key", plain.key_id) for _ in range(2)]
    found = [await store.create_session(token.digest, DAY, HOUR, link=link.digest) for _ in range(2)]

    assert ends[0] == ends[1]
    assert found[0] == found[1] is not None
    rows = audit.look("select action from jobplane.audit_log order by audit_id")
    assert [action for (action,) in rows if "Session" in action] == ["createSessionLink", "createSession"]


async def test_the_session_of_a_link_ends_no_later_than_the_link_says(
    store: Store, make: Factory, clock: Clock
) -> None:
    plain, link, soon = await created(store, make.alice), new_token("jpl"), START + timedelta(hours=1)

    await store.create_session_link(link.digest, "key", plain.key_id, soon)
    found = await by_link(store, link)

    assert found is not None
    assert found.expires_at == soon


async def test_a_session_replaces_another(store: Store, make: Factory) -> None:
    plain = await created(store, make.alice)
    old, other = await signed_in(store, plain), await signed_in(store, plain)

    new = await signed_in(store, plain, replaces=old.digest)

    assert [await lives(store, token) for token in (old, other, new)] == [False, True, True]


async def test_a_session_that_could_not_begin_replaces_none(store: Store, make: Factory) -> None:
    old = await signed_in(store, await created(store, make.alice))

    await opened(store, mint(), replaces=old.digest)

    assert await lives(store, old)


async def test_signing_out_ends_one_session_or_all_of_a_principal(store: Store, make: Factory) -> None:
    alice, other = await created(store, make.alice), await created(store, make.alice)
    first, second, third = [await signed_in(store, alice) for _ in range(3)]
    others, link = await signed_in(store, other), await linked(store, "key", alice.key_id)

    assert await store.end_sessions("key", other.key_id, first.digest) == 0
    assert await store.end_sessions("key", alice.key_id, first.digest) == 1
    assert await store.end_sessions("key", alice.key_id, first.digest) == 0
    assert [await lives(store, token) for token in (first, second, third)] == [False, True, True]
    assert await store.end_sessions("key", alice.key_id) == 2

    assert not await lives(store, second)
    assert await lives(store, others)
    assert await by_link(store, link) is None


async def test_a_login_signs_in_as_super_admin(store: Store) -> None:
    link = await linked(store, "login", OPERATOR)
    token = new_token("jps")

    found = await store.create_session(token.digest, DAY, HOUR, link=link.digest)

    assert found is not None
    assert (found.principal_type, found.principal_id, found.role) == ("login", OPERATOR, "super_admin")
    assert (found.tenant_id, found.owner_user_id, found.name) == (None, None, "")
    assert await store.end_sessions("key", OPERATOR) == 0
    assert await store.end_sessions("login", OPERATOR) == 1


@pytest.mark.needs("rls")
@pytest.mark.parametrize("login", ["jobplane_app", "jobplane_worker", "jobplane_doors", "nobody", ""])
async def test_a_login_that_may_not_operate_gets_no_link(store: Store, login: str) -> None:
    assert await store.create_session_link(new_token("jpl").digest, "login", login) is None


async def test_the_oldest_sessions_and_links_of_a_principal_end(
    store: Store, make: Factory, clock: Clock, audit: Audit
) -> None:
    plain, other = await created(store, make.alice), await created(store, make.alice)
    others = await signed_in(store, other)
    sessions: list[Token] = []
    links: list[Token] = []
    for _ in range(102):
        sessions.append(await signed_in(store, plain))
        links.append(await linked(store, "key", plain.key_id))
        clock.advance(1)

    assert [await lives(store, token) for token in sessions[:3]] == [False, False, True]
    assert await lives(store, others)
    assert audit.look("select count(*) from jobplane.sessions") == [(101,)]
    assert audit.look("select count(*) from jobplane.session_links") == [(20,)]
    assert await by_link(store, links[81]) is None
    assert await by_link(store, links[82]) is not None


async def test_tidy_removes_sessions_and_links_that_have_ended(
    store: Store, make: Factory, clock: Clock, audit: Audit
) -> None:
    plain = await created(store, make.alice)
    await signed_in(store, plain, idle=600)
    lasting = await signed_in(store, plain)
    await linked(store, "key", plain.key_id)
    assert await store.tidy() == 0

    clock.advance(600)

    assert await store.tidy() == 2
    assert await store.tidy() == 0
    assert await lives(store, lasting)
    assert audit.look("select 1 from jobplane.session_links") == []


async def test_each_step_is_in_the_audit_log_of_the_tenant(store: Store, make: Factory) -> None:
    plain = await created(store, make.alice, name="app")
    token, link = new_token("jps"), new_token("jpl")
    asks, who = Actor("session", "", "", "10.0.0.1", "r-1"), Actor("key", plain.key_id, "app", "10.0.0.2", "r-2")
    await store.run(CreateSession(token.digest, DAY, HOUR, plain.key_id, plain.digest), actor=asks)
    await store.run(CreateSessionLink(link.digest, "key", plain.key_id), actor=who)
    await store.run(EndSessions("key", plain.key_id, token.digest), actor=who)
    await store.run(EndSessions("key", plain.key_id), actor=who)

    entries = (await store.list_audit(make.alice)).items[::-1][-4:]

    assert [entry.action for entry in entries] == ["createSession", "createSessionLink", "endSession", "endSessions"]
    assert [entry.actor["type"] for entry in entries] == ["session", "key", "key", "key"]
    assert {(entry.actor["id"], entry.actor["name"]) for entry in entries} == {(plain.key_id, "app")}
    assert [entry.address for entry in entries] == ["10.0.0.1", "10.0.0.2", "10.0.0.2", "10.0.0.2"]
    assert [entry.request_id for entry in entries] == ["r-1", "r-2", "r-2", "r-2"]
    assert {tuple(entry.targets) for entry in entries} == {(plain.key_id,)}
    assert entries[2].facts == {"ended": 1}


async def test_what_cannot_be_a_session_is_refused(store: Store, make: Factory) -> None:
    plain, digest = await created(store, make.alice), new_token("jps").digest
    for seconds, idle in ((59, 60), (60, 59), (31_536_001, 60), (60, 31_536_001)):
        with pytest.raises(Invalid):
            await store.create_session(digest, seconds, idle, plain.key_id, plain.digest)
    for short in (b"", b"x" * 31):
        with pytest.raises(Invalid):
            await store.create_session(short, 60, 60, plain.key_id, plain.digest)
        with pytest.raises(Invalid):
            await store.create_session_link(short, "key", plain.key_id)
        assert await store.find_session(short, 60) is None


async def test_a_dump_of_the_database_has_no_token(store: Store, make: Factory, backend: Backend) -> None:
    plain = await created(store, make.alice)
    sessions = Sessions(store, Authentication(store))
    caller = Caller(Actor("key", plain.key_id), Role.VIEWER, make.alice)
    used, kept = [(await sessions.create_link(caller)).token for _ in range(2)]
    _, token = await sessions.sign_in(link=used.text)
    await sessions.sign_in(key=plain.text)

    dump = "\n".join(_dump(backend))

    assert backend.audit.look("select count(*) from jobplane.sessions") == [(2,)]
    assert plain.key_id in dump
    for text in (used.text, kept.text, token.text):
        assert text[-16:] not in dump
        assert text[-16:].encode().hex() not in dump


def _dump(backend: Backend) -> Iterator[str]:
    """Every row of these tables, and of the audit log."""
    row = "t::text" if "rls" in backend.features else "t.*"
    for table in (*_TABLES, "jobplane.audit_log", "jobplane.api_keys"):
        yield from map(str, backend.audit.look(f"select {row} from {table} t"))


def test_no_token_or_digest_shows_in_a_verb() -> None:
    token = new_token("jps")
    verbs = [CreateSession(token.digest, 1, 1, "k", token.digest, token.digest, token.digest), token]

    assert not [verb for verb in verbs if token.text in repr(verb) or repr(token.digest) in repr(verb)]
