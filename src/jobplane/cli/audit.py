"""`jobplane audit`: what was done and by whom, and whether the log is as it was written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from jobplane.cli.audit_commands import list_audit
from jobplane.cli.files import refuse_new_file
from jobplane.cli.groups import Aliased

if TYPE_CHECKING:
    from jobplane.core.audit import AuditCheck


@click.group("audit", cls=Aliased)
def command() -> None:
    """Read and verify the audit log."""


command.add_command(list_audit)


@command.command()
@click.option("--url", metavar="URL", help="The database; default: database_url.")
@click.pass_context
def verify(ctx: click.Context, url: str | None) -> None:
    """Compute the chain of digests again. The exit code is 1 if an entry was removed, changed or added later."""
    from jobplane import config, opening
    from jobplane.control.immediate import Immediate, finish
    from jobplane.control.plane import OperatorPlane

    settings = config.load({"database_url": url}).base_on("admin")
    refuse_new_file(settings.url("admin"))
    with opening.open_blocking(settings) as store:
        check = finish(OperatorPlane(Immediate(store)).audit.verify())
    _print(check)
    if not check.is_intact:
        ctx.exit(1)


def _print(check: AuditCheck) -> None:
    click.echo(f"checked          {check.checked}")
    click.echo(f"missing links    {_listed(check.gaps)}")
    click.echo(f"removed entries  {_listed(check.removed)}")
    click.echo(f"changed entries  {_listed(check.changed)}")
    click.echo(f"added entries    {_listed(check.inserted)}")
    since = "" if check.oldest_unchained_at is None else f", the oldest of {check.oldest_unchained_at.isoformat()}"
    click.echo(f"not chained yet  {check.unchained}{since}")
    if check.is_intact:
        click.echo("The audit log is intact.", err=True)
    else:
        click.echo("The audit log was changed. Compare it with a backup before you go on.", err=True)


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers)) or "-"
