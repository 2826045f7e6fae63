"""Why a database cannot be set up or used as it is; each message ends with what to do.

StoreError   MigrationFailed  UnsafeDurability  DatabaseMissing
Conflict     MigrationChanged  TrustMismatch
NotFound     RolesMissing
Invalid      InvalidSource
"""

from __future__ import annotations

from jobplane.core.errors import Conflict, Invalid, NotFound, StoreError, UnsupportedServer


class MigrationFailed(StoreError):
    """The server refused a step; `step` names its file, and nothing of that step is left behind."""

    code = "migration_failed"


class UnsafeDurability(StoreError):
    """The server may forget what it has acknowledged; `settings` says why."""

    code = "unsafe_durability"


class DatabaseMissing(StoreError):
    """The server is there and has no database of this name."""

    code = "database_missing"


class MigrationChanged(Conflict):
    """A migration that has been applied differs from its file; `step` names it."""

    code = "migration_changed"


class TrustMismatch(Conflict):
    """The database was set up for the other trust mode; `found` and `wanted` say which."""

    code = "trust_mismatch"


class RolesMissing(NotFound):
    code = "roles_missing"


class InvalidSource(Invalid):
    """The SQL files themselves do not fit together."""

    code = "invalid_source"


def require_utf8(*, is_utf8: bool) -> None:
    """Refuse a database in another encoding: SQL_ASCII keeps any bytes as a text, the others not every text."""
    if not is_utf8:
        raise UnsupportedServer(
            "The encoding of this database is not UTF8, so it cannot keep every text. Create another database with"
            " `create database jobs encoding 'UTF8' template template0`."
        )
