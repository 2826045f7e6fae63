"""Each planned time makes one job, whatever happens to the schedulers."""

from __future__ import annotations

import random
import threading
from collections.abc import Generator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from jobplane.core.errors import StoreBusy
from jobplane.core.model import DEFAULT_TENANT, Document
from jobplane.core.triggers import TriggerFilter
from tests import programs
from tests.conftest import ROLES
from tests.faults.history import History
from tests.faults.places import Place, PostgresPlace
from tests.faults.rules.schedules import misfire
from tests.faults.sizes import on_both, size
from tests.faults.waiting import until
from tests.scheduler.process import PATIENCE, SchedulerProcess, Schedulers

SECOND = timedelta(seconds=1)
ROUNDS = size(4, 50)


@pytest.fixture
def schedulers(request: pytest.FixtureRequest, place: Place, scratch: Path) -> Generator[Schedulers]:
    urls: dict[str, str] = {}
    if isinstance(place, PostgresPlace):
        db = request.getfixturevalue("db")
        urls = {f"JOBPLANE_DATABASE_URL_{role.upper()}": db.url(role) for role in ROLES}
    yield Schedulers(place, {**place.environment(), **urls}, scratch)
    programs.end_all()  # before the database goes
    place.close()


def now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)


def check_fires(schedulers: Schedulers) -> None:
    """The judge knows of no fault with a planned time, and the tables keep their rules."""
    history = History(events=[], **schedulers.place.final()._asdict())
    assert history.fires, "nothing has fired"
    assert list(misfire(history)) == []
    assert schedulers.place.audit.faults() == []


@on_both
def test_three_schedulers_that_are_killed_and_stopped_fire_each_time_once(schedulers: Schedulers) -> None:
    """`all` with a large limit: no planned time may be passed over either."""
    dice = random.Random(20261118)
    made = [schedulers.make(missed="all", missed_limit=1000, label=str(number)) for number in range(10)]
    running = [schedulers.ready() for _ in range(3)]
    for _ in range(ROUNDS):
        victim = dice.randrange(3)
        if dice.random() < 0.5:
            running[victim].kill()
            running[victim] = schedulers.ready()
        else:
            running[victim].freeze()
            schedulers.ready().kill()
            running[victim].thaw()
    _let_fire(schedulers, running)

    for trigger in made:
        planned = schedulers.planned(trigger.id)
        first = trigger.next_run_at
        assert first is not None
        assert planned == {first + n * SECOND: 1 for n in range(len(planned))}
    check_fires(schedulers)


def _let_fire(schedulers: Schedulers, running: list[SchedulerProcess]) -> None:
    """Until all have caught up, then no more."""
    until(lambda: _late(schedulers) == 0, PATIENCE, "catching up")
    for process in running:
        process.stop()


def _late(schedulers: Schedulers) -> int:
    return len(schedulers.store.list_triggers(DEFAULT_TENANT, TriggerFilter(late_seconds=3), 1000).items)


@on_both
@pytest.mark.parametrize(("missed", "each"), [("latest", 1), ("all", 10)])
def test_a_day_of_downtime_fires_what_the_rule_says(schedulers: Schedulers, missed: str, each: int) -> None:
    """A hundred schedules of every minute, down for 24 hours: their times were shifted."""
    count = size(20, 100)
    down_at = now().replace(second=0) - timedelta(days=1)
    made = [schedulers.make(down_at, interval_seconds=60, missed=missed, missed_limit=10) for _ in range(count)]
    processes = [schedulers.ready() for _ in range(2)]

    _let_fire(schedulers, processes)

    until_at = now()
    for trigger in made:
        on_time = (until_at - down_at) // timedelta(minutes=1)
        planned = schedulers.planned(trigger.id)
        assert set(planned.values()) == {1}
        # A minute may have begun while they caught up.
        assert each <= len(planned) <= each + 2, (len(planned), on_time)
    check_fires(schedulers)


@on_both
def test_schedulers_whose_clocks_are_wrong_fire_by_that_of_the_database(schedulers: Schedulers, place: Place) -> None:
    """On a file the clock of the process is that of the database: there the two agree with themselves alone."""
    if not isinstance(place, PostgresPlace):
        pytest.skip("a file has no clock of its own")
    made = schedulers.make(missed="all", missed_limit=1000)
    processes = [schedulers.start(skewed=skew).wait_until_ready() for skew in (600, -600)]
    until(lambda: len(schedulers.planned(made.id)) >= 3, PATIENCE, "three jobs")
    for process in processes:
        process.stop()

    jobs = [job for job in schedulers.jobs() if job.trigger_id == made.id]
    assert set(schedulers.planned(made.id).values()) == {1}
    assert all(job.planned_at is not None and abs(job.created_at - job.planned_at) < 5 * SECOND for job in jobs)
    check_fires(schedulers)


@on_both
def test_edits_in_the_second_of_a_fire_lose_and_double_nothing(schedulers: Schedulers) -> None:
    made = [schedulers.make(missed="all", missed_limit=1000, label=str(number)) for number in range(5)]
    gone = [schedulers.make(missed="all", missed_limit=1000, label=str(number)) for number in range(5)]
    processes = [schedulers.ready() for _ in range(2)]
    stop = threading.Event()

    def edit() -> None:
        number = 0
        while not stop.wait(0.02):
            number += 1
            changes: Document = {"label": f"edit {number}"}
            try:
                schedulers.store.change_trigger(DEFAULT_TENANT, made[number % 5].id, changes)
                if number % 10 == 0 and gone:
                    schedulers.store.delete_trigger(DEFAULT_TENANT, gone.pop().id)
            except StoreBusy:  # a scheduler had the trigger for longer than anybody waits
                pass

    editor = threading.Thread(target=edit)
    editor.start()
    until(lambda: all(len(schedulers.planned(trigger.id)) >= 5 for trigger in made), PATIENCE, "five jobs of each")
    stop.set()
    editor.join()
    _let_fire(schedulers, processes)

    for trigger in made:
        planned, first = schedulers.planned(trigger.id), trigger.next_run_at
        assert first is not None
        assert planned == {first + n * SECOND: 1 for n in range(len(planned))}


@on_both
def test_a_schedule_that_is_switched_off_fires_nothing_after_the_answer(schedulers: Schedulers) -> None:
    made = schedulers.make()
    process = schedulers.ready()
    until(lambda: bool(schedulers.planned(made.id)), PATIENCE, "a job")

    schedulers.store.change_trigger(DEFAULT_TENANT, made.id, {"is_enabled": False})
    before = schedulers.planned(made.id)
    other = schedulers.make()
    until(lambda: len(schedulers.planned(other.id)) >= 2, PATIENCE, "two jobs of another")

    assert schedulers.planned(made.id) == before
    process.stop()
    check_fires(schedulers)
