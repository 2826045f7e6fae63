"""Requests of the REST API, and answers as JSON values or errors."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, cast
from urllib.parse import quote

import click
import httpx2

from jobplane.cli.remote.faults import ServerRefused, ServerUnreachable, make_error

Fields = dict[str, Any]
Params = Mapping[str, object]

PREFIX: Final = "/api/v1"
PAGE: Final = 200  # the most items that the server puts on a page
_TENANT: Final = "X-Jobplane-Tenant"
_READ_SECONDS: Final = 30.0


def path_of(*parts: str) -> str:
    """A path whose parts may have any character."""
    return "".join(f"/{quote(part, safe='')}" for part in parts)


@dataclass(slots=True)
class Api:
    """A client for one server and one caller. A dry run reads, and prints what it would send."""

    client: httpx2.AsyncClient
    url: str
    tenant: str | None
    page_url: str  # below which the web UI has its pages
    is_inside: bool = False
    dry_run: bool = False

    @property
    def written_tenant(self) -> str | None:
        """The tenant to write to: on a database URL the default one where none is named."""
        return self.tenant or ("default" if self.is_inside else None)

    async def get(self, path: str, params: Params | None = None, *, tenant: str | None = None) -> Fields:
        return await self._ask("GET", path, params=params, tenant=tenant or self.tenant)

    async def send(
        self, method: str, path: str, body: object = None, *, tenant: str | None = None, is_platform: bool = False
    ) -> Fields | None:
        """The answer of a request that changes something; None for a dry run. The platform has no tenant."""
        if self.dry_run:
            shown = "" if body is None else f" {json.dumps(body, ensure_ascii=False)}"
            request = f"{method} {PREFIX}{path}{shown}"
            click.echo(f"Would send: {request}", err=True)
            return None
        return await self._ask(method, path, body, tenant=None if is_platform else tenant or self.tenant)

    async def judge(self, path: str, body: object, *, method: str = "POST", is_platform: bool = False) -> Fields:
        """The answer of a dry run that the server makes. The platform has no tenant."""
        tenant = None if is_platform else self.written_tenant
        return await self._ask(method, path, body, {"dry_run": "true"}, tenant)

    async def pages(self, path: str, params: Params, limit: int | None) -> AsyncIterator[Fields]:
        """Pages of a list until there are `limit` items; None: all of them."""
        left, cursor = limit, None
        while left is None or left > 0:
            size = {"limit": PAGE if left is None else min(left, PAGE)}
            page = await self.get(path, {**params, **size, **({} if cursor is None else {"cursor": cursor})})
            yield page
            cursor = page.get("next_cursor")
            left = None if left is None else left - len(page["items"])
            if cursor is None:
                return

    async def list(self, path: str, params: Params, limit: int | None) -> Fields:
        """The same as one page."""
        whole: Fields = {"items": [], "next_cursor": None}
        async for page in self.pages(path, params, limit):
            whole = {**page, "items": whole["items"] + page["items"]}
        return whole

    @asynccontextmanager
    async def events(self, path: str, params: Params, last_id: str | None) -> AsyncGenerator[httpx2.EventSource]:
        """Server-sent events after the one with this id. A stream is silent for seconds, never for a minute."""
        headers = {**self._headers(self.tenant), "Accept": "text/event-stream"}
        if last_id is not None:
            headers["Last-Event-ID"] = last_id
        try:
            async with self.client.stream(
                "GET", PREFIX + path, params=_query(params), headers=headers, timeout=60.0
            ) as response:
                if response.status_code >= 300:
                    await response.aread()
                    raise _make_error(response)
                yield httpx2.EventSource(response)
        except httpx2.TransportError as error:
            raise self._make_unreachable(error) from None

    async def _ask(
        self, method: str, path: str, body: object = None, params: Params | None = None, tenant: str | None = None
    ) -> Fields:
        try:
            response = await self.client.request(
                method, PREFIX + path, params=_query(params or {}), headers=self._headers(tenant), json=body
            )
        except httpx2.TransportError as error:
            raise self._make_unreachable(error) from None
        if response.status_code >= 300:
            raise _make_error(response)
        return _document(response) if response.content else {}

    def _headers(self, tenant: str | None) -> dict[str, str]:
        return {} if tenant is None else {_TENANT: tenant}

    def _make_unreachable(self, error: httpx2.TransportError) -> ServerUnreachable:
        reason = str(error) or type(error).__name__
        message = f"No answer from {self.url} ({reason}). Check --server and server_url, or start one: jobplane server"
        return ServerUnreachable(message, url=self.url)


def new_client(url: str, key: str, transport: httpx2.AsyncBaseTransport | None = None) -> httpx2.AsyncClient:
    """A client that presents a key where there is one. It follows no redirect: that would show the key elsewhere."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    timeout = httpx2.Timeout(_READ_SECONDS, connect=5.0)
    return httpx2.AsyncClient(base_url=url, headers=headers, transport=transport, timeout=timeout)


def _query(params: Params) -> tuple[tuple[str, str], ...]:
    """A list is a parameter that is repeated; None is one that is left out."""
    found: list[tuple[str, str]] = []
    for name, value in params.items():
        values = cast("tuple[object, ...]", value) if isinstance(value, tuple) else (value,)
        found += [(name, str(each)) for each in values if each is not None]
    return tuple(found)


def _document(response: httpx2.Response) -> Fields:
    try:
        found = response.json()
    except ValueError:
        found = None
    if isinstance(found, dict):
        return cast("Fields", found)
    message = f"{response.request.url.host} answered {response.status_code} without JSON. Is it a jobplane server?"
    raise ServerRefused(message, http_status=response.status_code)


def _make_error(response: httpx2.Response) -> Exception:
    return make_error(response.status_code, _document(response))
