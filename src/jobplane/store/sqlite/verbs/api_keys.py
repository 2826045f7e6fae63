"""API keys: their digests, and whom they stand for."""

from __future__ import annotations

import re
from typing import Final
from uuid import UUID

from jobplane.core import bounds
from jobplane.core.decoding import Reader, document, optional
from jobplane.core.errors import AlreadyExists, Invalid, KeyNotFound, TenantNotFound
from jobplane.core.model import Authenticated, Key
from jobplane.core.paging import Page, page_of
from jobplane.store.base import Conn
from jobplane.store.sqlite import actors, checks, statements
from jobplane.store.sqlite.cursors import cursor_of, key_of
from jobplane.store.sqlite.moment import SECOND, Moment, after, instant, parse_uuid
from jobplane.store.sqlite.verbs.arrays import batch
from jobplane.store.sqlite.verbs.audit import audit
from jobplane.store.sqlite.verbs.moves import tenant_no
from jobplane.store.verbs.api_keys import Authenticate, CreateKey, ListKeys, RevokeKeys, RotateKey

SYSTEM: Final = UUID("00000000-0000-7000-8000-000000000002")  # the tenant of platform keys
_MINUTE: Final = 60 * SECOND
_MOST_OVERLAP: Final = 2_592_000
_KEY_ID: Final = re.compile(r"[0-9a-z]{12}")
_ROLES: Final = ("viewer", "responder", "tenant_admin", "super_admin", "enqueue", "worker")
_PLATFORM: Final = ("super_admin", "worker")
_TIMES: Final = ("created_at", "expires_at", "revoked_at", "last_used_at")
_key: Final = Reader(Key, tenant_id=optional(parse_uuid), created_by=document, **dict.fromkeys(_TIMES, instant))


def create_key(db: Conn, moment: Moment, verb: CreateKey) -> Key:
    name = checks.text("name", verb.name, 0, 200)
    owner, expires_at = _owner(verb.owner_user_id), checks.instant("expires_at", verb.expires_at)
    number = _tenant_of(db, checks.text("role", verb.role), verb.tenant)
    if expires_at is not None and expires_at <= moment.now:
        raise Invalid(f"The expires_at must be in the future, not {verb.expires_at}.")
    _insert(db, moment, verb.key_id, verb.digest, number, (verb.role, name, owner, expires_at))
    facts = {"role": verb.role, "name": name, "owner_user_id": owner}
    told = None if verb.expires_at is None else verb.expires_at.isoformat()
    audit(db, moment, "createKey", number, [verb.key_id], facts={**facts, "expires_at": told})
    return _found(db, verb.key_id)


def _tenant_of(db: Conn, role: str, tenant: UUID | None) -> int:
    if role not in _ROLES or (tenant is None) != (role in _PLATFORM):
        belongs = "a tenant" if tenant is None else "no tenant"
        raise Invalid(f"A key with the role {role} must belong to {belongs}. Name another role or another tenant.")
    number = tenant_no(db, SYSTEM if tenant is None else tenant)
    if not number:
        raise TenantNotFound(f"There is no tenant {tenant}.")
    return number


def _owner(value: str | None) -> str | None:
    return None if value is None else checks.text("owner_user_id", value, 1, 500)


def _insert(
    db: Conn, moment: Moment, key_id: str, digest: object, number: int, facts: tuple[str, str, str | None, int | None]
) -> None:
    role, name, owner, expires_at = facts
    if not _KEY_ID.fullmatch(checks.text("key_id", key_id)) or not isinstance(digest, bytes) or len(digest) != 32:
        raise Invalid("A key needs a key_id of 12 characters of 0-9 and a-z, and a digest of 32 bytes.")
    if db.rows(statements.load_verb("create_key")["taken"], (key_id,)):
        raise AlreadyExists(f"There is a key {key_id} already. Choose another key_id.")
    made = moment.now, actors.encoded(moment.actor)
    values = (key_id, number, role, name, owner, digest, *made, expires_at)
    db.rows(statements.load_verb("create_key")["insert"], values)


def _found(db: Conn, key_id: str) -> Key:
    return _key(db.rows(statements.load_verb("list_keys")["one"], (key_id,))[0])


def _whose(db: Conn, verb: ListKeys | RevokeKeys | RotateKey) -> tuple[int | None, int | None, str | None, str | None]:
    """The tenant and the owner whose keys are meant, each twice for a statement; None: any."""
    number = None if verb.tenant is None else tenant_no(db, verb.tenant)
    owner = _owner(verb.owner_user_id)
    return number, number, owner, owner


def list_keys(db: Conn, _: Moment, verb: ListKeys) -> Page[Key, str]:
    most = min(max(bounds.whole("limit", verb.limit), 1), 1000)
    rows = db.rows(statements.load_verb("list_keys")["page"], (*_whose(db, verb), key_of(verb.after), most))
    return page_of(rows, most, _key, lambda row: cursor_of(row[0]))


def revoke_keys(db: Conn, moment: Moment, verb: RevokeKeys) -> list[str]:
    sql, asked = statements.load_verb("revoke_keys"), batch(checks.texts("key_id", verb.ids))
    found = db.rows(sql["found"], (asked, *_whose(db, verb)))
    ended: dict[int, list[str]] = {}
    for key_id, number, revoked_at in found:
        if revoked_at is None:
            ended.setdefault(number, []).append(key_id)
    for number, ids in ended.items():
        db.rows(sql["revoke"], (moment.now, batch(ids)))
        audit(db, moment, "revokeKey", number, ids)
    return [row[0] for row in found]


def rotate_key(db: Conn, moment: Moment, verb: RotateKey) -> Key:
    sql, old_id = statements.load_verb("rotate_key"), checks.text("key_id", verb.key_id)
    overlap = bounds.whole("overlap_seconds", verb.overlap_seconds, 0, _MOST_OVERLAP)
    rows = db.rows(sql["old"], (old_id, *_whose(db, verb)))
    if not rows:
        raise _not_found(old_id)
    number, role, name, owner, expires_at, revoked_at, replaced_by = rows[0]
    if replaced_by == verb.new_key_id and db.rows(sql["repeated"], (replaced_by, verb.digest)):
        return _found(db, verb.new_key_id)
    if revoked_at is not None or replaced_by is not None or (expires_at is not None and expires_at <= moment.now):
        raise _not_found(old_id)
    _insert(db, moment, verb.new_key_id, verb.digest, number, (role, name, owner, expires_at))
    until = after(moment.now, overlap)
    db.rows(sql["replace"], (verb.new_key_id, until, until, old_id))
    audit(db, moment, "rotateKey", number, [old_id], facts={"replaced_by": verb.new_key_id, "overlap_seconds": overlap})
    return _found(db, verb.new_key_id)


def _not_found(key_id: str) -> KeyNotFound:
    return KeyNotFound(
        f"There is no key {key_id} to rotate. A key that was revoked or rotated or has expired cannot be rotated:"
        " create a new one.",
        key_id=key_id,
    )


def authenticate(db: Conn, moment: Moment, verb: Authenticate) -> tuple[Authenticated | None, bool]:
    """Whom the key stands for, and whether its use is worth a note."""
    values = (checks.text("key_id", verb.key_id), verb.digest, moment.now)
    rows = db.rows(statements.load_verb("authenticate")["find"], values)
    if not rows:
        return None, False
    key_id, tenant, slug, role, name, owner, expires_at, used_at = rows[0]
    found = Authenticated(key_id, tenant and parse_uuid(tenant), slug, role, name, owner, instant(expires_at))
    return found, used_at is None or used_at <= moment.now - _MINUTE


def authenticate_here(db: Conn, moment: Moment, verb: Authenticate) -> Authenticated | None:
    """Authenticate in the caller's transaction, without recording the use of the key."""
    return authenticate(db, moment, verb)[0]


def note_use(db: Conn, moment: Moment, key_id: str) -> None:
    db.rows(statements.load_verb("authenticate")["use"], (moment.now, key_id))
