"""The `jobplane` command. Sub-commands are imported when they are called, so that `--help` is quick."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Final, NoReturn

import click

from jobplane import __version__
from jobplane.cli.output.text import block
from jobplane.cli.remote import faults
from jobplane.core import errors

EXIT_CODES: Final[Mapping[type[errors.JobplaneError], int]] = {
    errors.Invalid: 2,
    errors.NotFound: 3,
    errors.Denied: 4,
    errors.UnsafeRole: 4,
    errors.Conflict: 5,
    errors.SchemaOutOfDate: 5,
    errors.StoreBusy: 6,
    errors.StoreUnavailable: 7,
    faults.WaitTimeout: 6,
    faults.ServerUnreachable: 7,
}
_HELP: Final = {"help_option_names": ["-h", "--help"]}
_COMMANDS: Final = {
    "audit": "Read and verify the audit log.",
    "backup": "Copy a SQLite file while others work on it.",
    "database": "Show the size of the database, its connections and its tables.",
    "definitions": "List definitions, enable, disable and sync them.",
    "explain": "Say why a job waits, runs or has ended.",
    "jobs": "List jobs, look at them, retry, cancel and edit them.",
    "keys": "List, create, rotate and revoke API keys.",
    "login": "Sign in to the web UI.",
    "me": "Show who you are to the server.",
    "migrate": "Bring a database to this program's schema.",
    "overview": "Show how many jobs wait, run and have failed.",
    "policy": "Write and check the policy: which commands this machine may run.",
    "problems": "List what is failing, stuck or late right now.",
    "queues": "List queues, pause and resume them.",
    "retention": "Remove jobs, log lines and files past their retention time.",
    "run": "Enqueue a job, and wait for it.",
    "scheduler": "Fire schedules and do the upkeep on this machine.",
    "schedules": "List schedules, create and change them, and see when they fire.",
    "server": "Serve the REST API on this machine.",
    "tenants": "List, create, pause and resume tenants.",
    "up": "Start everything on this machine, on an embedded PostgreSQL.",
    "worker": "Run jobs on this machine.",
    "workers": "List workers.",
}


class _Lazy(click.Group):
    """Knows the name of each command and one line about it; loads the rest when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), *_COMMANDS])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return super().get_command(ctx, cmd_name)
        command: click.Command = import_module(f"jobplane.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, _COMMANDS[name]) for name in self.list_commands(ctx)])


@click.group(cls=_Lazy, no_args_is_help=False, invoke_without_command=True, context_settings=_HELP)
@click.version_option(__version__, prog_name="jobplane")
@click.pass_context
def jobplane(ctx: click.Context) -> None:
    """A multi-tenant jobs control plane on PostgreSQL and SQLite."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def exit_code(error: errors.JobplaneError) -> int:
    """The exit code of the nearest ancestor that has one; else that of the HTTP status."""
    if isinstance(error, faults.ServerRefused):
        return faults.exit_code(error)
    return next((EXIT_CODES[kind] for kind in type(error).__mro__ if kind in EXIT_CODES), 1)


def format_error(error: errors.JobplaneError) -> str:
    """The line for people: code first."""
    return _line(faults.shown_code(error), block(error.message))


def main() -> None:
    """The entry point. An error is one line on stderr, with its code first."""
    try:
        sys.exit(jobplane(prog_name="jobplane", standalone_mode=False))
    except errors.JobplaneError as error:
        click.echo(format_error(error), err=True)
        sys.exit(exit_code(error))
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        sys.exit(0)
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "jobplane"
        _fail("usage", f"{error.format_message()} Try: {path} --help", 2)
    except click.ClickException as error:
        _fail("usage", error.format_message(), 2)
    except (click.Abort, KeyboardInterrupt):
        _fail("interrupted", "Stopped by the keyboard.", 130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _fail(code: str, message: str, status: int) -> NoReturn:
    click.echo(_line(code, message), err=True)
    sys.exit(status)


def _line(code: str, message: str) -> str:
    return f"jobplane: {code}: {message.rstrip()}"


if __name__ == "__main__":
    main()
