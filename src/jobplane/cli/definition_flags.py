"""The flags that describe a definition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Final

import click

from jobplane.cli.options import Command, Fields, document

_JSON: Final = "JSON|@FILE|-"
_DOCUMENTS: Final = {"command": "command", "arg_schema": "schema", "metadata": "metadata"}
_FLAGS: Final[Sequence[Callable[[Command], Command]]] = (
    click.option(
        "--command", "command", metavar=_JSON, help="The command line: executable, argv, environment, files, stdin."
    ),
    click.option("--schema", "arg_schema", metavar=_JSON, help="The JSON Schema of its payloads."),
    click.option("--description", metavar="TEXT", help="What it does."),
    click.option("--queue", metavar="NAME", help="The queue of its jobs."),
    click.option("--priority", type=click.IntRange(0, 1000), metavar="N", help="0 comes first."),
    click.option("--timeout-seconds", type=click.IntRange(1), metavar="N", help="The timeout of an attempt."),
    click.option("--max-attempts", type=click.IntRange(1, 1000), metavar="N", help="The attempts of a job."),
    click.option("--max-running", type=click.IntRange(0), metavar="N", help="The most jobs that run at a time."),
    click.option(
        "--max-running-per-tenant", type=click.IntRange(0), metavar="N", help="The same for each tenant alone."
    ),
    click.option("--tag", "tags", metavar="TAG", multiple=True, help="A tag; repeatable."),
    click.option("--metadata", metavar=_JSON, help="Whatever you want to keep with it."),
)


def describes(command: Command) -> Command:
    """Give a command `body`: what the flags say of a definition."""

    @wraps(command)
    def wrapped(**given: Any) -> int | None:
        names = [parameter for parameter in given if parameter in _NAMES]
        values = {name: given.pop(name) for name in names}
        return command(body=_body(values), **given)

    found: Command = wrapped
    for flag in reversed(_FLAGS):
        found = flag(found)
    return found


_NAMES: Final = frozenset(
    {
        *_DOCUMENTS,
        *("description", "queue", "priority", "timeout_seconds", "max_attempts", "max_running"),
        *("max_running_per_tenant", "tags"),
    }
)


def _body(given: Fields) -> Fields:
    _refuse_two_from_stdin(given)
    found = {name: value for name, value in given.items() if value not in (None, ())}
    read = {name: document(found[name], what) for name, what in _DOCUMENTS.items() if name in found}
    return {**found, **read, **({"tags": list(found["tags"])} if "tags" in found else {})}


def _refuse_two_from_stdin(given: Fields) -> None:
    if [given.get(name) for name in _DOCUMENTS].count("-") > 1:
        raise click.UsageError("Only one flag can read stdin. Write @file for the others.")
