"""Cron expressions that are refused: the message names the field, the item, and what to write instead."""

from __future__ import annotations

import time

import pytest

from jobplane.core.errors import InvalidTimetable
from jobplane.core.timetable import Timetable
from jobplane.core.timetable.cron import ALIASES


@pytest.mark.parametrize(
    ("expression", "says"),
    [
        ("* * * * * *", 'It has six fields. Leave out the field for seconds, as in "* * * * *".'),
        ("*/5 * * *", "It must have five fields, not 4: minute, hour, day of the month, month, day of the week."),
        ("", "It must have five fields, not 0:"),
        ("0 0 1 1 * 2026 x", "It must have five fields, not 7:"),
        ("@every 5m", "Use interval_seconds = 300 instead."),
        ("@every 2H", "Use interval_seconds = 7200 instead."),
        ("@every 1h30m", "Use interval_seconds instead."),
        ("@reboot", "Use a startup hook of the worker."),
        ("@fortnightly", "Unknown name. Write five fields, or one of @yearly"),
        ("CRON_TZ=UTC 0 0 * * *", "It must not set variables. Write the time zone as timezone."),
        ("60 * * * *", 'The minute has "60". Write a number from 0 to 59'),
        ("0 24 * * *", 'The hour has "24". Write a number from 0 to 23'),
        ("0 0 0 * *", 'The day of the month has "0". Write a number from 1 to 31'),
        ("0 0 * 13 *", 'The month has "13". Write a number from 1 to 12, or a name from JAN to DEC'),
        ("0 0 * * 8", 'The day of the week has "8". Write a number from 0 to 7, or a name from SUN to SAT'),
        ("0 0 * * MONDAY", 'The day of the week has "MONDAY".'),
        ("0 0 * MON *", 'The month has "MON".'),
        ("0 0 L * *", 'The day of the month has "L".'),
        ("0 0 * * MON#2", 'The day of the week has "MON#2".'),
        ("0 0 ? * *", 'The day of the month has "?". Write * instead.'),
        ("H * * * *", 'The minute has "H".'),
        ("1,,2 * * * *", 'The minute has "".'),
        ("5- * * * *", 'The minute has "5-".'),
        ("-5 * * * *", 'The minute has "-5".'),
        ("1-2-3 * * * *", 'The minute has "1-2-3".'),
        ("*/0 * * * *", 'The minute has "*/0". A step is from 1 to 59.'),
        ("*/90 * * * *", "A step is from 1 to 59. Use interval_seconds for longer steps."),
        ("*/99999999999999999999 * * * *", "A step is from 1 to 59."),
        ("99999999999999999999 * * * *", "Write a number from 0 to 59"),
        ("0 \u0661 * * *", 'The hour has "\u0661".'),  # a digit of another script
        ("0 22-4 * * *", "A range goes upwards: write 22-23,0-4."),
        ("0 0 * * FRI-MON", "A range goes upwards: write FRI-7,1-MON."),
        ("0 0 * * SAT-SUN", "Sunday is 0 at the start of a range and 7 at its end: write SAT-7."),
        ("0 0 31 2 *", "It never fires."),
        ("31 2 30 2 *", "It never fires."),
        ("0 0 31 4,6,9,11 *", "It never fires."),
        ("0 0 30-31 2 */2", "It never fires."),
        ("1," * 100 + "1 * * * *", "characters, and 200 are allowed."),
    ],
)
def test_an_expression_that_is_refused_says_what_to_write(expression: str, says: str) -> None:
    began = time.process_time()

    with pytest.raises(InvalidTimetable) as refused:
        Timetable("UTC", expression)

    assert says in refused.value.message
    assert refused.value.message.startswith("Invalid cron_expr ")
    assert refused.value.facts == {"field": "cron_expr"}
    assert time.process_time() - began < 0.05


@pytest.mark.parametrize(
    "expression",
    [
        *ALIASES,
        "@DAILY",
        "  0   0 * * *\t",
        "0 0 * * 7",
        "0 0 29 2 *",
        "0 0 30 2 MON",  # on each Monday in February
        "0 0 * jan-Mar,DEC sun,Mon-fri/2",
        "59 23 31 12 0-7",
        "5-5/2 1/23 */31 */12 */7",
    ],
)
def test_an_expression_of_five_fields_or_a_name_is_accepted(expression: str) -> None:
    assert Timetable("UTC", expression)
