"""`jobplane definitions`: what may run."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from jobplane.cli.definition_commands import COMMANDS
from jobplane.cli.groups import Aliased

if TYPE_CHECKING:
    from jobplane.api.plane import Plane
    from jobplane.core.definitions import SyncedDefinition
    from jobplane.core.model import Document


@click.group("definitions", cls=Aliased)
def command() -> None:
    """List definitions, enable, disable and sync them."""


for each in COMMANDS:
    command.add_command(each)


@command.command()
@click.option(
    "--import", "imports", metavar="MODULE", multiple=True, required=True, help="A module with @jp.job functions."
)
@click.option(
    "--force", is_flag=True, help="Overwrite changes made by people, and take over definitions of other apps."
)
@click.option("--dry-run", is_flag=True, help="Print the changes, and write nothing.")
@click.option("--url", metavar="URL", help="The database; default: that of the module's Jobplane, then database_url.")
def sync(imports: tuple[str, ...], force: bool, dry_run: bool, url: str | None) -> None:
    """Register the definitions of the modules, as a worker does when it starts, and print the changes."""
    sys.path.insert(0, str(Path.cwd()))
    from jobplane.api.importing import import_planes, url_of
    from jobplane.api.stores import Stores
    from jobplane.control.immediate import Immediate, finish
    from jobplane.control.plane import OperatorPlane

    planes = import_planes(imports)
    stores = Stores(url or url_of(planes), "apsw", None, None)
    try:
        definitions = OperatorPlane(Immediate(stores.get_blocking()), defaults=stores.defaults).definitions
        for (app, version), documents in _by_app(planes).items():
            report = finish(definitions.sync(app, version, documents, force=force, dry_run=dry_run))
            _print(app, version, report, dry_run=dry_run)
    finally:
        stores.close()


def _by_app(planes: Sequence[Plane]) -> dict[tuple[str, str], list[Document]]:
    found: dict[tuple[str, str], list[Document]] = {}
    for plane in planes:
        documents = found.setdefault((plane.app, plane.version), [])
        documents += [plane.definition(key).document() for key in plane.keys]
    return found


def _print(app: str, version: str, report: Sequence[SyncedDefinition], *, dry_run: bool) -> None:
    for done in report:
        click.echo(f"{done.outcome:<17}  {done.key}")
        for field, change in done.changes.items():
            values = cast("Mapping[str, object]", change)
            click.echo(f"    {field}: {_shown(values['from'])} → {_shown(values['to'])}")
        if done.left_alone:
            click.echo(f"    set by a person, and left alone: {', '.join(done.left_alone)}")
    counts = Counter(done.outcome for done in report)
    said = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())) or "no definitions"
    name = " ".join(part for part in (app or "an app without a name", version) if part)
    click.echo(f"{name}: {said}{'; nothing was written' if dry_run else ''}", err=True)


def _shown(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
