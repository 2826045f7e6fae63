"""`jobplane migrate`: plan, apply and inspect the schema, and make the roles."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from jobplane.config import Config

GRANTABLE: Final = ("app", "worker", "scheduler", "admin", "maintenance", "owner")

_url = click.option("--url", metavar="URL", help="The database; default: migrate_url, then database_url.")
_trust = click.option("--trust", type=click.Choice(["roles", "single"]), help="With single, one role does everything.")
_sql = click.option("--sql", is_flag=True, help="Print a script for psql instead of running it.")
_wait = click.option(
    "--wait",
    type=click.FloatRange(0, 86400),
    default=60.0,
    show_default=True,
    help="How many seconds each step waits for locks.",
)


@click.group("migrate")
def command() -> None:
    """Bring a database to this program's schema."""


@command.command()
@_url
@_trust
@_sql
def plan(url: str | None, trust: str | None, sql: bool) -> None:
    """Show what `up` would do."""
    from jobplane.opening.postgres import migrations, open_server

    settings = _settings(url, trust)
    with open_server(settings) as server:
        if sql:
            click.echo(migrations.psql(server.urls["owner"], trust=settings.trust), nl=False)
            return
        due = migrations.preview(server.urls["owner"], trust=settings.trust)
    _talk(f"schema {due.found} of {due.wanted}" + ("" if due.steps else ": nothing to do"))
    for step in due.steps:
        click.echo(step)


@command.command()
@_url
@_trust
@_sql
@_wait
@click.option("--dry-run", is_flag=True, help="The same as `plan`.")
@click.pass_context
def up(ctx: click.Context, url: str | None, trust: str | None, sql: bool, wait: float, dry_run: bool) -> None:
    """Apply the migrations that are due. It is safe to run this again, and in several places at once."""
    if sql or dry_run:
        ctx.invoke(plan, url=url, trust=trust, sql=sql)
        return
    from jobplane.opening.postgres import migrations, open_server

    settings = _settings(url, trust)
    with open_server(settings) as server:
        url = server.urls["owner"]
        report = migrations.up(url, trust=settings.trust, patience=wait, told=lambda step: _talk(f"applied {step}"))
    if report.ahead:
        _talk("A newer jobplane migrated this database. Nothing was changed.")
    click.echo(f"schema {report.number}")


@command.command()
@_url
@click.option("-o", "--output", type=click.Choice(["table", "json"]), default="table", show_default=True)
def status(url: str | None, output: str) -> None:
    """Show which migrations the database has."""
    from jobplane.opening.postgres import migrations, open_server

    with open_server(_settings(url, None)) as server:
        found = migrations.status(server.urls["owner"])
    if output == "json":
        click.echo(json.dumps(found.as_json()))
        return
    click.echo(f"schema           {found.found} of {found.wanted}")
    click.echo(f"trust            {found.trust or '-'}")
    click.echo(f"pending          {', '.join(found.pending) or '-'}")
    click.echo(f"invalid indexes  {', '.join(found.invalid_indexes) or '-'}")
    _talk("up to date" if found.up_to_date else "run `jobplane migrate up`")


@command.command()
@_url
@_sql
@click.option("--grant", "grants", multiple=True, metavar="KIND=ROLE", help="Make ROLE a member of jobplane_KIND.")
@click.option("--dry-run", is_flag=True, help="The same as `--sql`.")
def roles(url: str | None, sql: bool, grants: tuple[str, ...], dry_run: bool) -> None:
    """Create the roles of the cluster, once, with a login that may create roles."""
    pairs = [_grant(text) for text in grants]
    from jobplane import config, opening
    from jobplane.opening.postgres import migrations

    if sql or dry_run:
        click.echo(migrations.roles_sql(pairs), nl=False)
        return
    settings = _settings(url, None)
    if opening.is_embedded(settings):
        message = "An embedded server creates its own roles. Name another server: `jobplane migrate roles --url URL`."
        raise config.InvalidConfig(message, setting="migrate_url")
    migrations.roles(settings.url("owner"), grants=pairs)
    _talk("the roles are there")


def _settings(url: str | None, trust: str | None) -> Config:
    from jobplane import config

    settings = config.load({"migrate_url": url, "trust": trust}).base_on("owner")
    if settings.url("owner").startswith("sqlite:"):
        message = "A SQLite file needs no migration. It gets its schema when a program opens it."
        raise config.InvalidConfig(message, setting="migrate_url")
    return settings


def _grant(text: str) -> tuple[str, str]:
    kind, _, role = text.partition("=")
    if kind not in GRANTABLE or not role or "\0" in role:
        raise click.UsageError(f'--grant is KIND=ROLE with KIND one of {", ".join(GRANTABLE)}, not "{text:.200}".')
    return kind, role


def _talk(sentence: str) -> None:
    click.echo(sentence, err=True)
