"""Who calls, with an API key or in a session: asked of the store, and remembered for five seconds."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from hmac import compare_digest
from typing import Final, Generic, TypeVar

from jobplane.control.access import Caller, Role
from jobplane.core.actors import Actor
from jobplane.core.errors import Unauthenticated
from jobplane.core.keys import PlainKey, parse
from jobplane.core.model import Authenticated
from jobplane.core.sessions import Session, Token, read_token
from jobplane.store.base import Store
from jobplane.store.verbs.api_keys import Authenticate
from jobplane.store.verbs.sessions import FindSession

Name = TypeVar("Name", bound=Hashable)
Found = TypeVar("Found", Authenticated, Session)

REMEMBERED_SECONDS: Final = 5.0  # a revoked key, or a session that has ended, is refused after this time everywhere
MOST: Final = 10_000  # keys, and sessions, that one process remembers
IDLE_SECONDS: Final = 43_200


class Authentication:
    """Turns keys and tokens into callers. One for each process: it remembers valid ones for five seconds."""

    def __init__(
        self, store: Store, *, idle_seconds: int = IDLE_SECONDS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._store = store
        self._idle_seconds = idle_seconds
        self._clock = clock
        self._keys = _Memory[str, Authenticated](clock)
        self._sessions = _Memory[bytes, Session](clock)

    async def caller(self, presented: str, address: str | None = None, request_id: str | None = None) -> Caller:
        """The caller that a key stands for; raises Unauthenticated, with the same message whatever is wrong."""
        plain = parse(presented)
        found = None if plain is None else await self._find_key(plain)
        if found is None:
            raise Unauthenticated("The API key is not valid. Check it for typing errors, or create a new one.")
        actor = Actor("key", found.key_id, found.name, address, request_id)
        return Caller(actor, Role(found.role), found.tenant_id, found.owner_user_id)

    async def session(self, presented: str, address: str | None = None, request_id: str | None = None) -> Caller:
        """The caller who is signed in with this token; raises Unauthenticated."""
        token = read_token("jps", presented)
        found = None if token is None else await self._find_session(token)
        if found is None:
            raise Unauthenticated("The session has ended. Sign in again.")
        return signed_in(found, address, request_id)

    def forget_session(self, digest: bytes) -> None:
        """A session has ended: this process does not accept it any more."""
        self._sessions.forget(lambda name, _: name == digest)

    def forget_sessions(self, principal: tuple[str, str]) -> None:
        """All sessions of a principal have ended."""
        self._sessions.forget(lambda _, found: (found.principal_type, found.principal_id) == principal)

    async def _find_key(self, plain: PlainKey) -> Authenticated | None:
        digest = plain.digest
        known = self._keys.recall(plain.key_id, digest)
        if known is not None:
            return known
        keep = self._keys.ask(plain.key_id, digest)
        return keep(await self._store.run(Authenticate(plain.key_id, digest)))

    async def _find_session(self, token: Token) -> Session | None:
        digest = token.digest
        known = self._sessions.recall(digest, digest)
        if known is not None:
            return known
        keep = self._sessions.ask(digest, digest)
        return keep(await self._store.run(FindSession(digest, self._idle_seconds)))


def signed_in(session: Session, address: str | None = None, request_id: str | None = None) -> Caller:
    """The caller in a session: with the rights of its principal, and its name in the audit log."""
    actor = Actor("session", session.principal_id, session.name, address, request_id)
    return Caller(actor, Role(session.role), session.tenant_id, session.owner_user_id, session=session)


class _Memory(Generic[Name, Found]):
    """What the store answered in the last five seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._known: dict[Name, tuple[bytes, Found, float]] = {}
        self._forgotten = 0

    def recall(self, name: Name, digest: bytes) -> Found | None:
        known = self._known.get(name)
        if known is None or self._clock() >= known[2] or not compare_digest(known[0], digest):
            return None
        return known[1]

    def ask(self, name: Name, digest: bytes) -> Callable[[Found | None], Found | None]:
        """Call before the store is asked; the result takes the answer, keeps it and returns it.

        An answer that was under way while something was forgotten is not kept: it may be older than that.
        """
        until, forgotten = self._clock() + REMEMBERED_SECONDS, self._forgotten

        def keep(found: Found | None) -> Found | None:
            if found is not None and forgotten == self._forgotten:
                self._keep(name, (digest, found, until))
            return found

        return keep

    def _keep(self, name: Name, known: tuple[bytes, Found, float]) -> None:
        """As the newest; the oldest goes when there are too many."""
        self._known.pop(name, None)
        self._known[name] = known
        if len(self._known) > MOST:
            del self._known[next(iter(self._known))]

    def forget(self, is_meant: Callable[[Name, Found], bool]) -> None:
        self._forgotten += 1
        self._known = {name: known for name, known in self._known.items() if not is_meant(name, known[1])}
