"""Limits are exact, and no slot leaks, though worker processes are killed (kill -9) at any moment."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from tests.races.hands import Worker
from tests.races.ledger import Ledger
from tests.races.stage import Stage

ROOT = Path(__file__).parents[2]
ROUNDS, PROCESSES, JOBS = 4, 4, 1500
IN_FLIGHT, RUNNING, RUNNING_PER_TENANT = 4, 7, 5

_SAMPLE = """
select l.limit_key, l.used, (select count(*) from jobplane.leases x where l.limit_key = any (x.limit_keys))
  from jobplane.limits l
"""


@contextmanager
def _doomed(stage: Stage, seed: int) -> Generator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "tests.races.doomed", stage.db.url("worker"), str(seed)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def _kill_at_random(stage: Stage, most: dict[str, int], seed: int) -> int:
    """Start workers, let them run for a moment while we look at the limits, kill them; how often we looked."""
    samples = held = 0
    with _doomed(stage, seed) as one, _doomed(stage, seed + 1) as other:
        for process in (one, other):
            assert process.stdout is not None
            assert process.stdout.readline() == "started\n"
        began, moment = time.monotonic(), random.Random(seed).uniform(0.1, 0.5)
        while (played := time.monotonic() - began) < moment or not held:
            assert played < 60, "they claim nothing"
            time.sleep(0.002)
            found = stage.probe.run(_SAMPLE)
            for key, used, leases in found:
                assert used == leases <= most[key]
            samples, held = samples + 1, sum(leases for _, _, leases in found)
        for process in (one, other):
            process.kill()
            assert process.wait() == -signal.SIGKILL
    return samples


def _drain(stage: Stage, worker: Worker) -> None:
    ends_at = time.monotonic() + 90
    while stage.count("endings") < JOBS:
        assert time.monotonic() < ends_at, f"{stage.count('endings')} of {JOBS} ended"
        for verb in ("reap", "promote", "sweep"):
            worker.call(verb)
        worker.settle(worker.claim(100, lease_seconds=5))


def test_limits_are_exact_and_everything_drains_though_workers_are_killed(stage: Stage) -> None:
    stage.hasten(50)
    ledger = Ledger(stage)
    stage.admin.set_tenant(stage.alice, max_in_flight=IN_FLIGHT)
    stage.admin.define("d", max_running=RUNNING, max_running_per_tenant=RUNNING_PER_TENANT, max_attempts=100)
    for tenant in (stage.alice, stage.charlie):
        stage.app(tenant).enqueue_many(JOBS // 2)
    [(definition,)] = stage.probe.run("select definition_id from jobplane.definitions where key = 'd'")
    most = {
        f"t/{stage.alice}": IN_FLIGHT,
        f"d/{definition}": RUNNING,
        f"dt/{definition}/{stage.alice}": RUNNING_PER_TENANT,
        f"dt/{definition}/{stage.charlie}": RUNNING_PER_TENANT,
    }

    worker = stage.worker()
    samples = 0
    for number in range(ROUNDS):
        samples += _kill_at_random(stage, most, PROCESSES * number)
        worker.call("reap")
        worker.call("promote")
    assert stage.count("attempts") > 0
    assert samples > ROUNDS
    _drain(stage, worker)

    assert stage.count("attempts", "outcome = 'lost'") > 0, "nobody was killed while it held a lease"
    peaks = ledger.peaks()
    assert not {key: peak for key, peak in peaks.items() if peak > most[key]}
    assert peaks[f"d/{definition}"] == RUNNING, "the limit was never reached, this shows nothing"
    assert stage.probe.run("select limit_key from jobplane.limits where used <> 0") == []
    assert ledger.at_the_same_time("true") <= RUNNING
    assert ledger.at_the_same_time(f"j.tenant_id = '{stage.alice}'") <= IN_FLIGHT
