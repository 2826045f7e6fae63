"""A command on a page, in a file for systemd or Kubernetes too, is one that there is, with flags that it has."""

import re
from pathlib import Path

import click
import pytest

from jobplane.cli import main
from tests.docs.page import PAGES, name

_NAMES = main.jobplane.list_commands(click.Context(main.jobplane))
_COMMAND = re.compile(rf"\bjobplane[\",]* +\"?((?:{'|'.join(_NAMES)})\b[^\n`|>&;#)]*)")


def commands(text: str) -> list[list[str]]:
    """The words behind `jobplane`, from a shell, a unit file, or a list in JSON or YAML."""
    return [re.sub(r"[\[\]\",]", " ", found).split() for found in _COMMAND.findall(text)]


def unknown(words: list[str]) -> list[str]:
    """The flags that the command does not have; the words behind them are theirs."""
    command: click.Command = main.jobplane
    for number, word in enumerate(words):
        found = command.get_command(click.Context(command), word) if isinstance(command, click.Group) else None
        if found is None:
            flags = {flag for parameter in command.params for flag in (*parameter.opts, *parameter.secondary_opts)}
            return [word for word in words[number:] if word.startswith("-") and word.split("=")[0] not in flags]
        command = found
    return []


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page.read_text())], ids=name)
def test_every_flag_on_a_page_exists(page: Path) -> None:
    assert [words for words in commands(page.read_text()) if unknown(words)] == []


def test_a_wrong_flag_would_be_found() -> None:
    assert unknown(commands('CMD ["jobplane", "worker", "--import", "app.jobs", "--prosesses", "2"]')[0]) == [
        "--prosesses"
    ]
