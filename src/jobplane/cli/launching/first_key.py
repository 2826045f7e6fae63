"""The first super-admin key of an installation: made once, kept in a file that only its owner reads."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from jobplane.cli.launching.files import read_secret, write_secret
from jobplane.config import Config
from jobplane.control.access import Role
from jobplane.control.authentication import Authentication
from jobplane.control.immediate import Immediate, finish
from jobplane.control.plane import OperatorPlane
from jobplane.core.errors import Unauthenticated
from jobplane.opening import open_blocking
from jobplane.store.base import Store

FILE: Final = "admin.key"


def first_key(config: Config, directory: Path) -> tuple[str, bool]:
    """The key of the directory, and whether it is new: the one in the file may be of another database, or revoked."""
    path = directory / FILE
    store = open_blocking(config)
    try:
        return finish(_find_or_make(Immediate(store), path))
    finally:
        store.close()


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
