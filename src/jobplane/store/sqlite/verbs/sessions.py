"""Sessions, and the links that sign in."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Final

from jobplane.core import bounds
from jobplane.core.actors import Actor
from jobplane.core.errors import Invalid
from jobplane.core.sessions import Session
from jobplane.store.base import Conn
from jobplane.store.sqlite import checks, statements
from jobplane.store.sqlite.moment import SECOND, Moment, after, instant, parse_uuid
from jobplane.store.sqlite.verbs import api_keys
from jobplane.store.sqlite.verbs.audit import audit
from jobplane.store.sqlite.verbs.moves import tenant_no
from jobplane.store.verbs.api_keys import Authenticate
from jobplane.store.verbs.sessions import CreateSession, CreateSessionLink, EndSessions, FindSession

_MINUTE: Final = 60 * SECOND
_LINK_SECONDS: Final = 600
_MOST_SECONDS: Final = 31_536_000


def create_session(db: Conn, moment: Moment, verb: CreateSession) -> Session | None:
    sql, digest = statements.load_verb("create_session"), _digest(verb.digest)
    seconds, idle = (bounds.whole("seconds", each, 60, _MOST_SECONDS) for each in (verb.seconds, verb.idle_seconds))
    if db.rows(sql["there"], (digest,)):
        return _look(db, moment, digest)[0]
    who = _principal(db, moment, verb)
    if who is None:
        return None
    kind, name, latest = who
    until = min(after(moment.now, seconds), latest or after(moment.now, seconds))
    times = moment.now, until, min(until, after(moment.now, idle))
    db.rows(sql["insert"], (digest, kind, name, *times))
    db.rows(sql["replace"], (verb.replaces, digest))
    db.rows(sql["oldest"], (kind, name, digest))
    found = _look(db, moment, digest)[0]
    if found is not None:
        _note_sign_in(db, moment, found, "key" if verb.link is None else "link")
    return found


def _principal(db: Conn, moment: Moment, verb: CreateSession) -> tuple[str, str, int | None] | None:
    """Type and id of the principal, and when its session ends at the latest. A link is used up."""
    if verb.link is not None:
        rows = db.rows(statements.load_verb("create_session")["use"], (verb.link, moment.now))
        return rows[0] if rows else None
    asked = Authenticate(verb.key_id or "", verb.key_digest or b"")
    found, is_worth_a_note = api_keys.authenticate(db, moment, asked)
    if is_worth_a_note:
        api_keys.note_use(db, moment, asked.key_id)
    return None if found is None else ("key", found.key_id, None)


def _note_sign_in(db: Conn, moment: Moment, found: Session, by: str) -> None:
    """In the name of the new session: before it, nobody was signed in."""
    said = moment.actor
    actor = Actor("session", found.principal_id, found.name, said and said.address, said and said.request_id)
    number = None if found.tenant_id is None else tenant_no(db, found.tenant_id)
    facts = {"by": by, "expires_at": found.expires_at.isoformat()}
    audit(db, replace(moment, actor=actor), "createSession", number, [found.principal_id], facts=facts)


def find_session(db: Conn, moment: Moment, verb: FindSession) -> tuple[Session | None, bool]:
    """Whom the session stands for, and whether its use is worth a note."""
    until = after(moment.now, bounds.whole("idle_seconds", verb.idle_seconds, 60, _MOST_SECONDS))
    return _look(db, moment, verb.digest, until - _MINUTE)


def find_session_here(db: Conn, moment: Moment, verb: FindSession) -> Session | None:
    """The same in the caller's transaction; the use of the session is not noted."""
    return find_session(db, moment, verb)[0]


def note_use(db: Conn, moment: Moment, verb: FindSession) -> None:
    db.rows(statements.load_verb("find_session")["use"], (after(moment.now, verb.idle_seconds), verb.digest))


def _look(db: Conn, moment: Moment, digest: bytes, noted_until: int = 0) -> tuple[Session | None, bool]:
    """Also whether it ends unused by then, and could end later."""
    values = noted_until, digest, moment.now, moment.now
    rows = db.rows(statements.load_verb("find_session")["find"], values)
    if not rows:
        return None, False
    kind, who, name, role, tenant, slug, owner, *times, is_worth_a_note = rows[0]
    rights = name, role, tenant and parse_uuid(tenant), slug, owner
    return Session(kind, who, *rights, *(instant(int(at)) for at in times)), bool(is_worth_a_note)


def end_sessions(db: Conn, moment: Moment, verb: EndSessions) -> int:
    sql, who = statements.load_verb("end_sessions"), _named(verb)
    ended = len(db.rows(sql["end"], (*who, verb.digest, verb.digest)))
    if verb.digest is None:
        db.rows(sql["links"], who)
    if verb.digest is None or ended:
        rows = db.rows(sql["tenant"], who)
        action = "endSessions" if verb.digest is None else "endSession"
        audit(db, moment, action, rows[0][0] if rows else None, [who[1]], facts={"ended": ended})
    return ended


def create_session_link(db: Conn, moment: Moment, verb: CreateSessionLink) -> datetime | None:
    sql, digest, who = statements.load_verb("create_session_link"), _digest(verb.digest), _named(verb)
    if rows := db.rows(sql["there"], (digest,)):
        return instant(rows[0][0])
    keys = db.rows(sql["principal"], (who[1], moment.now)) if who[0] == "key" else [(None,)]
    if not keys:
        return None
    until = after(moment.now, _LINK_SECONDS)
    latest = checks.instant("session_until", verb.session_until)
    db.rows(sql["insert"], (digest, *who, moment.now, until, latest))
    db.rows(sql["oldest"], (*who, digest))
    facts = {"expires_at": instant(until).isoformat()}
    audit(db, moment, "createSessionLink", keys[0][0], [who[1]], facts=facts)
    return instant(until)


def _named(verb: EndSessions | CreateSessionLink) -> tuple[str, str]:
    return checks.text("principal_type", verb.principal_type), checks.text("principal_id", verb.principal_id, 1, 500)


def _digest(value: object) -> bytes:
    if not isinstance(value, bytes) or len(value) != 32:
        raise Invalid("A session and a link need a digest of 32 bytes.")
    return value
