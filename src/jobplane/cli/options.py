"""Options that many commands share, and how a command speaks to the API."""

from __future__ import annotations

import json
import sys
from collections.abc import Awaitable, Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, cast

import click

from jobplane.cli.output.printing import FORMATS, Format, Printer
from jobplane.cli.remote.place import Place

Command = Callable[..., int | None]
Fields = dict[str, Any]


def speaks(command: Callable[..., Awaitable[int | None]]) -> Command:
    """Give a command `api`, and the flags that say where it is. What it returns is the exit code."""

    @click.option("--server", metavar="URL", help="The server; default: server_url.")
    @click.option("--url", metavar="URL", help="A database instead of a server; default: database_url.")
    @click.option("--tenant", metavar="SLUG|ID", help="The tenant; default: the setting tenant, then that of the key.")
    @wraps(command)
    def wrapped(
        server: str | None, url: str | None, tenant: str | None, *, dry_run: bool = False, **given: Any
    ) -> int | None:
        import asyncio

        return asyncio.run(_speak(command, Place(server, url, tenant), dry_run, given))

    return wrapped


async def _speak(
    command: Callable[..., Awaitable[int | None]], place: Place, dry_run: bool, given: Fields
) -> int | None:
    async with place.open() as api:
        api.dry_run = dry_run
        return await command(api, **given)


def mutates(command: Command) -> Command:
    """Add --dry-run: ids are looked up, and nothing is changed."""
    return click.option("--dry-run", is_flag=True, help="Print the request, and change nothing.")(command)


def shows(command: Command) -> Command:
    """Give a command `printer`, and the flags for the format of its answer."""

    @click.option("-o", "--output", type=click.Choice(FORMATS), default="table", show_default=True, help="The format.")
    @click.option("--json", "as_json", is_flag=True, help="The same as -o json.")
    @wraps(command)
    def wrapped(output: str, as_json: bool, *, watch: bool = False, **given: Any) -> int | None:
        return command(printer=Printer(cast("Format", "json" if as_json else output), watch), **given)

    return wrapped


def lists(command: Command) -> Command:
    """The same for a list, which can be watched and be cut."""
    flags: Sequence[Callable[[Command], Command]] = (
        click.option(
            "--limit", type=click.IntRange(1), default=50, show_default=True, help="The largest number of items."
        ),
        click.option("--all", "is_whole", is_flag=True, help="All items, however many."),
        click.option("--watch", is_flag=True, help="Show it again every 2 s, until Ctrl-C."),
    )

    @wraps(command)
    def wrapped(limit: int, is_whole: bool, **given: Any) -> int | None:
        return command(limit=None if is_whole else limit, **given)

    found: Command = shows(wrapped)
    for flag in reversed(flags):
        found = flag(found)
    return found


def document(text: str, what: str = "payload") -> Fields:
    """A JSON object: itself, `@file`, or `-` for stdin."""
    try:
        if text == "-":
            found = json.loads(sys.stdin.read())
        else:
            found = json.loads(Path(text[1:]).read_text("utf-8") if text.startswith("@") else text)
    except OSError as error:
        raise click.UsageError(f'Cannot read "{text[1:]}": {error.strerror}.') from None
    except ValueError as error:
        raise click.UsageError(f"The {what} is not JSON ({error}). Write an object, @file or - for stdin.") from None
    if not isinstance(found, dict):
        raise click.UsageError(f"The {what} is not a JSON object.")
    return cast("Fields", found)


def assignments(texts: Sequence[str]) -> Fields:
    """`a=1` as a field each. A value that is JSON is that value, every other one is text."""
    found: Fields = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name:
            raise click.UsageError(f'"{text:.60}" is not NAME=VALUE.')
        try:
            found[name] = json.loads(value, parse_constant=_no_number)
        except ValueError:
            found[name] = value
    return found


def _no_number(text: str) -> None:
    """Refuse NaN and Infinity, which are not JSON."""
    raise ValueError(text)


def payload(text: str | None, sets: Sequence[str]) -> Fields | None:
    """The payload of a command; None where no flag names one."""
    if text is None and not sets:
        return None
    return {**(document(text) if text is not None else {}), **assignments(sets)}
