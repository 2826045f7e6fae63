"""Logins on a PostgreSQL of yours: made once, with passwords that only this directory has."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import quote, urlsplit, urlunsplit

from jobplane.cli.launching.files import read_secret, write_secret
from jobplane.config import Role
from jobplane.core.errors import Conflict, StoreUnavailable
from jobplane.opening import ROLES

FILE: Final = "logins.json"


class ForeignLogins(Conflict):
    """The logins of jobplane exist on the server, and somebody else has their passwords."""

    code = "foreign_logins"


def logins(url: str, directory: Path) -> Mapping[Role, str]:
    """A URL for each role. At the first time they are made; `url` needs a login that may create roles."""
    path = directory / FILE
    stored = read_secret(path)
    if stored is not None:
        passwords: dict[str, str] = json.loads(stored)
    else:
        passwords = {role: secrets.token_urlsafe(24) for role in ROLES}
        from jobplane.opening.postgres import migrations

        if not migrations.make_logins(url, passwords):
            message = (
                f"The roles of jobplane exist on this server already, and {path} does not have their passwords. "
                "Name the directory that has them with --dir, or start `jobplane server` and `jobplane worker` "
                "with the URLs of these logins."
            )
            raise ForeignLogins(message, directory=str(directory))
        write_secret(path, json.dumps(passwords, indent=2))
    return {role: _with_login(url, f"jobplane_{role}", passwords[role]) for role in ROLES}


def _with_login(url: str, user: str, password: str) -> str:
    parts = urlsplit(url)
    place = parts.netloc.rpartition("@")[2]
    if "user=" in parts.query or "password=" in parts.query:
        raise StoreUnavailable("Write the login into the URL as postgresql://user:password@host/database.")
    return urlunsplit(parts._replace(netloc=f"{user}:{quote(password, safe='')}@{place}"))
