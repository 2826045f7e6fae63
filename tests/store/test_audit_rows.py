"""A row of the audit log, as the function behind the verbs writes it."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

import psycopg
import pytest
from psycopg.types.json import Jsonb

from jobplane.core.actors import Actor
from jobplane.core.model import DEFAULT_TENANT, SYSTEM_TENANT
from tests.database import Database

WRITE: Final = """
select jobplane.audit('editJob', %s, %s, %s, %s, %s)
  from (select set_config('jobplane.actor', %s, true) as actor offset 0) a where actor is not null"""
LONG: Final = '{"type": "key", "id": "' + "x" * 4000 + '"}'
READ: Final = """
select tenant_id, actor, address, request_id, targets, target_count, before_digest, after_digest, facts
  from jobplane.audit_log"""


def test_a_row_has_its_actor_and_digests_of_the_values(db: Database) -> None:
    actor = Actor("key", "abc", "deploy bot", "10.0.0.1", "r-1")
    values = Jsonb({"b": 1, "a": 2}), Jsonb({"a": 3}), Jsonb({"fields": ["payload"]})

    db.peek(WRITE, DEFAULT_TENANT, ["x"], *values, actor.encode())

    digests = sha256(b'{"a": 2, "b": 1}').digest(), sha256(b'{"a": 3}').digest()
    who = actor.document, "10.0.0.1", "r-1"
    assert db.peek(READ) == [(DEFAULT_TENANT, *who, ["x"], 1, *digests, {"fields": ["payload"]})]


def test_without_an_actor_it_has_the_login_and_without_a_tenant_it_is_the_systems(db: Database) -> None:
    db.peek(WRITE, None, [], None, None, None, "")

    [(login,)] = db.peek("select session_user::text")
    assert db.peek(READ) == [(SYSTEM_TENANT, {"type": "login", "id": login}, *[None] * 2, [], 0, None, None, {})]


def test_it_keeps_the_first_hundred_targets_and_their_count(db: Database) -> None:
    db.peek(WRITE, None, [str(n) for n in range(250)], None, None, None, "")

    [(kept, count)] = db.peek("select targets, target_count from jobplane.audit_log")
    assert kept == [str(n) for n in range(100)]
    assert count == 250


@pytest.mark.parametrize("said", ["nobody", "[]", "{}", '{"type": "key", "id": 1}', LONG])
def test_a_setting_that_is_no_actor_is_refused(db: Database, said: str) -> None:
    with pytest.raises(psycopg.Error, match=r"jobplane\.actor|json"):
        db.peek(WRITE, None, [], None, None, None, said)

    assert not db.peek(READ)
