"""The reference is complete, and says what the program says."""

import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import click
import psycopg
import pytest
from psycopg import errors as pg

import jobplane
from jobplane import config
from jobplane.cli import main
from jobplane.cli.main import exit_code
from jobplane.config import Config
from jobplane.core.errors import JobplaneError
from jobplane.store.postgres.errors import TYPED, translate
from jobplane.store.postgres.source import load
from tests.docs.page import ROOT
from tests.docs.table import rows, words
from tools import commands as command_pages
from tools import reference

ERRORS = "docs/reference/errors.md"
SETTINGS = "docs/reference/settings.md"


def test_the_page_of_the_verbs_is_up_to_date() -> None:
    assert reference.PAGE.read_text() == reference.page(), "run: .venv/bin/python -m tools.reference"


def test_the_page_of_the_commands_is_up_to_date() -> None:
    assert command_pages.PAGE.read_text() == command_pages.page(), "run: .venv/bin/python -m tools.commands"


def kinds(root: type[JobplaneError] = JobplaneError) -> Iterator[type[JobplaneError]]:
    yield root
    for kind in root.__subclasses__():
        yield from kinds(kind)


def test_every_error_is_documented_with_its_state_and_exit_code() -> None:
    for module in pkgutil.walk_packages(jobplane.__path__, "jobplane."):
        importlib.import_module(module.name)
    states = {kind: state for state, kind in TYPED.items()}

    documented = [(row["code"].strip("`"), row["SQLSTATE"], row["class"], row["exit"]) for row in rows(ERRORS, "code")]

    wanted = [(kind.code, states.get(kind, ""), kind.__name__, str(exit_code(kind("")))) for kind in kinds()]
    assert sorted(documented) == sorted(wanted)


def test_an_error_is_said_to_be_raised_exactly_if_it_is() -> None:
    raised = {state for file in load().code for state in re.findall(r"'(JP\d{3})'", file.sql)}
    unraised = re.compile(r"Not raised (yet|by SQL)|Only in (the )?answers")

    silent = {row["SQLSTATE"] for row in rows(ERRORS, "code") if unraised.search(row["what it means, and what to do"])}

    assert silent - {""} == set(TYPED) - raised - {"JP017"}


@pytest.mark.parametrize("row", rows(ERRORS, "SQLSTATE"), ids=lambda row: row["SQLSTATE"])
def test_a_state_of_postgresql_becomes_the_documented_code(row: dict[str, str]) -> None:
    error: psycopg.Error = pg.lookup(row["SQLSTATE"])("said the server")

    assert words(row["code"]) == [translate(error).code]


def default(value: object) -> str:
    """As somebody would write it into the file; nothing where there is none."""
    return str(value).lower() if isinstance(value, bool) else str(value or "")


def test_every_setting_is_documented_with_its_default() -> None:
    documented = [(row["setting"], row["environment"], row["default"].strip("`")) for row in rows(SETTINGS, "setting")]

    assert documented == [
        (f"`{key}`", f"`JOBPLANE_{key.upper()}`", default(value)) for key, value in Config().model_dump().items()
    ]


@pytest.mark.parametrize("row", rows(SETTINGS, "variable"), ids=lambda row: row["variable"])
def test_a_documented_variable_can_be_set(row: dict[str, str], tmp_path: Path) -> None:
    empty = tmp_path / "empty.toml"
    empty.touch()
    [variable] = words(row["variable"])

    assert config.load({}, env={variable: str(empty)}) == Config()


def _shown(parameter: click.Parameter, flag: str) -> str:
    return (
        parameter.make_metavar(click.Context(click.Command("any"))) if isinstance(parameter, click.Argument) else flag
    )


def commands(command: click.Command, path: str = "jobplane") -> Iterator[tuple[str, set[str]]]:
    """Each command with its flags and arguments, but for --help, which all have."""
    yield path, {_shown(parameter, flag) for parameter in command.params for flag in parameter.opts} - {"-h", "--help"}
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from commands(found, f"{path} {name}")


def test_every_command_and_flag_is_documented() -> None:
    page = (ROOT / "docs/reference/cli.md").read_text()
    headings = re.findall(r"^## (jobplane.*)$", page, re.MULTILINE)

    documented = {
        heading: {
            flag.split()[0]
            for row in rows("docs/reference/cli.md", "flag", section=heading)
            for flag in words(row["flag"])
        }
        - {"-h", "--help"}
        for heading in headings
    }

    assert documented == dict(commands(main.jobplane))


def test_every_make_target_is_documented() -> None:
    targets = re.findall(r"^([a-z0-9-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE)

    documented = [words(row["target"])[0] for row in rows("docs/reference/make.md", "target")]

    assert sorted(documented) == sorted(f"make {target}" for target in targets)
