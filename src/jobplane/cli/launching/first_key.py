"""The first super-admin key of an installation: made once, kept in a file that only its owner reads."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from jobplane.cli.launching.files import read_secret, write_secret
from jobplane.config import Config
from jobplane.control.access import Role
from jobplane.control.authentication import Authentication
from jobplane.control.immediate import Immediate, finish
from jobplane.control.plane import OperatorPlane
from jobplane.control.sessions import Link, Sessions
from jobplane.core.errors import Unauthenticated
from jobplane.opening import open_blocking
from jobplane.store.base import Store

FILE: Final = "admin.key"


@dataclass(frozen=True, slots=True)
class FirstKey:
    """The key, and a link that signs a browser in with it, once."""

    text: str
    is_new: bool
    link: Link


def first_key(config: Config, directory: Path) -> FirstKey:
    """The key of the directory. A new one is made where the one in the file is of another database, or revoked."""
    store = open_blocking(config)
    try:
        return finish(_open(Immediate(store), directory / FILE))
    finally:
        store.close()


async def _open(store: Store, path: Path) -> FirstKey:
    text, is_new = await _find_or_make(store, path)
    authentication = Authentication(store)
    link = await Sessions(store, authentication).create_link(await authentication.caller(text))
    return FirstKey(text, is_new, link)


async def _find_or_make(store: Store, path: Path) -> tuple[str, bool]:
    stored = read_secret(path)
    if stored is not None:
        try:
            await Authentication(store).caller(stored, None, None)
        except Unauthenticated:
            pass
        else:
            return stored, False
    _, text = await OperatorPlane(store).keys.create(role=Role.SUPER_ADMIN, name="first key, made by jobplane up")
    write_secret(path, text)
    return text, True
