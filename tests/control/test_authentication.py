"""Who presents a key or a session, and for how long that is remembered."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest

from jobplane.control import authentication
from jobplane.control.access import Caller, Role
from jobplane.control.authentication import Authentication
from jobplane.core.actors import Actor
from jobplane.core.errors import Unauthenticated
from jobplane.core.keys import PlainKey, mint
from jobplane.core.model import Authenticated
from jobplane.core.sessions import Session, Token, new_token
from jobplane.store.verbs.api_keys import Authenticate
from jobplane.store.verbs.sessions import FindSession
from jobplane.store.verbs.verb import Verb

TENANT = uuid4()


@dataclass
class Desk:
    """A store that knows some keys and sessions, and counts how often it was asked. A pause holds an answer back."""

    known: dict[tuple[str, bytes], Authenticated] = field(default_factory=dict[tuple[str, bytes], Authenticated])
    sessions: dict[bytes, Session] = field(default_factory=dict[bytes, Session])
    asked: int = 0
    now: float = 1000.0
    pause: asyncio.Event | None = None

    def learn(self, role: str = "responder") -> PlainKey:
        plain = mint()
        tenant = None if role in ("super_admin", "worker") else TENANT
        found = Authenticated(plain.key_id, tenant, tenant and "alice", role, "app", "u-1", None)
        self.known[plain.key_id, plain.digest] = found
        return plain

    def open(self) -> tuple[Token, Session]:
        """A session of a new key."""
        token, key = new_token("jps"), self.learn()
        rights = ("app", "responder", TENANT, "alice", "u-1")
        session = Session("key", key.key_id, *rights, datetime.now(UTC), datetime.now(UTC))
        self.sessions[token.digest] = session
        return token, session

    async def run(self, verb: Verb[Any], *, conn: Any = None, actor: Actor | None = None) -> Any:
        self.asked += 1
        if isinstance(verb, FindSession):
            found = self.sessions.get(verb.digest)
            if self.pause is not None:
                await self.pause.wait()
            return found
        assert isinstance(verb, Authenticate)
        return self.known.get((verb.key_id, verb.digest))


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def door(desk: Desk) -> Authentication:
    return Authentication(desk, clock=lambda: desk.now)


async def test_a_key_becomes_a_caller(desk: Desk, door: Authentication) -> None:
    plain = desk.learn()

    caller = await door.caller(plain.text, "10.0.0.1", "r-1")

    actor = Actor("key", plain.key_id, "app", "10.0.0.1", "r-1")
    assert caller == Caller(actor, Role.RESPONDER, TENANT, "u-1")


async def test_a_platform_key_has_no_tenant(desk: Desk, door: Authentication) -> None:
    assert (await door.caller(desk.learn("super_admin").text)).tenant is None


async def test_a_valid_key_is_asked_for_once_in_five_seconds_and_each_request_has_its_own_facts(
    desk: Desk, door: Authentication
) -> None:
    plain = desk.learn()

    callers = [await door.caller(plain.text, request_id=str(n)) for n in range(3)]

    assert [caller.actor and caller.actor.request_id for caller in callers] == ["0", "1", "2"]
    assert desk.asked == 1


async def test_a_revoked_key_is_refused_after_five_seconds(desk: Desk, door: Authentication) -> None:
    plain = desk.learn()
    await door.caller(plain.text)
    desk.known.clear()

    desk.now += 4.9
    await door.caller(plain.text)
    desk.now += 0.1

    with pytest.raises(Unauthenticated):
        await door.caller(plain.text)


async def test_a_remembered_key_still_needs_its_secret(desk: Desk, door: Authentication) -> None:
    plain = desk.learn()
    await door.caller(plain.text)

    with pytest.raises(Unauthenticated):
        await door.caller(PlainKey(plain.key_id, mint().secret).text)

    await door.caller(plain.text)
    assert desk.asked == 2


async def test_a_refusal_is_not_remembered(desk: Desk, door: Authentication) -> None:
    plain = mint()
    with pytest.raises(Unauthenticated):
        await door.caller(plain.text)
    desk.known[plain.key_id, plain.digest] = Authenticated(plain.key_id, TENANT, "alice", "viewer", "", None, None)

    assert (await door.caller(plain.text)).role is Role.VIEWER


@pytest.mark.parametrize("presented", ["", "jp_", "Bearer x", "jp_abcdefghij01_" + "0" * 49])
async def test_a_typing_error_costs_no_call_of_the_store(desk: Desk, door: Authentication, presented: str) -> None:
    with pytest.raises(Unauthenticated):
        await door.caller(presented)

    assert desk.asked == 0


async def test_every_refusal_reads_the_same(desk: Desk, door: Authentication) -> None:
    plain, messages = desk.learn(), set[str]()
    for presented in ("", mint().text, PlainKey(plain.key_id, mint().secret).text):
        with pytest.raises(Unauthenticated) as refused:
            await door.caller(presented)
        messages.add(refused.value.message)

    assert len(messages) == 1


async def test_no_more_keys_are_remembered_than_fit(
    desk: Desk, door: Authentication, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(authentication, "MOST", 2)
    first, *others = [desk.learn() for _ in range(3)]
    for plain in (first, *others):
        await door.caller(plain.text)

    for plain in others:
        await door.caller(plain.text)
    assert desk.asked == 3
    await door.caller(first.text)

    assert desk.asked == 4


async def test_a_session_becomes_a_caller_with_the_rights_of_its_key(desk: Desk, door: Authentication) -> None:
    token, session = desk.open()

    caller = await door.session(token.text, "10.0.0.1", "r-1")

    actor = Actor("session", session.principal_id, "app", "10.0.0.1", "r-1")
    assert caller == Caller(actor, Role.RESPONDER, TENANT, "u-1", session)


async def test_a_session_is_asked_for_once_in_five_seconds(desk: Desk, door: Authentication) -> None:
    token, _ = desk.open()
    for _ in range(3):
        await door.session(token.text)
    assert desk.asked == 1
    desk.sessions.clear()

    desk.now += 4.9
    await door.session(token.text)
    desk.now += 0.1

    with pytest.raises(Unauthenticated):
        await door.session(token.text)


async def test_a_session_that_ends_here_is_refused_at_once(desk: Desk, door: Authentication) -> None:
    (first, _), (second, session), (third, _) = [desk.open() for _ in range(3)]
    for token in (first, second, third):
        await door.session(token.text)
    desk.sessions.clear()

    door.forget_session(first.digest)
    door.forget_sessions(("key", session.principal_id))

    for token in (first, second):
        with pytest.raises(Unauthenticated):
            await door.session(token.text)
    await door.session(third.text)


async def test_an_answer_that_was_under_way_when_the_session_ended_is_not_remembered(
    desk: Desk, door: Authentication
) -> None:
    token, _ = desk.open()
    desk.pause = asyncio.Event()
    asking = asyncio.create_task(door.session(token.text))
    await asyncio.sleep(0)
    assert desk.asked == 1

    desk.sessions.clear()
    door.forget_session(token.digest)
    desk.pause.set()
    await asking

    with pytest.raises(Unauthenticated):
        await door.session(token.text)


@pytest.mark.parametrize("presented", ["", "jps_", "jps_" + "x" * 42, "jps_" + "ä" * 43, "jpl_" + "x" * 43, "x" * 47])
async def test_what_cannot_be_a_token_costs_no_call_of_the_store(
    desk: Desk, door: Authentication, presented: str
) -> None:
    with pytest.raises(Unauthenticated):
        await door.session(presented)

    assert desk.asked == 0


async def test_no_more_sessions_are_remembered_than_fit(
    desk: Desk, door: Authentication, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(authentication, "MOST", 2)
    tokens = [desk.open()[0] for _ in range(3)]
    for token in tokens:
        await door.session(token.text)
    assert desk.asked == 3

    await door.session(tokens[0].text)

    assert desk.asked == 4
