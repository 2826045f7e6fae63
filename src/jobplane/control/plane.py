"""What a caller may do: a tenant with its own things, an operator with the installation."""

from __future__ import annotations

from uuid import UUID

from jobplane.control.access import PROGRAM, Access, Caller
from jobplane.control.all_jobs import AllJobs
from jobplane.control.audit import Audit, FullAudit
from jobplane.control.catalog import Catalog
from jobplane.control.commands import Commands
from jobplane.control.database import Database
from jobplane.control.definition_trials import DefinitionTrials
from jobplane.control.definitions import Definitions
from jobplane.control.jobs import Jobs
from jobplane.control.keys import Keys
from jobplane.control.logs import Logs
from jobplane.control.problems import Problems, TenantProblems
from jobplane.control.queues import Queues
from jobplane.control.recent import Recent
from jobplane.control.replies import Replies
from jobplane.control.tenants import Tenants
from jobplane.control.triggers import AllTriggers, Triggers
from jobplane.control.workers import Workers
from jobplane.core.defaults import STANDARD, Defaults
from jobplane.store.base import Store


class TenantPlane:
    """The use cases of one tenant. No call can reach another tenant's rows."""

    def __init__(self, store: Store, tenant: UUID, caller: Caller = PROGRAM, catalog: Catalog | None = None) -> None:
        access = Access(store, caller)
        self.tenant = tenant
        self.jobs = Jobs(access, tenant, catalog, catalog or Catalog(store))
        self.logs = Logs(access, tenant, self.jobs)
        self.replies = Replies(access, tenant)
        self.audit = Audit(access, tenant)
        self.problems = TenantProblems(access, tenant)
        self.triggers = Triggers(access, tenant)
        self.commands = Commands(access, tenant)


class OperatorPlane:
    """The use cases of whoever runs the installation. Planes of one process share what they counted last."""

    def __init__(
        self,
        store: Store,
        caller: Caller = PROGRAM,
        recent: Recent | None = None,
        defaults: Defaults = STANDARD,
    ) -> None:
        access = Access(store, caller)
        recent = recent or Recent()
        self.jobs = AllJobs(access, recent)
        self.definitions = Definitions(access, defaults)
        self.definition_trials = DefinitionTrials(access, self.definitions)
        self.keys = Keys(access)
        self.queues = Queues(access)
        self.tenants = Tenants(access, recent, defaults)
        self.workers = Workers(access)
        self.audit = FullAudit(access)
        self.problems = Problems(access)
        self.triggers = AllTriggers(access)
        self.database = Database(access, recent)
