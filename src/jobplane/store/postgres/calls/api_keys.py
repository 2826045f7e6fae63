"""API keys."""

from __future__ import annotations

from functools import partial
from operator import itemgetter
from typing import Final

from jobplane.core.admission import require_instant
from jobplane.core.decoding import Reader, as_object
from jobplane.core.model import Authenticated, Key
from jobplane.core.paging import Page, page_of
from jobplane.store.postgres.calls.call import Call, Rows, asks
from jobplane.store.postgres.calls.nouns import firsts
from jobplane.store.verbs.api_keys import Authenticate, CreateKey, ListKeys, RevokeKeys, RotateKey

_KEY: Final = asks(Key)
_AUTHENTICATED: Final = asks(Authenticated)
_key: Final = Reader(Key, created_by=as_object)


def create_key(verb: CreateKey) -> Call[Key]:
    if verb.expires_at is not None:
        require_instant("expires_at", verb.expires_at)
    return Call(
        "admin",
        _KEY + "create_key(%s::text, %s::bytea, %s::text, %s::uuid, %s::text, %s::text, %s::timestamptz)",
        (verb.key_id, verb.digest, verb.role, verb.tenant, verb.name, verb.owner_user_id, verb.expires_at),
        lambda rows: _key(rows[0]),
    )


def list_keys(verb: ListKeys) -> Call[Page[Key, str]]:
    return Call(
        "admin",
        _KEY + "list_keys(%s::uuid, %s::text, %s::int, %s::text)",
        (verb.tenant, verb.owner_user_id, verb.limit, verb.after),
        partial(page_of, limit=verb.limit, read=_key, cursor=itemgetter(0)),
    )


def revoke_keys(verb: RevokeKeys) -> Call[list[str]]:
    statement = "select * from jobplane.revoke_keys(%s::text[], %s::uuid, %s::text)"
    return Call("admin", statement, (list(verb.ids), verb.tenant, verb.owner_user_id), firsts)


def rotate_key(verb: RotateKey) -> Call[Key]:
    return Call(
        "admin",
        _KEY + "rotate_key(%s::text, %s::text, %s::bytea, %s::int, %s::uuid, %s::text)",
        (verb.key_id, verb.new_key_id, verb.digest, verb.overlap_seconds, verb.tenant, verb.owner_user_id),
        lambda rows: _key(rows[0]),
    )


def authenticate(verb: Authenticate) -> Call[Authenticated | None]:
    statement = _AUTHENTICATED + "authenticate(%s::text, %s::bytea)"
    return Call("admin", statement, (verb.key_id, verb.digest), _authenticated)


def _authenticated(rows: Rows) -> Authenticated | None:
    return Authenticated(*rows[0]) if rows else None
