"""Which call each verb is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from jobplane.core.model import Queue
from jobplane.store.postgres.calls import (
    api_keys,
    audit,
    database,
    definitions,
    diagnosis,
    enqueue,
    jobs,
    leases,
    logs,
    nouns,
    operator,
    outputs,
    replies,
    retention,
    sessions,
    triggers,
)
from jobplane.store.postgres.calls.call import Call
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
Bindings = Mapping[type[Verb[Any]], Callable[[Any], Call[Any]]]

BINDINGS: Final[Bindings] = {
    j.Enqueue: enqueue.enqueue,
    j.Cancel: jobs.cancel,
    j.RetryJobs: jobs.retry,
    j.Reschedule: jobs.reschedule,
    j.Edit: jobs.edit,
    j.GetJobs: jobs.get_jobs,
    j.ListJobs: jobs.list_jobs,
    j.CountJobs: jobs.count_jobs,
    j.ListAttempts: jobs.list_attempts,
    j.GetOutput: outputs.get_output,
    j.GetResult: jobs.get_result,
    j.Summarize: jobs.summarize,
    j.FindActivity: jobs.find_activity,
    j.Explain: diagnosis.explain_job,
    j.FindProblems: diagnosis.find_problems,
    j.ReadLogs: logs.read_logs,
    j.SearchLogs: logs.search_logs,
    j.FindTenant: operator.find_tenant,
    r.ReserveReply: replies.reserve_reply,
    r.SaveReply: replies.save_reply,
    e.Claim: leases.claim,
    e.Renew: leases.renew,
    e.Settle: leases.settle,
    e.WriteLogs: logs.write_logs,
    e.WriteOutputs: outputs.write_outputs,
    e.FindDueChores: leases.find_due_chores,
    e.WakeIdle: leases.wake_idle,
    e.FindSnapshots: leases.find_snapshots,
    e.Promote: leases.promote,
    e.Reap: leases.reap,
    e.Expire: leases.expire,
    e.Sweep: leases.sweep,
    e.Tick: leases.tick,
    e.Tidy: leases.tidy,
    n.PruneJobs: retention.prune_jobs,
    n.PruneLogs: retention.prune_logs,
    n.DropLogBlock: retention.drop_log_block,
    n.PruneReceipts: retention.prune_receipts,
    n.FindArtifacts: retention.find_artifacts,
    e.Vacuum: leases.vacuum,
    e.RegisterWorker: operator.register_worker,
    e.SeeWorker: operator.see_worker,
    e.DeregisterWorker: operator.deregister_worker,
    e.HasReady: operator.has_ready,
    e.WantWork: operator.want_work,
    e.PutDefinitions: definitions.put_definitions,
    e.SyncDefinitions: definitions.sync_definitions,
    e.PutQueues: nouns.put("worker", "put_queues"),
    e.ChainAudit: audit.chain_audit,
    o.CreateTenant: operator.create_tenant,
    o.SetTenant: operator.set_tenant,
    o.PauseTenants: operator.pause_tenants,
    o.ResumeTenants: operator.resume_tenants,
    o.ListTenants: operator.list_tenants,
    o.GetSlugs: operator.get_slugs,
    o.GetTenant: operator.get_tenant,
    o.CountTenants: operator.count_tenants,
    o.ListDefinitions: definitions.list_definitions,
    o.CreateDefinition: definitions.create_definition,
    o.ChangeDefinition: definitions.change_definition,
    o.DeleteDefinition: definitions.delete_definition,
    o.PauseQueues: operator.pause_queues,
    o.ResumeQueues: operator.resume_queues,
    o.ListQueues: nouns.page("admin", "list_queues", Queue),
    o.GetQueues: operator.get_queues,
    o.DeleteQueues: nouns.delete("admin", "delete_queues"),
    o.ListWorkers: operator.list_workers,
    o.DeleteWorker: operator.delete_worker,
    o.ListAllJobs: jobs.list_all_jobs,
    o.CountAllJobs: jobs.count_all_jobs,
    o.FindJobs: jobs.find_jobs,
    o.SummarizeAll: jobs.summarize_all,
    o.FindAllActivity: jobs.find_all_activity,
    o.FindChanges: diagnosis.find_changes,
    o.InspectDatabase: database.database_facts,
    k.CreateKey: api_keys.create_key,
    k.ListKeys: api_keys.list_keys,
    k.RevokeKeys: api_keys.revoke_keys,
    k.RotateKey: api_keys.rotate_key,
    k.Authenticate: api_keys.authenticate,
    s.CreateSession: sessions.create_session,
    s.FindSession: sessions.find_session,
    s.EndSessions: sessions.end_sessions,
    s.CreateSessionLink: sessions.create_session_link,
    t.ReadClock: triggers.read_clock,
    t.CreateTrigger: triggers.create_trigger,
    t.ChangeTrigger: triggers.change_trigger,
    t.DeleteTrigger: triggers.delete_trigger,
    t.ListTriggers: triggers.list_triggers,
    t.ListAllTriggers: triggers.list_all_triggers,
    t.ListFires: triggers.list_fires,
    t.FireByHand: triggers.fire_by_hand,
    t.FindDueTriggers: triggers.find_due_triggers,
    t.FireTriggers: triggers.fire_triggers,
    t.RefreshZones: triggers.refresh_zones,
    t.PruneFires: triggers.prune_fires,
    o.ListAudit: audit.list_audit,
    o.VerifyAudit: audit.verify_audit,
    o.FindAllProblems: diagnosis.find_all_problems,
}
# In the caller's transaction, which an error would spoil: a refused row is an answer there.
LENT: Final[Bindings] = {**BINDINGS, j.Enqueue: enqueue.enqueue_many}
