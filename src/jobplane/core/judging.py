"""The judge of a definition's payloads: its schema, and its command if it has one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from jobplane.core.bounds import show
from jobplane.core.command import Command, check_payload, read_command
from jobplane.core.definitions import canonical
from jobplane.core.errors import InvalidCommand
from jobplane.core.model import Definition, Document, Json
from jobplane.core.schema import Judge, judge_of, stored_judge


@dataclass(frozen=True, slots=True)
class CommandJudge:
    """Refuses a payload that does not fit the schema, or that cannot become the arguments of the command."""

    schema: Judge
    command: Command

    def check(self, payload: Document) -> None:
        """Raise InvalidPayload, with a JSON pointer to the fault."""
        self.schema.check(payload)
        check_payload(self.command, payload)


PayloadJudge: TypeAlias = Judge | CommandJudge


def payload_judge(definition: Definition) -> PayloadJudge:
    """The judge of a definition that was read; raises InvalidSchema or InvalidCommand where it cannot be decoded."""
    schema = stored_judge(definition)
    command = stored_command(definition)
    return schema if command is None else CommandJudge(schema, command)


def judge_for(key: str, schema: Json, command: Document | None) -> PayloadJudge:
    """The same for a schema and a command alone; the error about a schema names the definition."""
    judge = judge_of(key, schema)
    return judge if command is None else CommandJudge(judge, compiled_command(command, schema))


def stored_command(definition: Definition) -> Command | None:
    """The command of a definition that was read, None where it has none; raises InvalidCommand."""
    if "command" in definition.undecodable:
        key = definition.key
        message = f"The command of definition {show(key, 250)} cannot be decoded. Put the definition again."
        raise InvalidCommand(message, key=key)
    return None if definition.command is None else compiled_command(definition.command, definition.arg_schema)


def compiled_command(document: Json, schema: Json) -> Command:
    """The command of a document; read once for each pair of texts."""
    return _compile(canonical([document, schema]))


@lru_cache(maxsize=1024)
def _compile(text: str) -> Command:
    document, schema = json.loads(text)
    return read_command(document, schema)
