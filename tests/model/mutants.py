"""Mistakes that a store could make, at least one for each verb, and the texts by which each store makes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tests.model.slips import Slip

# The five that the state machine itself has to find, each with a seed by which it does so within a few histories. With
# another it finds them too, but in some it takes twenty.
NAMED: Final[Mapping[str, int]] = {
    "settle drops the fence": 3,
    "an attempt is counted when it fails": 1,
    "a limit counts unexpired leases only": 5,
    "a claim frees the dedupe key": 1,
    "a requeue forgets the cancel": 2,
}

_SETTLE, _TAKE, _CLAIM = "verbs/settle.sql", "functions/take.sql", "verbs/claim.sql"
_UNEXPIRED: Final = "jobplane.leases y where l.limit_key = any (y.limit_keys) and y.expires_at > jobplane.clock()"
_FREE: Final = "delete from jobplane.dedupe d using jobplane.leases l where l.seq = d.seq"
_LAST: Final = "if v_left > 0 and (v_looks <= 0 or v_again) then"
_WORKER: Final = "case when e.seq is not null then a.worker_id end"
_DONE, _NOT_DONE = "e.status = 'succeeded' then 1", "false then 1"
_CANCELED, _NOT_CANCELED = "e.status = 'canceled' then e.finished_at", "false then e.finished_at"

POSTGRES: Final[Mapping[str, tuple[Slip, ...]]] = {
    "settle drops the fence": (
        Slip(
            _SETTLE,
            "l.seq = x.seq and l.attempt_no = x.no and l.token = x.token for update",
            "l.seq = x.seq for update",
        ),
    ),
    "renew drops the fence": (
        Slip("verbs/renew.sql", "and l.attempt_no = x.no and l.token = x.token for update", "for update"),
    ),
    "an attempt is counted when it fails": (
        Slip(_TAKE, "attempts_left - 1", "attempts_left - 0"),
        Slip(_SETTLE, "l.attempts_left <= 0", "l.attempts_left <= 1"),
        Slip(
            _SETTLE,
            "w.attempts_left + (w.outcome = 'released')::int",
            "w.attempts_left - (w.outcome <> 'released')::int",
        ),
    ),
    "a limit counts unexpired leases only": (
        Slip("functions/lock_limits.sql", "m.max - l.used", f"m.max - (select count(*)::int from {_UNEXPIRED})"),
    ),
    "a claim frees the dedupe key": (Slip(_TAKE, _LAST, f"{_FREE}; {_LAST}"),),
    "a requeue forgets the cancel": (Slip(_SETTLE, "l.cancel_requested_at is not null or c.outcome", "c.outcome"),),
    "a release is not refunded": (Slip(_SETTLE, "w.attempts_left + (w.outcome = 'released')::int", "w.attempts_left"),),
    "a success gives way to a cancel": (
        Slip(_SETTLE, "when c.outcome = 'succeeded' then 'succeeded'", "when false then 'succeeded'"),
    ),
    "a repeated settle is refused": (
        Slip(_SETTLE, "a.attempt_no = x.no and a.token", "a.attempt_no = -1 and a.token"),
    ),
    "a pause does not stop a claim": (
        Slip(
            _TAKE, "t.max_in_flight is not null or t.paused_at is not null limit", "t.max_in_flight is not null limit"
        ),
    ),
    "a paused queue hands out jobs": (Slip(_TAKE, "q.queue_id, q.paused_at is not null", "q.queue_id, false"),),
    "retry keeps the spent budget": (
        Slip(
            "verbs/retry.sql",
            "coalesce(p_max_attempts, v_job.max_attempts), 0, v_job",
            "v_ending.attempts_left, 0, v_job",
        ),
    ),
    "a job expires after it has started": (
        Slip(_SETTLE, "v_now + make_interval(secs => j.delay), null", "v_now + make_interval(secs => j.delay), v_now"),
        Slip("verbs/expire.sql", "and attempt_no = 0 and expires_at", "and expires_at"),
    ),
    "reap takes leases that have not run out": (
        Slip(
            "verbs/reap_all.sql", "expires_at < jobplane.clock()", "expires_at < jobplane.clock() + interval '1 minute'"
        ),
    ),
    "an idempotency key lets another payload pass": (
        Slip("functions/hold_keys.sql", "when v_receipt.fingerprint = v_print then", "when true then"),
    ),
    "replace changes another definition's job": (
        Slip("functions/hold_keys.sql", "and v_key is distinct from (", "and false and v_key is distinct from ("),
    ),
    "one by one, jobs do not stand behind their tenant's others": (
        Slip("functions/find_tail.sql", "return coalesce(v_last, v_end);", "return p_now - 1;"),
        Slip("functions/find_tail.sql", "return v_end + 2 * v_place * p_n * p_step;", "return p_now - 1;"),
    ),
    "the last cancel's reason stays": (Slip("verbs/cancel.sql", "if v_is_new then", "if true then"),),
    "reschedule brings nothing forward": (
        Slip("verbs/reschedule.sql", "scheduled_for := v_at;", "scheduled_for := greatest(v_row.scheduled_for, v_at);"),
    ),
    "edit adds no attempts": (
        Slip("verbs/edit.sql", "v_row.attempts_left + v_new.max_attempts - v_job.max_attempts", "v_row.attempts_left"),
    ),
    "release does not wait": (Slip("verbs/release.sql", "array_fill(p_after,", "array_fill(0::float8,"),),
    "promote is early": (
        Slip("verbs/promote.sql", "scheduled_for <= v_now", "scheduled_for <= v_now + interval '1 second'"),
    ),
    "sweep opens a pause": (
        Slip("functions/gate_room.sql", "if not coalesce(v_open, true) then return 0; end if;", ""),
    ),
    "tidy forgets what runs": (
        Slip("verbs/tidy.sql", "where x.used = 0 and", "where"),
        Slip("verbs/tidy.sql", "and l.used = 0", ""),
    ),
    "resume lets nobody back": (
        Slip("verbs/resume_tenants.sql", "array[jobplane.gate_room(g.gate, 1000)]", "array[0]"),
    ),
    "a tenant's new limit counts nothing that runs": (
        Slip("verbs/set_tenant.sql", "where l.tenant_id = p_tenant_id", "where false"),
    ),
    "a definition's new limit counts nothing that runs": (
        Slip("functions/write_definition.sql", "and l.definition_id = p_new.definition_id", "and false"),
    ),
    "a new worker opens no gate": (Slip("verbs/register_worker.sql", "array[1000]", "array[0]"),),
    "who names nothing gets commands": (Slip(_TAKE, "and x.kind is distinct from 'command'", ""),),
    "a changed command keeps its workers": (
        Slip(
            "functions/write_definition.sql", "perform jobplane.forget_command(p_new.key, p_new.definition_id)", "null"
        ),
    ),
    "a command says nothing of the policies": (
        Slip(_TAKE, "when c.gate = any (v_commands) then", "when c.reason = 'policy_mismatch' then"),
    ),
    "a worker that left is still there": (
        Slip("verbs/deregister_worker.sql", "where w.worker_id = p_worker_id", "where false"),
    ),
    "renew_all drops the fence": (
        Slip("verbs/renew_all.sql", "and l.attempt_no = x.no and l.token = x.token for update", "for update"),
    ),
    "what had not begun is lost": (Slip("verbs/reap_all.sql", "when begun then", "when true then"),),
    "what has begun is forgotten": (Slip("verbs/renew_all.sql", "l.begun or c.begun is true", "c.begun is true"),),
    "a reaper's refund has no end": (
        Slip(_SETTLE, "case when c.reason in ('shutdown', 'lease_expired')", "case when c.reason = 'shutdown'"),
    ),
    "a job that may start once starts again": (Slip(_SETTLE, "where j.seq = l.seq) = 1", "where j.seq = l.seq) = 0"),),
    "a stuck job runs among others": (Slip(_SETTLE, "(w.reason = 'stuck' and w.outcome = 'timeout')", "false"),),
    "a timeout hides behind its reason": (Slip(_SETTLE, "when outcome = 'timeout' then 'timeout'", ""),),
    "a release after the reaper is accepted": (
        Slip(_SETTLE, "a.reason is not distinct from 'lease_expired'", "false"),
        Slip(_SETTLE, "x.reason is not distinct from 'lease_expired'", "false"),
    ),
    "an ended job forgets its worker": (Slip("functions/describe.sql", _WORKER, "null"),),
    "a success shows the last progress": (Slip("functions/describe.sql", _DONE, _NOT_DONE),),
    "a canceled job does not say when": (Slip("functions/describe.sql", _CANCELED, _NOT_CANCELED),),
}

_HOLDERS: Final = "    mine: dict[tuple[int, int, str], FencedEnding] = {}\n"
_ANY: Final = (
    "    held = {key[0]: key for key in leases}\n"
    "    ended = [x._replace(fence=held.get(x.seq, x.fence)) for x in ended]\n"
)
_BY_THEIR_WAY: Final = (
    "    plain = [x for x in ours if x.plain]\n"
    "    others = [x for x in ours if not x.plain] if len(plain) < len(ours) else []\n"
)
_COUNTED: Final = "select k.value, count(*) from jobplane_leases l, json_each(l.limit_keys) k where l.expires_at > ?"
_LEASED: Final = "    leave_ready(db, seqs)\n    gates.mark"
_FREED: Final = "    db.rows('delete from jobplane_dedupe where seq in (select value from json_each(?))', (text,))\n"

SQLITE: Final[Mapping[str, tuple[Slip, ...]]] = {
    "settle drops the fence": (Slip("settle.py", _HOLDERS, _ANY + _HOLDERS),),
    "renew drops the fence": (
        Slip("renew.py", "found.get(fence(lease))", "dict((k[0], v) for k, v in found.items()).get(lease.seq)"),
    ),
    "an attempt is counted when it fails": (
        Slip(_CLAIM, "r.attempts_left - 1", "r.attempts_left - 0"),
        Slip("settle.py", "return Leased(attempts_left,", "return Leased(attempts_left - 1,"),
    ),
    "a limit counts unexpired leases only": (
        Slip(
            "candidates.py",
            "gates.count_used(self._db, keys)",
            f"dict(self._db.rows('{_COUNTED} group by 1', (self._now,)))",
        ),
    ),
    "a claim frees the dedupe key": (Slip("claim.py", _LEASED, _FREED + _LEASED),),
    "a requeue forgets the cancel": (Slip(_SETTLE, "cancel_requested_at is not null", "0"),),
    "a release is not refunded": (
        Slip(
            "settle.py",
            "d.attempts_left, d.interruptions",
            "d.attempts_left - (x.ending.outcome is Outcome.RELEASED), d.interruptions",
        ),
    ),
    "a success gives way to a cancel": (
        Slip("settle.py", _BY_THEIR_WAY, "    plain, others = [], ours\n"),
        Slip(
            "settle.py",
            "                x.ending.outcome,\n                reason",
            "                Outcome.CANCELED if leases[x.fence][2] else x.ending.outcome,\n                reason",
        ),
    ),
    "a repeated settle is refused": (
        Slip(_SETTLE, "from jobplane_attempts where", "from jobplane_attempts where 0 and"),
    ),
    "a pause does not stop a claim": (
        Slip(_CLAIM, "t.paused_at is not null, j.definition_key", "0, j.definition_key"),
    ),
    "a paused queue hands out jobs": (Slip(_CLAIM, "q.paused_at is not null", "0"),),
    "retry keeps the spent budget": (Slip("verbs/retry.sql", "coalesce(?, j.max_attempts)", "coalesce(?, 0)"),),
    "a job expires after it has started": (
        Slip(_SETTLE, "x.value ->> 1, null, l.queue_id", "x.value ->> 1, x.value ->> 1, l.queue_id"),
        Slip("verbs/expire.sql", "attempt_no = 0 and expires_at", "expires_at"),
    ),
    "reap takes leases that have not run out": (Slip("verbs/reap.sql", "expires_at < ?", "expires_at - 60000000 < ?"),),
    "an idempotency key lets another payload pass": (
        Slip("keys.py", "elif known[key][0] == print_:", "elif known[key]:"),
    ),
    "replace changes another definition's job": (
        Slip("keys.py", "if row.on_duplicate is OnDuplicate.RETURN or", "if True or"),
    ),
    "one by one, jobs do not stand behind their tenant's others": (
        Slip("enqueue.py", "end = v - 1 if last is None or last <= v else last", "end = v - 1"),
    ),
    "the last cancel's reason stays": (Slip("verbs/cancel.sql", " and cancel_requested_at is null", ""),),
    "reschedule brings nothing forward": (
        Slip("statements/lanes.sql", "set scheduled_for = ?", "set scheduled_for = max(scheduled_for, ?)"),
    ),
    "edit adds no attempts": (Slip("verbs/edit.sql", "attempts_left + ?", "attempts_left + 0 * ?"),),
    "release does not wait": (Slip("settle.py", "retry_after=x.ending.retry_after", "retry_after=0"),),
    "promote is early": (Slip("verbs/promote.sql", "scheduled_for <= ?", "scheduled_for - 1000000 <= ?"),),
    "sweep opens a pause": (Slip("gates.py", "if not is_open:", "if False:"),),
    "tidy forgets what runs": (Slip("verbs/tidy.sql", "used = 0 and not waiting", "not waiting"),),
    "resume lets nobody back": (Slip("tenants.py", "for _, gate in rows:", "for _, gate in rows[:0]:"),),
    "a tenant's new limit counts nothing that runs": (Slip("tenants.py", "(seq, keys, [key])", "(seq, keys, [])"),),
    "a definition's new limit counts nothing that runs": (Slip("definition_rows.py", "if not kinds:", "if kinds:"),),
    "a new worker opens no gate": (Slip("registration.py", "if served.knows(key, kind)", "if False"),),
    "who names nothing gets commands": (
        Slip("candidates.py", 'row.kind == "command" if self._knows is None', "False if self._knows is None"),
    ),
    "a changed command keeps its workers": (Slip("definition_rows.py", '_forget_command(db, new["key"])', "pass"),),
    "a command says nothing of the policies": (
        Slip("candidates.py", '"policy_mismatch" if differs else "no_worker"', '"no_worker"'),
    ),
    "a worker that left is still there": (
        Slip("verbs/deregister_worker.sql", "where worker_id = ?", "where 0 and worker_id = ?"),
    ),
    "renew_all drops the fence": (
        Slip("renew.py", "if fence(lease) in found}", "if lease.seq in {held[0] for held in found}}"),
    ),
    "what had not begun is lost": (Slip("upkeep.py", "Outcome.LOST if begun else", "Outcome.LOST if True else"),),
    "what has begun is forgotten": (
        Slip("verbs/renew_all.sql", "set begun = 1 where begun = 0 and seq", "set begun = 0 where seq"),
    ),
    "a reaper's refund has no end": (
        Slip("settle.py", "max_interruptions=max_interruptions,", "max_interruptions=1000,"),
    ),
    "a job that may start once starts again": (
        Slip("settle.py", "Leased(attempts_left, max_attempts,", "Leased(attempts_left, max(max_attempts, 2),"),
    ),
    "a stuck job runs among others": (
        Slip("settle.py", "int(d.alone)", "int(d.alone and x.ending.reason != 'stuck')"),
    ),
    "a timeout hides behind its reason": (
        Slip("settle.py", "d.status.value, d.reason)", "d.status.value, x.ending.reason or d.reason)"),
    ),
    "a release after the reaper is accepted": (
        Slip("settle.py", "row[5] == _REAPED", "False"),
        Slip("settle.py", "said.reason == _REAPED", "False"),
    ),
    "an ended job forgets its worker": (Slip("statements/describe.sql", _WORKER, "null"),),
    "a success shows the last progress": (Slip("statements/describe.sql", _DONE, _NOT_DONE),),
    "a canceled job does not say when": (Slip("statements/describe.sql", _CANCELED, _NOT_CANCELED),),
}
