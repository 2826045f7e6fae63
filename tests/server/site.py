"""A server without a port: one application on one database, and a key for everybody in the cast."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from http.cookiejar import DefaultCookiePolicy
from itertools import count
from typing import Any, Final
from uuid import UUID

import httpx2
from fastapi import FastAPI

from jobplane.config import Config
from jobplane.control.access import PLATFORM, Role
from jobplane.control.plane import OperatorPlane
from jobplane.core.leases import Lease
from jobplane.core.model import Definition, Outcome, Tenant
from jobplane.server.app import make_app
from tests.client import SqliteStore, Store
from tests.leases import settlement
from tests.server.transport import MemoryTransport

API: Final = "/api/v1"
SAME_ORIGIN: Final = {"Sec-Fetch-Site": "same-origin"}  # what a browser says of a page of this server
# alice and her colleagues are of tenant a, charlie of tenant b must see nothing of it, root sees everything.
CAST: Final[Mapping[str, tuple[Role, str | None]]] = {
    "alice": (Role.TENANT_ADMIN, "a"),
    "bob": (Role.VIEWER, "a"),
    "rita": (Role.RESPONDER, "a"),
    "eve": (Role.ENQUEUE, "a"),
    "charlie": (Role.TENANT_ADMIN, "b"),
    "root": (Role.SUPER_ADMIN, None),
    "wanda": (Role.WORKER, None),
}
_NUMBERS: Final = count(1)


class Answer:
    """A response, with what tests look at."""

    def __init__(self, response: httpx2.Response) -> None:
        self.response = response
        self.status = response.status_code
        self.headers = response.headers

    @property
    def json(self) -> Any:
        return self.response.json()

    @property
    def text(self) -> str:
        return self.response.text

    @property
    def code(self) -> str | None:
        """The code of a problem."""
        is_problem = self.headers.get("content-type", "").startswith("application/problem+json")
        return self.json["code"] if is_problem else None


class Voice:
    """Somebody who calls the API with a key."""

    def __init__(self, client: httpx2.AsyncClient, key: str | None, **headers: str) -> None:
        self._client = client
        self.key = key
        self._headers = headers

    def naming(self, tenant: UUID | str) -> Voice:
        """The same, with the header that names a tenant."""
        return Voice(self._client, self.key, **{**self._headers, "X-Jobplane-Tenant": str(tenant)})

    @property
    def cookie(self) -> str:
        return self._headers["Cookie"]

    def without(self, header: str) -> Voice:
        return Voice(self._client, self.key, **{name: text for name, text in self._headers.items() if name != header})

    def holding(self, answer: Answer) -> Voice:
        """The same in a browser that got this answer, and on a page of this server."""
        cookie = answer.headers["set-cookie"].partition(";")[0]
        return Voice(self._client, None, **{**self._headers, **SAME_ORIGIN, "Cookie": cookie})

    async def ask(self, method: str, path: str, body: object = None, **more: Any) -> Answer:
        if body is not None:
            more["json"] = body
        headers = self._given(more.pop("headers", {}))
        return Answer(await self._client.request(method, _place(path), headers=headers, **more))

    @asynccontextmanager
    async def open(self, path: str, headers: Mapping[str, str] | None = None, **params: Any) -> AsyncGenerator[Answer]:
        """An answer that is read while it comes, and left at the end of the block. A problem is read at once."""
        given = self._given(headers or {})
        async with self._client.stream("GET", _place(path), headers=given, params=params) as response:
            if response.is_error:
                await response.aread()
            yield Answer(response)

    def _given(self, headers: Mapping[str, str]) -> dict[str, str]:
        key = {} if self.key is None else {"Authorization": f"Bearer {self.key}"}
        return {**self._headers, **headers, **key}

    async def get(self, path: str, **params: Any) -> Answer:
        return await self.ask("GET", path, params=params)

    async def post(self, path: str, body: object = None, **more: Any) -> Answer:
        return await self.ask("POST", path, body, **more)

    async def patch(self, path: str, body: object, **more: Any) -> Answer:
        return await self.ask("PATCH", path, body, **more)

    async def delete(self, path: str) -> Answer:
        return await self.ask("DELETE", path)


def _place(path: str) -> str:
    return path if path.startswith(("/api/", "/healthz", "/readyz", "/llms")) else API + path


class Site:
    """The application, its store, and the cast of one tenant pair. `fresh` makes another pair."""

    def __init__(self, app: FastAPI, store: Store, client: httpx2.AsyncClient) -> None:
        self.app = app
        self.store = store
        self.client = client
        self.plane = OperatorPlane(store)
        self.nobody = Voice(client, None)

    async def cast(self) -> Cast:
        """Two new tenants with a key for everybody."""
        number = next(_NUMBERS)
        tenants = {name: await self.plane.tenants.create(f"{name}{number}") for name in ("a", "b")}
        keys = {name: await self._key(role, tenants.get(of or "")) for name, (role, of) in CAST.items()}
        return Cast(self, tenants["a"], tenants["b"], {name: Voice(self.client, key) for name, key in keys.items()})

    def forget(self) -> None:
        """As if five seconds had passed: nothing that the store has answered is remembered."""
        authentication = self.app.state.jobplane.authentication
        for memory in (authentication._keys, authentication._sessions):
            memory._known.clear()
        self.app.state.jobplane.entrance._catalog._known.clear()

    async def signed_in(self, voice: Voice) -> Voice:
        """The same person with the cookie of a new session instead of a key."""
        answer = await self.sign_in(key=voice.key or "")
        assert answer.status == 201, answer.text
        return voice.holding(answer)

    async def sign_in(self, **body: str) -> Answer:
        return await self.nobody.post("/session", body, headers=SAME_ORIGIN)

    async def _key(self, role: Role, tenant: Tenant | None) -> str:
        whose = None if tenant is None or role in PLATFORM else tenant.tenant_id
        return (await self.plane.keys.create(role, tenant=whose))[1]

    async def define(self, key: str | None = None, **fields: Any) -> Definition:
        """A definition with a queue of its own: no other test's jobs are in it."""
        name = key or f"d{next(_NUMBERS)}"
        queue = fields.pop("queue", f"q{next(_NUMBERS)}")
        await self.plane.queues.put([queue])
        document = {"key": name, "kind": "python", "arg_schema": True, "queue": queue, **fields}
        await self.store.put_definitions([document])
        return await self.plane.definitions.get(name)

    async def claim(self, definition: Definition) -> Lease:
        """The lease of the next job of a definition."""
        await self.store.promote()
        [lease] = (await self.store.claim(definition.queue, "worker-1")).leases
        return lease

    async def end(self, definition: Definition, outcome: Outcome = Outcome.SUCCEEDED, **facts: Any) -> None:
        """Run the next job of a definition to this outcome."""
        await self.store.settle([settlement(await self.claim(definition), outcome, **facts)])


class Cast:
    """Who calls: alice, bob, rita, eve of tenant a; charlie of tenant b; root; wanda, a worker."""

    def __init__(self, site: Site, a: Tenant, b: Tenant, voices: Mapping[str, Voice]) -> None:
        self.site = site
        self.a, self.b = a, b
        self.voices = voices
        self.alice, self.bob, self.rita, self.eve = (voices[name] for name in ("alice", "bob", "rita", "eve"))
        self.charlie, self.root, self.wanda = (voices[name] for name in ("charlie", "root", "wanda"))


@asynccontextmanager
async def opened(store: Store, config: Config | None = None) -> AsyncGenerator[Site]:
    """The application on a store, spoken to in memory."""
    app = make_app(config or _unlimited(store), store)
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(transport=MemoryTransport(app), base_url="http://test") as client,
    ):
        client.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))  # each voice has its own
        yield Site(app, store, client)


def _unlimited(store: Store) -> Config:
    url = "sqlite:///jobs.db" if isinstance(store, SqliteStore) else "postgresql://localhost/jobs"
    return Config(server_requests_per_second=0, server_sign_ins_per_minute=0, database_url=url)
