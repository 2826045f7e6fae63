"""One plain connection for migrations and checks, with errors that say what is wrong with it."""

from __future__ import annotations

import math
from typing import Final

import psycopg
from psycopg import IsolationLevel
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from jobplane.core.errors import Invalid
from jobplane.store.postgres.unreachable import unreachable

Connection = psycopg.Connection[tuple[object, ...]]

# A half-open connection is noticed within seconds.
KEEPALIVE: Final = {"keepalives_idle": 5, "keepalives_interval": 2, "keepalives_count": 3, "tcp_user_timeout": 10_000}
_TIMEOUT_SECONDS: Final = 10


def connect(conninfo: str) -> Connection:
    """Connect so that it works behind a transaction-mode pooler: nothing is prepared, nothing stays on the session."""
    target = read_url(conninfo)
    try:
        conn = psycopg.connect(target, autocommit=True, prepare_threshold=None)
    except psycopg.OperationalError as error:
        raise unreachable(error) from None
    conn.isolation_level = IsolationLevel.READ_COMMITTED
    return conn


def read_url(conninfo: str, *, options: str | None = None, seconds: float = math.inf) -> str:
    """The URL with our timeouts; `options` are for the server, which a pooler refuses. Raises Invalid."""
    try:
        given = {"connect_timeout": _TIMEOUT_SECONDS, **KEEPALIVE, **conninfo_to_dict(conninfo)}
        if options is not None:
            given["options"] = options
        each = seconds / len(str(given.get("host") or given.get("hostaddr") or "").split(","))
        if each < float(given["connect_timeout"] or math.inf):  # which holds for each host
            given["connect_timeout"] = max(1, math.ceil(each))
        return make_conninfo("", **given, client_encoding="utf8")
    except (psycopg.ProgrammingError, ValueError):
        # The driver's message repeats the text, and with it a password.
        raise Invalid("The database URL is invalid. Write postgresql://user:password@host:5432/database.") from None
