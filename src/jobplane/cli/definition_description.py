"""A definition in words, for people."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

from jobplane.cli.output.text import as_json, block, plain

Fields = dict[str, Any]

_SHOWN: Final = (
    *("kind", "queue", "priority", "timeout_seconds", "max_attempts", "max_running", "max_running_per_tenant"),
    *("retention_days", "retention_days_logs", "retention_count", "origin", "app", "app_version", "revision"),
    *("created_at", "updated_at", "deleted_at"),
)


def describe_definition(definition: Fields) -> Iterator[str]:
    """The lines of a description: a sentence, facts, the command, and the schema of its payloads."""
    state = "active" if definition["active"] else "not active"
    yield f"Definition {plain(str(definition['key']))} is {state}."
    if definition["description"]:
        yield block(str(definition["description"]))
    yield ""
    for name in _SHOWN:
        if definition.get(name) not in (None, ""):
            yield f"{name:<22} {plain(str(definition[name]))}"
    if definition.get("tags"):
        yield f"{'tags':<22} {plain(', '.join(definition['tags']))}"
    if definition.get("command") is not None:
        yield from ["", "Command", *(f"  {plain(line)}" for line in command_lines(definition["command"]))]
    yield from ["", "Schema", *(f"  {line}" for line in as_json(definition["arg_schema"]).splitlines())]


def command_lines(command: Fields) -> Iterator[str]:
    """The command line with its placeholders, then what else the command has."""
    yield " ".join([shlex.quote(str(command.get("executable"))), *map(_argument, command.get("argv") or ())])
    for name in ("environment", "files", "exit_codes"):
        for key, value in _entries(command.get(name)):
            yield f"{name.replace('_', ' ').removesuffix('s'):<12} {key}={value}"
    if command.get("stdin", "closed") != "closed":
        yield f"{'stdin':<12} {command['stdin']}"


def _argument(element: object) -> str:
    """An element of argv. What may drop out, or be there several times, is in brackets."""
    if not isinstance(element, dict):
        return _quoted(str(element))
    fields = cast("Fields", element)
    if "flag" in fields:
        return f"[{fields['flag']} if {fields.get('if')}]"
    return (
        f"[{fields['each']} for each of {fields.get('of')}]" if "each" in fields else _quoted(str(fields.get("value")))
    )


def _quoted(text: str) -> str:
    """An argument as a shell takes it; one with placeholders is quoted where it has spaces."""
    if "{" not in text:
        return shlex.quote(text)
    return f"'{text}'" if any(map(str.isspace, text)) else text


def _entries(values: object) -> Sequence[tuple[str, object]]:
    return list(cast("Mapping[str, object]", values).items()) if isinstance(values, Mapping) else []
