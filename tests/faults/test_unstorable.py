"""A result that no database takes ends its own job and holds up nobody."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from uuid import UUID

import pytest

from tests.database import Database
from tests.faults.handlers import UNSTORABLE
from tests.faults.places import PostgresPlace
from tests.faults.sizes import on_both
from tests.faults.stage import Stage

GOOD: Final = 500
WORD: Final = "indigestible"
_CHECK: Final = f"""
alter table jobplane.results add constraint taste check (result <> '"{WORD}"')
"""
_TRIGGER: Final = f"""
create trigger jobplane_taste before insert on jobplane_results when new.result = '"{WORD}"'
begin select raise(abort, 'the taste'); end
"""


@on_both
def test_unstorable_results_end_alone(stage: Stage) -> None:
    """The executor refuses them."""
    stage.ready_worker()
    good = stage.enqueue("quick", GOOD // 2, max_attempts=1)
    bad = [job for which in range(len(UNSTORABLE)) for job in stage.enqueue("unstorable", max_attempts=1, which=which)]
    good += stage.enqueue("quick", GOOD // 2, max_attempts=1)

    stage.drain(within=60)

    _ended_alone(stage, good, bad, "invalid_result")


@on_both
def test_a_result_that_the_database_refuses_ends_alone(stage: Stage, request: pytest.FixtureRequest) -> None:
    """What one call carries is refused as a whole, and settled half by half."""
    stage.ready_worker()
    if isinstance(stage.place, PostgresPlace):
        db: Database = request.getfixturevalue("db")
        db.own(_CHECK)
    else:
        stage.place.peek(_TRIGGER)
    good = stage.enqueue("answer", GOOD // 2, max_attempts=1, word="good")
    bad = stage.enqueue("answer", max_attempts=1, word=WORD)
    good += stage.enqueue("answer", GOOD // 2, max_attempts=1, word="good")

    stage.drain(within=60)

    _ended_alone(stage, good, bad, "outcome_not_stored")


def _ended_alone(stage: Stage, good: Iterable[UUID], bad: Iterable[UUID], reason: str) -> None:
    statuses = stage.statuses()
    assert {statuses[str(job)] for job in good} == {"succeeded"}
    assert {statuses[str(job)] for job in bad} == {"failed"}
    ends = {attempt.job: (attempt.outcome, attempt.reason) for attempt in stage.begun()}
    assert {ends[str(job)] for job in bad} == {("fatal", reason)}
    assert len(stage.begun()) == len([*good, *bad])
