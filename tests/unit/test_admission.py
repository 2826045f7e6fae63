"""A request to enqueue is refused for its types before any store sees it."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any
from uuid import uuid4

import pytest

from jobplane.core.admission import admit, require_instant
from jobplane.core.errors import Invalid, JobplaneError
from jobplane.core.model import NewJob, OnDuplicate
from tests.conformance import hostile

PLAIN = NewJob(definition="d")
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
# Values that only a store can judge: it knows the definitions and the queues, and the times that it can keep.
LEFT_TO_THE_STORE: dict[str, list[Any]] = {
    "definition": ["", "nobody-knows", "d" * 100_000],
    "queue": ["", "nowhere"],
    "priority": [-1, 1001],
    "max_attempts": [0, 1001],
    "timeout_seconds": [0, 2_592_001],
    "scheduled_for": [hostile.OLD, hostile.FIRST, hostile.LAST],
    "expires_at": [hostile.OLD, hostile.FIRST, hostile.LAST],
    "dedupe_key": ["", "k" * 501],
    "idempotency_key": ["", "k" * 501],
    "correlation_id": ["", "k" * 501],
    "source": ["", "web"],
    "source_ref": ["", "k" * 501],
    "created_by": ["", "k" * 501],
    "artifact_ref": ["", "k" * 501],
    "tags": [[""], ["t" * 201], ["t"] * 51],
    "metadata": [{"m" * 101: 1}],
}


def test_a_full_request_gives_its_payload() -> None:
    job = NewJob(
        definition="d",
        payload={"n": 1},
        id=uuid4(),
        queue="q",
        priority=0,
        scheduled_for=NOON,
        delay_seconds=0.5,
        expires_at=NOON.astimezone(timezone(timedelta(hours=14))),
        dedupe_key="k",
        on_duplicate=OnDuplicate.POSTPONE,
        idempotency_key="k",
        correlation_id="c",
        tags=("a", "b"),
        metadata={"m": [1, {"n": None}]},
        source="event",
        source_ref="e",
        created_by="alice",
        trace_context="00-1-2-01",
        artifact_ref="a",
        max_attempts=1000,
        timeout_seconds=1,
    )

    assert admit(job) == '{"n":1}'


def test_there_are_wrong_values_for_every_field() -> None:
    assert set(hostile.FIELDS) == {field.name for field in fields(NewJob)}


@pytest.mark.parametrize("name", hostile.FIELDS)
def test_a_wrong_value_is_refused_with_a_code(name: str) -> None:
    left = LEFT_TO_THE_STORE.get(name, [])
    for value in hostile.FIELDS[name]:
        row = replace(PLAIN, **{name: value})
        if any(value is other or value == other for other in left):
            assert admit(row) == "{}"
            continue
        with pytest.raises(JobplaneError) as refusal:
            admit(row)
        assert refusal.value.code == ("invalid_payload" if name == "payload" else "invalid")
        assert len(refusal.value.message) < 200


@pytest.mark.parametrize("row", [None, {"definition": "d"}, "d", 5])
def test_only_a_new_job_is_one(row: object) -> None:
    with pytest.raises(Invalid, match="NewJob"):
        admit(row)


def test_what_a_duplicate_does_may_be_a_plain_word() -> None:
    word: Any = "replace"

    assert admit(replace(PLAIN, on_duplicate=word)) == "{}"


def test_a_delay_is_bounded_by_a_hundred_years() -> None:
    assert admit(replace(PLAIN, delay_seconds=3_153_600_000)) == "{}"
    with pytest.raises(Invalid, match="delay_seconds"):
        admit(replace(PLAIN, delay_seconds=3_153_600_000.5))


class Vague(tzinfo):
    """A zone that does not know how far it is from UTC."""

    def utcoffset(self, dt: datetime | None, /) -> None:
        return None


@pytest.mark.parametrize(
    "value", [hostile.NAIVE, NOON.replace(tzinfo=Vague()), NOON.date(), "2026-01-01T00:00Z", 0, None]
)
def test_an_instant_has_a_zone(value: object) -> None:
    with pytest.raises(Invalid, match="at must be a datetime with a time zone"):
        require_instant("at", value)
