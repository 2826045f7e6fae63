from __future__ import annotations

import socket
from pathlib import Path

import pytest

from tests.cli.command import Answer, jobplane
from tests.database import Database
from tests.worker.conftest import postgres
from tests.worker.stage import APP, Stage


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module of the user's, `own`, in the working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path / "own.py"


def started(module: str, *flags: str) -> Answer:
    """What a worker says that cannot start."""
    words = ("worker", "--import", module, "--processes", "1", *flags)
    return jobplane(*words, JOBPLANE_DATABASE_URL="sqlite:///jobs.db")


def test_an_import_that_fails_is_shown_once_with_the_frames_of_the_user(module: Path) -> None:
    module.write_text("def read():\n    return {}['price']\n\n\nread()\n")

    answer = started("own")

    assert answer.code == 1
    assert answer.err.count("KeyError: 'price'") == 1
    assert answer.err.count("own.py") == answer.err.count("  File ") == 2


def test_a_module_without_a_job_is_an_error(module: Path) -> None:
    module.touch()

    answer = started("own")

    assert answer.code == 1
    assert "There are no definitions in own." in answer.err.splitlines()[-1]


@pytest.mark.parametrize("name", ["nosuch", "own.py"])
def test_a_module_that_is_not_there_is_said_with_where_it_was_looked_for(module: Path, name: str) -> None:
    module.touch()

    answer = started(name)

    [line] = answer.err.splitlines()
    assert f"There is no module {name}" in line
    assert str(module.parent) in line
    assert line.endswith("as in an import: own.") is (name == "own.py")


def test_a_module_that_ends_its_process_is_told_by_how_it_ended(module: Path) -> None:
    module.write_text("import os\n\nos._exit(7)\n")

    answer = started("own")

    assert answer.err.rstrip().endswith("ended before it was ready: exit code 7.")


def test_a_definition_that_is_refused_is_shown_without_our_own_frames(module: Path) -> None:
    module.write_text("import jobplane\n\njp = jobplane.Jobplane()\n\n\n@jp.job('g')\ndef g():\n    yield 1\n")

    answer = started("own")

    assert "g: a handler must return its result" in answer.err
    assert answer.err.count("own.py") == answer.err.count("  File ") == 1


def test_a_schema_that_cannot_be_used_is_said_with_the_definition_and_the_line(module: Path) -> None:
    module.write_text(
        "from typing import Annotated\n\nimport jobplane\nfrom pydantic import WithJsonSchema\n\n"
        "jp = jobplane.Jobplane()\n\n\n@jp.job('mine')\n"
        "def mine(a: Annotated[int, WithJsonSchema({'$ref': 'http://127.0.0.1:1/x'})]) -> None: ...\n"
    )

    answer = started("own")

    assert answer.code == 1
    assert (
        'Definition "mine" cannot have this arg_schema. The schema has a $ref to "http://127.0.0.1:1/x".' in answer.err
    )
    assert answer.err.count("own.py") == answer.err.count("  File ") == 1


def test_a_file_that_cannot_be_opened_is_not_waited_for(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/missing/jobs.db"

    answer = jobplane("worker", "--import", APP, "--processes", "1", "--url", url)

    assert answer.code == 7
    assert f"{url}: The file cannot be opened" in answer.err.splitlines()[-1]


def test_with_the_login_of_the_application_the_error_names_the_setting(db: Database) -> None:
    given = {**postgres(db), "JOBPLANE_DATABASE_URL_WORKER": ""}

    answer = jobplane("worker", "--import", APP, "--processes", "1", **given)

    assert answer.code == 4
    assert ": set database_url_worker" in answer.err.splitlines()[-1]


def test_a_port_that_is_taken_is_an_error_that_names_it() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"

        answer = started(APP, "--http", address)

    assert answer.code == 2
    assert address in answer.err


def test_what_a_worker_is_told_is_judged_like_any_setting() -> None:
    assert "lease_seconds" in jobplane("worker", "--import", APP, "--lease-seconds", "4").err
    assert "--import" in jobplane("worker").err


def test_a_queue_that_no_definition_uses_is_a_warning(file_stage: Stage) -> None:
    worker = file_stage.started("--queue", "default=3", "--queue", "defualt")

    [line] = worker.lines("queue_without_definitions")

    assert (line["queue"], line["level"]) == ("defualt", "warning")
    assert worker.lines("worker_started")[0]["queues"] == {"default": 3, "defualt": 1}
