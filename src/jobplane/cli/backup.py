"""`jobplane backup`: a consistent copy of a SQLite file while others work on it."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("backup")
@click.argument("target", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--url", metavar="URL", help="The database; default: database_url.")
def command(target: Path, url: str | None) -> None:
    """Copy the SQLite file of database_url to FILE, which must not exist yet. Programs may use it meanwhile."""
    from jobplane import config, opening

    settings = config.load({"database_url": url}).base_on("app")
    if not settings.database_url.startswith("sqlite:"):
        raise config.InvalidConfig(
            "Only a SQLite file can be copied this way. Use pg_dump for PostgreSQL.", setting="database_url"
        )
    opening.back_up(settings, target)
    click.echo(f"Copied to {target}.", err=True)
