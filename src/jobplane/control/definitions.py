"""Definitions: what may run."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Final, cast
from uuid import UUID

from jobplane.control.access import Access
from jobplane.control.definition_models import judge_changes, judge_new, judge_parts
from jobplane.control.paging import walk
from jobplane.core.bounds import show
from jobplane.core.defaults import STANDARD, Defaults
from jobplane.core.definitions import DEFAULTS, MERGED, SyncedDefinition, merged
from jobplane.core.errors import DefinitionNotFound, Invalid
from jobplane.core.model import Definition, Document, Json
from jobplane.core.paging import MOST, Page
from jobplane.core.redaction import restore
from jobplane.core.retry import in_numbers
from jobplane.store.verbs.engine import PutDefinitions, SyncDefinitions
from jobplane.store.verbs.operator import ChangeDefinition, CreateDefinition, DeleteDefinition, ListDefinitions

_JUDGED: Final = ("arg_schema", "command", "default_payload")


class Definitions:
    """The definitions of an installation."""

    def __init__(self, access: Access, defaults: Defaults) -> None:
        self._access = access
        self._defaults = defaults

    async def sync(
        self,
        app: str,
        version: str,
        documents: Sequence[Document],
        *,
        force: bool = False,
        dry_run: bool = False,
        whole: bool = True,
    ) -> list[SyncedDefinition]:
        """Bring the definitions of an app's code; what people have set stays, unless it is forced.

        `whole`: the documents are all that the app has, and its other definitions are switched off. Raises
        DefinitionOwned where one belongs to another app.
        """
        said = [self._defaults.complete(in_numbers(document)) for document in documents]
        verb = SyncDefinitions(app, version, said, force, dry_run, whole)
        return await self._access.run("syncDefinitions", verb)

    async def put(self, documents: Sequence[Document]) -> list[Definition]:
        """Make or change definitions by hand; a value that a document does not name stays."""
        said = await self._complete_new([in_numbers(_require_object(document)) for document in documents])
        await self._judge_put(said)
        keys = await self._access.run("changeDefinition", PutDefinitions(said, by_person=True))
        return await self._named("listDefinitions", keys)

    async def _judge_put(self, documents: Sequence[Document]) -> None:
        """Raise Invalid where a document would leave a schema, a command and a default payload that do not fit."""
        touched = [each for each in documents if any(each.get(name) is not None for name in _JUDGED)]
        keys = [key for document in touched if isinstance(key := document.get("key"), str)]
        known = {each.key: each for each in await self._named("changeDefinition", keys)}
        for document in touched:
            old = known.get(str(document.get("key")))
            schema, command, default = (_said(document, name, _parts_of(old)[name]) for name in _JUDGED)
            if command is not None or default is not None:
                judge_parts(str(document.get("key")), schema, command, default)

    async def _complete_new(self, documents: Sequence[Document]) -> Sequence[Document]:
        """Give new definitions the default number of attempts; the store's own default needs no look."""
        if self._defaults.max_attempts == STANDARD.max_attempts:
            return documents
        keys = [key for document in documents if isinstance(key := document.get("key"), str)]
        known = {each.key for each in await self._named("changeDefinition", keys)}
        return [each if each.get("key") in known else self._defaults.complete(each) for each in documents]

    async def _named(self, operation: str, keys: Sequence[str]) -> list[Definition]:
        """The definitions with these keys, deleted ones too; asked for as many at once as a page holds."""
        named = list(dict.fromkeys(keys))
        found: list[Definition] = []
        for start in range(0, len(named), MOST):
            verb = ListDefinitions(named[start : start + MOST], MOST)
            found += (await self._access.run(operation, verb)).items
        return found

    async def create(self, document: Document) -> Definition:
        """Make a definition by hand; raises AlreadyExists. With a command it is of the kind `command`."""
        return await self._access.run("createDefinition", CreateDefinition(self.judge_new(document)))

    def judge_new(self, document: Document) -> Document:
        """The document with its defaults; raises Invalid, with the place of what is wrong. It asks no store."""
        self._access.caller.require("createDefinition")
        made = self._defaults.complete(judge_new(document))
        judge_parts(str(made["key"]), *(_said(made, name, _parts_of(None)[name]) for name in _JUDGED))
        return made

    async def get(self, definition: UUID | str) -> Definition:
        """One definition by key or id, a deleted one too; raises DefinitionNotFound."""
        by_id = isinstance(definition, UUID)
        verb = ListDefinitions(ids=[definition]) if by_id else ListDefinitions([definition])
        for found in (await self._access.run("getDefinition", verb)).items:
            return found
        message = f"There is no definition {show(str(definition), 200)}. Check the spelling, or create it first."
        raise await self._access.explain(DefinitionNotFound(message, key=str(definition)), definition)

    async def find(self, named: str, operation: str = "getDefinition") -> Definition:
        """One definition by the text of its id, or by its key; raises DefinitionNotFound."""
        self._access.caller.require(operation)
        try:
            return await self.get(UUID(named))
        except (ValueError, DefinitionNotFound):
            return await self.get(named)

    async def list_in_full(
        self, *, include_system: bool = False, limit: int = 100, after: str = ""
    ) -> Page[Definition, str]:
        """The same as `list`, for those who also change definitions."""
        self._access.caller.require("listDefinitionsInFull")
        return await self.list(include_system=include_system, limit=limit, after=after)

    async def list(self, *, include_system: bool = False, limit: int = 100, after: str = "") -> Page[Definition, str]:
        """A page of definitions in the order of their keys, without those that were deleted."""
        return await self._access.run("listDefinitions", ListDefinitions(None, limit, after, include_system))

    def walk(self, *, include_system: bool = False) -> AsyncIterator[Definition]:
        """All of them, a page at a time."""
        return walk(lambda cursor: self.list(include_system=include_system, after=cursor or ""))

    async def change(self, definition: UUID | str, changes: Document, *, revision: int | None = None) -> Definition:
        """Change a definition by a JSON merge patch. Of one from code these values stay when its app syncs.

        Raises RevisionMismatch where it has another revision than the one given, and DefinitionNotFound.
        """
        judged, revision = await self.judge_changes(definition, changes, revision)
        return await self._access.run("changeDefinition", ChangeDefinition(definition, judged, revision))

    async def judge_changes(
        self, definition: UUID | str, changes: Document, revision: int | None
    ) -> tuple[Document, int | None]:
        """The changes as they are stored, and the revision that they are for; raises Invalid, with the place."""
        self._access.caller.require("changeDefinition")
        judged = judge_changes(changes)
        if any(name in judged for name in _JUDGED):
            return await self._judge_parts(definition, judged, revision)
        return judged, revision

    async def _judge_parts(
        self, definition: UUID | str, changes: Document, revision: int | None
    ) -> tuple[Document, int]:
        """The changes, and the revision whose parts, so changed, fit together; raises Invalid. SQL cannot judge them.

        A command replaces the stored one whole. Where the caller was shown `***`, the stored value is kept.
        """
        found = await self.get(definition)
        before = _parts_of(found)
        shown = ("command", "default_payload")
        changes = {name: restore(value, before[name]) if name in shown else value for name, value in changes.items()}
        after = {
            name: merged(value, changes[name]) if name in MERGED and name in changes else changes.get(name, value)
            for name, value in before.items()
        }
        if "arg_schema" not in found.undecodable or "default_payload" not in changes:
            judge_parts(found.key, *(after[name] for name in _JUDGED))
        return changes, found.revision if revision is None else revision

    async def enable(self, definition: UUID | str, *, revision: int | None = None) -> Definition:
        """Take jobs of a definition again, and start those that wait; raises DefinitionNotFound."""
        verb = ChangeDefinition(definition, {"active": True}, revision)
        return await self._access.run("enableDefinition", verb)

    async def disable(self, definition: UUID | str, *, revision: int | None = None) -> Definition:
        """Refuse new jobs of a definition, and start none; raises DefinitionNotFound."""
        verb = ChangeDefinition(definition, {"active": False}, revision)
        return await self._access.run("disableDefinition", verb)

    async def delete(self, definition: UUID | str, *, revision: int | None = None) -> Definition:
        """Delete a definition. Its jobs stay. Raises DefinitionInUse where something needs it.

        Creating or syncing the same key brings it back.
        """
        return await self._access.run("deleteDefinition", DeleteDefinition(definition, revision))


def _require_object(document: object) -> Document:
    if not isinstance(document, Mapping):
        raise Invalid(f"A definition must be a JSON object, not {type(document).__name__}.")
    return cast("Document", document)


def _said(document: Document, name: str, otherwise: Json) -> Json:
    """The value that a document names; null names none."""
    found = document.get(name)
    return otherwise if found is None else found


def _parts_of(definition: Definition | None) -> dict[str, Json]:
    """The fields of a definition that are judged together. None: a new definition."""
    if definition is None:
        return {"arg_schema": DEFAULTS["arg_schema"], "command": None, "default_payload": None}
    return {name: getattr(definition, name) for name in _JUDGED}
