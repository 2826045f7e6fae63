import resource
import subprocess
import sys

import pytest

from jobplane.cli.main import exit_code
from jobplane.core import errors
from tests.cli.command import COMMAND, environment, jobplane


def test_help_lists_the_commands_without_loading_them() -> None:
    answer = jobplane("--help")

    assert (answer.code, answer.err) == (0, "")
    assert "migrate      Bring a database" in answer.out
    probe = "import sys, jobplane.cli.main; print([m for m in ('psycopg', 'pydantic') if m in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True).stdout
    assert loaded == "[]\n"


def test_what_is_not_needed_is_not_imported() -> None:
    """The commands load nothing before they run, and a file is worked on without the driver of PostgreSQL."""
    probe = """
import sys
from importlib import import_module
from jobplane.cli import main
for name in main._COMMANDS:
    import_module(f"jobplane.cli.{name}")
print([m for m in ("psycopg", "pydantic", "httpx2", "fastapi", "asyncio") if m in sys.modules])
import jobplane.worker.serving
from jobplane.opening import connect_blocking
connect_blocking("sqlite:///:memory:").close()
print([m for m in ("psycopg", "jobplane.embedded") if m in sys.modules])
"""
    command = [sys.executable, "-c", probe]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True, env=environment()).stdout
    assert loaded == "[]\n[]\n"


@pytest.mark.parametrize("words", [[], ["jobs", "ls"], ["run"], ["schedules", "create"]], ids=" ".join)
def test_help_is_quick(words: list[str]) -> None:
    """By processor time, the best of nine, beside what it cannot do without: 50 and 80 ms, and 40 ms were measured."""

    def seconds(*command: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, capture_output=True, check=True, env=environment())
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime

    taken = [(seconds(*COMMAND, *words, "--help"), seconds(sys.executable, "-c", "import click")) for _ in range(9)]
    own, least = map(min, zip(*taken, strict=True))

    assert own < (3 if words else 2) * least


@pytest.mark.parametrize("group", ["jobs", "migrate", "keys"])
def test_a_group_alone_shows_its_help(group: str) -> None:
    answer = jobplane(group)

    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith(f"Usage: jobplane {group} ")


@pytest.mark.parametrize("words", [["nonsense"], ["migrate", "nonsense"], ["migrate", "up", "--nonsense"], ["up", "x"]])
def test_nonsense_is_a_usage_error_that_names_the_help(words: list[str]) -> None:
    answer = jobplane(*words)

    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("jobplane: usage: ")
    assert "--help" in answer.err


def test_the_version_is_data() -> None:
    assert jobplane("--version").out.startswith("jobplane, version ")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.InvalidPayload, 2),
        (errors.JobNotFound, 3),
        (errors.Forbidden, 4),
        (errors.UnsafeRole, 4),
        (errors.DuplicateJob, 5),
        (errors.SchemaOutOfDate, 5),
        (errors.StoreBusy, 6),
        (errors.StoreUnavailable, 7),
        (errors.StorageFull, 1),
    ],
)
def test_exit_codes_follow_the_error_tree(error: type[errors.JobplaneError], code: int) -> None:
    assert exit_code(error("because")) == code
