"""Definitions: what may run."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import cast
from uuid import UUID

from jobplane.control.access import Access
from jobplane.control.definition_models import judge_changes, judge_new
from jobplane.control.paging import walk
from jobplane.core.bounds import show
from jobplane.core.defaults import STANDARD, Defaults
from jobplane.core.definitions import SyncedDefinition, merged
from jobplane.core.errors import DefinitionNotFound, Invalid
from jobplane.core.model import Definition, Document
from jobplane.core.paging import MOST, Page
from jobplane.core.retry import in_numbers
from jobplane.core.schema import judge_of
from jobplane.store.verbs.engine import PutDefinitions, SyncDefinitions
from jobplane.store.verbs.operator import ChangeDefinition, CreateDefinition, DeleteDefinition, ListDefinitions


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
        keys = await self._access.run("changeDefinition", PutDefinitions(said, by_person=True))
        return await self._named("listDefinitions", keys)

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
        """Make a definition by hand; raises AlreadyExists."""
        self._access.caller.require("createDefinition")
        made = self._defaults.complete(judge_new(document))
        return await self._access.run("createDefinition", CreateDefinition(made))

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
        self._access.caller.require("changeDefinition")
        judged = judge_changes(changes)
        if "arg_schema" in judged:
            revision = await self._judge_schema(definition, judged, revision)
        return await self._access.run("changeDefinition", ChangeDefinition(definition, judged, revision))

    async def _judge_schema(self, definition: UUID | str, changes: Document, revision: int | None) -> int:
        """The revision whose schema, so changed, can judge payloads; raises InvalidSchema. SQL cannot compile one."""
        found = await self.get(definition)
        judge_of(found.key, merged(found.arg_schema, changes["arg_schema"]))
        return found.revision if revision is None else revision

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
