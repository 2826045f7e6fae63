"""The verbs of sessions, and of the links that sign in. A store gets the digest of a token, and never the token."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from jobplane.core.sessions import PrincipalType, Session
from jobplane.store.verbs.verb import OperatorVerb


@dataclass(frozen=True, slots=True)
class CreateSession(OperatorVerb[Session | None]):
    """Sign in with a key, or with a link, which works once; None where it is wrong, used, revoked or has expired."""

    digest: bytes = field(repr=False)
    seconds: int
    idle_seconds: int
    key_id: str | None = None
    key_digest: bytes | None = field(default=None, repr=False)
    link: bytes | None = field(default=None, repr=False)
    replaces: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class FindSession(OperatorVerb[Session | None]):
    """Whom a session stands for; None where it has ended, or its principal may do nothing any more."""

    digest: bytes = field(repr=False)
    idle_seconds: int


@dataclass(frozen=True, slots=True)
class EndSessions(OperatorVerb[int]):
    """Sign a principal out, of one session or of all, links included; how many sessions ended."""

    principal_type: PrincipalType
    principal_id: str
    digest: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class CreateSessionLink(OperatorVerb[datetime | None]):
    """Keep a link that signs in once; when it expires, or None where the principal may do nothing any more.

    The session that comes of it ends at `session_until` at the latest.
    """

    digest: bytes = field(repr=False)
    principal_type: PrincipalType
    principal_id: str
    session_until: datetime | None = None
