"""The verbs of whoever runs the installation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from jobplane.core.model import Definition, Document, Queue, Tenant, Worker
from jobplane.core.paging import Page
from jobplane.store.verbs.verb import OperatorVerb


@dataclass(frozen=True, slots=True)
class CreateTenant(OperatorVerb[Tenant]):
    """Make a tenant."""

    slug: str
    name: str = ""
    weight: int = 1
    max_in_flight: int | None = None
    max_pending: int | None = None
    tenant_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class SetTenant(OperatorVerb[Tenant]):
    """Change name, weight or limits; None takes a limit away."""

    tenant: UUID
    changes: Document


@dataclass(frozen=True, slots=True)
class PauseTenants(OperatorVerb[list[UUID]]):
    """Start none of their jobs from now on."""

    tenants: Sequence[UUID]


@dataclass(frozen=True, slots=True)
class ResumeTenants(OperatorVerb[list[UUID]]):
    """Start their jobs again."""

    tenants: Sequence[UUID]


@dataclass(frozen=True, slots=True)
class ListTenants(OperatorVerb[Page[Tenant, str]]):
    """Tenants in the order of their slugs."""

    limit: int = 100
    after: str = ""


@dataclass(frozen=True, slots=True)
class GetTenant(OperatorVerb[Tenant]):
    """One tenant, by id or slug."""

    tenant: UUID | str


@dataclass(frozen=True, slots=True)
class ListDefinitions(OperatorVerb[Page[Definition, str]]):
    """Definitions in the order of their keys."""

    keys: Sequence[str] | None = None
    limit: int = 100
    after: str = ""


@dataclass(frozen=True, slots=True)
class PauseQueues(OperatorVerb[list[str]]):
    """Hand out nothing from them from now on."""

    names: Sequence[str]


@dataclass(frozen=True, slots=True)
class ResumeQueues(OperatorVerb[list[str]]):
    """Hand out jobs again."""

    names: Sequence[str]


@dataclass(frozen=True, slots=True)
class ListQueues(OperatorVerb[Page[Queue, str]]):
    """Queues by name."""

    limit: int = 100
    after: str = ""


@dataclass(frozen=True, slots=True)
class DeleteQueues(OperatorVerb[list[str]]):
    """Delete queues that nothing uses; the names of those that were there."""

    ids: Sequence[str]


@dataclass(frozen=True, slots=True)
class ListWorkers(OperatorVerb[Page[Worker, str]]):
    """Workers, the latest seen first. There is one page: the order changes with every sign of life."""

    limit: int = 100
