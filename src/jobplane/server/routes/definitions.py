"""Definitions: what may run. Tenants see what they can enqueue; a super admin changes it."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Header, Path, Query, Response

from jobplane.server import shapes
from jobplane.server.entry import Cursor, Limit, Operator, Tenant
from jobplane.server.pages import Listing
from jobplane.server.rendering import answer, definition_fields, preview_fields
from jobplane.server.revisions import etag, revision_of
from jobplane.server.shapes import DefinitionBody, DefinitionChanges, PreviewBody

router: Final = APIRouter(tags=["definitions"])
Key = Annotated[str, Path(max_length=200, description="The key or the id of a definition.")]
Match = Annotated[str | None, Header(alias="If-Match", max_length=40, description="The ETag that the caller has seen.")]
Trial = Annotated[bool, Query(alias="dry_run", description="Judge the document, and write nothing.")]
System = Annotated[bool, Query(description="Also those of jobplane itself.")]


@router.get("/definitions", operation_id="listDefinitions", response_model=shapes.DefinitionPage)
async def list_definitions(plane: Operator, pages: Listing, limit: Limit = 100, cursor: Cursor = None) -> Response:
    """List what can be enqueued, in the order of the keys."""
    page = await plane.definitions.list(limit=limit, after=cursor or "")
    return pages.answer(page, definition_fields, page.next_cursor)


@router.get("/definitions/{key}", operation_id="getDefinition", response_model=shapes.DefinitionOut)
async def get_definition(key: Key, plane: Operator) -> Response:
    """Get a definition."""
    found = await plane.definitions.find(key)
    return answer(definition_fields(found), headers=etag(found))


@router.post("/definitions/{key}/preview", operation_id="previewCommand", response_model=shapes.CommandPreviewOut)
async def preview_command(key: Key, body: PreviewBody, plane: Tenant) -> Response:
    """Show the command line that a payload would become, and how many workers may run it. Nothing is written."""
    return answer(preview_fields(await plane.commands.preview(key, body.payload)))


@router.get("/admin/jobs/definitions", operation_id="listDefinitionsInFull", response_model=shapes.DefinitionPage)
async def list_all_definitions(
    plane: Operator, pages: Listing, limit: Limit = 100, cursor: Cursor = None, include_system: System = False
) -> Response:
    """List definitions in the order of their keys."""
    page = await plane.definitions.list_in_full(include_system=include_system, limit=limit, after=cursor or "")
    return pages.answer(page, definition_fields, page.next_cursor)


@router.post(
    "/admin/jobs/definitions",
    operation_id="createDefinition",
    status_code=201,
    response_model=shapes.DefinitionOut,
    responses={200: {"model": shapes.DefinitionDryRunOut, "description": "A dry run."}},
)
async def create_definition(body: DefinitionBody, plane: Operator, is_trial: Trial = False) -> Response:
    """Make a definition. Without a command it is unbound: its jobs wait until a worker knows its key."""
    if is_trial:
        judged = await plane.definition_trials.create(body.document())
        return answer({"valid": True, "key": judged["key"]})
    made = await plane.definitions.create(body.document())
    return answer(definition_fields(made), 201, etag(made))


@router.get("/admin/jobs/definitions/{key}", operation_id="getDefinitionInFull", response_model=shapes.DefinitionOut)
async def get_definition_in_full(key: Key, plane: Operator) -> Response:
    """Get a definition, also one of jobplane itself."""
    found = await plane.definitions.find(key, "getDefinitionInFull")
    return answer(definition_fields(found), headers=etag(found))


@router.patch(
    "/admin/jobs/definitions/{key}", operation_id="changeDefinition", response_model=shapes.ChangedDefinitionOut
)
async def change_definition(
    key: Key, body: DefinitionChanges, plane: Operator, if_match: Match = None, is_trial: Trial = False
) -> Response:
    """Change what a person may override. A sync of the code leaves alone what was changed here."""
    changes = body.document()
    named = await plane.definitions.find(key, "changeDefinition")
    if is_trial:
        judged = await plane.definition_trials.change(named, changes, revision=revision_of(if_match))
        return answer({"valid": True, "key": judged.key})
    changed = await plane.definitions.change(named.id, changes, revision=revision_of(if_match))
    return answer(definition_fields(changed), headers=etag(changed))


@router.post(
    "/admin/jobs/definitions/{key}/enable", operation_id="enableDefinition", response_model=shapes.DefinitionOut
)
async def enable_definition(key: Key, plane: Operator) -> Response:
    """Let jobs of a definition be enqueued and started."""
    named = await plane.definitions.find(key, "enableDefinition")
    changed = await plane.definitions.enable(named.id)
    return answer(definition_fields(changed), headers=etag(changed))


@router.post(
    "/admin/jobs/definitions/{key}/disable", operation_id="disableDefinition", response_model=shapes.DefinitionOut
)
async def disable_definition(key: Key, plane: Operator) -> Response:
    """Let no job of a definition be enqueued or started."""
    named = await plane.definitions.find(key, "disableDefinition")
    changed = await plane.definitions.disable(named.id)
    return answer(definition_fields(changed), headers=etag(changed))


@router.delete("/admin/jobs/definitions/{key}", operation_id="deleteDefinition", status_code=204)
async def delete_definition(key: Key, plane: Operator) -> Response:
    """Mark a definition as deleted. Its jobs keep their record."""
    named = await plane.definitions.find(key, "deleteDefinition")
    await plane.definitions.delete(named.id)
    return Response(status_code=204)
