"""write_outputs and get_output: what a command used and wrote last, kept only under the lease that it ran under."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

import pytest

from jobplane.core.errors import JobNotFound
from jobplane.core.leases import Lease
from jobplane.core.model import Outcome
from jobplane.core.outputs import CommandOutput, NewOutput
from tests.client import Store
from tests.clock import Clock
from tests.conformance.backend import Audit
from tests.conformance.factory import STATES, Factory

WHOLE = CommandOutput(
    pid=4711,
    signal=15,
    user_ms=2**40,
    system_ms=12,
    max_rss_bytes=2**33,
    stdout_tail="ünï\n\t",
    stderr_tail="oh",
    stdout_bytes=2**41,
    stderr_bytes=2,
    bytes_dropped=2**40,
)
USED = ("pid", "signal", "user_ms", "system_ms", "max_rss_bytes", "stdout_bytes", "stderr_bytes", "bytes_dropped")


async def test_an_output_reads_back_whole(store: Store, make: Factory) -> None:
    lease = await make.lease()

    assert await store.write_outputs([NewOutput(lease, WHOLE)]) == []

    assert await store.get_output(make.alice, lease.job_id, 1) == WHOLE
    assert await store.get_output(make.alice, lease.job_id, 2) is None


async def test_the_empty_output_reads_back(store: Store, make: Factory) -> None:
    lease = await make.lease()

    await store.write_outputs([NewOutput(lease, CommandOutput())])

    assert await store.get_output(make.alice, lease.job_id, 1) == CommandOutput()


async def test_another_output_of_an_attempt_replaces_the_first(store: Store, make: Factory) -> None:
    lease = await make.lease()
    await store.write_outputs([NewOutput(lease, CommandOutput(pid=1))])

    await store.write_outputs([NewOutput(lease, CommandOutput(pid=2)), NewOutput(lease, WHOLE)])

    assert await store.get_output(make.alice, lease.job_id, 1) == WHOLE


async def test_an_output_without_its_lease_is_not_kept(store: Store, make: Factory, clock: Clock) -> None:
    await make.jobs(3)
    lost, ended, runs = await make.claim(3)
    await make.settle(ended, Outcome.SUCCEEDED)
    forged = Lease(lost.seq, lost.attempt_no, uuid4())
    later = Lease(lost.seq, 2, lost.token)

    refused = await store.write_outputs([NewOutput(lease, WHOLE) for lease in (forged, later, ended, runs)])

    assert refused == [lost.seq, ended.seq]
    found = [await store.get_output(make.alice, lease.job_id, 1) for lease in (lost, ended, runs)]
    assert found == [None, None, WHOLE]


async def test_a_lease_that_was_reaped_keeps_nothing(store: Store, make: Factory, clock: Clock) -> None:
    lost = await make.lease()
    clock.advance(3600)
    assert await store.reap() == 1
    clock.advance(60)
    runs = await make.again("w2")

    assert await store.write_outputs([NewOutput(lost, WHOLE)]) == [lost.seq]

    assert runs.job_id == lost.job_id
    assert [await store.get_output(make.alice, lost.job_id, number) for number in (1, 2)] == [None, None]


async def test_each_attempt_shows_what_its_command_used(store: Store, make: Factory, clock: Clock) -> None:
    lease = await make.lease(max_attempts=3)
    await store.write_outputs([NewOutput(lease, WHOLE)])
    [running] = await store.attempts(make.alice, lease.job_id)
    await make.settle(lease, Outcome.FAILED, exit_code=75, retry_after=0)
    clock.advance(1)
    await make.settle(await make.again(), Outcome.FAILED)

    second, first = await store.attempts(make.alice, lease.job_id)

    assert (running.status, running.pid, first.exit_code) == ("running", 4711, 75)
    assert [getattr(first, name) for name in USED] == [getattr(WHOLE, name) for name in USED]
    assert [getattr(second, name) for name in USED] == [None] * len(USED)


@pytest.mark.parametrize("state", STATES)
async def test_an_attempt_without_a_command_has_no_output(store: Store, make: Factory, state: str) -> None:
    job_id = await make.in_state(state)

    assert await store.get_output(make.alice, job_id, 1) is None


async def test_charlie_reads_nobody_elses_output(store: Store, make: Factory) -> None:
    lease = await make.lease()
    await store.write_outputs([NewOutput(lease, WHOLE)])

    for job_id in (lease.job_id, uuid4()):
        with pytest.raises(JobNotFound):
            await store.get_output(make.charlie, job_id, 1)


@pytest.mark.parametrize("tail", ["stdout_tail", "stderr_tail"])
async def test_no_tail_is_longer_than_64_kib_whoever_writes_it(
    store: Store, make: Factory, audit: Audit, tail: str
) -> None:
    lease = await make.lease()
    await store.write_outputs([NewOutput(lease, WHOLE)])
    longest = f"update jobplane.outputs set {tail} = '{'x' * 65_536}"

    audit.meddle(f"{longest}'")
    with pytest.raises(Exception, match=r"(?i)check constraint"):
        audit.meddle(f"{longest}y'")


async def test_what_no_store_can_keep_is_mended(store: Store, make: Factory) -> None:
    lease = await make.lease()
    long = "a" * 10 + "\x00\ud800" + "b" * 65_534

    await store.write_outputs([NewOutput(lease, replace(WHOLE, stdout_tail=long, user_ms=2**70, signal=2**40, pid=-1))])

    found = await store.get_output(make.alice, lease.job_id, 1)
    assert found == replace(WHOLE, stdout_tail="\ufffd?" + "b" * 65_534, user_ms=2**63 - 1, signal=2**31 - 1, pid=0)
