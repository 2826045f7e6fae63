"""How a store reaches its database: a URL for each role, and what a connection is told at its start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from jobplane.store.postgres import source
from jobplane.store.postgres.calls.call import Role
from jobplane.store.postgres.link import KEEPALIVE
from jobplane.store.postgres.loading import ADAPTERS
from jobplane.store.postgres.script import Trust

# No statement and no idle transaction lasts for ever.
_SESSION: Final = "-c lock_timeout=5s -c idle_in_transaction_session_timeout=60s"
# The server ends a statement before the client gives it up: then the outcome is known.
SERVERS_LEAD_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that a store has to know; `pooler` is "transaction" behind a pooler in that mode.

    `session` has more options, `-c name=value`, for a connection that is not behind one.
    """

    urls: Mapping[Role, str]
    pooler: str = "none"
    trust: Trust = "roles"
    allow_unsafe_durability: bool = False
    min_connections: int = 0
    max_connections: int = 4
    idle_seconds: float = 600.0  # before a connection that nobody uses is closed
    timeout_seconds: float = 10.0  # to wait for a connection
    deadline_seconds: float = 15.0  # for a whole call, with the wait for a connection
    session: str = ""

    def connection(self) -> dict[str, Any]:
        """Keyword arguments of a connection. Behind a transaction pooler nothing may stay on the session."""
        named = {"autocommit": True, "connect_timeout": 5, "application_name": "jobplane", "context": ADAPTERS}
        given: dict[str, Any] = {**named, **KEEPALIVE}
        if self.options is None:
            return {**given, "prepare_threshold": None}
        return {**given, "prepare_threshold": 2, "options": self.options}

    @property
    def options(self) -> str | None:
        """What the server is told at the start of a session."""
        if self.pooler == "transaction":
            return None
        statement_ms = round((self.deadline_seconds - SERVERS_LEAD_SECONDS) * 1000)
        return f"-c statement_timeout={statement_ms} {_SESSION} {self.session}"

    def checks(self) -> dict[str, Any]:
        """Keyword arguments of the start-up check."""
        return {
            "wanted": source.load().number,
            "trust": self.trust,
            "allow_unsafe_durability": self.allow_unsafe_durability,
        }

    def url(self, role: Role) -> str:
        """The role's own URL, else the app's."""
        return self.urls.get(role) or self.urls["app"]
