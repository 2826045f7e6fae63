"""Answers of the API in the format that a user asks for."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import click

from jobplane.cli.output.tables import Noun, lines
from jobplane.cli.output.text import as_json, is_unsafe, plain

Fields = dict[str, Any]
Format = Literal["table", "wide", "json", "yaml", "name"]

FORMATS: Final = ("table", "wide", "json", "yaml", "name")
COLOURS: Final = False if os.environ.get("NO_COLOR") else None  # None: where there is a terminal
_WATCH_SECONDS: Final = 2.0
_CLEAR: Final = "\x1b[H\x1b[2J\x1b[3J"


def say(text: str) -> None:
    """Tell people something: it is no data."""
    click.echo(plain(text), err=True)


@dataclass(frozen=True, slots=True)
class Printer:
    """Prints on stdout in one format, once or again and again."""

    format: Format = "table"
    watches: bool = False

    def one(self, found: Fields, noun: Noun) -> None:
        """One thing: a table of one row, or the object itself."""
        self._print(self._text([found], found, noun))

    @property
    def is_table(self) -> bool:
        return self.format in ("table", "wide")

    def some(self, items: Sequence[Fields], whole: Fields, noun: Noun) -> None:
        """Things that are a part of an answer: a table of them, or the whole answer."""
        self._print(self._text(items, whole, noun))

    async def many(self, fetch: Callable[[], Awaitable[Fields]], noun: Noun) -> None:
        """A list, which is fetched again every two seconds where the user watches."""
        import asyncio

        page = await fetch()
        self._show(page, noun)
        while self.watches:
            await asyncio.sleep(_WATCH_SECONDS)
            newer = await fetch()
            if newer != page or sys.stdout.isatty():
                self._show(newer, noun)
            page = newer

    def _show(self, page: Fields, noun: Noun) -> None:
        if self.watches and sys.stdout.isatty():
            click.echo(_CLEAR, nl=False)
        self._print(self._text(page["items"], page, noun))
        if not self.is_table:
            return
        if not page["items"]:
            say(f"There are no {noun.plural} to show.")
        elif "total" in page:
            more = " or more" if page["total_is_capped"] else ""
            say(f"{len(page['items']):,} of {page['total']:,}{more} {noun.plural}.")

    def _text(self, items: Sequence[Fields], whole: Fields, noun: Noun) -> str:
        match self.format:
            case "json":
                return as_json(whole)
            case "yaml":
                return _yaml(whole)
            case "name":
                return "\n".join(plain(str(item[noun.id_field])) for item in items)
            case "table" | "wide":
                return "\n".join(self._table(items, noun)) if items else ""

    def _table(self, items: Sequence[Fields], noun: Noun) -> list[str]:
        columns = [column for column in noun.columns if column.is_shown(items, self.format)]
        is_cut = self.format == "table" and sys.stdout.isatty()
        return lines(items, columns, shutil.get_terminal_size().columns if is_cut else None)

    def _print(self, text: str) -> None:
        if text:
            click.echo(text, color=COLOURS)


def _yaml(value: object) -> str:
    from jobplane.cli.extras import require_yaml

    require_yaml()
    import yaml

    text = str(yaml.safe_dump(value, allow_unicode=True, sort_keys=False))
    if is_unsafe(text):
        text = str(yaml.safe_dump(value, allow_unicode=False, sort_keys=False))
    return text.rstrip()
