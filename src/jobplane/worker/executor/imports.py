"""The user's modules, their Jobplanes and definitions."""

from __future__ import annotations

import os
import sys

from jobplane import config
from jobplane.api.importing import import_planes, url_of
from jobplane.api.plane import Plane
from jobplane.api.stores import Stores, here
from jobplane.core.errors import AlreadyExists
from jobplane.execution.handler import Handler
from jobplane.worker.frames import Known, Ready, Setup


class ImportedModules:
    """Imports the modules of a worker. Raises what an import raises, and Invalid if two modules disagree."""

    def __init__(self, setup: Setup) -> None:
        sys.path[:0] = [path for path in setup["sys_path"] if path not in sys.path]
        if setup["url"] is not None:
            os.environ["JOBPLANE_DATABASE_URL"] = setup["url"]
        config.pin(here())
        Stores.is_frugal = True
        self._planes = import_planes(setup["imports"])

    def handlers(self) -> dict[bytes, Handler]:
        """The handlers by key, as bytes like in the rows of a claim."""
        found: dict[bytes, Handler] = {}
        for plane in self._planes:
            for key in plane.keys:
                if key.encode() in found:
                    raise AlreadyExists(
                        f'Two Jobplanes of the imported modules define "{key}". Give one of the jobs another key.',
                        key=key,
                    )
                found[key.encode()] = plane.handler(key)
        return found

    def ready(self) -> Ready:
        known = {key: _describe(plane, key) for plane in self._planes for key in plane.keys}
        version = next((plane.version for plane in self._planes if plane.version), "")
        return Ready(definitions=known, version=version, url=url_of(self._planes))

    async def start(self) -> None:
        for plane in self._planes:
            await plane.hooks.start()

    async def stop(self) -> None:
        for plane in reversed(self._planes):
            await plane.hooks.stop()
            await plane.aclose()
            plane.close()
        Stores.close_shared()


def _describe(plane: Plane, key: str) -> Known:
    definition = plane.definition(key)
    policy = definition.policy
    return Known(
        queue=policy.queue,
        isolation=policy.isolation,
        on_lost_contact=policy.on_lost_contact,
        document=definition.document(),
        app=plane.app,
        version=plane.version,
    )
