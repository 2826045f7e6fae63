"""The operations of the REST API."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter

from jobplane.server.routes import (
    audit,
    database,
    definitions,
    jobs,
    keys,
    logs,
    me,
    overview,
    queues,
    sessions,
    stream,
    tenants,
    triggers,
    workers,
)

ROUTERS: Final[tuple[APIRouter, ...]] = (
    triggers.router,  # before the jobs, whose path takes any id
    jobs.router,
    logs.router,
    definitions.router,
    queues.router,
    workers.router,
    tenants.router,
    keys.router,
    audit.router,
    me.router,
    overview.router,
    stream.router,
    database.router,
    sessions.router,
)
