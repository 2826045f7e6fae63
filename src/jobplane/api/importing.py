"""Modules by name, and the Jobplanes that they make."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from pathlib import Path

from jobplane.api.plane import Plane, planes
from jobplane.core.errors import Invalid


def import_planes(modules: Sequence[str]) -> list[Plane]:
    """The Jobplanes with definitions; raises what an import raises, and Invalid where there are none."""
    for name in modules:
        _import(name)
    found = [plane for plane in planes if plane.keys]
    if not found:
        raise Invalid(f"There are no definitions in {', '.join(modules)}. Declare them with @jp.job(…).")
    _refuse_two_versions(found)
    return found


def url_of(found: Sequence[Plane]) -> str | None:
    """The URL that the Jobplanes were given; None: that of the configuration."""
    urls = {plane.url for plane in found if plane.url is not None}
    if len(urls) > 1:
        raise Invalid("The imported modules have Jobplanes on different databases. Run a worker for each.")
    return next(iter(urls), None)


def _import(name: str) -> None:
    """Import a module; raises Invalid with the searched places if it is missing. Its own imports may raise anything."""
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise
        hint = f"Name it as in an import: {name[:-3]}." if name.endswith(".py") else "Check the name and the directory."
        where = f"neither in {Path.cwd()} nor on the path of this Python ({sys.executable})"
        raise Invalid(f"There is no module {error.name}, {where}. {hint}") from None


def _refuse_two_versions(found: Sequence[Plane]) -> None:
    """An app has one version at a time: the older of two would change nothing."""
    versions: dict[str, str] = {}
    for plane in found:
        if plane.app and versions.setdefault(plane.app, plane.version) != plane.version:
            both = f'"{versions[plane.app]}" and "{plane.version}"'
            raise Invalid(f'The imported modules have app "{plane.app}" in versions {both}. Give it one version.')
