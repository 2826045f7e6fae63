"""No command guesses where the jobs are; only `jobplane up` brings a database of its own."""

import signal
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from shlex import quote
from uuid import uuid4

import pytest

from tests import programs
from tests.cli.command import COMMAND, environment, jobplane
from tests.embedded.conftest import clean_up
from tests.migrations.cluster import PG_BIN

CHOICES = ("postgresql://", "sqlite:///", "embedded:")
MODULE = "from jobplane import Jobplane\n\njp = Jobplane()\n\n\n@jp.job('nothing')\ndef nothing() -> None: ...\n"
ASK = "from own import jp, nothing; print(jp.get(nothing.enqueue()).status); jp.close()"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Path]:
    """A working directory with a module of the user's, `own`, and a home for data beside it."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/own.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path / "folder")
    yield tmp_path / "folder"
    programs.end_all()
    clean_up(tmp_path)


@pytest.mark.parametrize(
    "words",
    [
        ["worker", "--import", "own", "--processes", "1"],
        ["jobs", "logs", str(uuid4())],
        ["migrate", "plan"],
        ["migrate", "up"],
        ["migrate", "status"],
        ["migrate", "roles"],
        ["backup", "copy.db"],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_a_command_without_a_database_names_the_variable_and_the_choices(folder: Path, words: list[str]) -> None:
    data = folder.parent / "data"

    answer = jobplane(*words, XDG_DATA_HOME=str(data))

    assert (answer.code, answer.out) == (2, "")
    refusal = answer.err.splitlines()[-1]
    assert refusal.startswith("jobplane: invalid_config: ")
    assert [word for word in ("JOBPLANE_DATABASE_URL", *CHOICES) if word not in refusal] == []
    assert not data.exists()


@pytest.mark.parametrize("url", ["", "nonsense", "mysql://db/x", "sqlite://jobs.db", "embedded", "postgres"])
@pytest.mark.parametrize("words", [["migrate", "status"], ["up"], ["worker", "--import", "own"]], ids=lambda w: w[0])
def test_a_url_that_is_none_is_refused_with_the_name_of_the_setting(folder: Path, words: list[str], url: str) -> None:
    answer = jobplane(*words, JOBPLANE_DATABASE_URL=url, XDG_DATA_HOME=str(folder.parent / "data"))

    [line] = answer.err.splitlines()
    assert (answer.code, answer.out) == (2, "")
    assert line.startswith("jobplane: invalid_config: Invalid database_url. ")


@pytest.mark.parametrize("flags", [[], ["--dir", "own data"]], ids=["default", "--dir"])
def test_the_lines_that_up_prints_work_in_another_terminal(folder: Path, flags: list[str]) -> None:
    given = [*flags, "--http", "127.0.0.1:0", *(["--bin-dir", PG_BIN] if PG_BIN else [])]
    env = environment(XDG_DATA_HOME=str(folder.parent / "data home"))
    process = programs.start([*COMMAND, "up", *given], stderr=subprocess.PIPE, stdout=subprocess.PIPE, env=env)
    assert process.stderr is not None
    exports = [line.strip() for line in iter(process.stderr.readline, "and for SQL:\n") if "export " in line]

    # In another directory, with nothing of ours in the environment.
    ask = f"PYTHONPATH={quote(str(folder))} {quote(sys.executable)} -c {quote(ASK)}"
    asked = subprocess.run(
        ["sh", "-c", "\n".join([*exports, ask])],
        cwd=folder.parent, env=environment(), capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    process.send_signal(signal.SIGINT)

    assert (asked.returncode, asked.stdout) == (0, "queued\n"), asked.stderr
    assert exports[0].startswith("export JOBPLANE_DATABASE_URL=")
    assert process.wait(60) == 0
