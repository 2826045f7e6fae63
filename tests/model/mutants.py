"""Mistakes that a store could make: each is one text of a verb's source replaced by another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from jobplane.store.postgres import source
from tests.database import Database


@dataclass(frozen=True)
class Slip:
    """What stands in a file, and what stands there by mistake."""

    file: str
    right: str
    wrong: str


SETTLE, CLAIM = "verbs/settle.sql", "verbs/claim.sql"
LEASES: Final = "jobplane.leases y where l.limit_key = any (y.limit_keys) and y.expires_at > jobplane.clock()"
FREE: Final = "delete from jobplane.dedupe d using jobplane.leases l where l.seq = d.seq"
LAST: Final = "if v_left > 0 and (v_looks <= 0 or v_again) then"
MUTANTS: Final[dict[str, tuple[Slip, ...]]] = {
    "settle drops the fence": (
        Slip(
            SETTLE, "l.seq = x.seq and l.attempt_no = x.no and l.token = x.token for update", "l.seq = x.seq for update"
        ),
    ),
    "renew drops the fence": (
        Slip("verbs/renew.sql", "and l.attempt_no = x.no and l.token = x.token for update", "for update"),
    ),
    "an attempt is counted when it fails": (
        Slip(CLAIM, "attempts_left - 1", "attempts_left - 0"),
        Slip(SETTLE, "l.attempts_left <= 0", "l.attempts_left <= 1"),
        Slip(
            SETTLE,
            "w.attempts_left + (w.outcome = 'released')::int",
            "w.attempts_left - (w.outcome <> 'released')::int",
        ),
    ),
    "a limit counts unexpired leases only": (
        Slip("functions/lock_limits.sql", "m.max - l.used", f"m.max - (select count(*)::int from {LEASES})"),
    ),
    "a claim frees the dedupe key": (Slip(CLAIM, LAST, f"{FREE}; {LAST}"),),
    "a requeue forgets the cancel": (Slip(SETTLE, "l.cancel_requested_at is not null or c.outcome", "c.outcome"),),
    "a release is not refunded": (Slip(SETTLE, "w.attempts_left + (w.outcome = 'released')::int", "w.attempts_left"),),
    "a success gives way to a cancel": (
        Slip(SETTLE, "when c.outcome = 'succeeded' then 'succeeded'", "when false then 'succeeded'"),
    ),
    "a repeated settle is refused": (Slip(SETTLE, "a.attempt_no = x.no and a.token", "a.attempt_no = -1 and a.token"),),
    "a pause does not stop a claim": (
        Slip(
            CLAIM, "t.max_in_flight is not null or t.paused_at is not null limit", "t.max_in_flight is not null limit"
        ),
    ),
    "retry keeps the spent budget": (
        Slip(
            "verbs/retry.sql",
            "coalesce(p_max_attempts, v_job.max_attempts), 0, v_job",
            "v_ending.attempts_left, 0, v_job",
        ),
    ),
    "a job expires after it has started": (
        Slip(SETTLE, "v_now + make_interval(secs => j.delay), null", "v_now + make_interval(secs => j.delay), v_now"),
        Slip("verbs/expire.sql", "and attempt_no = 0 and expires_at", "and expires_at"),
    ),
    "reap takes leases that have not run out": (
        Slip("verbs/reap.sql", "expires_at < jobplane.clock()", "expires_at < jobplane.clock() + interval '1 minute'"),
    ),
}


def mutate(database: Database, *slips: Slip) -> None:
    """Replace the functions of the files, each with all its slips."""
    files = {file.name: file for file in source.load().code}
    for name in {slip.file for slip in slips}:
        text = files[name].sql
        for slip in slips:
            if slip.file == name:
                assert slip.right in text, f"{name} has no {slip.right!r} any more"
                text = text.replace(slip.right, slip.wrong)
        role = f"jobplane_{files[name].owner}"
        database.own(f"grant create on schema jobplane to {role}; set local role {role}; {text}")
