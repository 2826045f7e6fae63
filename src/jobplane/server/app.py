"""The ASGI application: routes, errors, limits, and the document that describes them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import cast

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware

from jobplane import __version__
from jobplane.config import Config
from jobplane.control.access import Caller, Policy, Role
from jobplane.control.authentication import Authentication
from jobplane.control.catalog import Catalog
from jobplane.control.entrance import Entrance
from jobplane.control.sessions import Sessions
from jobplane.core.errors import JobplaneError
from jobplane.server import documents, problems, ui
from jobplane.server.follow import Feeds
from jobplane.server.limits import App, Limits
from jobplane.server.listeners import Listeners
from jobplane.server.rates import RateHeaders, Rates, SignIns
from jobplane.server.routes import ROUTERS, health
from jobplane.server.state import State
from jobplane.store.base import Store

PREFIX = "/api/v1"


def make_state(config: Config, store: Store, stopping: asyncio.Event, caller: Caller | None = None) -> State:
    """What the routes share."""
    catalog = Catalog(store, builtin_only=config.jobs_builtin_only)
    idle = config.server_session_idle_seconds
    authentication = Authentication(store, idle_seconds=idle)
    return State(
        config=config,
        store=store,
        authentication=authentication,
        sessions=Sessions(store, authentication, seconds=config.server_session_seconds, idle_seconds=idle),
        entrance=Entrance(store, catalog, config.defaults),
        policy=Policy({name: Role(role) for name, role in config.access.items()}),
        rates=Rates(config.server_requests_per_second),
        sign_ins=SignIns(config.server_sign_ins_per_minute),
        feeds=Feeds(store),
        listeners=Listeners(store, stopping),
        stopping=stopping,
        caller=caller,
    )


def make_app(
    config: Config, store: Store, stopping: asyncio.Event | None = None, *, caller: Caller | None = None
) -> FastAPI:
    """The application on a store that is open. Whoever opened the store closes it.

    With a `caller` every request is made by that caller, and no key is asked for. Never listen on a port with one.
    """
    state = make_state(config, store, stopping or asyncio.Event(), caller)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncGenerator[None]:
        yield
        await state.feeds.close()
        await state.listeners.close()

    app = FastAPI(
        title="jobplane",
        version=__version__,
        summary="A multi-tenant jobs control plane.",
        openapi_url=None,  # served by a route of our own
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        separate_input_output_schemas=False,
        strict_content_type=True,
        middleware=[Middleware(_limits), Middleware(_rate_headers)],
        exception_handlers={
            JobplaneError: problems.refused,
            RequestValidationError: problems.misshapen,
            HTTPException: unroutable,
            Exception: problems.broken,
        },
    )
    app.root_path = config.server_root_path  # as an argument it is deprecated, and warns
    app.state.jobplane = state
    app.include_router(health.router)
    app.include_router(documents.router)
    app.include_router(ui.router)
    for router in ROUTERS:
        app.include_router(router, prefix=PREFIX, responses=documents.PROBLEMS)
    documents.describe(app)
    return app


async def unroutable(request: Request, error: Exception) -> Response:
    """No such path: for a person the page, which says so; for a program a problem."""
    if ui.is_wanted(request) and cast("HTTPException", error).status_code == 404:
        return ui.page(request, 404)
    return await problems.unroutable(request, error)


def _limits(app: App) -> Limits:
    return Limits(app)


def _rate_headers(app: App) -> RateHeaders:
    return RateHeaders(app)
