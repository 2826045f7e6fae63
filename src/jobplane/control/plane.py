"""What a caller may do: a tenant with its own things, an operator with the installation."""

from __future__ import annotations

from uuid import UUID

from jobplane.control.definitions import Definitions
from jobplane.control.jobs import Jobs
from jobplane.control.logs import Logs
from jobplane.control.queues import Queues
from jobplane.control.tenants import Tenants
from jobplane.control.workers import Workers
from jobplane.store.base import Store


class TenantPlane:
    """The use cases of one tenant. No call can reach another tenant's rows."""

    def __init__(self, store: Store, tenant: UUID) -> None:
        self.tenant = tenant
        self.jobs = Jobs(store, tenant)
        self.logs = Logs(store, tenant)


class OperatorPlane:
    """The use cases of whoever runs the installation."""

    def __init__(self, store: Store) -> None:
        self.definitions = Definitions(store)
        self.queues = Queues(store)
        self.tenants = Tenants(store)
        self.workers = Workers(store)
