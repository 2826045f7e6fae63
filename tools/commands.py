"""Writes the part of docs/reference/cli.md that is made from the commands: `python -m tools.commands`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click

from jobplane.cli.main import jobplane

PAGE: Final = Path(__file__).parents[1] / "docs/reference/cli.md"
START: Final = "<!-- The rest of this page is made by tools.commands. -->"


def page() -> str:
    """The whole page: what is written by hand, then every command that speaks to a server."""
    by_hand = PAGE.read_text("utf-8").partition(START)[0].rstrip()
    return "\n".join([by_hand, "", START, "", *_sections(jobplane, "jobplane")])


def _sections(command: click.Command, path: str) -> Iterator[str]:
    if isinstance(command, click.Group):
        parts = list(_subcommands(command, path))
        if parts and path != "jobplane":
            yield from _head(command, path)
        yield from parts
    elif any(parameter.name == "server" for parameter in command.params):
        yield from [*_head(command, path), *_table(command), ""]


def _subcommands(group: click.Group, path: str) -> Iterator[str]:
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        if found is not None:
            yield from _sections(found, f"{path} {name}")


def _head(command: click.Command, path: str) -> list[str]:
    paragraphs = (command.help or "").split("\n\n")
    return [f"## {path}", "", *(line for text in paragraphs for line in (" ".join(text.split()), ""))]


def _table(command: click.Command) -> Iterator[str]:
    yield "| flag | meaning |"
    yield "|---|---|"
    context = click.Context(command)
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            yield f"| `{_escape(parameter.make_metavar(context))}` | {_meaning_of_argument(parameter)} |"
        elif isinstance(parameter, click.Option):
            yield f"| {_flags(parameter)} | {_escape(_meaning(parameter))} |"


def _flags(option: click.Option) -> str:
    """Every spelling; the last one with the name of its value."""
    value = "" if option.is_flag else f" {_value(option)}"
    *others, last = option.opts
    return ", ".join([*(f"`{each}`" for each in others), f"`{_escape(last + value)}`"])


def _value(option: click.Option) -> str:
    if isinstance(option.type, click.Choice):
        return "|".join(map(str, option.type.choices))
    return option.metavar or option.type.name.partition(" ")[0].upper().replace("INTEGER", "N")


def _meaning(option: click.Option) -> str:
    default = f" Default: `{option.default}`." if option.show_default else ""
    return f"{option.help or ''}{default}"


def _meaning_of_argument(argument: click.Argument) -> str:
    known = {
        "job_id": "The id of a job, or 4 or more characters of either end of it.",
        "job_ids": "The ids of jobs, or 4 or more characters of either end of each.",
        "key": "The key of a definition.",
        "key_id": "The id of a key: the part between `jp_` and the secret.",
        "keys": "The keys of commands; default: those of all.",
        "name": "Its name.",
        "schedule": "The id or the key of a schedule, or 4 or more characters of either end of the id.",
        "expression": "A cron expression: five fields, or a name like @daily.",
        "slug": "A short name.",
        "worker_id": "The id of a worker.",
    }
    return known[argument.name or ""]


def _escape(text: str) -> str:
    return text.replace("|", "\\|")


def main() -> None:
    PAGE.write_text(page(), "utf-8")


if __name__ == "__main__":
    main()
