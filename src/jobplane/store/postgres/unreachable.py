"""Why there is no connection: an outage, which may pass, or a setting that is wrong, which will not."""

from __future__ import annotations

import re
from typing import Final

import psycopg

from jobplane.core.errors import Forbidden, JobplaneError, StoreUnavailable, Unauthenticated, UnsupportedServer
from jobplane.store.postgres.refusals import DatabaseMissing

# The driver knows no SQLSTATE of a connection that failed, so this goes by the words of server, pooler and libpq.
# Words that are not here count as an outage: refused, timed out, starting up, too many connections.
_KINDS: Final[tuple[tuple[str, type[JobplaneError], str, str], ...]] = (
    (
        "unsupported startup parameter",
        UnsupportedServer,
        "The database refused the connection",
        'If this URL leads to a pooler, set pooler = "transaction".',
    ),
    (
        r'database ".*" does not exist|no such database',
        DatabaseMissing,
        "There is no such database on this server",
        "Create it, or correct the name in the URL.",
    ),
    (
        "permission denied for database",
        Forbidden,
        "The database refused the login",
        "Have a DBA run `grant connect on database … to …` for the login of the URL.",
    ),
    (
        r"no encryption|SSL off|does not support SSL|SSL error(?!: unexpected eof)|certificate|does not match host",
        Unauthenticated,
        "The server and this URL do not agree on TLS, or the server does not admit this login",
        "Check sslmode, sslrootcert, user and database in the URL, and pg_hba.conf of the server.",
    ),
    (
        r'authentication failed|no password|pg_hba.conf|role ".*" does not exist|permitted to log in|no such user',
        Unauthenticated,
        "The database refused the login",
        "Check user and password in the URL.",
    ),
)


# Where libpq tried to connect to; a name of a host is no reason.
_TARGET: Final = re.compile(
    r"connection to server (?:at \"[^\"]*\"(?: \([^)]*\))?, port \d+|on socket \"[^\"]*\") failed:"
    r"|- host: \S+,? port: \S+,? hostaddr: \S+:"
)


def unreachable(error: psycopg.Error) -> JobplaneError:
    """Why nobody answers at that URL, and where to look. StoreUnavailable alone may pass."""
    reason = " ".join(str(error).partition("\tIs the server running")[0].split())[:500].rstrip(".")
    said = _TARGET.sub("", reason)
    for words, kind, what, advice in _KINDS:
        if re.search(words, said):
            return kind(f"{what}: {reason}. {advice}")
    return StoreUnavailable(f"The database cannot be reached: {reason}. Check host, port and database in the URL.")
