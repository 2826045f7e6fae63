"""Who may call what: one table from operation to least role, judged before a verb runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, TypeVar
from uuid import UUID

from jobplane.core.actors import Actor
from jobplane.core.errors import Forbidden
from jobplane.core.sessions import Session
from jobplane.store.base import Store
from jobplane.store.verbs.verb import Verb

Answer = TypeVar("Answer")


class Role(StrEnum):
    """The first four are a ladder: each may do what the ones before it may. The other two stand beside it."""

    VIEWER = "viewer"
    RESPONDER = "responder"
    TENANT_ADMIN = "tenant_admin"
    SUPER_ADMIN = "super_admin"
    ENQUEUE = "enqueue"
    WORKER = "worker"


LADDER: Final = (Role.VIEWER, Role.RESPONDER, Role.TENANT_ADMIN, Role.SUPER_ADMIN)
PLATFORM: Final = frozenset({Role.SUPER_ADMIN, Role.WORKER})  # roles of keys that belong to no tenant

# Operation: the least role of the ladder that may do it. The names are the operationIds of the REST API.
OPERATIONS: Final[Mapping[str, Role]] = {
    "enqueueJob": Role.TENANT_ADMIN,
    "enqueueJobs": Role.TENANT_ADMIN,
    "listJobs": Role.VIEWER,
    "getJob": Role.VIEWER,
    "cancelJob": Role.RESPONDER,
    "retryJob": Role.RESPONDER,
    "cancelJobs": Role.RESPONDER,
    "retryJobs": Role.RESPONDER,
    "rescheduleJob": Role.RESPONDER,
    "editJob": Role.TENANT_ADMIN,
    "runJobAgain": Role.RESPONDER,
    "runJobAgainEdited": Role.TENANT_ADMIN,
    "listAttempts": Role.VIEWER,
    "getResult": Role.VIEWER,
    "summarizeJobs": Role.VIEWER,
    "getOverview": Role.VIEWER,
    "readLogs": Role.VIEWER,
    "searchLogs": Role.VIEWER,
    "explainJob": Role.VIEWER,
    "listProblems": Role.VIEWER,
    "streamChanges": Role.VIEWER,
    "listAllProblems": Role.SUPER_ADMIN,
    "getMe": Role.VIEWER,
    "endSession": Role.VIEWER,
    "endSessions": Role.VIEWER,
    "createSessionLink": Role.VIEWER,
    "listDefinitions": Role.VIEWER,
    "getDefinition": Role.VIEWER,
    "listDefinitionsInFull": Role.SUPER_ADMIN,
    "getDefinitionInFull": Role.SUPER_ADMIN,
    "createDefinition": Role.SUPER_ADMIN,
    "changeDefinition": Role.SUPER_ADMIN,
    "enableDefinition": Role.SUPER_ADMIN,
    "disableDefinition": Role.SUPER_ADMIN,
    "deleteDefinition": Role.SUPER_ADMIN,
    "syncDefinitions": Role.SUPER_ADMIN,
    "listQueues": Role.SUPER_ADMIN,
    "getQueue": Role.SUPER_ADMIN,
    "getBacklog": Role.SUPER_ADMIN,
    "putQueues": Role.SUPER_ADMIN,
    "pauseQueue": Role.SUPER_ADMIN,
    "resumeQueue": Role.SUPER_ADMIN,
    "deleteQueue": Role.SUPER_ADMIN,
    "listWorkers": Role.SUPER_ADMIN,
    "deleteWorker": Role.SUPER_ADMIN,
    "getDatabase": Role.SUPER_ADMIN,
    "createTenant": Role.SUPER_ADMIN,
    "listTenants": Role.SUPER_ADMIN,
    "getTenant": Role.SUPER_ADMIN,
    "changeTenant": Role.SUPER_ADMIN,
    "pauseTenant": Role.SUPER_ADMIN,
    "resumeTenant": Role.SUPER_ADMIN,
    "createKey": Role.TENANT_ADMIN,
    "listKeys": Role.TENANT_ADMIN,
    "revokeKey": Role.TENANT_ADMIN,
    "rotateKey": Role.TENANT_ADMIN,
    "listAudit": Role.TENANT_ADMIN,
    "listAuditInFull": Role.SUPER_ADMIN,
    "chainAudit": Role.SUPER_ADMIN,
    "verifyAudit": Role.SUPER_ADMIN,
}
# Everybody may, without a key or a session.
OPEN: Final = frozenset({"createSession"})
# What every caller may, because it is about the caller alone.
_OWN: Final = frozenset({"getMe", "endSession", "endSessions", "createSessionLink"})
# What a role beside the ladder may do.
BESIDE: Final[Mapping[Role, frozenset[str]]] = {
    Role.ENQUEUE: _OWN | {"enqueueJob", "enqueueJobs", "getJob"},
    Role.WORKER: _OWN,
}


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls, and as what. `owner_user_id` narrows a caller to the jobs of one user of the application."""

    actor: Actor | None
    role: Role
    tenant: UUID | None = None  # None: a super admin, who may name any
    owner_user_id: str | None = None
    session: Session | None = None  # in which it calls, instead of with a key

    def may(self, operation: str) -> bool:
        if self.role in BESIDE:
            return operation in BESIDE[self.role]
        return LADDER.index(self.role) >= LADDER.index(OPERATIONS[operation])

    def require(self, operation: str) -> None:
        """Raise Forbidden where the role does not reach."""
        if not self.may(operation):
            message = f"A key with the role {self.role} may not do this. It takes the role {OPERATIONS[operation]}."
            raise Forbidden(message, operation=operation, role=str(self.role), least_role=str(OPERATIONS[operation]))

    @property
    def operations(self) -> list[str]:
        """What this caller may do, by name."""
        return [operation for operation in OPERATIONS if self.may(operation)]


def refuse_narrowed(caller: Caller) -> None:
    """Raise Forbidden where a caller sees one user's jobs alone, and the answer would be about all of a tenant's."""
    if caller.owner_user_id is not None:
        raise Forbidden(
            "A key that is narrowed to one owner_user_id sees that user's jobs alone.", role=str(caller.role)
        )


# A program that opens the database itself: its login is what limits it.
PROGRAM: Final = Caller(None, Role.SUPER_ADMIN)


class Access:
    """A store for one caller. Each operation is judged before its verb runs, and made in the caller's name."""

    def __init__(self, store: Store, caller: Caller = PROGRAM) -> None:
        self._store = store
        self.caller = caller

    async def run(self, operation: str, verb: Verb[Answer], *, conn: Any = None) -> Answer:
        """The verb's answer; raises Forbidden."""
        self.caller.require(operation)
        return await self._store.run(verb, conn=conn, actor=self.caller.actor)

    async def peek(self, verb: Verb[Answer]) -> Answer:
        """The answer of a verb that belongs to an operation which has been judged already."""
        return await self._store.run(verb)
