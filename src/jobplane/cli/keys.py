"""`jobplane keys`: who may call the API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from jobplane.cli.groups import Aliased
from jobplane.cli.nouns import KEYS
from jobplane.cli.options import lists, mutates, shows, speaks
from jobplane.cli.output.printing import Printer, say
from jobplane.cli.output.text import plain
from jobplane.cli.output.times import Duration, Moment

if TYPE_CHECKING:
    from jobplane.cli.remote.client import Api

Fields = dict[str, Any]
ROLES: Final = ("viewer", "responder", "tenant_admin", "super_admin", "enqueue", "worker")
PLATFORM: Final = ("super_admin", "worker")


@click.group("keys", cls=Aliased)
def command() -> None:
    """List, create, rotate and revoke API keys."""


@command.command("ls")
@lists
@speaks
async def list_keys(api: Api, printer: Printer, limit: int | None) -> None:
    """List the keys of the tenant."""
    from jobplane.cli.remote.tenants import with_slugs

    await printer.many(with_slugs(api, printer, lambda: api.list("/keys", {}, limit)), KEYS)


@command.command("create")
@click.option("--role", type=click.Choice(ROLES), required=True, help="The role of the key.")
@click.option("--name", metavar="TEXT", help="A name that says what the key is for.")
@click.option("--owner-user-id", metavar="ID", help="Restrict it to the jobs of one user of your application.")
@click.option("--expires-at", type=Moment(is_past=False), metavar="TIME", help="When it expires; default: never.")
@mutates
@shows
@speaks
async def create(api: Api, printer: Printer, role: str, **fields: object) -> None:
    """Create a key and print it. It is not shown again. A super_admin or worker key belongs to no tenant."""
    body = {"role": role, **{name: value for name, value in fields.items() if value is not None}}
    made = await api.send("POST", "/keys", body, tenant=api.written_tenant, is_platform=role in PLATFORM)
    if made is not None:
        _show(printer, made)


@command.command("rotate")
@click.argument("key_id", metavar="ID")
@click.option("--overlap", type=Duration(), metavar="1d", help="How long the old key still works; default 1d.")
@mutates
@shows
@speaks
async def rotate(api: Api, printer: Printer, key_id: str, overlap: float | None) -> None:
    """Create a key that replaces another one, and print it. It is not shown again."""
    from jobplane.cli.remote.client import path_of

    body = {} if overlap is None else {"overlap_seconds": round(overlap)}
    if (made := await api.send("POST", path_of("keys", key_id, "rotate"), body)) is not None:
        _show(printer, made)


@command.command("revoke")
@click.argument("key_id", metavar="ID")
@mutates
@speaks
async def revoke(api: Api, key_id: str) -> None:
    """Revoke a key. It stops working everywhere within five seconds."""
    from jobplane.cli.remote.client import path_of

    if await api.send("POST", path_of("keys", key_id, "revoke")) is not None:
        click.echo(f"{plain(key_id)} revoked")


def _show(printer: Printer, made: Fields) -> None:
    """The key alone on stdout, so that a script can keep it."""
    if printer.format != "table":
        printer.one(made, KEYS)
        return
    click.echo(made["key"])
    say(f"This is key {made['key_id']} with the role {made['role']}. It is not shown again.")
