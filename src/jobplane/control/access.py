"""Who may call what: one table from operation to least role, judged before a verb runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from typing import Any, Final, TypeVar
from uuid import UUID

from jobplane.control.spelling import Spelling
from jobplane.core.actors import Actor
from jobplane.core.bounds import show
from jobplane.core.errors import Forbidden, JobplaneError, UnknownQueue
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
    "getAttemptOutput": Role.VIEWER,
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
    "previewCommand": Role.TENANT_ADMIN,
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
    "listTriggers": Role.VIEWER,
    "getTrigger": Role.VIEWER,
    "listFires": Role.VIEWER,
    "previewTrigger": Role.VIEWER,
    "simulateTrigger": Role.VIEWER,
    "createTrigger": Role.TENANT_ADMIN,
    "changeTrigger": Role.TENANT_ADMIN,
    "enableTrigger": Role.TENANT_ADMIN,
    "disableTrigger": Role.TENANT_ADMIN,
    "deleteTrigger": Role.TENANT_ADMIN,
    "fireTrigger": Role.TENANT_ADMIN,
    "backfillTrigger": Role.TENANT_ADMIN,
    "createKey": Role.TENANT_ADMIN,
    "listKeys": Role.TENANT_ADMIN,
    "revokeKey": Role.TENANT_ADMIN,
    "rotateKey": Role.TENANT_ADMIN,
    "listAudit": Role.TENANT_ADMIN,
    "listAuditInFull": Role.SUPER_ADMIN,
    "chainAudit": Role.SUPER_ADMIN,
    "verifyAudit": Role.SUPER_ADMIN,
}
# Operations of the REST API that are another one under a second path.
ALIASES: Final[Mapping[str, str]] = {
    "listSchedules": "listTriggers",
    **{f"{verb}Schedule": f"{verb}Trigger" for verb in ("create", "get", "change", "delete", "enable", "disable")},
    **{f"{verb}Schedule": f"{verb}Trigger" for verb in ("fire", "backfill", "preview", "simulate")},
    "previewTimetable": "previewTrigger",
    "simulateTimetable": "simulateTrigger",
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


# Who makes or renews a key may do what the key may: these stay with those who may do all that a tenant's keys may.
_HANDS_OUT_ROLES: Final = frozenset({"createKey", "rotateKey"})


class Policy:
    """The least role of each operation: that of the table, or what an installation has put in its place."""

    def __init__(self, changes: Mapping[str, Role] | None = None) -> None:
        self._least = {**OPERATIONS, **(changes or {})}

    def least(self, operation: str) -> Role:
        return self._least[ALIASES.get(operation, operation)]

    def may(self, role: Role, operation: str) -> bool:
        """Whether a role may do an operation. Operations of a super admin are closed to every other role."""
        least = self.least(operation)
        if role in BESIDE:
            return operation in BESIDE[role] and least is not Role.SUPER_ADMIN
        return LADDER.index(role) >= LADDER.index(least)


STANDARD: Final = Policy()


def judge_change(operation: str, role: str) -> Role:
    """The role that an installation may ask for an operation; raises ValueError, with a suggestion."""
    if operation not in OPERATIONS:
        close = get_close_matches(operation, OPERATIONS, n=1)
        hint = f"Did you mean {close[0]}?" if close else "The REST reference lists them."
        raise ValueError(f"There is no operation {show(operation, 60)}. {hint}")
    if role not in LADDER:
        close = get_close_matches(role, LADDER, n=1)
        hint = f"Did you mean {close[0]}?" if close else f"Use one of {', '.join(LADDER)}."
        raise ValueError(f"Operation {operation} cannot have the role {show(role, 60)}. {hint}")
    if operation in _OWN:
        raise ValueError(f"Operation {operation} is open to every role: it concerns the caller alone. Leave it out.")
    least, wanted = OPERATIONS[operation], Role(role)
    if least is Role.SUPER_ADMIN and wanted is not least:
        raise ValueError(f"Operation {operation} needs the role super_admin: it reaches across tenants. Leave it out.")
    if operation in _HANDS_OUT_ROLES and LADDER.index(wanted) < LADDER.index(least):
        raise ValueError(f"Operation {operation} needs at least the role {least}: it can create keys of any role.")
    return wanted


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls, and as what. `owner_user_id` narrows a caller to the jobs of one user of the application."""

    actor: Actor | None
    role: Role
    tenant: UUID | None = None  # None: a super admin, who may name any
    owner_user_id: str | None = None
    session: Session | None = None  # in which it calls, instead of with a key
    policy: Policy = STANDARD

    def may(self, operation: str) -> bool:
        return self.policy.may(self.role, operation)

    def require(self, operation: str) -> None:
        """Raise Forbidden where the role does not reach."""
        if not self.may(operation):
            least = self.policy.least(operation)
            message = f"A key with the role {self.role} may not do this. Use a key with the role {least}."
            raise Forbidden(message, operation=operation, role=str(self.role), least_role=str(least))

    @property
    def operations(self) -> list[str]:
        """The names of the operations that this caller may do."""
        return [operation for operation in OPERATIONS if self.may(operation)]

    def require_all_tenants(self) -> None:
        """Raise Forbidden if the caller belongs to one tenant, whatever its role is."""
        if self.role is not Role.SUPER_ADMIN or self.tenant is not None:
            message = f"A key with the role {self.role} sees one tenant. The role {Role.SUPER_ADMIN} sees all."
            raise Forbidden(message, role=str(self.role), least_role=str(Role.SUPER_ADMIN))


def refuse_narrowed(caller: Caller) -> None:
    """Raise Forbidden where a caller sees one user's jobs alone, and the answer would be about all of a tenant's."""
    if caller.owner_user_id is not None:
        message = "A key with an owner_user_id sees the jobs of that user alone. Use a key without one."
        raise Forbidden(message, role=str(caller.role))


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

    async def explain(self, error: JobplaneError, name: object) -> JobplaneError:
        """The error, with the nearest definition or queue if there is none of that name.

        A caller that may not list queues learns of none.
        """
        if isinstance(error, UnknownQueue) and not self.caller.may("listQueues"):
            return error
        return await Spelling(self._store).explain(error, name)

    async def peek(self, verb: Verb[Answer], *, conn: Any = None) -> Answer:
        """The answer of a verb that belongs to an operation which has been judged already."""
        return await self._store.run(verb, conn=conn)
