"""What a caller is told of when it changes: its tenant's jobs and problems, or those of the installation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final
from uuid import UUID

from jobplane.control.access import PROGRAM, Access, refuse_narrowed
from jobplane.core.changes import TOPICS, Marks, Topic
from jobplane.core.errors import Invalid
from jobplane.store.base import Store
from jobplane.store.verbs.operator import FindChanges

_MOST: Final = 1000  # tenants of one call
# A topic is told to whoever may read what it is about. A tenant has neither queues nor workers.
_OF_TENANT: Final[Mapping[Topic, str]] = {"jobs": "listJobs", "problems": "listProblems"}
_OF_INSTALLATION: Final[Mapping[Topic, str]] = {
    "jobs": "listAllProblems",  # `listJobs` is for those of one tenant, too
    "queues": "listQueues",
    "workers": "listWorkers",
    "problems": "listAllProblems",
}


class Changes:
    """The topics of one caller, about a tenant, or about the installation where `tenant` is None.

    A caller that is narrowed to one user is told of the jobs of its tenant. It learns that some job of the tenant
    changed, and neither which nor whose. Problems are about all users' jobs, and are left out.
    """

    def __init__(self, access: Access, tenant: UUID | None) -> None:
        self._caller = access.caller
        self.tenant = tenant

    def choose(self, asked: Iterable[Topic] | None = None) -> frozenset[Topic]:
        """Those of the topics, by default of all, that the caller may read.

        Raises Forbidden where it may read none of them, and Invalid where a tenant has none of them.
        """
        self._caller.require("streamChanges")
        wanted: tuple[Topic, ...] = TOPICS if asked is None else tuple(asked)
        operations = _OF_INSTALLATION if self.tenant is None else _OF_TENANT
        chosen: frozenset[Topic] = frozenset(topic for topic in wanted if self._may_read(topic, operations))
        if not chosen:
            self._refuse(wanted)
        return chosen

    def _may_read(self, topic: Topic, operations: Mapping[Topic, str]) -> bool:
        is_hidden = topic not in operations or (self._caller.owner_user_id is not None and topic != "jobs")
        return not is_hidden and self._caller.may(operations[topic])

    def _refuse(self, wanted: Iterable[Topic]) -> None:
        refuse_narrowed(self._caller)
        for topic in wanted:
            self._caller.require(_OF_INSTALLATION[topic])
        raise Invalid(
            "Queues and workers belong to the installation."
            " Leave out the header X-Jobplane-Tenant to receive their changes.",
            pointer="query topics",
        )


async def find_marks(store: Store, tenants: Iterable[UUID | None]) -> dict[UUID | None, Marks]:
    """The marks of tenants, and of the installation where None is among them. Tenants that are gone are left out."""
    access = Access(store, PROGRAM)
    wanted = set(tenants)
    named = sorted(tenant for tenant in wanted if tenant is not None)
    verbs = [FindChanges(named[first : first + _MOST]) for first in range(0, len(named), _MOST)]
    if None in wanted:
        verbs = [*verbs[1:], FindChanges(named[:_MOST], all_tenants=True)]
    return {marks.tenant_id: marks for verb in verbs for marks in await access.run("streamChanges", verb)}
