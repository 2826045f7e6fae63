"""The output of commands: kept by the engine, read by the tenant."""

from __future__ import annotations

from typing import Final

from jobplane.core.decoding import Reader
from jobplane.core.outputs import CommandOutput, clean
from jobplane.store.postgres.calls.call import Call, Rows, array, asks, door, texts
from jobplane.store.verbs.engine import WriteOutputs
from jobplane.store.verbs.jobs import GetOutput

_OUTPUT: Final = asks(CommandOutput)
_read: Final = Reader(CommandOutput)


def write_outputs(verb: WriteOutputs) -> Call[list[int]]:
    leases = [written.lease for written in verb.outputs]
    outputs = [clean(written.output) for written in verb.outputs]
    return Call(
        "worker",
        "select seq from jobplane.write_outputs(%s::bigint[], %s::int[], %s::uuid[], %s::int[], %s::int[],"
        " %s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[], %s::text[], %s::text[])",
        (
            array(lease.seq for lease in leases),
            array(lease.attempt_no for lease in leases),
            array(lease.token for lease in leases),
            array(output.pid for output in outputs),
            array(output.signal for output in outputs),
            array(output.user_ms for output in outputs),
            array(output.system_ms for output in outputs),
            array(output.max_rss_bytes for output in outputs),
            array(output.stdout_bytes for output in outputs),
            array(output.stderr_bytes for output in outputs),
            array(output.bytes_dropped for output in outputs),
            texts(output.stdout_tail for output in outputs),
            texts(output.stderr_tail for output in outputs),
        ),
        lambda rows: sorted(row[0] for row in rows),
    )


def get_output(verb: GetOutput) -> Call[CommandOutput | None]:
    parameters = (verb.job_id, verb.attempt_no)
    return door(verb.tenant, _OUTPUT, "get_output(%s::uuid, %s::int)", parameters, _first)


def _first(rows: Rows) -> CommandOutput | None:
    return _read(rows[0]) if rows else None
