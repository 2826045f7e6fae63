"""The verbs of API keys. A store gets the digest of a secret, and never the secret."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from uuid import UUID

from jobplane.core.model import Authenticated, Key
from jobplane.core.paging import Page
from jobplane.store.verbs.verb import OperatorVerb

OVERLAP_SECONDS: Final = 86_400


@dataclass(frozen=True, slots=True)
class CreateKey(OperatorVerb[Key]):
    """Keep a new key. The platform roles super_admin and worker have no tenant, all others have one."""

    key_id: str
    digest: bytes = field(repr=False)
    role: str
    tenant: UUID | None = None
    name: str = ""
    owner_user_id: str | None = None
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ListKeys(OperatorVerb[Page[Key, str]]):
    """Keys in the order of their ids, of all tenants and owners or of one."""

    tenant: UUID | None = None
    limit: int = 100
    after: str = ""
    owner_user_id: str | None = None


@dataclass(frozen=True, slots=True)
class RevokeKeys(OperatorVerb[list[str]]):
    """End keys for good; the ids of those that are there, also if they were revoked before."""

    ids: Sequence[str]
    tenant: UUID | None = None
    owner_user_id: str | None = None


@dataclass(frozen=True, slots=True)
class RotateKey(OperatorVerb[Key]):
    """Make a successor with the same rights; the old key works until the overlap is over. Raises KeyNotFound."""

    key_id: str
    new_key_id: str
    digest: bytes = field(repr=False)
    overlap_seconds: int = OVERLAP_SECONDS
    tenant: UUID | None = None
    owner_user_id: str | None = None


@dataclass(frozen=True, slots=True)
class Authenticate(OperatorVerb[Authenticated | None]):
    """Whom a key stands for; None for an unknown id, a wrong secret, and a key that was revoked or has expired."""

    key_id: str
    digest: bytes = field(repr=False)
