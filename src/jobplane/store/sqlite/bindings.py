"""Which function each verb is, and whether it reads or writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, Literal, TypeVar, cast

from jobplane.core.actors import Actor
from jobplane.core.model import Authenticated, Document, HeldSnapshot
from jobplane.core.schema import check_schema
from jobplane.core.sessions import Session
from jobplane.store.base import Conn
from jobplane.store.sqlite.file import SqliteFile
from jobplane.store.sqlite.moment import Moment
from jobplane.store.sqlite.verbs import (
    activity,
    api_keys,
    audit,
    changes,
    claim,
    database,
    definitions,
    edit,
    enqueue,
    explain,
    fires,
    lists,
    logs,
    moves,
    outputs,
    problems,
    queues,
    read,
    ready,
    registration,
    renew,
    replies,
    retention,
    sessions,
    settle,
    sync,
    tenants,
    triggers,
    upkeep,
    words,
)
from jobplane.store.verbs import api_keys as k
from jobplane.store.verbs import engine as e
from jobplane.store.verbs import jobs as j
from jobplane.store.verbs import operator as o
from jobplane.store.verbs import replies as r
from jobplane.store.verbs import retention as n
from jobplane.store.verbs import sessions as s
from jobplane.store.verbs import triggers as t
from jobplane.store.verbs.verb import Verb

Answer = TypeVar("Answer")
Use = Literal["read", "write"]


@dataclass(frozen=True, slots=True)
class Access:
    """The file, with the clock and the dice of its verbs, and who asks."""

    file: SqliteFile
    clock: Callable[[], int]
    dice: Callable[[], float]
    actor: Actor | None = None

    def by(self, actor: Actor) -> Access:
        return replace(self, actor=actor)

    def moment(self) -> Moment:
        return Moment(self.clock(), self.dice, self.actor)

    def read(self, act: Callable[[Conn, Moment], Answer]) -> Answer:
        return self.file.read(lambda db: act(db, self.moment()))

    def write(self, act: Callable[[Conn, Moment], Answer]) -> Answer:
        """The clock is read when the file is locked: no other call can come between."""
        return self.file.write(lambda db: act(db, self.moment()))

    def try_write(self, act: Callable[[Conn, Moment], object]) -> bool:
        """The same if nobody else writes at this moment; whether it was done."""
        return self.file.try_write(lambda db: act(db, self.moment()))


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


class _Authenticate(Binding[Authenticated | None]):
    """Notes the use of a key if nobody else writes at this moment."""

    def run(self, access: Access, verb: Verb[Authenticated | None]) -> Authenticated | None:
        v = cast("k.Authenticate", verb)
        found, is_worth_a_note = access.read(lambda db, now: api_keys.authenticate(db, now, v))
        if is_worth_a_note:
            access.try_write(lambda db, now: api_keys.note_use(db, now, v.key_id))
        return found


class _FindSession(Binding[Session | None]):
    """Notes the use of a session if nobody else writes at this moment."""

    def run(self, access: Access, verb: Verb[Session | None]) -> Session | None:
        v = cast("s.FindSession", verb)
        found, is_worth_a_note = access.read(lambda db, now: sessions.find_session(db, now, v))
        if is_worth_a_note:
            access.try_write(lambda db, now: sessions.note_use(db, now, v))
        return found


class _Checked(Binding[Answer]):
    """Compiles schemas before the file is locked."""

    def run(self, access: Access, verb: Verb[Answer]) -> Answer:
        for document in _documents(verb):
            check_schema(document)
        return super().run(access, verb)


def _documents(verb: Verb[Any]) -> Sequence[Document]:
    if isinstance(verb, e.PutDefinitions | e.SyncDefinitions):
        return verb.definitions
    return [verb.document] if isinstance(verb, o.CreateDefinition) else []


class _DryRun(Binding[Answer]):
    """Only reads where it is a dry run."""

    def use_of(self, verb: Verb[Answer]) -> Use:
        return "read" if cast("n.PruneJobs | n.PruneLogs", verb).dry_run else "write"

    def run(self, access: Access, verb: Verb[Answer]) -> Answer:
        turn = access.read if self.use_of(verb) == "read" else access.write
        return turn(lambda db, now: self.act(db, now, verb))


class _Zero(Binding[int]):
    """Nothing to do: workers of a file poll, a claim needs no low mark, because an index has no dead rows, and logs
    have no blocks."""

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
    j.CountJobs: _reads(lists.count_jobs),
    j.ListAttempts: _reads(read.list_attempts),
    j.GetOutput: _reads(outputs.get_output),
    j.GetResult: _reads(read.get_result),
    j.Summarize: _reads(read.summarize),
    j.FindActivity: _reads(activity.find_activity),
    j.Explain: _reads(explain.explain_job),
    j.FindProblems: _reads(problems.find_problems),
    j.ReadLogs: _ReadLogs(logs.read_logs),
    j.SearchLogs: _reads(words.search_logs),
    j.FindTenant: _reads(tenants.find_tenant),
    r.ReserveReply: _writes(replies.reserve_reply),
    r.SaveReply: _writes(replies.save_reply),
    e.Claim: _writes(claim.claim),
    e.Renew: _writes(renew.renew),
    e.Settle: _writes(settle.settle),
    e.WriteLogs: _writes(logs.write_logs),
    e.WriteOutputs: _writes(outputs.write_outputs),
    e.FindDueChores: _writes(upkeep.find_due_chores),
    e.WakeIdle: _Zero(_nothing),
    e.FindSnapshots: _NoSnapshots(_nothing),
    e.Promote: _writes(upkeep.promote),
    e.Reap: _writes(upkeep.reap),
    e.Expire: _writes(upkeep.expire),
    e.Sweep: _writes(upkeep.sweep),
    e.Tick: _Zero(_nothing),
    e.Tidy: _writes(upkeep.tidy),
    n.PruneJobs: _DryRun(retention.prune_jobs),
    n.PruneLogs: _DryRun(retention.prune_logs),
    n.DropLogBlock: _Zero(_nothing),
    n.PruneReceipts: _writes(retention.prune_receipts),
    n.FindArtifacts: _reads(retention.find_artifacts),
    e.Vacuum: _Vacuum(_nothing),
    e.RegisterWorker: _writes(registration.register_worker),
    e.SeeWorker: _writes(registration.see_worker),
    e.DeregisterWorker: _writes(registration.deregister_worker),
    e.HasReady: _reads(ready.has_ready),
    e.WantWork: _reads(registration.want_work),
    e.PutDefinitions: _Checked(definitions.put_definitions),
    e.SyncDefinitions: _Checked(sync.sync_definitions),
    e.PutQueues: _writes(queues.put_queues),
    e.ChainAudit: _writes(audit.chain_audit),
    o.CreateTenant: _writes(tenants.create_tenant),
    o.SetTenant: _writes(tenants.set_tenant),
    o.PauseTenants: _writes(tenants.pause_tenants),
    o.ResumeTenants: _writes(tenants.resume_tenants),
    o.ListTenants: _reads(tenants.list_tenants),
    o.GetTenant: _reads(tenants.get_tenant),
    o.GetSlugs: _reads(tenants.get_slugs),
    o.CountTenants: _reads(read.count_tenants),
    o.ListDefinitions: _reads(definitions.list_definitions),
    o.CreateDefinition: _Checked(definitions.create_definition),
    o.ChangeDefinition: _writes(definitions.change_definition),
    o.DeleteDefinition: _writes(definitions.delete_definition),
    o.PauseQueues: _writes(queues.pause_queues),
    o.ResumeQueues: _writes(queues.resume_queues),
    o.ListQueues: _reads(queues.list_queues),
    o.GetQueues: _reads(queues.get_queues),
    o.DeleteQueues: _writes(queues.delete_queues),
    o.ListWorkers: _reads(registration.list_workers),
    o.DeleteWorker: _writes(registration.delete_worker),
    o.ListAllJobs: _reads(lists.list_all_jobs),
    o.CountAllJobs: _reads(lists.count_all_jobs),
    o.FindJobs: _reads(read.find_jobs),
    o.SummarizeAll: _reads(read.summarize_all),
    o.FindAllActivity: _reads(activity.find_all_activity),
    o.FindChanges: _reads(changes.find_changes),
    o.InspectDatabase: _reads(database.database_facts),
    k.CreateKey: _writes(api_keys.create_key),
    k.ListKeys: _reads(api_keys.list_keys),
    k.RevokeKeys: _writes(api_keys.revoke_keys),
    k.RotateKey: _writes(api_keys.rotate_key),
    k.Authenticate: _Authenticate(api_keys.authenticate_here, "read"),
    s.CreateSession: _writes(sessions.create_session),
    s.FindSession: _FindSession(sessions.find_session_here, "read"),
    s.EndSessions: _writes(sessions.end_sessions),
    s.CreateSessionLink: _writes(sessions.create_session_link),
    t.ReadClock: _reads(triggers.read_clock),
    t.CreateTrigger: _writes(triggers.create_trigger),
    t.ChangeTrigger: _writes(triggers.change_trigger),
    t.DeleteTrigger: _writes(triggers.delete_trigger),
    t.ListTriggers: _reads(triggers.list_triggers),
    t.ListAllTriggers: _reads(triggers.list_all_triggers),
    t.ListFires: _reads(triggers.list_fires),
    t.FireByHand: _writes(fires.fire_by_hand),
    t.FindDueTriggers: _reads(fires.find_due_triggers),
    t.FireTriggers: _writes(fires.fire_triggers),
    t.RefreshZones: _writes(fires.refresh_zones),
    t.PruneFires: _writes(fires.prune_fires),
    o.ListAudit: _reads(audit.list_audit),
    o.VerifyAudit: _reads(audit.verify_audit),
    o.FindAllProblems: _reads(problems.find_all_problems),
}


def binding_of(verb: Verb[Answer]) -> Binding[Answer]:
    return cast("Binding[Answer]", BINDINGS[type(verb)])
