"""`jobplane policy`: which commands this machine may run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from jobplane.cli.groups import Aliased
from jobplane.cli.nouns import POLICY
from jobplane.cli.options import shows, speaks
from jobplane.cli.output.printing import Printer, say

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from jobplane.cli.remote.client import Api, Fields
    from jobplane.worker.policy.drafting import Change

_ORDER: Final = ("executable", "argv", "environment", "files", "stdin", "exit_codes")
_FILE = click.option("--file", metavar="FILE", help="The policy file; default: worker_policy.")


@click.group("policy", cls=Aliased)
def command() -> None:
    """Write and check the policy file: which commands this machine may run.

    Run them on the machine of the worker, as the worker's user.
    """


@command.command("write")
@click.argument("keys", metavar="[KEY]...", nargs=-1)
@_FILE
@click.option("--user", metavar="NAME", help="In a new file: the user that commands run as.")
@click.option("--dry-run", is_flag=True, help="Print the changes, and write nothing.")
@speaks
async def write(api: Api, keys: tuple[str, ...], file: str | None, user: str | None) -> None:
    """Allow commands as they are now: write the hash of each into the policy file.

    Look at the definitions first. Only hashes are changed, and tables of new commands are added at the end of the file.
    If one command cannot be written, none is.
    """
    from jobplane.cli.policy_reading import read_named
    from jobplane.worker.policy.drafting import Draft
    from jobplane.worker.policy.pinning import pin
    from jobplane.worker.policy.writing import save

    draft = Draft.of(_path(file), user)
    definitions = {found["key"]: found for found in await read_named(api, keys)}
    changes = draft.put({key: pin(definition) for key, definition in definitions.items()})
    is_written = draft.text != draft.original and not api.dry_run
    if is_written:
        save(draft)
    for change in changes:
        _print(change, definitions[change.key])
    _sum_up(draft.path, changes, is_written=is_written)
    if is_written:
        _warn(draft.path, definitions)


@command.command("check")
@_FILE
@shows
@speaks
async def check(api: Api, printer: Printer, file: str | None) -> int:
    """Compare the policy file with the definitions and with the executables on this machine.

    The exit code is 0 if every command of the policy is ready, 1 if one is not, 2 if no worker can use the file, and
    another one if the definitions could not be read. A command that the policy does not name is no fault.
    """
    from jobplane.cli.policy_reading import compare
    from jobplane.worker.policy import load_policy

    policy = load_policy(_path(file))
    rows = await compare(api, policy)
    printer.some(rows, {"file": str(policy.path), "items": rows}, POLICY)
    return 1 if any(row["state"] not in ("ready", "not_allowed") for row in rows) else 0


def _path(file: str | None) -> Path:
    """The policy file; raises InvalidConfig where none is named."""
    from pathlib import Path

    from jobplane import config

    found = config.load({"worker_policy": file}).locate(Path.cwd()).worker_policy
    if found is None:
        message = "No policy file is named. Name one with --file, or set worker_policy."
        raise config.InvalidConfig(message, setting="worker_policy")
    return found


def _print(change: Change, definition: Fields) -> None:
    """A line for each command, and below it what is allowed from now on."""
    import json

    from jobplane.cli.output.text import plain

    click.echo(f"{change.outcome:<9}  {plain(change.key)}")
    if change.outcome == "unchanged":
        return
    click.echo(f"    hash: {change.new if change.old is None else f'{change.old} → {change.new}'}")
    for name, value in sorted(definition["command"].items(), key=_place):
        click.echo(f"    {plain(f'{name}: {json.dumps(value, ensure_ascii=False)}')}")


def _place(field: tuple[str, object]) -> int:
    """The place of a field of a command in the printed order: the executable and its arguments come first."""
    return _ORDER.index(field[0]) if field[0] in _ORDER else len(_ORDER)


def _warn(path: Path, definitions: Mapping[str, Fields]) -> None:
    """Say what keeps a worker from using the file or a command, such as a user that is not set yet."""
    from jobplane.worker.policy import InvalidPolicy, judge_content, load_policy

    try:
        policy = load_policy(path)
    except InvalidPolicy as error:
        say(f"No worker can use it yet. {error.message}")
        return
    for key, definition in definitions.items():
        verdict = judge_content(policy.commands[key], definition["command"], definition["arg_schema"])
        if verdict.state != "ready":
            say(f"{key} cannot run yet ({verdict.state}). {verdict.sentence}")


def _sum_up(path: Path, changes: list[Change], *, is_written: bool) -> None:
    from collections import Counter

    counts = Counter(change.outcome for change in changes)
    said = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())) or "no commands"
    say(f"{path}: {said}; {'written' if is_written else 'nothing was written'}.")
