"""Tables: aligned columns, cut to the width of a terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import click

from jobplane.cli.output.text import cut, plain, width

Fields = Mapping[str, Any]

_GAP: Final = "  "
_LEAST: Final = 5  # columns that a cell keeps, however narrow the terminal is
_COLOURS: Final[Mapping[str, str]] = {
    "queued": "yellow",
    "scheduled": "blue",
    "requeued": "yellow",
    "running": "cyan",
    "succeeded": "green",
    "failed": "red",
    "dead_letter": "red",
    "canceled": "bright_black",
    "live": "green",
    "stopping": "yellow",
    "gone": "red",
    "paused": "yellow",
    "active": "green",
    "inactive": "bright_black",
    "revoked": "red",
    "critical": "red",
    "error": "red",
    "warning": "yellow",
    "enabled": "green",
    "disabled": "bright_black",
    "late": "red",
    "fired": "green",
    "existing": "bright_black",
    "skipped": "yellow",
    "missed": "yellow",
    "refused": "red",
    "waiting": "cyan",
    "ready": "green",
    "not_allowed": "bright_black",
    **dict.fromkeys(("definition_missing", "definition_invalid", "definition_changed", "definition_masked"), "red"),
    **dict.fromkeys(("executable_changed", "executable_missing", "executable_unsafe", "executable_relative"), "red"),
    **dict.fromkeys(("content_changed", "work_dir_unsafe", "secret_not_allowed"), "red"),
}


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its title, and the text of a cell. `only` names the one format that shows it.

    An optional column is left out where no row has a value for it.
    """

    title: str
    cell: Callable[[Fields], object]
    only: Literal["table", "wide"] | None = None
    is_status: bool = False
    is_optional: bool = False

    def is_shown(self, rows: Sequence[Fields], chosen: str) -> bool:
        """Whether a table of these rows in the chosen format has it."""
        return self.only in (None, chosen) and (not self.is_optional or any(map(self.cell, rows)))


@dataclass(frozen=True, slots=True)
class Noun:
    """How things of one kind are listed, and which field names them."""

    plural: str
    id_field: str
    columns: Sequence[Column]


def paint(word: str, shown: str | None = None) -> str:
    """A status in its colour."""
    return click.style(shown or word, fg=_COLOURS.get(word))


def lines(rows: Sequence[Fields], columns: Sequence[Column], most: int | None) -> list[str]:
    """The titles and a line for each row, at most so wide."""
    cells = [[_text(column.cell(row)) for column in columns] for row in rows]
    widths = [
        max(width(text) for text in (column.title, *(row[index] for row in cells)))
        for index, column in enumerate(columns)
    ]
    if most is not None:
        _narrow(widths, columns, most - len(_GAP) * (len(columns) - 1))
    titles = _line([column.title for column in columns], widths, [False] * len(columns))
    return [titles, *(_line(row, widths, [column.is_status for column in columns]) for row in cells)]


def _text(value: object) -> str:
    if value is None or value == "":
        return "-"
    return plain(str(value)) or "-"


def _narrow(widths: list[int], columns: Sequence[Column], most: int) -> None:
    """Take from the widest until all fit, or none can be narrower. A status is never cut."""
    cut_ones = [index for index, column in enumerate(columns) if not column.is_status]
    while sum(widths) > most:
        widest = max(cut_ones, key=lambda index: widths[index])
        if widths[widest] <= _LEAST:
            return
        widths[widest] -= 1


def _line(texts: Sequence[str], widths: Sequence[int], statuses: Sequence[bool]) -> str:
    cells: list[str] = []
    for text, most, is_status in zip(texts, widths, statuses, strict=True):
        shown = cut(text, most)
        padding = " " * (most - width(shown))
        cells.append((paint(text, shown) if is_status else shown) + padding)
    return _GAP.join(cells).rstrip()
