"""Tables, times and texts, without a server."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import click
import pytest

from jobplane.cli.output.tables import Column, lines
from jobplane.cli.output.text import as_json, cut, plain, width
from jobplane.cli.output.times import Duration, Moment, format_age

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
COLUMNS = (
    Column("NAME", lambda row: row["name"]),
    Column("STATUS", lambda row: row["status"], is_status=True),
    Column("TEXT", lambda row: row["text"]),
)


def row(name: str, text: object = None, status: str = "failed") -> dict[str, object]:
    return {"name": name, "status": status, "text": text}


def test_columns_are_as_wide_as_their_widest_cell() -> None:
    shown = [click.unstyle(line) for line in lines([row("a", "x"), row("日本", 7)], COLUMNS, None)]

    assert shown == ["NAME  STATUS  TEXT", "a     failed  x", "日本  failed  7"]


def test_a_table_fits_the_terminal_and_cuts_the_longest() -> None:
    shown = [click.unstyle(line) for line in lines([row("short", "x" * 500)], COLUMNS, 40)]

    assert max(map(len, shown)) == 40
    assert shown[1].startswith("short  failed  xxx")
    assert shown[1].endswith("x…")


def test_a_status_has_its_colour_and_nothing_else_has() -> None:
    [_, line] = lines([row("\x1b[31mred\n\x9b0m", "-", "succeeded")], COLUMNS, None)

    assert line == f"red 0m  {click.style('succeeded', fg='green')}  -"


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0, "now"), (5, "5 s ago"), (190, "3 min ago"), (7300, "2 h ago"), (200_000, "2 d ago"), (-90, "in 1 min")],
)
def test_times_are_relative(seconds: float, shown: str) -> None:
    assert format_age((NOW - timedelta(seconds=seconds)).isoformat(), NOW) == shown


def test_no_time_is_a_dash() -> None:
    assert format_age(None) == "-"


@pytest.mark.parametrize(("text", "seconds"), [("90", 90), ("1.5s", 1.5), ("10m", 600), ("2h", 7200), ("1w", 604_800)])
def test_durations_have_a_unit(text: str, seconds: float) -> None:
    assert Duration().convert(text, None, None) == seconds


@pytest.mark.parametrize("text", ["", "soon", "-1", "1y", "1 h", "9" * 400, "1e9"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter, match="is not a duration"):
        Duration().convert(text, None, None)


@pytest.mark.parametrize("text", ["", "yesterday", "2026-13-01", "2026-01-01T25:00"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter, match=r'^"[^"]*" is not a time'):
        Moment(is_past=True).convert(text, None, None)


def test_a_time_keeps_its_zone() -> None:
    assert Moment(is_past=False).convert("2026-01-01T12:00:00+02:00", None, None) == "2026-01-01T10:00:00+00:00"


def test_texts_are_cut_by_the_columns_that_they_take() -> None:
    assert [cut(text, 4) for text in ("abcd", "abcde", "日本語", "日本")] == ["abcd", "abc…", "日…", "日本"]
    assert width("e\u0301") == 1


def test_cells_are_one_line_and_json_escapes_what_a_terminal_obeys() -> None:
    assert plain("a\r\n\tb\u202ec\x1b[2Jd") == "a bcd"
    assert as_json({"a": "\x1b\x9bü\u2028"}, indent=None) == '{"a": "\\u001b\\u009bü\\u2028"}'
