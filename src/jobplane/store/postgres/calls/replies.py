"""Replies to requests that may be repeated."""

from __future__ import annotations

from typing import Final

from jobplane.core.model import Reserved
from jobplane.store.postgres.calls.call import Call, asks, door, one
from jobplane.store.verbs.replies import ReserveReply, SaveReply

_RESERVED: Final = asks(Reserved)


def reserve_reply(verb: ReserveReply) -> Call[Reserved]:
    return door(
        verb.tenant,
        _RESERVED,
        "reserve_reply(%s::text, %s::text, %s::bytea, %s::int)",
        (verb.operation, verb.key, verb.fingerprint, verb.count),
        lambda rows: Reserved(*rows[0]),
    )


def save_reply(verb: SaveReply) -> Call[bool]:
    return door(
        verb.tenant,
        "select * from jobplane.",
        "save_reply(%s::text, %s::text, %s::int, %s::text)",
        (verb.operation, verb.key, verb.status, verb.body),
        one,
    )
