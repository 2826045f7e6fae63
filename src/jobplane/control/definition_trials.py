"""Judge a definition as if it were made or changed, and write nothing."""

from __future__ import annotations

from jobplane.control.access import Access
from jobplane.control.definitions import Definitions
from jobplane.core.bounds import show
from jobplane.core.errors import AlreadyExists, DefinitionNotFound, Invalid, RevisionMismatch, UnknownQueue
from jobplane.core.model import Definition, Document, Json
from jobplane.store.verbs.operator import GetQueues, ListDefinitions


class DefinitionTrials:
    """Judges documents as `Definitions` does, with what else a store would refuse."""

    def __init__(self, access: Access, definitions: Definitions) -> None:
        self._access = access
        self._definitions = definitions

    async def create(self, document: Document) -> Document:
        """The document with its defaults; raises what creating it would."""
        made = self._definitions.judge_new(document)
        for known in (await self._access.peek(ListDefinitions([str(made["key"])]))).items:
            if known.deleted_at is None:
                message = f'There is a definition "{known.key}" already. Change it, or use another key.'
                raise AlreadyExists(message, key=known.key)
        await self._require_queue(made.get("queue"))
        return made

    async def change(self, named: Definition, changes: Document, *, revision: int | None) -> Definition:
        """The definition that would be changed; raises what changing it would."""
        await self._definitions.judge_changes(named.id, changes, revision)
        if named.deleted_at is not None:
            message = f"There is no definition {show(named.key, 200)}. It was deleted: create it again."
            raise DefinitionNotFound(message, key=named.key)
        if revision is not None and revision != named.revision:
            message = f'Definition "{named.key}" has revision {named.revision}, not {revision}.'
            raise RevisionMismatch(f"{message} Read it again, and repeat the change.", revision=named.revision)
        _require_kind(named, changes)
        await self._require_queue(changes.get("queue"))
        return named

    async def _require_queue(self, name: Json) -> None:
        if isinstance(name, str) and not await self._access.peek(GetQueues([name])):
            raise UnknownQueue(f"There is no queue {show(name, 200)}. Check the spelling, or create it first.")


def _require_kind(named: Definition, changes: Document) -> None:
    """Only a definition that a person has made may have a command, and it keeps it."""
    key, command = named.key, changes.get("command")
    if changes.get("arg_schema") is not None and named.origin != "db":
        raise Invalid(f'The arg_schema of definition "{key}" comes from its code. Change it there.')
    if command is not None and (named.origin != "db" or named.kind not in (None, "command")):
        whose = f"its origin is {named.origin}" if named.origin != "db" else f"its kind is {named.kind}"
        message = f'Definition "{key}" cannot have a command: {whose}. Use another key.'
        raise Invalid(message, pointer="/command")
    if named.kind == "command" and "command" in changes and command is None:
        raise Invalid(f'Definition "{key}" of the kind command needs a command.', pointer="/command")
