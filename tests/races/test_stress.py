"""Everything at once for some seconds; then it drains, and the books are right."""

from __future__ import annotations

import random
import threading
import time
import traceback
from uuid import UUID

import pytest

from tests.races import cast
from tests.races.cast import Player, Record, Turn
from tests.races.ledger import Ledger
from tests.races.stage import Stage

SECONDS, MOST_SECONDS = 8.0, 40.0
ENOUGH = 1000  # jobs
CAST: list[tuple[Turn, int]] = [
    (cast.produce, 4),
    (cast.transact, 2),
    (cast.work, 6),
    (cast.reap, 2),
    (cast.upkeep, 2),
    (cast.cancel, 2),
    (cast.change, 1),
    (cast.pause, 1),
]
IN_FLIGHT, RUNNING, RUNNING_PER_TENANT = 7, 9, 4

_WAITING = """select (select count(*) from jobplane.ready) + (select count(*) from jobplane.held)
  + (select count(*) from jobplane.upcoming) + (select count(*) from jobplane.leases)"""
_GAPS = "select seq from jobplane.attempts group by seq having max(attempt_no) <> count(*)"
_OVERLAPS = """
select seq, attempt_no from (
  select seq, attempt_no, started_at, lag(finished_at) over (partition by seq order by attempt_no) as before
    from jobplane.attempts) a
 where started_at < before
"""
_NOT_CANCELED = """
select j.id, e.status::text from jobplane.jobs j join jobplane.endings e using (seq)
 where j.id = any(%s) and e.status not in ('canceled', 'succeeded')
"""


def _tenants(stage: Stage) -> list[UUID]:
    plain = [stage.alice, stage.charlie, stage.admin.tenant("heavy", weight=3)]
    return [*plain, stage.admin.tenant("limited", max_in_flight=IN_FLIGHT), *map(stage.admin.tenant, ("t4", "t5"))]


def _play(stage: Stage, record: Record, tenants: list[UUID]) -> None:
    """Each of the cast takes its turns for a while, and until there is enough; an error ends its play, on record."""
    over = threading.Event()

    def play(turn: Turn, seed: int) -> None:
        try:
            me = Player(stage, record, tenants, random.Random(seed))
            while not over.is_set():
                turn(me)
        except Exception:  # noqa: BLE001 - whatever it is, the test shows it
            record.wrong.append("".join(traceback.format_exc().splitlines(keepends=True)[-40:]))

    turns = [turn for turn, players in CAST for _ in range(players)]
    threads = [threading.Thread(target=play, args=(turn, seed)) for seed, turn in enumerate(turns)]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        stage.assert_counted()
        played = time.monotonic() - began
        if played > MOST_SECONDS or (played > SECONDS and _made(stage, record) >= ENOUGH):
            over.set()
        time.sleep(0.01)


def _made(stage: Stage, record: Record) -> int:
    """What was acknowledged and is there."""
    return stage.count("jobs", f"id = any('{{{','.join(str(made.job_id) for made in list(record.made))}}}')")


def _drain(stage: Stage, tenants: list[UUID]) -> None:
    worker, ends_at = stage.worker(), time.monotonic() + 90
    stage.admin.run("select jobplane.resume_tenants(%s)", tenants)
    stage.admin.define("e", active=True)
    while left := stage.probe.run(_WAITING)[0][0]:
        assert time.monotonic() < ends_at, f"{left} are left"
        for verb in ("reap", "promote", "sweep", "tick"):
            worker.call(verb)
        worker.settle(worker.claim(500, lease_seconds=5))


@pytest.mark.timeout(240)
def test_everything_at_once_loses_nothing_and_exceeds_nothing(stage: Stage) -> None:
    record, ledger = Record(), Ledger(stage)
    stage.hasten(20)
    tenants = _tenants(stage)
    stage.admin.define("d", backoff={"base": 0.2}, max_attempts=4)
    stage.admin.define("e", max_running=RUNNING, max_running_per_tenant=RUNNING_PER_TENANT, backoff={"base": 0.2})
    definition = dict(stage.probe.run("select key, definition_id from jobplane.definitions"))["e"]

    _play(stage, record, tenants)
    assert not record.wrong, "\n".join(record.wrong[:3])
    _drain(stage, tenants)

    seen = f"{len(record.made)} jobs, {stage.count('attempts')} attempts, {record.answers}"
    assert _made(stage, record) >= ENOUGH, seen
    assert stage.count("endings") == stage.count("jobs") >= len({made.job_id for made in record.made})
    assert stage.probe.run(_NOT_CANCELED, list(record.canceled)) == []
    assert stage.probe.run(_GAPS) == []
    assert stage.count("dedupe") == stage.count("limits", "used <> 0") == 0

    peaks = ledger.peaks()
    assert peaks[f"t/{tenants[3]}"] == IN_FLIGHT
    assert peaks[f"d/{definition}"] == RUNNING
    assert max(peak for key, peak in peaks.items() if key.startswith("dt/")) == RUNNING_PER_TENANT
    assert ledger.at_the_same_time(f"j.tenant_id = '{tenants[3]}'") <= IN_FLIGHT
    assert ledger.at_the_same_time(f"j.definition_id = {definition}") <= RUNNING
    assert stage.probe.run(_OVERLAPS) == [], "attempts of one job ran at the same time"
