"""What the operator sets: tenants, queues; and the workers."""

from __future__ import annotations

from dataclasses import asdict
from operator import itemgetter
from typing import Any, Final
from uuid import UUID

from jobplane.core.decoding import Reader, as_object, as_texts, loads, optional
from jobplane.core.errors import TenantNotFound
from jobplane.core.model import Queue, Tenant, TenantDepth, Worker
from jobplane.core.paging import Page, page_of
from jobplane.core.payload import encode_document
from jobplane.core.tenants import judge_tenant
from jobplane.store.postgres.calls.call import Call, Rows, asks, nothing, one, uuids
from jobplane.store.postgres.calls.nouns import firsts
from jobplane.store.verbs.engine import (
    DeregisterWorker,
    HasReady,
    RegisterWorker,
    SeeWorker,
    WantWork,
)
from jobplane.store.verbs.jobs import FindTenant
from jobplane.store.verbs.operator import (
    CountTenants,
    CreateTenant,
    DeleteWorker,
    GetQueues,
    GetSlugs,
    GetTenant,
    ListTenants,
    ListWorkers,
    PauseQueues,
    PauseTenants,
    ResumeQueues,
    ResumeTenants,
    SetTenant,
)

_TENANT: Final = asks(Tenant)
_DEPTH: Final = asks(TenantDepth)
_WORKER: Final = asks(Worker)
_QUEUE: Final = asks(Queue)
_tenant: Final = Reader(Tenant)
_queue: Final = Reader(Queue)
_read_worker: Final = Reader(
    Worker, queues=as_texts, definitions=optional(as_texts), metadata=as_object, mismatched=as_texts
)


def create_tenant(verb: CreateTenant) -> Call[Tenant]:
    judge_tenant(asdict(verb), is_new=True)
    parameters = (
        verb.slug,
        verb.name,
        verb.weight,
        verb.max_in_flight,
        verb.max_pending,
        verb.tenant_id,
        verb.timezone,
    )
    return Call(
        "admin",
        _TENANT + "create_tenant(%s::text, %s::text, %s::int, %s::int, %s::int, %s::uuid, %s::text)",
        parameters,
        _read_tenant,
    )


def set_tenant(verb: SetTenant) -> Call[Tenant]:
    changes = encode_document(verb.changes, "changes")
    judge_tenant(as_object(loads(changes)))
    parameters = (verb.tenant, changes)
    statement = _TENANT + "set_tenant(%s::uuid, %s::jsonb)"
    return Call("admin", statement, parameters, _read_tenant)


def pause_tenants(verb: PauseTenants) -> Call[list[UUID]]:
    parameters = (uuids(verb.tenants), verb.reason)
    return Call("admin", "select jobplane.pause_tenants(%s::uuid[], %s::text)", parameters, firsts)


def resume_tenants(verb: ResumeTenants) -> Call[list[UUID]]:
    return Call("admin", "select jobplane.resume_tenants(%s::uuid[])", (uuids(verb.tenants),), firsts)


def list_tenants(verb: ListTenants) -> Call[Page[Tenant, str]]:
    return Call(
        "admin",
        _TENANT + "list_tenants(null, null, %s::int, %s::text)",
        (verb.limit, verb.after),
        lambda rows: page_of(rows, verb.limit, _tenant, itemgetter(1)),
    )


def get_tenant(verb: GetTenant) -> Call[Tenant]:
    tenant = verb.tenant
    by_id, by_slug = ([tenant], None) if isinstance(tenant, UUID) else (None, [tenant])
    statement = _TENANT + "list_tenants(%s::uuid[], %s::text[])"
    return Call("admin", statement, (by_id, by_slug), _read_tenant)


def get_slugs(verb: GetSlugs) -> Call[dict[UUID, str]]:
    statement = "select tenant_id, slug from jobplane.tenant_slugs(%s::uuid[])"
    return Call("admin", statement, (uuids(verb.ids),), dict)


def count_tenants(verb: CountTenants) -> Call[list[TenantDepth]]:
    statement = _DEPTH + "tenant_depths(%s::uuid[])"
    return Call("admin", statement, (uuids(verb.tenants),), lambda rows: [TenantDepth(*row) for row in rows])


def find_tenant(verb: FindTenant) -> Call[UUID]:
    return Call("app", "select jobplane.tenant_id_of(%s::text)", (verb.slug,), lambda rows: _require_found(one(rows)))


def _read_tenant(rows: Rows) -> Tenant:
    return _tenant(_require_found(rows[0] if rows else None))


def _require_found(value: Any) -> Any:
    if value is None:
        raise TenantNotFound("There is no such tenant.")
    return value


def get_queues(verb: GetQueues) -> Call[list[Queue]]:
    named = (list(verb.names),)
    return Call(
        "admin", _QUEUE + "list_queues(p_names => %s::text[])", named, lambda rows: [_queue(row) for row in rows]
    )


def pause_queues(verb: PauseQueues) -> Call[list[str]]:
    parameters = (list(verb.names), verb.reason)
    return Call("admin", "select jobplane.pause_queues(%s::text[], %s::text)", parameters, firsts)


def resume_queues(verb: ResumeQueues) -> Call[list[str]]:
    return Call("admin", "select jobplane.resume_queues(%s::text[])", (list(verb.names),), firsts)


def register_worker(verb: RegisterWorker) -> Call[None]:
    worker = verb.worker
    named = None if worker.definitions is None else list(worker.definitions)
    return Call(
        "worker",
        "select jobplane.register_worker(%s::text, %s::text[], %s::text[], %s::text, %s::int, %s::text, %s::int,"
        " %s::jsonb, %s::text[], %s::text[])",
        (
            worker.worker_id,
            list(worker.queues),
            named,
            worker.hostname,
            worker.pid,
            worker.version,
            worker.slots,
            encode_document(worker.metadata, "metadata"),
            list(worker.mismatched),
            list(worker.commands),
        ),
        nothing,
    )


def see_worker(verb: SeeWorker) -> Call[bool]:
    parameters = (verb.worker_id, verb.running_count, verb.draining)
    return Call("worker", "select jobplane.see_worker(%s::text, %s::int, %s::boolean)", parameters, one)


def deregister_worker(verb: DeregisterWorker) -> Call[bool]:
    return Call("worker", "select jobplane.deregister_worker(%s::text)", (verb.worker_id,), one)


def has_ready(verb: HasReady) -> Call[bool]:
    return Call("worker", "select jobplane.has_ready(%s::text)", (verb.worker_id,), one)


def list_workers(verb: ListWorkers) -> Call[Page[Worker, str]]:
    statement = _WORKER + "list_workers(%s::int)"
    return Call("worker", statement, (verb.limit,), lambda rows: Page([_read_worker(row) for row in rows]))


def delete_worker(verb: DeleteWorker) -> Call[None]:
    return Call("admin", "select jobplane.delete_worker(%s::text)", (verb.worker_id,), nothing)


def want_work(verb: WantWork) -> Call[dict[str, int]]:
    statement = "select name, queue_id from jobplane.want_work(%s::text[], %s::int)"
    return Call("worker", statement, (list(verb.queues), verb.seconds), dict)
