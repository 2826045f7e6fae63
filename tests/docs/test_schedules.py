"""The page about schedules says what timetables do."""

from datetime import UTC, datetime
from typing import get_args

import pytest

from jobplane.core.errors import InvalidTimetable
from jobplane.core.timetable import Note, Timetable, preview, zone
from tests.docs.table import Row, rows, words

PAGE = "docs/explanation/schedules-and-dst.md"


@pytest.mark.parametrize("row", rows(PAGE, "zone"), ids=lambda row: f"{row['zone']} {row['cron']} {row['from']}")
def test_an_example_fires_when_the_page_says(row: Row) -> None:
    [name], [expression], [start], fires = (words(row[column]) for column in ("zone", "cron", "from", "fires at"))
    after = datetime.fromisoformat(start).replace(tzinfo=zone(name)).astimezone(UTC)

    found = preview(Timetable(name, expression), after, len(fires))

    assert [f"{planned.local:%m-%d %H:%M}" for planned in found] == fires


def test_every_note_is_on_the_page() -> None:
    assert [word for row in rows(PAGE, "note") for word in words(row["note"])] == list(get_args(Note))


@pytest.mark.parametrize("row", rows(PAGE, "expression"), ids=lambda row: row["expression"])
def test_what_the_page_calls_refused_is_refused(row: Row) -> None:
    [expression] = words(row["expression"])

    with pytest.raises(InvalidTimetable):
        Timetable("UTC", expression)
    for instead in words(row["use instead"])[:1]:
        if instead.startswith("0 "):
            assert Timetable("UTC", instead)
        elif "=" in instead:
            assert Timetable("UTC", interval_seconds=int(instead.partition("=")[2]))
