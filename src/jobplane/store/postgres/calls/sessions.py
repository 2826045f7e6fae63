"""Sessions, and the links that sign in."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from jobplane.core.sessions import Session
from jobplane.store.postgres.calls.call import Call, Rows, asks, one
from jobplane.store.verbs.sessions import CreateSession, CreateSessionLink, EndSessions, FindSession

_SESSION: Final = asks(Session)


def create_session(verb: CreateSession) -> Call[Session | None]:
    return Call(
        "admin",
        _SESSION + "create_session(%s::bytea, %s::int, %s::int, %s::text, %s::bytea, %s::bytea, %s::bytea)",
        (verb.digest, verb.seconds, verb.idle_seconds, verb.key_id, verb.key_digest, verb.link, verb.replaces),
        _session,
    )


def find_session(verb: FindSession) -> Call[Session | None]:
    return Call("admin", _SESSION + "find_session(%s::bytea, %s::int)", (verb.digest, verb.idle_seconds), _session)


def end_sessions(verb: EndSessions) -> Call[int]:
    statement = "select jobplane.end_sessions(%s::text, %s::text, %s::bytea)"
    return Call("admin", statement, (verb.principal_type, verb.principal_id, verb.digest), one)


def create_session_link(verb: CreateSessionLink) -> Call[datetime | None]:
    statement = "select * from jobplane.create_session_link(%s::bytea, %s::text, %s::text, %s::timestamptz)"
    given = (verb.digest, verb.principal_type, verb.principal_id, verb.session_until)
    return Call("admin", statement, given, lambda rows: rows[0][0] if rows else None)


def _session(rows: Rows) -> Session | None:
    return Session(*rows[0]) if rows else None
