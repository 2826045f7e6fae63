"""Who makes a call: its actor, else the user of the operating system."""

from __future__ import annotations

import getpass
import os
from functools import cache, lru_cache

import orjson

from jobplane.core.actors import Actor
from jobplane.core.model import Document


@cache
def login() -> str:
    """The user of the operating system, by number where the system has no name for it."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return str(os.getuid())


def document(actor: Actor | None) -> Document:
    """What a job and a row of the audit log keep of the caller."""
    return {"type": "login", "id": login()} if actor is None else actor.document


@lru_cache(256)
def encoded(actor: Actor | None) -> str:
    """The same as JSON text; a caller comes again and again."""
    return orjson.dumps(document(actor)).decode()


def name(actor: Actor | None) -> str:
    """The caller in words: `key:abc (deploy bot)` or `login:alice`."""
    if actor is None:
        return f"login:{login()}"
    return f"{actor.type}:{actor.id} ({actor.name})" if actor.name else f"{actor.type}:{actor.id}"
