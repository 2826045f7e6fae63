"""Groups of commands in which `list` is another name for `ls`."""

from __future__ import annotations

import click


class Aliased(click.Group):
    """A group whose `ls` can also be written `list`."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return super().get_command(ctx, "ls" if cmd_name == "list" else cmd_name)
