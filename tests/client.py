"""Stores with a method for each verb: `store.cancel(tenant, ids)` is `store.run(Cancel(tenant, ids))`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, cast

from jobplane.core.actors import Actor
from jobplane.core.model import Definition, Document
from jobplane.core.paging import Page
from jobplane.store import base, worker
from jobplane.store.base import AsyncConn, Conn
from jobplane.store.postgres import blocking as postgres_blocking
from jobplane.store.postgres import store as postgres
from jobplane.store.postgres import worker as postgres_worker
from jobplane.store.sqlite import blocking as sqlite_blocking
from jobplane.store.sqlite import store as sqlite
from jobplane.store.sqlite import worker as sqlite_worker
from jobplane.store.verbs import api_keys as k
from jobplane.store.verbs import engine as e
from jobplane.store.verbs import jobs as j
from jobplane.store.verbs import operator as o
from jobplane.store.verbs import replies as r
from jobplane.store.verbs import retention as n
from jobplane.store.verbs import sessions as s
from jobplane.store.verbs import triggers as t
from jobplane.store.verbs.verb import Verb
from tests import leases, sql_verbs

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")
Raw = TypeVar("Raw")
Item = TypeVar("Item")
AnyStore = base.Store | worker.WorkerStore


class _Runs(Protocol):
    def run(self, verb: Verb[Any], *, conn: Any = None, actor: Actor | None = None) -> Any: ...


class Blocking(Generic[Arguments, Answer]):
    """A verb as a method of a blocking store."""

    def __init__(self, verb: Callable[Arguments, Verb[Answer]]) -> None:
        self._verb = verb

    def __get__(self, store: _Runs, _: object = None) -> Callable[Arguments, Answer]:
        return lambda *args, **kwargs: store.run(self._verb(*args, **kwargs))


class Awaited(Generic[Arguments, Answer]):
    """A verb as a method of a store with an event loop."""

    def __init__(self, verb: Callable[Arguments, Verb[Answer]]) -> None:
        self._verb = verb

    def __get__(self, store: _Runs, _: object = None) -> Callable[Arguments, Coroutine[Any, Any, Answer]]:
        return lambda *args, **kwargs: cast("Coroutine[Any, Any, Answer]", store.run(self._verb(*args, **kwargs)))


class BlockingAs(Generic[Arguments, Raw, Answer]):
    """A verb as a method whose answer is read in a way of its own."""

    def __init__(self, make: Callable[Arguments, tuple[Verb[Raw], Callable[[Raw], Answer]]]) -> None:
        self._make = make

    def __get__(self, store: _Runs, _: object = None) -> Callable[Arguments, Answer]:
        def call(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Answer:
            verb, read = self._make(*args, **kwargs)
            return read(store.run(verb))

        return call


class AwaitedAs(Generic[Arguments, Raw, Answer]):
    """The same of a store with an event loop."""

    def __init__(self, make: Callable[Arguments, tuple[Verb[Raw], Callable[[Raw], Answer]]]) -> None:
        self._make = make

    def __get__(self, store: _Runs, _: object = None) -> Callable[Arguments, Coroutine[Any, Any, Answer]]:
        async def call(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Answer:
            verb, read = self._make(*args, **kwargs)
            return read(await store.run(verb))

        return call


class BlockingItems(Generic[Arguments, Item]):
    """A verb that answers with a page, as a method that returns the items of the page."""

    def __init__(self, verb: Callable[Arguments, Verb[Page[Item, Any]]]) -> None:
        self._verb = verb

    def __get__(self, store: _Runs, _: object = None) -> Callable[Arguments, list[Item]]:
        return lambda *args, **kwargs: store.run(self._verb(*args, **kwargs)).items


class AwaitedItems(Generic[Arguments, Item]):
    """The same of a store with an event loop."""

    def __init__(self, verb: Callable[Arguments, Verb[Page[Item, Any]]]) -> None:
        self._verb = verb

    def __get__(self, store: _Runs, _: object = None) -> Callable[Arguments, Coroutine[Any, Any, list[Item]]]:
        async def items(*args: Arguments.args, **kwargs: Arguments.kwargs) -> list[Item]:
            return (await store.run(self._verb(*args, **kwargs))).items

        return items


class BlockingStore(ABC):
    """A blocking store with a method for each verb."""

    @abstractmethod
    def run(self, verb: Verb[Answer], *, conn: Conn | None = None, actor: Actor | None = None) -> Answer: ...

    enqueue = Blocking(j.Enqueue)
    cancel = Blocking(j.Cancel)
    retry = Blocking(j.RetryJobs)
    reschedule = Blocking(j.Reschedule)
    edit = Blocking(j.Edit)
    get_jobs = Blocking(j.GetJobs)
    list_jobs = Blocking(j.ListJobs)
    count_jobs = Blocking(j.CountJobs)
    attempts = BlockingItems(j.ListAttempts)
    result = Blocking(j.GetResult)
    get_output = Blocking(j.GetOutput)
    summary = Blocking(j.Summarize)
    activity = Blocking(j.FindActivity)
    explain = Blocking(j.Explain)
    tenant_problems = Blocking(j.FindProblems)
    read_logs = BlockingItems(j.ReadLogs)
    search_logs = Blocking(j.SearchLogs)
    tenant_id = Blocking(j.FindTenant)
    reserve_reply = Blocking(r.ReserveReply)
    save_reply = Blocking(r.SaveReply)
    claim = BlockingAs(leases.claim)
    renew = BlockingAs(leases.renew)
    settle = Blocking(e.Settle)
    release = BlockingAs(leases.release)
    claim_encoded = BlockingAs(leases.claim_encoded)
    renew_all = BlockingAs(leases.renew_all)
    settle_all = BlockingAs(leases.settle_all)
    reap_all = Blocking(e.Reap)
    log_lines = Blocking(e.WriteLogs)
    write_outputs = Blocking(e.WriteOutputs)
    due_chores = Blocking(e.FindDueChores)
    wake_idle = Blocking(e.WakeIdle)
    held_snapshots = Blocking(e.FindSnapshots)
    promote = Blocking(e.Promote)
    reap = BlockingAs(leases.reap)
    expire = Blocking(e.Expire)
    sweep = Blocking(e.Sweep)
    tick = Blocking(e.Tick)
    tidy = Blocking(e.Tidy)
    prune_jobs = Blocking(n.PruneJobs)
    prune_logs = Blocking(n.PruneLogs)
    drop_log_block = Blocking(n.DropLogBlock)
    prune_receipts = Blocking(n.PruneReceipts)
    find_artifacts = Blocking(n.FindArtifacts)
    vacuum = Blocking(e.Vacuum)
    register_worker = Blocking(e.RegisterWorker)
    see_worker = Blocking(e.SeeWorker)
    deregister_worker = Blocking(e.DeregisterWorker)
    has_ready = Blocking(e.HasReady)
    want_work = Blocking(e.WantWork)
    put_queues = Blocking(e.PutQueues)
    chain_audit = Blocking(e.ChainAudit)
    create_tenant = Blocking(o.CreateTenant)
    set_tenant = Blocking(o.SetTenant)
    pause_tenants = Blocking(o.PauseTenants)
    resume_tenants = Blocking(o.ResumeTenants)
    tenants = BlockingItems(o.ListTenants)
    get_tenant = Blocking(o.GetTenant)
    definitions = BlockingItems(o.ListDefinitions)
    create_definition = Blocking(o.CreateDefinition)
    change_definition = Blocking(o.ChangeDefinition)
    delete_definition = Blocking(o.DeleteDefinition)
    sync_definitions = Blocking(e.SyncDefinitions)
    pause_queues = Blocking(o.PauseQueues)
    resume_queues = Blocking(o.ResumeQueues)
    queues = BlockingItems(o.ListQueues)
    delete_queues = Blocking(o.DeleteQueues)
    workers = BlockingItems(o.ListWorkers)
    delete_worker = Blocking(o.DeleteWorker)
    list_all_jobs = Blocking(o.ListAllJobs)
    count_all_jobs = Blocking(o.CountAllJobs)
    tenant_slugs = Blocking(o.GetSlugs)
    find_jobs = Blocking(o.FindJobs)
    summarize_all = Blocking(o.SummarizeAll)
    create_key = Blocking(k.CreateKey)
    keys = BlockingItems(k.ListKeys)
    revoke_keys = Blocking(k.RevokeKeys)
    rotate_key = Blocking(k.RotateKey)
    authenticate = Blocking(k.Authenticate)
    create_session = Blocking(s.CreateSession)
    find_session = Blocking(s.FindSession)
    end_sessions = Blocking(s.EndSessions)
    create_session_link = Blocking(s.CreateSessionLink)
    tenant_clock = Blocking(t.ReadClock)
    create_trigger = Blocking(t.CreateTrigger)
    change_trigger = Blocking(t.ChangeTrigger)
    delete_trigger = Blocking(t.DeleteTrigger)
    list_triggers = Blocking(t.ListTriggers)
    list_all_triggers = Blocking(t.ListAllTriggers)
    list_fires = Blocking(t.ListFires)
    fire_trigger = Blocking(t.FireByHand)
    due_triggers = Blocking(t.FindDueTriggers)
    fire = Blocking(t.FireTriggers)
    refresh_zones = Blocking(t.RefreshZones)
    prune_fires = Blocking(t.PruneFires)
    list_audit = Blocking(o.ListAudit)
    verify_audit = Blocking(o.VerifyAudit)
    list_problems = Blocking(o.FindAllProblems)
    changes = Blocking(o.FindChanges)
    database_facts = Blocking(o.InspectDatabase)
    tenant_depths = Blocking(o.CountTenants)
    all_activity = Blocking(o.FindAllActivity)

    def put_definitions(self, definitions: Sequence[Document], *, by_person: bool = False) -> list[Definition]:
        return self.definitions(self.run(e.PutDefinitions(definitions, by_person)), 1000)


class Store(ABC):
    """A store with a method for each verb."""

    @abstractmethod
    async def run(self, verb: Verb[Answer], *, conn: AsyncConn | None = None, actor: Actor | None = None) -> Answer: ...

    enqueue = Awaited(j.Enqueue)
    cancel = Awaited(j.Cancel)
    retry = Awaited(j.RetryJobs)
    reschedule = Awaited(j.Reschedule)
    edit = Awaited(j.Edit)
    get_jobs = Awaited(j.GetJobs)
    list_jobs = Awaited(j.ListJobs)
    count_jobs = Awaited(j.CountJobs)
    attempts = AwaitedItems(j.ListAttempts)
    result = Awaited(j.GetResult)
    get_output = Awaited(j.GetOutput)
    summary = Awaited(j.Summarize)
    activity = Awaited(j.FindActivity)
    explain = Awaited(j.Explain)
    tenant_problems = Awaited(j.FindProblems)
    read_logs = AwaitedItems(j.ReadLogs)
    search_logs = Awaited(j.SearchLogs)
    tenant_id = Awaited(j.FindTenant)
    reserve_reply = Awaited(r.ReserveReply)
    save_reply = Awaited(r.SaveReply)
    claim = AwaitedAs(leases.claim)
    renew = AwaitedAs(leases.renew)
    settle = Awaited(e.Settle)
    release = AwaitedAs(leases.release)
    claim_encoded = AwaitedAs(leases.claim_encoded)
    renew_all = AwaitedAs(leases.renew_all)
    settle_all = AwaitedAs(leases.settle_all)
    reap_all = Awaited(e.Reap)
    log_lines = Awaited(e.WriteLogs)
    write_outputs = Awaited(e.WriteOutputs)
    due_chores = Awaited(e.FindDueChores)
    wake_idle = Awaited(e.WakeIdle)
    held_snapshots = Awaited(e.FindSnapshots)
    promote = Awaited(e.Promote)
    reap = AwaitedAs(leases.reap)
    expire = Awaited(e.Expire)
    sweep = Awaited(e.Sweep)
    tick = Awaited(e.Tick)
    tidy = Awaited(e.Tidy)
    prune_jobs = Awaited(n.PruneJobs)
    prune_logs = Awaited(n.PruneLogs)
    drop_log_block = Awaited(n.DropLogBlock)
    prune_receipts = Awaited(n.PruneReceipts)
    find_artifacts = Awaited(n.FindArtifacts)
    vacuum = Awaited(e.Vacuum)
    register_worker = Awaited(e.RegisterWorker)
    see_worker = Awaited(e.SeeWorker)
    deregister_worker = Awaited(e.DeregisterWorker)
    has_ready = Awaited(e.HasReady)
    want_work = Awaited(e.WantWork)
    put_queues = Awaited(e.PutQueues)
    chain_audit = Awaited(e.ChainAudit)
    create_tenant = Awaited(o.CreateTenant)
    set_tenant = Awaited(o.SetTenant)
    pause_tenants = Awaited(o.PauseTenants)
    resume_tenants = Awaited(o.ResumeTenants)
    tenants = AwaitedItems(o.ListTenants)
    get_tenant = Awaited(o.GetTenant)
    definitions = AwaitedItems(o.ListDefinitions)
    create_definition = Awaited(o.CreateDefinition)
    change_definition = Awaited(o.ChangeDefinition)
    delete_definition = Awaited(o.DeleteDefinition)
    sync_definitions = Awaited(e.SyncDefinitions)
    pause_queues = Awaited(o.PauseQueues)
    resume_queues = Awaited(o.ResumeQueues)
    queues = AwaitedItems(o.ListQueues)
    delete_queues = Awaited(o.DeleteQueues)
    workers = AwaitedItems(o.ListWorkers)
    delete_worker = Awaited(o.DeleteWorker)
    list_all_jobs = Awaited(o.ListAllJobs)
    count_all_jobs = Awaited(o.CountAllJobs)
    tenant_slugs = Awaited(o.GetSlugs)
    find_jobs = Awaited(o.FindJobs)
    summarize_all = Awaited(o.SummarizeAll)
    create_key = Awaited(k.CreateKey)
    keys = AwaitedItems(k.ListKeys)
    revoke_keys = Awaited(k.RevokeKeys)
    rotate_key = Awaited(k.RotateKey)
    authenticate = Awaited(k.Authenticate)
    create_session = Awaited(s.CreateSession)
    find_session = Awaited(s.FindSession)
    end_sessions = Awaited(s.EndSessions)
    create_session_link = Awaited(s.CreateSessionLink)
    tenant_clock = Awaited(t.ReadClock)
    create_trigger = Awaited(t.CreateTrigger)
    change_trigger = Awaited(t.ChangeTrigger)
    delete_trigger = Awaited(t.DeleteTrigger)
    list_triggers = Awaited(t.ListTriggers)
    list_all_triggers = Awaited(t.ListAllTriggers)
    list_fires = Awaited(t.ListFires)
    fire_trigger = Awaited(t.FireByHand)
    due_triggers = Awaited(t.FindDueTriggers)
    fire = Awaited(t.FireTriggers)
    refresh_zones = Awaited(t.RefreshZones)
    prune_fires = Awaited(t.PruneFires)
    list_audit = Awaited(o.ListAudit)
    verify_audit = Awaited(o.VerifyAudit)
    list_problems = Awaited(o.FindAllProblems)
    changes = Awaited(o.FindChanges)
    database_facts = Awaited(o.InspectDatabase)
    tenant_depths = Awaited(o.CountTenants)
    all_activity = Awaited(o.FindAllActivity)

    async def put_definitions(self, definitions: Sequence[Document], *, by_person: bool = False) -> list[Definition]:
        return await self.definitions(await self.run(e.PutDefinitions(definitions, by_person)), 1000)


class WorkerStore(Store):
    """A worker's store with a method for each verb."""

    @abstractmethod
    async def check(self) -> None: ...

    @abstractmethod
    async def close(self) -> None: ...


class Over(WorkerStore):
    """The same over a store that something else has opened."""

    def __init__(self, store: AnyStore) -> None:
        self._store = store

    async def run(self, verb: Verb[Answer], *, conn: AsyncConn | None = None, actor: Actor | None = None) -> Answer:
        return await self._store.run(verb)

    async def check(self) -> None:
        await cast("worker.WorkerStore", self._store).check()

    async def close(self) -> None:
        await cast("worker.WorkerStore", self._store).close()


class BlockingOver(BlockingStore):
    """The same over a blocking store that something else has opened."""

    def __init__(self, store: base.BlockingStore) -> None:
        self._store = store

    def run(self, verb: Verb[Answer], *, conn: Conn | None = None, actor: Actor | None = None) -> Answer:
        return self._store.run(verb, conn=conn, actor=actor)


class PostgresStore(postgres.PostgresStore, Store):
    claim = Awaited(sql_verbs.SqlClaim)
    renew = Awaited(sql_verbs.SqlRenew)
    release = Awaited(sql_verbs.SqlRelease)
    reap = Awaited(sql_verbs.SqlReap)


class PostgresWorkerStore(postgres_worker.PostgresWorkerStore, WorkerStore): ...


class SqliteStore(sqlite.SqliteStore, Store): ...


class SqliteWorkerStore(sqlite_worker.SqliteWorkerStore, WorkerStore): ...


class BlockingPostgresStore(postgres_blocking.BlockingPostgresStore, BlockingStore):
    claim = Blocking(sql_verbs.SqlClaim)
    renew = Blocking(sql_verbs.SqlRenew)
    release = Blocking(sql_verbs.SqlRelease)
    reap = Blocking(sql_verbs.SqlReap)


class BlockingSqliteStore(sqlite_blocking.BlockingSqliteStore, BlockingStore): ...
