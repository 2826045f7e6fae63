"""The hash that pins a command in the policy of this machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from jobplane.core.command import content_hash, read_command
from jobplane.core.errors import Invalid, NotACommand
from jobplane.core.redaction import MASK
from jobplane.worker.policy.executables import open_executable


class CommandMasked(Invalid):
    """The server masks a part of a command, so nobody who reads it there can tell what would run; `key` names it."""

    code = "command_masked"


def pin(definition: Mapping[str, Any]) -> str:
    """The hash of a definition as the API shows it, with its executable on this machine.

    Raises NotACommand, CommandMasked, InvalidCommand and ExecutableRefused.
    """
    key, document, schema = definition["key"], require_command(definition), definition["arg_schema"]
    try:
        command = read_command(document, schema)
        with open_executable(command.executable) as executable:
            return content_hash(document, schema, executable.digest)
    except Invalid as error:
        facts = {**error.facts, "key": key}
        raise type(error)(f'Definition "{key}": {error.message}', **facts) from None


def require_command(definition: Mapping[str, Any]) -> Mapping[str, Any]:
    """The command of a definition as the API shows it; raises NotACommand and CommandMasked."""
    key, document = definition["key"], definition["command"]
    if definition["kind"] != "command" or not isinstance(document, Mapping):
        raise NotACommand(f'The definition "{key}" is no command. A policy names commands alone.', key=key)
    if _is_masked(cast("object", document)):
        message = (
            f'The server shows a part of the command of definition "{key}" as {MASK}, so it cannot be compared here. '
            "Put a reference such as env:NAME in the place of the literal secret."
        )
        raise CommandMasked(message, key=key)
    return cast("Mapping[str, Any]", document)


def _is_masked(value: object) -> bool:
    match value:
        case str():
            return MASK in value
        case Mapping():
            return any(map(_is_masked, cast("Mapping[str, object]", value).values()))
        case list() | tuple():
            return any(map(_is_masked, cast("Sequence[object]", value)))
        case _:
            return False
