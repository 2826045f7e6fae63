"""Who presents a key, and for how long that is remembered."""

from __future__ import annotations

from dataclasses import dataclass, field
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
from jobplane.store.verbs.api_keys import Authenticate
from jobplane.store.verbs.verb import Verb

TENANT = uuid4()


@dataclass
class Desk:
    """A store that knows some keys, and counts how often it was asked."""

    known: dict[tuple[str, bytes], Authenticated] = field(default_factory=dict[tuple[str, bytes], Authenticated])
    asked: int = 0
    now: float = 1000.0

    def learn(self, role: str = "responder") -> PlainKey:
        plain = mint()
        tenant = None if role in ("super_admin", "worker") else TENANT
        found = Authenticated(plain.key_id, tenant, tenant and "alice", role, "app", "u-1", None)
        self.known[plain.key_id, plain.digest] = found
        return plain

    async def run(self, verb: Verb[Any], *, conn: Any = None, actor: Actor | None = None) -> Any:
        assert isinstance(verb, Authenticate)
        self.asked += 1
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
