"""Who is signed in with a browser, and the tokens that prove it. A store keeps digests, and never a token."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Final, Literal, TypeAlias
from uuid import UUID

PrincipalType: TypeAlias = Literal["key", "login"]
TokenKind: TypeAlias = Literal["jps", "jpl"]  # of a session, of a link
_BYTES: Final = 32
_SHAPE: Final = re.compile(r"(jps|jpl)_[0-9A-Za-z_-]{43}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Token:
    """A token as its holder has it: 256 random bits, and a prefix by which a scanner recognizes it."""

    text: str = field(repr=False)

    @property
    def digest(self) -> bytes:
        """What a store keeps. A fast hash is enough for 256 random bits."""
        return sha256(self.text.encode()).digest()


def new_token(kind: TokenKind) -> Token:
    return Token(f"{kind}_{secrets.token_urlsafe(_BYTES)}")


def read_token(kind: TokenKind, text: str) -> Token | None:
    """The token; None where the text has another shape."""
    return Token(text) if text.startswith(kind) and _SHAPE.fullmatch(text) else None


@dataclass(frozen=True, slots=True)
class Session:
    """A session that has not ended, and what its principal may do: an API key, or a login that is a super admin."""

    principal_type: PrincipalType
    principal_id: str
    name: str
    role: str
    tenant_id: UUID | None
    tenant_slug: str | None
    owner_user_id: str | None
    created_at: datetime
    expires_at: datetime
