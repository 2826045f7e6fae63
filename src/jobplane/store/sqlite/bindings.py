"""Which function each verb is, and whether it reads or writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, Literal, TypeVar, cast

from jobplane.core.logs import LogLine
from jobplane.core.model import HeldSnapshot
from jobplane.core.schema import checked
from jobplane.store.base import Conn
from jobplane.store.sqlite.file import SqliteFile
from jobplane.store.sqlite.moment import Moment
from jobplane.store.sqlite.verbs import (
    claim,
    definitions,
    edit,
    enqueue,
    lists,
    logs,
    moves,
    queues,
    read,
    renew,
    settle,
    tenants,
    upkeep,
    words,
)
from jobplane.store.verbs import engine as e
from jobplane.store.verbs import jobs as j
from jobplane.store.verbs import operator as o
from jobplane.store.verbs.verb import Verb

Answer = TypeVar("Answer")
Use = Literal["read", "write"]


@dataclass(frozen=True, slots=True)
class Access:
    """The file, with the clock and the dice of its verbs."""

    file: SqliteFile
    clock: Callable[[], int]
    dice: Callable[[], float]

    def moment(self) -> Moment:
        return Moment(self.clock(), self.dice)

    def read(self, act: Callable[[Conn, Moment], Answer]) -> Answer:
        return self.file.read(lambda db: act(db, self.moment()))

    def write(self, act: Callable[[Conn, Moment], Answer]) -> Answer:
        """The clock is read when the file is locked: no other call can come between."""
        return self.file.write(lambda db: act(db, self.moment()))


@dataclass(frozen=True, slots=True)
class Binding(Generic[Answer]):
    """A verb in one transaction."""

    act: Callable[[Conn, Moment, Any], Answer]
    use: Use = "write"

    def use_of(self, verb: Verb[Answer]) -> Use:
        return self.use

    def run(self, access: Access, verb: Verb[Answer]) -> Answer:
        turn = access.read if self.use == "read" else access.write
        return turn(lambda db, now: self.act(db, now, verb))


class _ReadLogs(Binding[list[LogLine]]):
    """Writes only where the job's worker does not know yet that somebody reads."""

    def use_of(self, verb: Verb[list[LogLine]]) -> Use:
        return "write" if cast("j.ReadLogs", verb).follow else "read"

    def run(self, access: Access, verb: Verb[list[LogLine]]) -> list[LogLine]:
        v = cast("j.ReadLogs", verb)
        lines, unaware = access.read(lambda db, now: logs.read_logs(db, now, v.tenant, v.job_id, v.after, v.limit))
        if v.follow and unaware is not None:
            access.write(lambda db, now: logs.follow(db, now, unaware))
        return lines


class _PutDefinitions(Binding[list[str]]):
    """Compiles schemas before the file is locked."""

    def run(self, access: Access, verb: Verb[list[str]]) -> list[str]:
        documents = [checked(definition) for definition in cast("e.PutDefinitions", verb).definitions]
        return access.write(lambda db, now: self.act(db, now, e.PutDefinitions(documents)))


class _Zero(Binding[int]):
    """Nothing to do: workers of a file poll, and a claim needs no low mark, because an index has no dead rows."""

    def run(self, access: Access, verb: Verb[int]) -> int:
        return 0


class _NoSnapshots(Binding[list[HeldSnapshot]]):
    """None by name: a long reader shows in the size of the write-ahead log, which the file warns of."""

    def run(self, access: Access, verb: Verb[list[HeldSnapshot]]) -> list[HeldSnapshot]:
        return []


class _Vacuum(Binding[None]):
    def run(self, access: Access, verb: Verb[None]) -> None:
        access.file.checkpoint()


def _reads(act: Callable[[Conn, Moment, Any], Answer]) -> Binding[Answer]:
    return Binding(act, "read")


def _writes(act: Callable[[Conn, Moment, Any], Answer]) -> Binding[Answer]:
    return Binding(act)


def _nothing(_: Conn, __: Moment, ___: object) -> Any:
    """No statement in the file."""


def _put_definitions(db: Conn, now: Moment, verb: e.PutDefinitions) -> list[str]:
    return [found.key for found in definitions.put_definitions(db, now, verb.definitions)]


def _create_tenant(db: Conn, now: Moment, v: o.CreateTenant) -> Any:
    return tenants.create_tenant(db, now, v.slug, v.name, v.weight, v.max_in_flight, v.max_pending, v.tenant_id)


def _search_logs(db: Conn, _: Moment, v: j.SearchLogs) -> Any:
    return words.search_logs(db, v.tenant, v.text, v.definitions, v.since, v.level, v.job, v.limit)


def _read_logs(db: Conn, now: Moment, v: j.ReadLogs) -> list[LogLine]:
    return logs.read_logs(db, now, v.tenant, v.job_id, v.after, v.limit)[0]


BINDINGS: Final[Mapping[type[Verb[Any]], Binding[Any]]] = {
    j.Enqueue: _writes(lambda db, now, v: enqueue.enqueue(db, now, v.tenant, v.jobs)),
    j.Cancel: _writes(lambda db, now, v: moves.cancel(db, now, v.tenant, v.ids, v.reason)),
    j.Retry: _writes(lambda db, now, v: moves.retry(db, now, v.tenant, v.ids, v.max_attempts)),
    j.Reschedule: _writes(lambda db, now, v: moves.reschedule(db, now, v.tenant, v.ids, v.at, v.delay_seconds)),
    j.Edit: _writes(lambda db, _, v: edit.edit(db, v.tenant, v.job_id, v.changes)),
    j.GetJobs: _reads(lambda db, _, v: read.get_jobs(db, v.tenant, v.ids)),
    j.ListJobs: _reads(lambda db, _, v: lists.list_jobs(db, v.tenant, v.where, v.limit, v.cursor)),
    j.ListAttempts: _reads(lambda db, _, v: read.attempts(db, v.tenant, v.job_id, v.limit, v.before)),
    j.GetResult: _reads(lambda db, _, v: read.result(db, v.tenant, v.job_id)),
    j.Summarize: _reads(lambda db, now, v: read.summary(db, now, v.tenant)),
    j.ReadLogs: _ReadLogs(_read_logs),
    j.SearchLogs: _reads(_search_logs),
    j.FindTenant: _reads(lambda db, _, v: tenants.tenant_id(db, v.slug)),
    e.Claim: _writes(claim.claim),
    e.Renew: _writes(renew.renew),
    e.Settle: _writes(settle.settle),
    e.WriteLogs: _writes(lambda db, _, v: logs.log_lines(db, v.lines)),
    e.FindDueChores: _writes(lambda db, now, v: upkeep.due_chores(db, now, v.chores)),
    e.WakeIdle: _Zero(_nothing),
    e.FindSnapshots: _NoSnapshots(_nothing),
    e.Promote: _writes(lambda db, now, v: upkeep.promote(db, now, v.limit)),
    e.Reap: _writes(lambda db, now, v: upkeep.reap(db, now, v.limit)),
    e.Expire: _writes(lambda db, now, v: upkeep.expire(db, now, v.limit)),
    e.Sweep: _writes(lambda db, now, v: upkeep.sweep(db, now, v.limit)),
    e.Tick: _Zero(_nothing),
    e.Tidy: _writes(lambda db, now, _: upkeep.tidy(db, now)),
    e.PruneLogs: _writes(lambda db, now, v: logs.prune_logs(db, now, v.retention_days)),
    e.Vacuum: _Vacuum(_nothing),
    e.RegisterWorker: _writes(lambda db, now, v: queues.register_worker(db, now, v.worker)),
    e.SeeWorker: _writes(lambda db, now, v: queues.see_worker(db, now, v.worker_id, v.running_count)),
    e.DeregisterWorker: _writes(lambda db, _, v: queues.deregister_worker(db, v.worker_id)),
    e.WantWork: _reads(lambda db, _, v: queues.want_work(db, v.queues, v.seconds)),
    e.PutDefinitions: _PutDefinitions(_put_definitions),
    e.PutQueues: _writes(lambda db, now, v: queues.put_queues(db, now, v.names)),
    o.CreateTenant: _writes(_create_tenant),
    o.SetTenant: _writes(lambda db, now, v: tenants.set_tenant(db, now, v.tenant, v.changes)),
    o.PauseTenants: _writes(lambda db, now, v: tenants.pause_tenants(db, now, v.tenants)),
    o.ResumeTenants: _writes(lambda db, now, v: tenants.resume_tenants(db, now, v.tenants)),
    o.ListTenants: _reads(lambda db, _, v: tenants.tenants(db, v.limit, v.after)),
    o.GetTenant: _reads(lambda db, _, v: tenants.get_tenant(db, v.tenant)),
    o.ListDefinitions: _reads(lambda db, _, v: definitions.definitions_named(db, v.keys, v.limit, v.after)),
    o.PauseQueues: _writes(lambda db, now, v: queues.pause_queues(db, now, v.names)),
    o.ResumeQueues: _writes(lambda db, _, v: queues.resume_queues(db, v.names)),
    o.ListQueues: _reads(lambda db, _, __: queues.queues(db)),
    o.ListWorkers: _reads(lambda db, now, v: queues.workers(db, now, v.limit)),
}


def binding_of(verb: Verb[Answer]) -> Binding[Answer]:
    return cast("Binding[Answer]", BINDINGS[type(verb)])
