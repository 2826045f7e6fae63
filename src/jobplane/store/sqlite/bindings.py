"""Which function each verb is, and whether it reads or writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, Literal, TypeVar, cast

from jobplane.core.model import HeldSnapshot
from jobplane.core.schema import check_schema
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
    registration,
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


class _ReadLogs(Binding[logs.Lines]):
    """Writes only where the job's worker does not know yet that somebody reads."""

    def use_of(self, verb: Verb[logs.Lines]) -> Use:
        return "write" if cast("j.ReadLogs", verb).follow else "read"

    def run(self, access: Access, verb: Verb[logs.Lines]) -> logs.Lines:
        v = cast("j.ReadLogs", verb)
        lines, unaware = access.read(lambda db, now: logs.read_page(db, now, v))
        if v.follow and unaware is not None:
            access.write(lambda db, now: logs.follow(db, now, unaware))
        return lines


class _PutDefinitions(Binding[list[str]]):
    """Compiles schemas before the file is locked."""

    def run(self, access: Access, verb: Verb[list[str]]) -> list[str]:
        documents = [check_schema(definition) for definition in cast("e.PutDefinitions", verb).definitions]
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


BINDINGS: Final[Mapping[type[Verb[Any]], Binding[Any]]] = {
    j.Enqueue: _writes(enqueue.enqueue),
    j.Cancel: _writes(moves.cancel),
    j.RetryJobs: _writes(moves.retry),
    j.Reschedule: _writes(moves.reschedule),
    j.Edit: _writes(edit.edit),
    j.GetJobs: _reads(read.get_jobs),
    j.ListJobs: _reads(lists.list_jobs),
    j.ListAttempts: _reads(read.list_attempts),
    j.GetResult: _reads(read.get_result),
    j.Summarize: _reads(read.summarize),
    j.ReadLogs: _ReadLogs(logs.read_logs),
    j.SearchLogs: _reads(words.search_logs),
    j.FindTenant: _reads(tenants.find_tenant),
    e.Claim: _writes(claim.claim),
    e.Renew: _writes(renew.renew),
    e.Settle: _writes(settle.settle),
    e.WriteLogs: _writes(logs.write_logs),
    e.FindDueChores: _writes(upkeep.find_due_chores),
    e.WakeIdle: _Zero(_nothing),
    e.FindSnapshots: _NoSnapshots(_nothing),
    e.Promote: _writes(upkeep.promote),
    e.Reap: _writes(upkeep.reap),
    e.Expire: _writes(upkeep.expire),
    e.Sweep: _writes(upkeep.sweep),
    e.Tick: _Zero(_nothing),
    e.Tidy: _writes(upkeep.tidy),
    e.PruneLogs: _writes(logs.prune_logs),
    e.Vacuum: _Vacuum(_nothing),
    e.RegisterWorker: _writes(registration.register_worker),
    e.SeeWorker: _writes(registration.see_worker),
    e.DeregisterWorker: _writes(registration.deregister_worker),
    e.WantWork: _reads(registration.want_work),
    e.PutDefinitions: _PutDefinitions(definitions.put_definitions),
    e.PutQueues: _writes(queues.put_queues),
    o.CreateTenant: _writes(tenants.create_tenant),
    o.SetTenant: _writes(tenants.set_tenant),
    o.PauseTenants: _writes(tenants.pause_tenants),
    o.ResumeTenants: _writes(tenants.resume_tenants),
    o.ListTenants: _reads(tenants.list_tenants),
    o.GetTenant: _reads(tenants.get_tenant),
    o.ListDefinitions: _reads(definitions.list_definitions),
    o.PauseQueues: _writes(queues.pause_queues),
    o.ResumeQueues: _writes(queues.resume_queues),
    o.ListQueues: _reads(queues.list_queues),
    o.DeleteQueues: _writes(queues.delete_queues),
    o.ListWorkers: _reads(registration.list_workers),
}


def binding_of(verb: Verb[Answer]) -> Binding[Answer]:
    return cast("Binding[Answer]", BINDINGS[type(verb)])
