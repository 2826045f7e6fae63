"""The output of commands: write_outputs, get_output."""

from __future__ import annotations

from typing import Final

from jobplane.core import bounds
from jobplane.core.decoding import Reader
from jobplane.core.outputs import CommandOutput, NewOutput, clean
from jobplane.store.base import Conn
from jobplane.store.sqlite import statements
from jobplane.store.sqlite.moment import Moment, format_uuid
from jobplane.store.sqlite.verbs.arrays import batch
from jobplane.store.sqlite.verbs.read import find_seq
from jobplane.store.verbs.engine import WriteOutputs
from jobplane.store.verbs.jobs import GetOutput

_read: Final = Reader(CommandOutput)


def write_outputs(db: Conn, _: Moment, verb: WriteOutputs) -> list[int]:
    fences = [(*lease[:2], format_uuid(lease.token)) for lease, _ in verb.outputs]
    held = set(db.rows(statements.load_verb("log_lines")["leases"], (batch({fence[0] for fence in fences}),)))
    rows = [_row(written) for written, fence in zip(verb.outputs, fences, strict=True) if fence in held]
    if rows:
        db.rows(statements.load_verb("write_outputs")["write"], (batch(rows),))
    return sorted({fence[0] for fence in fences if fence not in held})


def _row(written: NewOutput) -> tuple[object, ...]:
    kept = clean(written.output)
    used = (kept.pid, kept.signal, kept.user_ms, kept.system_ms, kept.max_rss_bytes)
    wrote = (kept.stdout_tail, kept.stderr_tail, kept.stdout_bytes, kept.stderr_bytes, kept.bytes_dropped)
    return (*written.lease[:2], *used, *wrote)


def get_output(db: Conn, _: Moment, verb: GetOutput) -> CommandOutput | None:
    attempt_no = bounds.whole("attempt_no", verb.attempt_no)
    seq = find_seq(db, verb.tenant, verb.job_id)
    rows = db.rows(statements.load_verb("get_output")["output"], (seq, attempt_no))
    return _read(rows[0]) if rows else None
