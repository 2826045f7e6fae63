"""The user's program: its modules, its Jobplanes, and what they define."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from jobplane import config
from jobplane.api.plane import Plane, planes
from jobplane.api.stores import Stores, here
from jobplane.core.errors import AlreadyExists, Invalid
from jobplane.execution.handler import Handler
from jobplane.worker.frames import Known, Ready, Setup


class ImportedModules:
    """All that the imported modules define; raises what their import raises, and Invalid where they disagree."""

    def __init__(self, setup: Setup) -> None:
        sys.path[:0] = [path for path in setup["sys_path"] if path not in sys.path]
        if setup["url"] is not None:
            os.environ["JOBPLANE_DATABASE_URL"] = setup["url"]
        config.pin(here())
        Stores.is_frugal = True
        for name in setup["imports"]:
            _import(name)
        self._planes = [plane for plane in planes if plane.keys]
        if not self._planes:
            raise Invalid(f"{', '.join(setup['imports'])}: no definitions; @jp.job(…) makes them")

    def handlers(self) -> dict[bytes, Handler]:
        """By key, as the rows of a claim have it."""
        found: dict[bytes, Handler] = {}
        for plane in self._planes:
            for key in plane.keys:
                if key.encode() in found:
                    raise AlreadyExists(f"{key} is defined by two Jobplanes of the imported modules", key=key)
                found[key.encode()] = plane.handler(key)
        return found

    def ready(self) -> Ready:
        known = {key: _describe(plane, key) for plane in self._planes for key in plane.keys}
        version = next((plane.version for plane in self._planes if plane.version), "")
        return Ready(definitions=known, version=version, url=_url(self._planes))

    async def start(self) -> None:
        for plane in self._planes:
            await plane.hooks.start()

    async def stop(self) -> None:
        for plane in reversed(self._planes):
            await plane.hooks.stop()
            await plane.aclose()
            plane.close()
        Stores.close_shared()


def _import(name: str) -> None:
    """One that is not there is said with where it was looked for; what it imports itself is its own matter."""
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise
        hint = f"; name it as in an import: {name[:-3]}" if name.endswith(".py") else ""
        where = f"in {Path.cwd()} nor where this Python looks ({sys.executable})"
        raise Invalid(f"there is no module {error.name}, neither {where}{hint}") from None


def _describe(plane: Plane, key: str) -> Known:
    definition = plane.definition(key)
    policy = definition.policy
    return Known(
        queue=policy.queue,
        isolation=policy.isolation,
        on_lost_contact=policy.on_lost_contact,
        document=definition.document(),
    )


def _url(planes: Sequence[Plane]) -> str | None:
    urls = {plane.url for plane in planes if plane.url is not None}
    if len(urls) > 1:
        raise Invalid("the imported modules have Jobplanes on different databases; run a worker for each")
    return next(iter(urls), None)
