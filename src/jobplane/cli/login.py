"""`jobplane login`: sign a browser in, without typing a key into a page."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from jobplane.cli.options import mutates, speaks
from jobplane.cli.output.printing import say

if TYPE_CHECKING:
    from jobplane.cli.remote.client import Api


@click.command("login")
@click.option("--web", is_flag=True, help="Make a link that signs a browser in to the web UI.")
@click.option("--no-browser", is_flag=True, help="Print the link without opening a browser.")
@mutates
@speaks
async def command(api: Api, web: bool, no_browser: bool) -> None:
    """Print a link that signs a browser in as you, once, within ten minutes. On a terminal it opens a browser too.

    With --url the link is for the server at server_url, else for one on this machine.
    """
    if not web:
        raise click.UsageError("Say what to sign in to: --web makes a link for a browser.")
    made = await api.send("POST", "/session/links", is_platform=True)
    if made is None:
        return
    link = api.page_url + str(made["path"])
    click.echo(link)
    say("The link works once, within ten minutes. Keep it to yourself: whoever opens it is signed in as you.")
    if sys.stdout.isatty() and not no_browser:
        import webbrowser

        webbrowser.open(link)
