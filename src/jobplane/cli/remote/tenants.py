"""The slugs of tenants, for tables: the API names most things by the id of their tenant alone."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from jobplane.cli.output.printing import Printer
from jobplane.cli.remote.client import Api, Fields, path_of
from jobplane.core.errors import JobplaneError

_MOST: Final = 100  # tenants that are asked for


def with_slugs(api: Api, printer: Printer, fetch: Callable[[], Awaitable[Fields]]) -> Callable[[], Awaitable[Fields]]:
    """The same page, with the slug of each item's tenant where the table shows tenants."""

    async def fetch_named() -> Fields:
        page = await fetch()
        return {**page, "items": await add_slugs(api, page["items"])} if printer.format == "wide" else page

    return fetch_named


async def with_slug(api: Api, printer: Printer, found: Fields) -> Fields:
    """The same for one item."""
    return (await add_slugs(api, [found]))[0] if printer.format == "wide" else found


async def add_slugs(api: Api, items: Sequence[Fields]) -> list[Fields]:
    """Add `tenant`, the slug, to items that have only a `tenant_id`. A slug that cannot be read is left out."""
    ids = {str(item["tenant_id"]) for item in items if item.get("tenant_id") and not item.get("tenant")}
    slugs = await _find_slugs(api, sorted(ids)[:_MOST]) if ids else {}
    return [{**item, **slugs.get(str(item.get("tenant_id")), {})} for item in items]


async def _find_slugs(api: Api, ids: Sequence[str]) -> dict[str, Fields]:
    """A tenant's own caller knows its slug; the platform may ask for any."""
    try:
        caller = await api.get("/me")
    except JobplaneError:
        return {}
    if caller.get("tenant_id"):
        return {str(caller["tenant_id"]): {"tenant": caller.get("tenant")}}
    found = await asyncio.gather(*(_find_slug(api, tenant_id) for tenant_id in ids))
    return {tenant_id: {"tenant": slug} for tenant_id, slug in zip(ids, found, strict=True) if slug}


async def _find_slug(api: Api, tenant_id: str) -> str | None:
    try:
        return str((await api.get(path_of("tenants", tenant_id)))["slug"])
    except JobplaneError:
        return None
