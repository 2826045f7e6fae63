"""The definitions behind `jobplane policy`, and how each compares with the policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from jobplane.cli.remote.client import Api, Fields, path_of
from jobplane.core.errors import NotACommand
from jobplane.worker.policy import CommandPolicy, Policy, judge_content
from jobplane.worker.policy.judging import NEEDED
from jobplane.worker.policy.pinning import CommandMasked, require_command

_PATH: Final = "/definitions"


async def read_named(api: Api, keys: Sequence[str]) -> list[Fields]:
    """The definitions with these keys; without keys all commands. Raises DefinitionNotFound."""
    if keys:
        return [await api.get(path_of("definitions", key)) for key in keys]
    return [found for found in (await api.list(_PATH, {}, None))["items"] if found["kind"] == "command"]


async def compare(api: Api, policy: Policy) -> list[Fields]:
    """A row for each command of the policy in its order, then one for each command that only the database has."""
    known: dict[str, Fields] = {found["key"]: found for found in (await api.list(_PATH, {}, None))["items"]}
    rows = [_row(key, entry.user.name, *_judge(entry, known)) for key, entry in policy.commands.items()]
    others = [key for key, found in known.items() if found["kind"] == "command" and key not in policy.commands]
    return [*rows, *(_row(key, None, "not_allowed", "The policy does not name it.") for key in others)]


def _judge(entry: CommandPolicy, known: Mapping[str, Fields]) -> tuple[str, str]:
    definition = known.get(entry.key)
    if definition is None:
        return "definition_missing", f'There is no definition "{entry.key}".'
    if not NEEDED.isdisjoint(definition["undecodable"]):
        return "definition_invalid", f'The stored definition "{entry.key}" cannot be decoded. Put it again.'
    try:
        document = require_command(definition)
    except NotACommand as error:
        return "definition_missing", error.message
    except CommandMasked as error:
        return "definition_masked", error.message
    return judge_content(entry, document, definition["arg_schema"])


def _row(key: str, user: str | None, state: str, detail: str) -> Fields:
    return {"key": key, "state": state, "user": user, "detail": detail}
