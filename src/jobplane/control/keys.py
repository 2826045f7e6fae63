"""API keys: who may make which, and the one moment at which a key is shown."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime
from uuid import UUID

from jobplane.control.access import PLATFORM, Access, Caller, Role
from jobplane.control.paging import walk
from jobplane.core.bounds import show
from jobplane.core.errors import Forbidden, Invalid, KeyNotFound
from jobplane.core.keys import mint
from jobplane.core.model import Key
from jobplane.core.paging import Page
from jobplane.store.verbs.api_keys import OVERLAP_SECONDS, CreateKey, ListKeys, RevokeKeys, RotateKey


class Keys:
    """The keys that a caller may see: a super admin all of them, a tenant admin those of its own tenant.

    A caller that is narrowed to an owner has the keys of that owner alone.
    """

    def __init__(self, access: Access) -> None:
        self._access = access

    async def create(
        self,
        role: Role | str,
        name: str = "",
        *,
        tenant: UUID | None = None,
        owner_user_id: str | None = None,
        expires_at: datetime | None = None,
    ) -> tuple[Key, str]:
        """Make a key; also the key itself, which is shown only here. Raises Forbidden.

        Keys with the roles super_admin and worker have no tenant. All others need one; a tenant admin's is its own.
        """
        caller, wanted = self._access.caller, _role(role)
        caller.require("createKey")
        whose = _tenant(caller, tenant)
        if caller.role is not Role.SUPER_ADMIN and wanted in PLATFORM:
            raise Forbidden(f"A key of a tenant may not create a key with the role {wanted}.", role=str(wanted))
        plain = mint()
        verb = CreateKey(plain.key_id, plain.digest, wanted, whose, name, _owner(caller, owner_user_id), expires_at)
        return await self._access.run("createKey", verb), plain.text

    async def list(self, *, tenant: UUID | None = None, limit: int = 100, after: str = "") -> Page[Key, str]:
        """A page of keys in the order of their ids; without a tenant those of all that the caller may see."""
        caller = self._access.caller
        verb = ListKeys(_tenant(caller, tenant), limit, after, caller.owner_user_id)
        return await self._access.run("listKeys", verb)

    def walk(self, *, tenant: UUID | None = None) -> AsyncIterator[Key]:
        """All of them, a page at a time."""
        return walk(lambda cursor: self.list(tenant=tenant, after=cursor or ""))

    async def revoke(self, key_id: str) -> None:
        """End a key for good; servers refuse it within five seconds. Raises KeyNotFound."""
        caller = self._access.caller
        if not await self._access.run("revokeKey", RevokeKeys([key_id], _tenant(caller), caller.owner_user_id)):
            raise KeyNotFound(f"There is no key {show(key_id)}. List the keys to find its id.", key_id=key_id)

    async def rotate(self, key_id: str, *, overlap_seconds: int = OVERLAP_SECONDS) -> tuple[Key, str]:
        """Make a successor with the same rights; also the new key itself, which is shown only here.

        The old key works until the overlap is over. Raises KeyNotFound.
        """
        caller, plain = self._access.caller, mint()
        whose = _tenant(caller), caller.owner_user_id
        verb = RotateKey(key_id, plain.key_id, plain.digest, overlap_seconds, *whose)
        return await self._access.run("rotateKey", verb), plain.text


def _role(role: str) -> Role:
    try:
        return Role(role)
    except ValueError:
        raise Invalid(f"Unknown role {show(role)}. Use one of {', '.join(Role)}.") from None


def _tenant(caller: Caller, tenant: UUID | None = None) -> UUID | None:
    """The tenant that a call is about. Only a super admin may name another one, or none for all."""
    if caller.role is Role.SUPER_ADMIN:
        return tenant
    if caller.tenant is not None and tenant in (None, caller.tenant):
        return caller.tenant
    raise Forbidden("A key of a tenant may not manage the keys of another tenant.", tenant_id=tenant)


def _owner(caller: Caller, owner_user_id: str | None) -> str | None:
    if caller.owner_user_id is None or owner_user_id in (None, caller.owner_user_id):
        return owner_user_id or caller.owner_user_id
    message = f"A key of the owner {show(caller.owner_user_id)} may only create keys with the same owner."
    raise Forbidden(message, owner_user_id=owner_user_id)
