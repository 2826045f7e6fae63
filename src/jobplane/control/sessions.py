"""Sessions: sign in with a key or a link, sign out, and make a link."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from jobplane.control.access import Access, Caller
from jobplane.control.authentication import IDLE_SECONDS, Authentication, signed_in
from jobplane.core.actors import Actor
from jobplane.core.errors import Forbidden, NotFound, Unauthenticated
from jobplane.core.keys import parse
from jobplane.core.sessions import PrincipalType, Token, new_token, read_token
from jobplane.store.base import Store
from jobplane.store.verbs.sessions import CreateSession, CreateSessionLink, EndSessions

SESSION_SECONDS: Final = 604_800
_REFUSED: Final = "The key or the link is wrong, was used or revoked, or has expired. Check it, or get a new one."


@dataclass(frozen=True, slots=True)
class Link:
    """A link that signs in once. It is shown only when it is made."""

    token: Token
    expires_at: datetime

    @property
    def path(self) -> str:
        """Where it leads. The token is in the fragment, which a browser sends to nobody: no log has it."""
        return f"/sign-in#link={self.token.text}"


class Sessions:
    """Signs callers in and out. One for each process: a session that ends here is refused here at once."""

    def __init__(
        self,
        store: Store,
        authentication: Authentication,
        *,
        seconds: int = SESSION_SECONDS,
        idle_seconds: int = IDLE_SECONDS,
    ) -> None:
        self._store = store
        self._authentication = authentication
        self._lasts = seconds, idle_seconds

    async def sign_in(
        self,
        *,
        key: str | None = None,
        link: str | None = None,
        replaces: str | None = None,
        address: str | None = None,
        request_id: str | None = None,
    ) -> tuple[Caller, Token]:
        """Start a session with a new token, which is shown only here; raises Unauthenticated.

        The message is the same whatever is wrong. `replaces` is the token of a session that ends with this.
        """
        plain, used = parse(key or ""), read_token("jpl", link or "")
        if plain is None and used is None:
            raise Unauthenticated(_REFUSED)
        token, former = new_token("jps"), read_token("jps", replaces or "")
        verb = CreateSession(
            token.digest,
            *self._lasts,
            plain and plain.key_id,
            plain and plain.digest,
            used and used.digest,
            former and former.digest,
        )
        found = await self._store.run(verb, actor=Actor("session", "", "", address, request_id))
        if found is None:
            raise Unauthenticated(_REFUSED)
        if former is not None:
            self._authentication.forget_session(former.digest)
        return signed_in(found, address, request_id), token

    async def sign_out(self, caller: Caller, presented: str) -> None:
        """End the caller's session; raises NotFound where the caller has none."""
        token = read_token("jps", presented)
        if caller.session is None or token is None:
            raise NotFound("There is no session to end: this request was made with a key.")
        verb = EndSessions(*_principal(caller), token.digest)
        await Access(self._store, caller).run("endSession", verb)
        self._authentication.forget_session(token.digest)

    async def sign_out_everywhere(self, caller: Caller) -> None:
        """End all sessions and links of the caller's principal."""
        principal = _principal(caller)
        await Access(self._store, caller).run("endSessions", EndSessions(*principal))
        self._authentication.forget_sessions(principal)

    async def create_link(self, caller: Caller) -> Link:
        """Make a link that signs the caller in once, within ten minutes.

        The session of a link that was made in a session ends with that one: a session cannot prolong itself.
        """
        token = new_token("jpl")
        until = None if caller.session is None else caller.session.expires_at
        verb = CreateSessionLink(token.digest, *_principal(caller), until)
        expires_at = await Access(self._store, caller).run("createSessionLink", verb)
        if expires_at is None:
            raise Unauthenticated(_REFUSED)
        return Link(token, expires_at)


def _principal(caller: Caller) -> tuple[PrincipalType, str]:
    """The key or the login that a caller is, or that its session came from."""
    if caller.session is not None:
        return caller.session.principal_type, caller.session.principal_id
    match caller.actor:
        case Actor(type="key" | "login" as kind, id=name):
            return kind, name
        case _:
            raise Forbidden("Only a caller with a key or a login can have sessions.")
